#include "sql/write_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"
#include "sql/arguments_module.h"
#include "sql/database.h"
#include "sql/schema.h"

namespace cgpu {

void write_database(std::unique_ptr<RunTables> run, const KernelDictionary& dictionary, const std::string& path,
                    bool with_arguments, const std::function<void(double)>& progress) {
  constexpr const char* kFrom = "run";  // the schema of the virtual tables
  const bool has_arguments = with_arguments && run->facts() != nullptr;
  TablesBySchema schemas;
  TableSet& from = *run;
  schemas.emplace(kFrom, &from);

  const SqliteHandle database = open_sqlite(path);
  list_schemas(database.get(), schemas, dictionary);
  // The file is not seen before it is whole, so that nothing has to be undone.
  do_statement(database.get(), "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  size_t done = 0;
  for (const SqlTable& table : from.list()) {
    ++done;
    if (!table.has_rows) continue;
    const Table& declared = from.table(table).source().declared();
    const std::string name = sql_identifier(table.name);
    do_statement(database.get(), create_statement(table.name, declared.about, declared.columns));
    do_statement(database.get(), fmt::format("INSERT INTO main.{0} SELECT * FROM {1}.{0}", name, kFrom));
    progress(static_cast<double>(done) / static_cast<double>(from.list().size() + 1));
  }
  if (from.facts() != nullptr) do_statement(database.get(), "CREATE INDEX slices_by_number ON slices (slice)");
  if (has_arguments) {
    do_statement(database.get(), fmt::format("CREATE TABLE {0} (slice INTEGER, key TEXT, value);"
                                             "INSERT INTO main.{0} SELECT slice, key, value FROM {1}.{0};"
                                             "CREATE INDEX arguments_by_slice ON {0} (slice)",
                                             kArgumentsModule, kFrom));
  }
  do_statement(database.get(), "COMMIT");
  progress(1);
}

}  // namespace cgpu
