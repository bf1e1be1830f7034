// A table of one row an event: millions of rows, of which somebody wants ten, or all of them one after another.
//
// Rows have numbers in the table's own order. A column is made for the rows that are asked for, so that a filter looks
// at its own columns only and the rest is made for the rows that it leaves (choose_rows.h).
#pragma once

#include <cstdint>
#include <span>

#include "table/table.h"

namespace cgpu {

class EventTable {
 public:
  virtual ~EventTable() = default;
  virtual size_t row_count() const = 0;
  /// Appends the values of a column of the declared table at these rows.
  virtual void append(size_t column, std::span<const uint32_t> rows, ColumnValues& values) const = 0;
};

}  // namespace cgpu
