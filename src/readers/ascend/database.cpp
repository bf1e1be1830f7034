#include "readers/ascend/database.h"

#include <algorithm>

#include "base/error.h"
#include "readers/common/event_tables.h"
#include "readers/common/input.h"
#include "readers/common/int32_or_none.h"

namespace cgpu::ascend {

namespace {

void read_device_names(DatabaseReader& reader) {
  reader.each("NPU_INFO", {"id", "name"}, [&](sqlite::Scan& row) {
    Device device;
    device.id = int32_or_none(row.integer(0));
    device.name = row.text(1);
    device.vendor = "Huawei";
    if (device.id >= 0) reader.assembler.run.devices.push_back(std::move(device));
  });
}

void read_facts(DatabaseReader& reader) {
  Run& run = reader.assembler.run;
  reader.each("HOST_INFO", {"hostName"}, [&](sqlite::Scan& row) { run.host = row.text(0); });
  reader.each("META_DATA", {"name", "value"}, [&](sqlite::Scan& row) {
    if (row.text(0) == "SCHEMA_VERSION") run.format_version = row.text(1);  // the environment is here too
  });
  reader.each("RANK_DEVICE_MAP", {"rankId"}, [&](sqlite::Scan& row) {
    if (run.rank_known || row.is_null(0) || row.integer(0) < 0) return;
    run.rank = row.integer(0);
    run.rank_known = true;
  });
  read_device_names(reader);
}

}  // namespace

const std::vector<std::string>& argument_tables() {
  static const std::vector<std::string> tables{"TASK",        "COMMUNICATION_OP", "CANN_API",
                                               "PYTORCH_API", "MSTX_EVENTS",      "OSRT_API"};
  return tables;
}

Texts::Texts(sqlite::Database& database) : database_(database) {
  sqlite::Scan scan(database, "STRING_IDS", {"id", "value"});
  while (scan.next()) ids_.emplace(scan.integer(0), pool_.intern(scan.text(1)));
}

std::string_view Texts::text(int64_t id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? std::string_view() : pool_[found->second];
}

std::string_view Texts::enumerated(const std::string& table, int64_t id) {
  const auto [names, added] = enums_.try_emplace(table);
  if (added) {
    sqlite::Scan scan(database_, table, {"id", "name"});
    while (scan.next()) names->second.emplace(scan.integer(0), pool_.intern(scan.text(1)));
  }
  const auto found = names->second.find(id);
  return found == names->second.end() ? text(id) : pool_[found->second];
}

SliceIndex DatabaseReader::add_slice(const sqlite::Scan& scan, uint16_t category, std::string_view name,
                                     TrackIndex track, int64_t correlation) {
  if (scan.is_null(0) || scan.is_null(1)) {
    assembler.skip("skipped_event", "rows without a start or an end were left out");
    return kNone;
  }
  return assembler.add_slice(scan.integer(0), scan.integer(1), category, assembler.timeline.names.intern(name), track,
                             correlation, source_of_row(table_, scan.rowid()));
}

TrackIndex DatabaseReader::thread_track(int64_t global_thread) {
  const auto id = static_cast<uint64_t>(global_thread);
  return assembler.thread_track(static_cast<int64_t>(id >> 32), static_cast<int64_t>(id & UINT32_MAX));
}

uint64_t DatabaseReader::place_of(const std::string& table) {
  const std::vector<std::string>& tables = argument_tables();
  return static_cast<uint64_t>(std::find(tables.begin(), tables.end(), table) - tables.begin());
}

void DatabaseReader::note_damage(const std::string& table, const std::string& error) {
  Run& run = assembler.run;
  cgpu::note_damage(run.notes, table, error);
  if (assembler.full()) run.notes.add("truncated_input", 1, "reading stopped at the most slices a run can hold", true);
}

bool has_tables_of_a_profile(const sqlite::Database& database) {
  if (!database.has("STRING_IDS")) return false;
  return database.has("TASK") || database.has("CANN_API") || database.has("PYTORCH_API") ||
         database.has("COMMUNICATION_OP") || database.has("MSTX_EVENTS");
}

Run read_database(const std::string& path, const std::string& name, Facts facts, const ReadOptions& options) {
  auto database = std::make_shared<sqlite::Database>(path, name);
  if (!has_tables_of_a_profile(*database)) {
    throw Error(name, "is an SQLite database without the tables of an Ascend profile");
  }
  Run run = new_run(name, "ascend");
  run.input_bytes = run.text_bytes = database->size();
  apply(facts, run);
  sqlite::note_losses(*database, run.notes);
  const auto progress = [&](double share) {
    if (options.progress) options.progress(share);
  };
  DatabaseReader reader(run, *database, facts);
  read_facts(reader);
  progress(0.1);
  read_host_tables(reader);
  progress(0.5);
  read_device_tables(reader);
  progress(0.8);
  read_counter_tables(reader);
  note_unread_tables(*database, reader.read_tables(), {"startNs", "timestampNs"}, run.notes);
  reader.assembler.finish();
  run.arguments = make_argument_source(std::move(database));
  return run;
}

}  // namespace cgpu::ascend
