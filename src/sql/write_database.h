// All tables of a run as an SQLite file for other tools: the same tables with the same names and values as `cgpu sql`
// has, their columns with units and meanings as comments in the schema.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/dictionary.h"
#include "sql/run_tables.h"

namespace cgpu {

/// Writes to an empty or new file. `with_arguments`: also the table arguments (slice, key, value), for which the
/// profile is read once more. `progress` receives the share of the tables that are done. Throws Error.
void write_database(std::unique_ptr<RunTables> run, const KernelDictionary& dictionary, const std::string& path,
                    bool with_arguments, const std::function<void(double)>& progress);

}  // namespace cgpu
