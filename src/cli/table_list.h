// The list of tables that a verb can show, with their columns and options, as tables themselves and as text.
#pragma once

#include <string>
#include <vector>

#include "analysis/table_options.h"
#include "table/table.h"

namespace cgpu {

/// A table as it was declared.
struct DeclaredTable {
  std::string name;
  std::string about;
  std::vector<std::string> aliases = {};
  std::string subject;                      // what it is about
  std::vector<std::string> slices_by = {};  // columns that tell its rows apart where a row stands for slices
  std::vector<Column> columns = {};
  std::vector<TableOption> options = {};
};

Table list_of_tables(const std::vector<DeclaredTable>& declared);
/// The three tables `tables`, `columns` and `options`: all that is declared.
std::vector<Table> whole_list(const std::vector<DeclaredTable>& declared);
/// Each table with its whole description; `heading` comes first.
std::string list_as_text(const std::vector<DeclaredTable>& declared, const std::string& heading);

}  // namespace cgpu
