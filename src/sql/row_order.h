// Rows in the order of columns, as SQL orders them: absent before everything, text by its bytes.
//
// Keys are mapped to unsigned numbers of the same order and sorted by their digits, from the last column to the first.
// O(n) a column: one pass where the rows are in order already, one where there are few different values, and one for 11
// bits of the span of the values otherwise. 24 bytes a row while it sorts.
#pragma once

#include <cstdint>
#include <vector>

#include "sql/row_source.h"

namespace cgpu {

struct OrderTerm {
  size_t column = 0;
  bool descending = false;
};

/// Rows of a block that is looked at as one.
inline constexpr size_t kRowBlock = size_t{1} << 16;

/// The values of a column at all of these rows, in the order of the rows.
ColumnValues column_at(const RowSource& source, size_t column, const std::vector<uint32_t>& rows);

/// The places of values in their order; equal ones keep theirs. `grouped`: equal ones need only be together, in any
/// order; texts are then in the order of their codes.
std::vector<uint32_t> order_of_values(const ColumnValues& values, bool descending, bool grouped);

/// Puts `rows` in order; equal ones keep theirs. `grouped`: as above.
void order_rows(const RowSource& source, const std::vector<OrderTerm>& terms, bool grouped,
                std::vector<uint32_t>& rows);

}  // namespace cgpu
