#include "readers/nsys/nsys.h"

#include <algorithm>

#include "base/error.h"
#include "base/reopened_file.h"
#include "readers/common/input.h"
#include "readers/common/row_arguments.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/database_input.h"
#include "readers/common/temporary_folder.h"
#include "readers/nsys/payloads.h"
#include "readers/nsys/report/report_tables.h"
#include "readers/nsys/tables.h"

namespace cgpu::nsys {

namespace {

bool has_tables_of_an_export(const sqlite::Database& database) {
  if (!database.has("StringIds")) return false;
  return std::any_of(database.tables().begin(), database.tables().end(), [](const auto& table) {
    const std::string& name = table.first;
    return name.starts_with("CUPTI_ACTIVITY_KIND_") || name.starts_with("TARGET_INFO_") || name == "META_DATA_EXPORT" ||
           name == "EXPORT_META_DATA" || name == "NVTX_EVENTS" || name == "OSRT_API";
  });
}

/// The run that the tables of an export say.
void read_tables(Run& run, std::shared_ptr<TableSource> tables, const ReadOptions& options) {
  const auto progress = [&](double share) {
    if (options.progress) options.progress(share);
  };
  Assembler assembler(run, *tables);
  assembler.reserve();
  const DeviceNumbers devices = read_facts(assembler);
  progress(0.1);
  std::vector<NcclRange> nccl = read_host_tables(assembler);
  progress(0.6);
  read_device_tables(assembler, devices);
  add_collectives(assembler, std::move(nccl));
  read_scheduling(assembler);
  progress(0.9);
  read_counters(assembler);
  read_samples(assembler);
  finish(assembler);
  run.arguments = make_row_arguments(std::move(tables), row_layout());
}

Run read_database(const std::string& path, const std::string& name, const ReadOptions& options) {
  auto database = std::make_shared<sqlite::Database>(path, name);
  Run run = new_run(name, "nsys-sqlite");
  run.input_bytes = run.text_bytes = database->size();
  if (!has_tables_of_an_export(*database)) {
    if (database->expected_size() <= database->size()) {
      throw Error(name, "is an SQLite database without the tables of an Nsight Systems export");
    }
    throw Error(name, "is an SQLite database that was cut off before its tables: export or copy it again");
  }
  sqlite::note_losses(*database, run.notes);
  read_tables(run, std::move(database), options);
  return run;
}

/// The report as a file that can be read anywhere: what is compressed or comes through a pipe is copied first.
std::shared_ptr<const File> open_report(const Input& input) {
  if (begins_with(input.path, kReportMagic)) {
    return std::make_shared<ReopenedFile>(std::make_shared<File>(input.path));
  }
  TemporaryFolder folder;
  const std::string path = folder.file("copy.nsys-rep");
  copy_to_file(*input.source, path, input.path);
  return std::make_shared<File>(path);  // stays open when its name is gone
}

}  // namespace

bool is_export(const Input& input) {
  return sqlite::is_database_with(input, has_tables_of_an_export, [](std::string_view head) {
    return head.find("StringIds") != std::string_view::npos;
  });
}

Run read_export(const Input& input, const ReadOptions& options) {
  const sqlite::DatabaseInput file(input);
  Run run = read_database(file.path(), input.path, options);
  run.input_bytes = input.source->stored_bytes();
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
  return run;
}

bool is_report(const Input& input) {
  return input.head.starts_with(kReportMagic);
}

Run read_report(const Input& input, const ReadOptions& options) {
  Run run = new_run(input.path, "nsys-rep");
  const std::shared_ptr<const File> file = open_report(input);
  const auto tables = std::make_shared<ReportTables>(file, input.path, options.threads, run.notes);
  run.input_bytes = input.source->stored_bytes();
  run.text_bytes = file->size();
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
  run.format_version = tables->container().version();
  read_tables(run, tables, options);
  tables->release();
  return run;
}

}  // namespace cgpu::nsys
