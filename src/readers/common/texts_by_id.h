// The texts of a table of ids and values.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "readers/common/table_source.h"

namespace cgpu {

/// Each is read when it is first asked for; a number where there is none.
class TextsById {
 public:
  TextsById(TableSource& tables, std::string table, std::string id = "id")
      : tables_(tables), table_(std::move(table)), id_(std::move(id)) {}

  const std::string& at(int64_t id) {
    const auto [at, is_new] = texts_.try_emplace(id);
    if (is_new) at->second = tables_.text_with_id(table_, id_, id);
    return at->second;
  }

 private:
  TableSource& tables_;
  std::string table_;
  std::string id_;
  std::unordered_map<int64_t, std::string> texts_;
};

}  // namespace cgpu
