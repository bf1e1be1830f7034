// What the charts over time have in common: the axis below, and lines where steps begin.
#pragma once

#include <cstdint>

#include "base/interval_set.h"
#include "report/svg.h"
#include "table/table.h"

namespace cgpu {

/// Ticks with times below a chart of `time`, which is from `left` percent to its right end.
void add_time_axis(Svg& svg, const Interval& time, double left, double top, double bottom);
/// Lines where the steps of a rank begin, numbered where there is room; none where they are too many to be
/// distinguished.
void add_step_lines(Svg& svg, const Interval& time, const Table& steps, int64_t rank, bool numbered, double left,
                    double top, double bottom);

}  // namespace cgpu
