// The program's own source, as far as a profile carries it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cgpu {

struct SourceFile {
  std::string name;    // as the profile calls it: the text of CallNodes::file
  std::string stored;  // where in the profile it is
  uint64_t bytes = 0;
};

/// Gives the texts of source files from the profile. Any number of threads may ask at once.
class SourceFiles {
 public:
  virtual ~SourceFiles() = default;
  /// Those that are there. A file is asked for by its place in this list, never by its name.
  virtual const std::vector<SourceFile>& files() const = 0;
  /// The bytes of a file as they are, of a longer one the first `most`. Throws Error where it has vanished.
  virtual std::string text(size_t number, size_t most) const = 0;
};

}  // namespace cgpu
