// A folder under TMPDIR that vanishes with the object, for inputs that a library wants as a file; also where the
// program is ended by a signal (base/signal_cleanup.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_source.h"

namespace cgpu {

class TemporaryFolder {
 public:
  /// Throws Error where none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// The path of a file in it, which may be made now.
  std::string file(const std::string& name);

 private:
  std::string path_;
  std::vector<std::string> files_;
};

/// Writes the text of `source` to a new file, at most `most` bytes. Throws Error about `input` where there is not
/// enough room (base/file.h, most_temporary_bytes).
void copy_to_file(TextSource& source, const std::string& path, const std::string& input, uint64_t most = UINT64_MAX);

}  // namespace cgpu
