// Which rows of a table of events, in which order, and how many: --where, --sort and --top where the rows are made.
//
// Rows are looked at in batches. For a batch the columns that the filter asks for are made, and then the others for the
// rows that meet it; rows that are not chosen are never made. The result is that of Filter::apply, sort_rows and
// take_top on the whole table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/events/event_table.h"
#include "table/filter.h"

namespace cgpu {

/// The chosen rows, batch by batch. Refers to the table of events. Memory: one batch, and with `sort` some 20 bytes a
/// row that meets the filter (with `top`, for as many as it says, or two batches).
class ChosenRows {
 public:
  /// Throws Error for an unknown column and for a value that cannot be compared with its column.
  ChosenRows(const Analysis& analysis, const EventTable& events, RowChoice choice);
  ChosenRows(const ChosenRows&) = delete;
  ChosenRows& operator=(const ChosenRows&) = delete;

  /// Without rows.
  const Table& declared() const { return declared_; }
  /// The next rows, at most 65,536. The first batch is there even if it has no rows, so that a table without rows has
  /// its columns.
  std::optional<Table> next();

 private:
  std::optional<Table> next_in_table();
  std::optional<Table> next_in_order();
  std::vector<uint32_t> sorted();

  const EventTable& events_;
  const RowChoice choice_;
  Table declared_;
  BatchFilter filter_;
  std::optional<Sort> sort_;
  std::optional<std::vector<uint32_t>> in_order_;  // all chosen rows, where they are to be sorted
  size_t at_ = 0;                                  // in the table, or in `in_order_`
  size_t left_;                                    // of `top`
  bool is_first_ = true;
};

/// All chosen rows at once.
Table chosen_rows(const Analysis& analysis, const EventTable& events, const RowChoice& choice);
Table whole_event_table(const Analysis& analysis, const EventTable& events);
/// How many rows meet a filter. O(rows) for the columns of the filter, O(1) without one.
size_t count_rows(const Analysis& analysis, const EventTable& events, const Filter& where);

}  // namespace cgpu
