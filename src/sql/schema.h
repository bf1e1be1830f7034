// What the columns of a table are called in SQL, and the statement that would create it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// `name` as an identifier: in double quotes where it is not of letters, digits and '_', or is a word of SQL.
std::string sql_identifier(std::string_view name);

/// The names of the columns, which differ in SQL without regard to case: a later one of the same name gets "_2".
std::vector<std::string> sql_names(const std::vector<Column>& columns);

/// "INTEGER", "REAL", "TEXT".
const char* sql_type(ColumnType type);

/// CREATE TABLE "NAME" (...), one line a column, its unit and meaning behind it as a comment.
std::string create_statement(const std::string& name, const std::string& about, const std::vector<Column>& columns);

}  // namespace cgpu
