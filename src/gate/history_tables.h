// The tables of a history, without rows.
#pragma once

#include "table/table.h"

namespace cgpu {

Table history_table();                // a run
Table history_changes_table();        // a quantity that changed its level
Table history_change_points_table();  // a moment at which quantities did
Table history_parts_table();          // a part of the runs that moved there
Table history_latest_table();         // the last run

}  // namespace cgpu
