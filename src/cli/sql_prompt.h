// The prompt of `cgpu sql` on a terminal: lines that can be edited, a history that is kept, completion of the names of
// tables, columns, functions and commands.
#pragma once

#include "cli/sql_console.h"

namespace cgpu {

/// Reads statements and commands until Ctrl-D or .quit; an error in one is printed, and the next is read. Ctrl-C ends
/// the query that runs, or forgets the line.
void prompt_for_sql(SqlDatabase& database, SqlConsole& console);

}  // namespace cgpu
