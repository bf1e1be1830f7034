#include "readers/common/sqlite/database_input.h"

#include "readers/common/sqlite/database.h"

namespace cgpu::sqlite {

bool is_database_file(const std::string& path) {
  return begins_with(path, kMagic);
}

DatabaseInput::DatabaseInput(const Input& input) : path_(input.path) {
  if (is_database_file(path_)) return;
  folder_.emplace();
  path_ = folder_->file("copy.db");
  // What a text has behind its pages is no part of the database.
  const uint64_t promised = size_by_header(input.head);
  copy_to_file(*input.source, path_, input.path, promised == 0 ? UINT64_MAX : promised);
}

}  // namespace cgpu::sqlite
