// Puts the rows of an Nsight Systems export into a run: tracks, categories, slices, and the keys that join them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/run.h"
#include "readers/common/sqlite/database.h"
#include "readers/nsys/names.h"

namespace cgpu::nsys {

/// Slices::source of a row: the place of its table in `argument_tables` above 56 bits of row id.
inline constexpr int kRowBits = 56;
/// The tables of which slices are made. Order matters to Slices::source only.
const std::vector<std::string>& argument_tables();

/// A process over all machines of a report: what a global thread or process id is without its thread.
/// <hardware:8><virtual machine:8><process:24><thread:24>
inline constexpr int kIdBits = 24;
inline constexpr int64_t kIdMask = (int64_t{1} << kIdBits) - 1;
inline uint64_t process_of(int64_t global_id) {
  return static_cast<uint64_t>(global_id) >> kIdBits;
}
inline int64_t process_number(uint64_t process) {
  return static_cast<int64_t>(process) & kIdMask;
}
inline int64_t thread_number(int64_t global_id) {
  return global_id & kIdMask;
}

class Assembler {
 public:
  Assembler(Run& into, sqlite::Database& from) : run(into), database(from), names(into.timeline.names) {}

  /// One pass over a table; `row` is called with the scan at each row and must account for it by adding something
  /// or by `skip`. What cannot be read of the table goes into the notes.
  template <typename Row>
  void each_event(const std::string& table, const std::vector<std::string>& columns, Row row) {
    each(table, columns, [&](sqlite::Scan& scan) {
      ++run.events.read;
      row(scan);
    });
  }
  /// The same for tables that hold no events.
  template <typename Row>
  void each(const std::string& table, const std::vector<std::string>& columns, Row row) {
    table_ = place_of(table);
    read_.insert(table);
    if (!database.has(table)) return;
    sqlite::Scan scan(database, table, columns);
    while (!full() && scan.next()) row(scan);
    note_damage(table, scan.error());
  }

  /// Adds the slice of the scan's row, whose first two columns are `start` and `end`; kNone where it has no time.
  SliceIndex add_slice(sqlite::Scan& scan, uint16_t category, StringId name, TrackIndex track,
                       int64_t correlation = kNoCorrelation);
  /// The same with times given.
  SliceIndex add_slice_at(const sqlite::Scan& scan, int64_t start, int64_t end, uint16_t category, StringId name,
                          TrackIndex track, int64_t correlation = kNoCorrelation);
  /// A slice that is made of several rows: none of them can be asked for its arguments.
  SliceIndex add_slice_without_row(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track);
  /// Counts an event that is not kept.
  void skip(const char* code, const char* why);

  uint16_t category(std::string_view name, SliceKind kind);
  TrackIndex thread_track(int64_t global_thread);
  TrackIndex stream_track(uint64_t process, int32_t device, int64_t stream);

  /// (process, correlation id) as one number, as long as launches are not linked: ids repeat from process to process.
  int64_t correlation(uint64_t process, sqlite::Scan& scan, int column);
  /// Rows of devices and rows of calls do not all say their process: all of them are taken as one.
  void assume_one_process() { one_process_ = true; }

  /// Makes room for the slices of all tables, so that columns need not grow.
  void reserve();

  /// The tables that have been read.
  const std::set<std::string>& read_tables() const { return read_; }
  const std::unordered_map<int64_t, TrackIndex>& threads() const { return threads_; }

  Run& run;
  sqlite::Database& database;
  Names names;

 private:
  SliceIndex push_slice(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track,
                        int64_t correlation, uint64_t source);
  static uint64_t place_of(const std::string& table);
  bool full() const { return run.timeline.slices.size() >= kNone - 1; }
  void note_damage(const std::string& table, const std::string& error);

  uint64_t table_ = 0;
  std::set<std::string> read_;
  // The last answer of each lookup: rows of one thread or stream stand together.
  std::pair<int64_t, TrackIndex> last_thread_{0, kNone};
  std::pair<std::tuple<uint64_t, int32_t, int64_t>, TrackIndex> last_stream_{{}, kNone};
  std::pair<uint64_t, int64_t> last_process_{0, -1};
  bool one_process_ = false;
  std::unordered_map<uint64_t, int64_t> processes_;
  std::unordered_map<int64_t, TrackIndex> threads_;
  std::map<std::tuple<uint64_t, int32_t, int64_t>, TrackIndex> streams_;
};

}  // namespace cgpu::nsys
