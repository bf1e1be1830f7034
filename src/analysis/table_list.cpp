#include "analysis/table_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/analysis.h"

namespace cgpu {

namespace {

Cell text_or_absent(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

Table list_of_columns(const std::vector<DeclaredTable>& declared) {
  Table list(
      "columns", "the columns of each table; those over a call tree have one or two more for each metric",
      {{"table", ColumnType::text, "", "name of the table"},
       {"name", ColumnType::text, "", "name of the column"},
       {"type", ColumnType::text, "", "int, float or text"},
       {"unit", ColumnType::text, "", "ns, bytes, %, ...; absent for none"},
       {"role", ColumnType::text, "", "key: says which row it is; measure: how much; moment: a time; text: more"},
       {"about", ColumnType::text, "", "what it means"}});
  for (const DeclaredTable& table : declared) {
    for (const Column& column : table.columns) {
      list.append({table.name, column.name, text_of(column.type), text_or_absent(column.unit), text_of(column.role),
                   column.about});
    }
  }
  return list;
}

Table list_of_options(const std::vector<DeclaredTable>& declared) {
  Table list("options", "the options that single tables take, besides those that all tables take",
             {{"table", ColumnType::text, "", "name of the table"},
              {"name", ColumnType::text, "", "name of the option"},
              {"kind", ColumnType::text, "", "flag, choice, number, names or file"},
              {"default", ColumnType::text, "", "its value where it is not given; absent for nothing"},
              {"choices", ColumnType::text, "", "of a choice"},
              {"about", ColumnType::text, "", "what it does"}});
  for (const DeclaredTable& table : declared) {
    for (const TableOption& option : table.options) {
      list.append({table.name, "--" + option.name, text_of(option.kind), text_or_absent(option.fallback),
                   text_or_absent(fmt::format("{}", fmt::join(option.choices, ", "))), option.about});
    }
  }
  return list;
}

}  // namespace

std::vector<DeclaredTable> declared_tables(const std::function<bool(const Analysis&)>& wanted) {
  std::vector<DeclaredTable> declared;
  for (const Analysis& analysis : all_analyses()) {
    if (wanted && !wanted(analysis)) continue;
    declared.push_back({.name = analysis.name,
                        .about = analysis.about,
                        .aliases = analysis.aliases,
                        .subject = text_of(analysis.subject),
                        .slices_by = analysis.row_slices.visit ? analysis.row_slices.keys : std::vector<std::string>(),
                        .columns = analysis.columns,
                        .options = analysis.options});
  }
  return declared;
}

Table list_of_tables(const std::vector<DeclaredTable>& declared) {
  Table list("tables", "tables that `cgpu table INPUT... NAME` can show",
             {{"name", ColumnType::text, "", "what to type as NAME"},
              {"about", ColumnType::text, "", "what it tells"},
              {"aliases", ColumnType::text, "", "names that other tools give it, accepted too"},
              {"subject", ColumnType::text, "", "what it is about"},
              {"slices_by", ColumnType::text, "",
               "columns that tell its rows apart where a row is made of slices; absent where it does not"}});
  for (const DeclaredTable& table : declared) {
    list.append({table.name, table.about, fmt::format("{}", fmt::join(table.aliases, ", ")), table.subject,
                 text_or_absent(fmt::format("{}", fmt::join(table.slices_by, ", ")))});
  }
  return list;
}

std::vector<Table> whole_list(const std::vector<DeclaredTable>& declared) {
  return {list_of_tables(declared), list_of_columns(declared), list_of_options(declared)};
}

}  // namespace cgpu
