// The table function arguments(slice): what the profile says about an event besides its name and times, a row an
// argument. Without a slice, the arguments of all slices, which reads the profile once more.
#pragma once

#include "sql/table_module.h"

namespace cgpu {

/// Also the name of the table.
inline constexpr const char* kArgumentsModule = "arguments";
inline constexpr const char* kArgumentsColumns =
    "key TEXT,  -- name of the argument\n"
    "  value,  -- number or text; lists and objects as JSON\n"
    "  slice INTEGER HIDDEN  -- number of the slice, as in table slices\n";

/// `schemas` must outlive the database.
void add_arguments_module(sqlite3* database, TablesBySchema& schemas);

}  // namespace cgpu
