// Passes over the tables of a database whose rows are events, for readers of formats that keep them so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/run.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/row_arguments.h"

namespace cgpu::sqlite {

/// Notes that a table could not be read to its end, where `error` says why.
inline void note_damage(Notes& notes, const std::string& table, const std::string& error) {
  if (error.empty()) return;
  notes.add("damaged_input", 1, "the table " + table + " could not be read to its end: " + error, true);
}

class EventTables {
 public:
  /// `layout` must outlive this.
  EventTables(Run& into, Database& from, const RowLayout& layout) : run(into), database(from), layout_(layout) {}

  /// One pass over a table; `row` is called with the scan at each row and must account for it by adding something
  /// or by skipping it. What cannot be read of the table goes into the notes.
  template <typename Row>
  void each_event(const std::string& table, const std::vector<std::string>& columns, Row row) {
    each(table, columns, [&](Scan& scan) {
      ++run.events.read;
      row(scan);
    });
  }
  /// The same for tables that hold no events.
  template <typename Row>
  void each(const std::string& table, const std::vector<std::string>& columns, Row row) {
    table_ = layout_.place_of(table);
    read_.insert(table);
    if (!database.has(table)) return;
    Scan scan(database, table, columns);
    while (!full() && scan.next()) row(scan);
    note_damage(run.notes, table, scan.error());
    if (full()) run.notes.add("truncated_input", 1, "reading stopped at the most slices that a run can hold", true);
  }

  /// Makes room for the slices of all tables, so that columns need not grow.
  void reserve_slices() {
    uint64_t rows = 0;
    for (const std::string& table : layout_.tables) rows += database.rows_expected(table);
    run.timeline.slices.reserve(std::min(rows, database.size() / 16));
  }

  /// The tables that have been read.
  const std::set<std::string>& read_tables() const { return read_; }

  Run& run;
  Database& database;

 protected:
  /// Slices::source of the scan's row.
  uint64_t source_of(const Scan& scan) const { return source_of_row(table_, scan.rowid()); }

 private:
  bool full() const { return run.timeline.slices.size() >= kNone - 1; }

  const RowLayout& layout_;
  uint64_t table_ = 0;
  std::set<std::string> read_;
};

}  // namespace cgpu::sqlite
