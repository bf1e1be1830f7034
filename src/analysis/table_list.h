// The list of tables, with their columns and options, as tables themselves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/table_options.h"
#include "table/table.h"

namespace cgpu {

struct Analysis;

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

/// All analyses, or those that are wanted.
std::vector<DeclaredTable> declared_tables(const std::function<bool(const Analysis&)>& wanted = nullptr);

Table list_of_tables(const std::vector<DeclaredTable>& declared);
/// The three tables `tables`, `columns` and `options`: all that is declared.
std::vector<Table> whole_list(const std::vector<DeclaredTable>& declared);

}  // namespace cgpu
