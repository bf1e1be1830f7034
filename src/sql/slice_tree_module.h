// The table functions ancestors(slice) and descendants(slice): the slices around a slice on its thread, from the
// innermost outwards, and those inside it, each before those inside it.
#pragma once

#include "sql/table_module.h"

namespace cgpu {

inline constexpr const char* kAncestorsModule = "ancestors";
inline constexpr const char* kDescendantsModule = "descendants";
inline constexpr const char* kSliceTreeColumns =
    "slice INTEGER,  -- number of the slice, as in table slices\n"
    "  levels INTEGER,  -- how many levels of nesting away\n"
    "  name TEXT,\n"
    "  start_ns INTEGER,  -- [ns] from the start of the profile\n"
    "  duration_ns INTEGER,  -- [ns] length\n"
    "  of INTEGER HIDDEN  -- number of the slice that is asked about\n";

/// `schemas` must outlive the database.
void add_slice_tree_modules(sqlite3* database, TablesBySchema& schemas);

}  // namespace cgpu
