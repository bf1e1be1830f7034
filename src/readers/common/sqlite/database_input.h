// An input that is an SQLite database: as a file where it is one, else written to one first, since SQLite reads files
// only.
#pragma once

#include <optional>
#include <string>

#include "readers/common/input.h"
#include "readers/common/temporary_folder.h"

namespace cgpu::sqlite {

/// Whether the file itself, not only its uncompressed text, is a database.
bool is_database_file(const std::string& path);

/// Where the database can be opened, as long as this exists. What is compressed or comes through a pipe is copied:
/// O(its bytes) on the disk of temporary files.
class DatabaseInput {
 public:
  /// Throws Error where there is no room for the copy.
  explicit DatabaseInput(const Input& input);
  const std::string& path() const { return path_; }

 private:
  std::optional<TemporaryFolder> folder_;
  std::string path_;
};

}  // namespace cgpu::sqlite
