// The virtual tables of SQLite over the tables of schemas: https://www.sqlite.org/vtab.html.
//
// A table is made when a statement first names it, so that its columns are those of the profile, and what SQLite plans
// with is how many rows it has. Conditions on integers and equality of texts are answered here (row_search.h), and so
// is the order of rows for ORDER BY, GROUP BY and windows (row_order.h), which SQLite would sort far slower.
#pragma once

#include "sql/table_set.h"

struct sqlite3;

namespace cgpu {

/// The name of the module, for CREATE VIRTUAL TABLE schema.table USING table_of_run.
inline constexpr const char* kTableModule = "table_of_run";

/// `schemas` must outlive the database.
void add_table_module(sqlite3* database, TablesBySchema& schemas);

}  // namespace cgpu
