// A folder under TMPDIR that vanishes with the object, for inputs that a library wants as a file.
#pragma once

#include <string>

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

 private:
  std::string path_;
};

/// Writes the whole text of `source` to a new file. Throws Error where the disk is full.
void copy_to_file(TextSource& source, const std::string& path);

}  // namespace cgpu
