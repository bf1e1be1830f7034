// Which rows of a table meet conditions of SQL, without looking at all of them each time.
//
// Of a column of integers the least and the most of each block of 65,536 rows is found once, when a condition is first
// asked of it: 16 bytes a block. Blocks that cannot meet a condition are not looked at, so that ranges of time, and
// ranks, which are together, cost what they hold. Where one value of a column is looked for a second time, as a join
// does, all rows are put in order of the column: 12 bytes a row, O(n); from then on a value costs O(log n).
//
// The rows that are found meet all conditions; a condition that a column cannot answer is left to SQLite, which checks
// them all again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/row_order.h"
#include "sql/row_source.h"

namespace cgpu {

/// What a column must be: of integers at least `low` and at most `high`, of text equal to `text`.
struct RowCondition {
  size_t column = 0;
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  std::string text = {};
};

/// For one thread at a time.
class RowSearch {
 public:
  explicit RowSearch(std::unique_ptr<RowSource> source) : source_(std::move(source)) {}

  const RowSource& source() const { return *source_; }

  /// All rows that may meet the conditions on single values that have been asked for before; nothing where no condition
  /// helps. In no order that means anything.
  std::optional<std::vector<uint32_t>> looked_up(const std::vector<RowCondition>& conditions);
  /// Whether a block of rows can meet the conditions.
  bool may_hold(size_t block, const std::vector<RowCondition>& conditions);
  /// Those of the rows that meet the conditions.
  std::vector<uint32_t> matching(const std::vector<RowCondition>& conditions, std::vector<uint32_t> rows) const;
  /// Whether the texts of a column live as long as this: those of the first dictionary that is shown for it do.
  bool keeps(size_t column, const std::shared_ptr<const TextDictionary>& texts);

 private:
  struct Bounds {
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
  };
  /// Present values in ascending order, of text the codes of `texts`, and the rows that they are in.
  struct Lookup {
    std::vector<int64_t> values;
    std::vector<uint32_t> rows;
    std::shared_ptr<const TextDictionary> texts;
  };

  bool is_single_value(const RowCondition& condition) const;
  const Lookup& lookup_of(size_t column);
  const std::vector<Bounds>& bounds_of(size_t column);

  std::unique_ptr<RowSource> source_;
  std::map<size_t, std::vector<Bounds>> bounds_;                   // by column
  std::map<size_t, std::unique_ptr<const Lookup>> lookups_;        // by column; null where it was asked once
  std::map<size_t, std::shared_ptr<const TextDictionary>> texts_;  // by column
};

}  // namespace cgpu
