// The slices that the rows of a table are made of: all kernels of a name, all copies of a direction. The rows are told
// apart by the cells that name them, as the table has them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"
#include "table/table.h"

namespace cgpu {

/// The columns of a table that tell its rows apart: "name"; of transfers kind and memories, of collectives name and
/// group. `slices` stands for a table with a row a name. Empty where the rows of a table are not made of slices.
std::vector<std::string> row_columns(std::string_view table);

/// Calls visit(run, slice, row) for every slice of a row, with numbers from 0 for the rows, and gives the cells of
/// each. O(slices), besides what it costs to match collectives.
std::vector<std::vector<Cell>> visit_rows(const Session& session, std::string_view table, bool base_names,
                                          const std::function<void(size_t run, SliceIndex slice, uint32_t row)>& visit);

}  // namespace cgpu
