// The program's own source files, where a profile contains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cgpu {

struct SourceFile {
  std::string name;    // as the profile calls it: the text of CallNodes::file
  std::string stored;  // its place in the profile
  uint64_t bytes = 0;
};

/// Reads source files from the profile. Thread-safe.
class SourceFiles {
 public:
  virtual ~SourceFiles() = default;
  /// The files that the profile contains. A file is asked for by its place in this list, never by its name.
  virtual const std::vector<SourceFile>& files() const = 0;
  /// The bytes of a file, at most the first `most`. Throws Error where it has vanished.
  virtual std::string text(size_t number, size_t most) const = 0;
};

}  // namespace cgpu
