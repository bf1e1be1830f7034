#include "report/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/cells.h"

namespace cgpu {

void add_time_axis(Svg& svg, const Interval& time, double left, double top, double bottom) {
  for (const int64_t tick : axis_ticks(time.begin, time.end, 8)) {
    const double x =
        left + (100 - left) * static_cast<double>(tick - time.begin) / static_cast<double>(time.end - time.begin);
    svg.vertical(x, top, bottom + 4, "grid");
    const Anchor anchor = x < left + 3 ? Anchor::start : x > 96 ? Anchor::end : Anchor::middle;
    svg.text(x, bottom + 17, tick_text(tick), anchor, "tick");
  }
}

void add_step_lines(Svg& svg, const Interval& time, const Table& steps, int64_t rank, bool numbered, double left,
                    double top, double bottom) {
  std::vector<RowView> rows;
  for (const RowView row : steps.rows()) {
    if (integer_of(steps, row, "rank") == rank) rows.push_back(row);
  }
  if (rows.size() > 200) return;
  double labelled_until = -1;
  for (const RowView row : rows) {
    const int64_t start = integer_of(steps, row, "start_ns");
    const int64_t end = start + integer_of(steps, row, "duration_ns");
    if (end <= time.begin || start >= time.end) continue;
    const double x = left + (100 - left) * static_cast<double>(std::max(start, time.begin) - time.begin) /
                                static_cast<double>(time.end - time.begin);
    svg.vertical(x, top, bottom, "step");
    if (!numbered || x < labelled_until) continue;
    svg.text(x, top - 3, fmt::format("step {}", integer_of(steps, row, "step")), x > 94 ? Anchor::end : Anchor::start,
             "tick");
    labelled_until = x + 9;
  }
}

}  // namespace cgpu
