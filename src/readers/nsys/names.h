// StringIds: the table to which an Nsight Systems export moves its texts.
//
// Exports name far more than a timeline shows (symbols, paths, threads of the whole machine), so a text enters the
// run's names only when a slice uses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "readers/common/table_source.h"

namespace cgpu::nsys {

class Names {
 public:
  explicit Names(StringPool& pool) : pool_(pool) {}

  /// Adds a row of StringIds.
  void add(int64_t id, std::string_view text);
  /// The text of an id, empty where the table lacks it.
  std::string_view text(int64_t id) const;
  /// The same in the run's names.
  StringId id(int64_t id);
  /// A text that the file holds in place.
  StringId intern(std::string_view text);
  /// Of a column that holds a text or the id of one; 0 for null.
  StringId id(Row& row, int column);

 private:
  struct Entry {
    size_t begin = 0;
    size_t size = 0;
    StringId id = StringPool::absent;
  };
  StringPool& pool_;
  std::string texts_;
  std::vector<Entry> entries_;
  /// The place of the entry of an id; absent where there is none.
  uint32_t place_of(int64_t id) const;

  std::vector<uint32_t> dense_;  // of small ids, which is what all exports have; StringPool::absent for none
  std::unordered_map<int64_t, uint32_t> others_;
};

}  // namespace cgpu::nsys
