// Which rows of a table of events, in which order, and how many: --where, --sort and --top where the rows are made.
#pragma once

#include <functional>
#include <string>

#include "analysis/analysis.h"
#include "analysis/events/event_table.h"
#include "table/filter.h"

namespace cgpu {

struct RowChoice {
  Filter where;
  std::string sort;  // as sort_rows takes it; "" for the order of the table
  size_t top = 0;    // 0: all
};

/// Calls take(batch) with the chosen rows, in order, some ten thousand at a time; at least once, so that a table without
/// rows has its columns. Rows that are not chosen are never made. Memory: one batch, and with `sort` 13 bytes a row that
/// meets the filter (of `top`, that many).
void for_each_batch(const Analysis& analysis, const EventTable& events, const RowChoice& choice,
                    const std::function<void(const Table&)>& take);

/// All chosen rows at once.
Table chosen_rows(const Analysis& analysis, const EventTable& events, const RowChoice& choice);
Table whole_event_table(const Analysis& analysis, const EventTable& events);

}  // namespace cgpu
