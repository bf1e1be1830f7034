#include "readers/common/sqlite/database_input.h"

#include "base/error.h"

namespace cgpu::sqlite {

bool is_database_file(const std::string& path) {
  return begins_with(path, kMagic);
}

bool is_database_with(const Input& input, const std::function<bool(const Database&)>& has_tables,
                      const std::function<bool(std::string_view head)>& by_head) {
  if (!input.head.starts_with(kMagic)) return false;
  if (!is_database_file(input.path)) return by_head(input.head);
  try {
    return has_tables(Database(input.path, input.path));
  } catch (const Error&) {
    return by_head(input.head);
  }
}

void add_database(const Input& input, const Database& database, Run& run) {
  run.input_bytes += input.source->stored_bytes();
  run.text_bytes += database.size();
  note_losses(database, run.notes);
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
}

DatabaseInput::DatabaseInput(const Input& input) : path_(input.path) {
  if (is_database_file(path_)) return;
  folder_.emplace();
  path_ = folder_->file("copy.db");
  // What a text has behind its pages is no part of the database.
  const uint64_t promised = size_by_header(input.head);
  copy_to_file(*input.source, path_, input.path, promised == 0 ? UINT64_MAX : promised);
}

std::shared_ptr<Database> open_database(const Input& input, const std::function<bool(const Database&)>& has_tables,
                                        const std::string& profiler, Run& run) {
  const DatabaseInput file(input);
  auto database = std::make_shared<Database>(file.path(), input.path);
  if (!has_tables(*database)) throw Error(input.path, "is an SQLite database without the tables of " + profiler);
  add_database(input, *database, run);
  return database;
}

}  // namespace cgpu::sqlite
