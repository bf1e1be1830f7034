// ascend_pytorch_profiler_*.db, ascend_mindspore_profiler_*.db, msprof_*.db: the profile in SQLite, with times in whole
// nanoseconds.
//
// One pass over each table that has to do with the timeline. Which tables and columns there are differs from version to
// version: every one is asked for, none is taken for granted.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "readers/ascend/assembler.h"
#include "readers/ascend/facts.h"
#include "readers/common/read_options.h"
#include "readers/common/sqlite/database.h"

namespace cgpu::ascend {

bool has_tables_of_a_profile(const sqlite::Database& database);

/// Reads the database at `path`, which the user calls `name`, and applies the facts. Throws Error.
Run read_database(const std::string& path, const std::string& name, Facts facts, const ReadOptions& options);

/// The tables whose rows become slices; their order is that of source_of_row.
const std::vector<std::string>& argument_tables();

/// The texts of STRING_IDS and of the ENUM_ tables.
class Texts {
 public:
  explicit Texts(sqlite::Database& database);

  /// "" where there is no such text.
  std::string_view text(int64_t id) const;
  /// The name with this id in an ENUM_ table, else in STRING_IDS.
  std::string_view enumerated(const std::string& table, int64_t id);

 private:
  sqlite::Database& database_;
  StringPool pool_;
  std::unordered_map<int64_t, StringId> ids_;
  std::map<std::string, std::unordered_map<int64_t, StringId>> enums_;
};

/// What the parts of the reader share.
class DatabaseReader {
 public:
  DatabaseReader(Run& run, sqlite::Database& from, const Facts& what)
      : assembler(run), database(from), texts(from), facts(what) {}

  /// One pass over a table; what cannot be read of it goes into the notes.
  template <typename Row>
  void each(const std::string& table, const std::vector<std::string>& columns, Row row) {
    read_.insert(table);
    if (!database.has(table)) return;
    table_ = place_of(table);
    sqlite::Scan scan(database, table, columns);
    while (!assembler.full() && scan.next()) row(scan);
    note_damage(table, scan.error());
  }
  /// The same for tables of events, each of which must be accounted for.
  template <typename Row>
  void each_event(const std::string& table, const std::vector<std::string>& columns, Row row) {
    each(table, columns, [&](sqlite::Scan& scan) {
      ++assembler.run.events.read;
      row(scan);
    });
  }

  /// The slice of the scan's row, whose first two columns are start and end; kNone where it has no time.
  SliceIndex add_slice(const sqlite::Scan& scan, uint16_t category, std::string_view name, TrackIndex track,
                       int64_t correlation = kNoCorrelation);
  /// Of a global thread id: <process:32><thread:32>.
  TrackIndex thread_track(int64_t global_thread);

  /// A table that says nothing new.
  void pass_over(const std::string& table) { read_.insert(table); }
  /// The tables that have been read.
  const std::set<std::string>& read_tables() const { return read_; }

  Assembler assembler;
  sqlite::Database& database;
  Texts texts;
  const Facts& facts;

 private:
  static uint64_t place_of(const std::string& table);
  void note_damage(const std::string& table, const std::string& error);

  uint64_t table_ = 0;
  std::set<std::string> read_;
};

/// database_host.cpp: framework ops, marks, calls, and what joins them.
void read_host_tables(DatabaseReader& reader);
/// database_device.cpp: device tasks and collectives.
void read_device_tables(DatabaseReader& reader);
/// database_counters.cpp: frequencies, bandwidths, memory.
void read_counter_tables(DatabaseReader& reader);

/// database_arguments.cpp.
std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<sqlite::Database> database);

}  // namespace cgpu::ascend
