// A table with one row per event: millions of rows. A user wants ten of them, or all one after another.
//
// Rows have numbers in the table's own order. A column is made for the rows that are asked for, so that a filter looks
// at its own columns only and the rest is made for the rows that it leaves (choose_rows.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// May be used by one thread at a time.
class EventTable {
 public:
  virtual ~EventTable() = default;
  virtual size_t row_count() const = 0;
  /// The values of a column at these rows, which may come in any order. Columns are numbered as the analysis declares
  /// them, and after those as add_columns does.
  virtual ColumnValues values(size_t column, std::span<const uint32_t> rows) const = 0;
  /// Appends the columns that the table has because of its options.
  virtual void add_columns(std::vector<Column>&) const {}
};

}  // namespace cgpu
