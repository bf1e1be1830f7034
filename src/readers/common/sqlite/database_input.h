// An input that is an SQLite database: as a file where it is one, else written to one first, since SQLite reads files
// only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/run.h"
#include "readers/common/input.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/temporary_folder.h"

namespace cgpu::sqlite {

/// Whether the file itself, not only its uncompressed text, is a database.
bool is_database_file(const std::string& path);

/// Whether an input is a database for which `has_tables` holds. One that would have to be copied before it can be
/// opened, or that is damaged, is judged by its head; reading says what is wrong with it.
bool is_database_with(const Input& input, const std::function<bool(const Database&)>& has_tables,
                      const std::function<bool(std::string_view head)>& by_head);

/// Adds to a run what is known of the database that it is read from: its bytes, and what of it is lost.
void add_database(const Input& input, const Database& database, Run& run);

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

/// Opens the database that an input is, and notes in `run` what add_database does. Throws Error, which names
/// `profiler`, where `has_tables` does not hold.
std::shared_ptr<Database> open_database(const Input& input, const std::function<bool(const Database&)>& has_tables,
                                        const std::string& profiler, Run& run);

}  // namespace cgpu::sqlite
