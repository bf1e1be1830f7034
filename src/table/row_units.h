// Figures of several kinds below each other: tables whose rows name the unit of their figures, in a text column `unit`.
#pragma once

#include <cstddef>
#include <optional>

#include "table/table.h"

namespace cgpu {

/// The column with the units; absent where the rows have none.
std::optional<size_t> unit_column(const Table& table);

/// Whether the figures of a column are in the unit of their row.
bool is_in_row_unit(const Table& table, size_t column);

/// Such figures as texts with their unit, for people: "1.21 s". The column `unit` is gone then.
Table with_row_units(const Table& table);

}  // namespace cgpu
