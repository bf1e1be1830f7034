// The parameters of a request that have their names from the declaration of a table: its options, and the columns that
// tell its rows apart. All others are read by Parameters.
#pragma once

#include <string_view>

#include "analysis/analysis.h"
#include "serve/http/answer.h"

namespace cgpu {

/// Throws RequestError (404) where there is none of this name.
const Analysis& table_called(std::string_view name);

/// Takes the options that the table declares out of the request: NAME=VALUE, a flag as NAME=1, several names as
/// NAME=VALUE&NAME=VALUE. Throws RequestError for a value that the option does not take; an option that the table does
/// not have stays, and is an unknown parameter.
TableOptions take_options(const Analysis& table, Request& request);

/// Takes the cells of the columns that tell the table's rows apart out of the request: COLUMN=TEXT, absent where there
/// is none.
Row take_row_key(const Analysis& table, Request& request);

}  // namespace cgpu
