// The tables of a check, without rows.
#pragma once

#include "table/table.h"

namespace cgpu {

/// A share as a percentage; absent where it is infinite.
Cell percent(double share);

Table check_table();         // a rule
Table check_times_table();   // a time of an iteration, or of a run
Table check_memory_table();  // a quantity of memory
Table check_parts_table();   // an op, a kernel class or a kernel
Table check_calls_table();   // a metric of call trees: the whole, and functions
Table check_runs_table();    // a run

}  // namespace cgpu
