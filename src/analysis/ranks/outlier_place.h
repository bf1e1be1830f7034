// Where the devices of a row of table rank_outliers belong, in words, for findings and reports.
#pragma once

#include <string>

#include "table/table.h"

namespace cgpu {

/// To be written behind "ranks 8-15": " on node7", " in rack 3", " of pipeline stage 2", " of the tensor parallel group
/// 13"; "" where nothing is known that they have in common.
std::string outlier_place(const Table& rank_outliers, size_t row);

}  // namespace cgpu
