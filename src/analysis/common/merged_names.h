// One numbering of names over several runs, each of which has its own name pool.
//
// Numbers are dense, so that a table accumulates in arrays instead of maps of texts. A name is spelt and hashed
// once a pool; after that a lookup is one array access.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_pool.h"

namespace cgpu {

class MergedNames {
 public:
  using Spelling = std::function<std::string(std::string_view)>;

  /// `spelling` turns the name in the pool into the one that is listed.
  explicit MergedNames(Spelling spelling = nullptr) : spelling_(std::move(spelling)) {}

  /// From now on ids are of this pool, which must not grow meanwhile.
  void enter(const StringPool& pool) {
    pool_ = &pool;
    numbers_.assign(pool.size(), StringPool::absent);
  }
  /// Number of the name with this id in the entered pool.
  StringId number(StringId id) {
    StringId& number = numbers_[id];
    if (number == StringPool::absent) {
      const std::string_view name = (*pool_)[id];
      number = spelling_ ? names_.intern(spelling_(name)) : names_.intern(name);
    }
    return number;
  }
  /// Number of a name that is spelt as it is listed.
  StringId number_of_text(std::string_view text) { return names_.intern(text); }
  std::string_view text(StringId number) const { return names_[number]; }
  /// All numbers so far are below this.
  uint32_t size() const { return names_.size(); }

 private:
  Spelling spelling_;
  const StringPool* pool_ = nullptr;
  std::vector<StringId> numbers_;
  StringPool names_;
};

/// The entry of `number` in a growing column that is indexed by MergedNames numbers.
template <typename T>
T& entry(std::vector<T>& column, StringId number) {
  if (number >= column.size()) column.resize(number + 1);
  return column[number];
}

}  // namespace cgpu
