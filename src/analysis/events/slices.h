// Table `slices` with only some of its rows: of millions the first in any order, or those that meet a condition, are
// found without making the others.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/analysis.h"
#include "table/filter.h"

namespace cgpu {

/// Which rows of a table are wanted, and in which order: as --where, --sort and --top say it.
struct RowChoice {
  Filter where;
  std::string sort;  // empty: the table's own order
  size_t top = 0;    // 0: all
};

/// slices_table(), filtered, sorted and cut. O(n) for looking at the slices, in memory too only where there is no top,
/// and O(top log top) for those shown; a condition costs the making of its cells for every slice. Throws Error for an
/// unknown column or a value that cannot be compared with its column.
Table some_slices(const Session& session, const AnalysisOptions& options, const RowChoice& choice);

}  // namespace cgpu
