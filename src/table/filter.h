// Which rows of a table, and in which order: --where, --sort and --top.
//
// A filter is conditions COLUMN OP VALUE, with OP one of = == != < <= > >= ~ !~, or COLUMN [not] in (VALUE, VALUE,
// ...), joined by `not`, `and`, `or` (which bind in this order) and round brackets:
//   total_ns > 1ms and name ~ ^void and class != "copy"
//   class in (gemm, moe_gemm) or (count > 1000 and not name ~ elementwise)
// In a column of numbers VALUE is a number with an optional unit (ns us ms s; B KB MB GB TB KiB MiB GiB TiB; %; or the
// column's own), converted to the unit of the column; without a unit it is in the column's own. An integer is compared
// exactly, whatever its size. In a column of text, = and < compare bytes, and ~ finds a regular expression (RE2 syntax)
// anywhere in the text. VALUE reaches to the next `and` or `or`, inside of brackets to the one that closes them, in a
// list to the next comma; in '..' or ".." (the quote itself doubled) it may hold anything. A column may be quoted the
// same way. An absent cell meets no condition, not even != or `not in`; it does meet `not (...)` of one. O(rows) a
// condition, O(rows log rows) for sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace re2 {
class RE2;
}

namespace cgpu {

class Filter {
 public:
  enum class Operator : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, matches, matches_not };

  struct Condition {
    std::string column;
    Operator op = Operator::equal;
    std::string value;
    size_t position = 0;                      // of the value in the expression, from 1
    std::shared_ptr<const re2::RE2> pattern;  // of matches and matches_not
  };

  /// One condition, or how others are joined.
  struct Node {
    enum class Kind : uint8_t { condition, all_of, any_of, none_of };
    Kind kind = Kind::all_of;
    size_t condition = 0;  // its number in conditions()
    std::vector<Node> parts = {};
  };

  /// Throws Error with the position (from 1) of what cannot be read, or with what is wrong in a regular expression.
  static Filter parse(std::string_view expression);

  /// The rows that meet it, in their order. Throws Error, before a row is touched, for a column that the table does not
  /// have and for a value that cannot be compared with its column.
  std::vector<uint32_t> matches(const Table& table) const;
  /// Keeps these rows. Throws as matches does.
  void apply(Table& table) const;

  /// Where a text is asked for that no row of the table has: a line that says so and names those that there are.
  std::optional<std::string> unknown_text(const Table& table) const;

  const std::vector<Condition>& conditions() const { return conditions_; }
  /// Without a part where the filter is empty, which every row meets.
  const Node& root() const { return root_; }

 private:
  std::vector<Condition> conditions_;
  Node root_;
};

/// A filter over a table whose rows come in batches. A condition on a text is evaluated once for all batches that share
/// a dictionary. Refers to the filter.
class BatchFilter {
 public:
  /// `table` has the columns, it needs no rows. Throws as Filter::matches does.
  BatchFilter(const Filter& filter, const Table& table);
  ~BatchFilter();
  BatchFilter(BatchFilter&&) noexcept;

  /// The columns that the conditions look at, each once.
  const std::vector<size_t>& columns() const { return columns_; }
  /// The rows of a batch that meet the filter; `values` holds those of columns(), in that order.
  std::vector<uint32_t> matches(size_t rows, const std::vector<const ColumnValues*>& values);

 private:
  class Bound;
  using Rows = std::vector<uint32_t>;
  Rows matching(const Filter::Node& node, Rows rows, const std::vector<const ColumnValues*>& values);

  const Filter& filter_;
  std::vector<Bound> bound_;  // by number of the condition
  std::vector<size_t> columns_;
};

/// What a text like "+name" says.
struct Sort {
  size_t column = 0;
  bool descending = false;
};
/// Numbers descend and text ascends, unless a sign before the name says otherwise. Throws Error for an unknown column.
Sort parse_sort(const Table& table, std::string_view column);
/// The same as a text with its sign, as Table::sorted_by has it.
std::string sorted_by_text(const Table& table, const Sort& sort);

/// The rows in the order of a column's values, in either direction: equal ones keep their order, absent ones come last.
/// With `top` only the first so many. O(n log n), O(n + top log top) with `top`.
std::vector<uint32_t> sorted_rows(const ColumnValues& values, bool descending, size_t top = 0);

/// Orders the rows by a column: numbers from the largest, text from the smallest, or as a '+' (ascending) or '-'
/// (descending) before the name says. Equal rows keep their order, absent cells come last. Throws Error for an unknown
/// column.
void sort_rows(Table& table, std::string_view column);

/// Keeps the first `n` rows; 0 keeps all.
void take_top(Table& table, size_t n);

/// All three together.
struct RowChoice {
  Filter where = {};
  std::string sort = {};  // as sort_rows takes it; "" for the order of the table
  size_t top = 0;         // 0: all

  /// Throws as Filter::apply and sort_rows do.
  void apply(Table& table) const;
};

}  // namespace cgpu
