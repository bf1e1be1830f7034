// Passes over tables whose rows are events, for readers of formats that keep them so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/to_size.h"
#include "model/run.h"
#include "readers/common/row_arguments.h"
#include "readers/common/table_source.h"

namespace cgpu {

/// Notes that a table could not be read to its end, where `error` says why.
inline void note_damage(Notes& notes, const std::string& table, const std::string& error) {
  if (error.empty()) return;
  notes.add("damaged_input", 1, "the table " + table + " could not be read to its end: " + error, true);
}

/// Notes the tables with one of these columns, which tables of events have, that have rows and are not among `read`.
inline void note_unread_tables(const TableSource& tables, const std::set<std::string>& read,
                               std::initializer_list<std::string_view> columns_of_events, Notes& notes) {
  std::string unread;
  int64_t count = 0;
  for (const auto& [table, columns] : tables.tables()) {
    const bool is_of_events = std::ranges::any_of(
        columns_of_events, [&, &name = table](std::string_view column) { return tables.has_column(name, column); });
    if (!is_of_events || read.count(table) != 0 || !tables.has_rows(table)) continue;
    unread.append(unread.empty() ? "" : ", ").append(table);
    ++count;
  }
  notes.add("unread_table", count, "tables of events that cgpu does not use: " + unread);
}

class EventTables {
 public:
  /// `layout` must outlive this.
  EventTables(Run& into, TableSource& from, const RowLayout& layout) : run(into), tables(from), layout_(layout) {}

  /// One pass over a table; `visit` is called with each row and must account for it by adding something or by skipping
  /// it. What cannot be read of the table goes into the notes.
  template <typename Visit>
  void each_event(const std::string& table, const std::vector<std::string>& columns, Visit visit) {
    each(table, columns, [&](Row& row) {
      ++run.events.read;
      visit(row);
    });
  }
  /// The same for tables that hold no events.
  template <typename Visit>
  void each(const std::string& table, const std::vector<std::string>& columns, Visit visit) {
    table_ = layout_.place_of(table);
    read_.insert(table);
    if (!tables.has(table)) return;
    const std::unique_ptr<RowScan> scan = tables.scan(table, columns);
    while (!full() && scan->next()) visit(*scan);
    note_damage(run.notes, table, scan->error());
    if (full()) run.notes.add("truncated_input", 1, "reading stopped at the most slices that a run can hold", true);
  }

  /// Makes room for the slices of all tables, so that columns need not grow.
  void reserve_slices() {
    uint64_t rows = 0;
    for (const std::string& table : layout_.tables) rows += tables.rows_expected(table);
    run.timeline.slices.reserve(to_size(std::min(rows, tables.size() / 16)));
  }

  /// The tables that have been read.
  const std::set<std::string>& read_tables() const { return read_; }

  Run& run;
  TableSource& tables;

 protected:
  /// Slices::source of the row.
  uint64_t source_of(const Row& row) const { return source_of_row(table_, row.rowid()); }

 private:
  bool full() const { return run.timeline.slices.size() >= kNone - 1; }

  const RowLayout& layout_;
  uint64_t table_ = 0;
  std::set<std::string> read_;
};

}  // namespace cgpu
