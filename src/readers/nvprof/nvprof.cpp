#include "readers/nvprof/nvprof.h"

#include <algorithm>

#include "readers/common/input.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/database_input.h"
#include "readers/nvprof/tables.h"

namespace cgpu::nvprof {

namespace {

constexpr std::string_view kRecords = "CUPTI_ACTIVITY_KIND_";
const std::string kTexts = "StringTable";

bool has_tables_of_nvprof(const sqlite::Database& database) {
  return database.has(kTexts) && std::any_of(database.tables().begin(), database.tables().end(),
                                             [](const auto& table) { return table.first.starts_with(kRecords); });
}

bool begins_like_nvprof(std::string_view head) {
  return head.find(kTexts) != std::string_view::npos && head.find(kRecords) != std::string_view::npos;
}

}  // namespace

bool is_database(const Input& input) {
  return sqlite::is_database_with(input, has_tables_of_nvprof, begins_like_nvprof);
}

Run read_database(const Input& input, const ReadOptions& options) {
  Run run = new_run(input.path, "nvprof");
  const auto database = sqlite::open_database(input, has_tables_of_nvprof, "nvprof", run);
  const auto progress = [&](double share) {
    if (options.progress) options.progress(share);
  };
  Assembler assembler(run, *database);
  assembler.reserve_slices();
  read_facts(assembler);
  progress(0.1);
  read_host_tables(assembler);
  progress(0.6);
  read_device_tables(assembler);
  progress(0.9);
  read_counters(assembler);
  finish(assembler);
  run.arguments = make_row_arguments(database, row_layout());
  return run;
}

}  // namespace cgpu::nvprof
