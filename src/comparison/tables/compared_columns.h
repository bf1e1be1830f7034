// Columns and cells that the tables of two runs share: the value of both sides, their difference, and how often.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/common/columns.h"
#include "comparison/attribution/apportion.h"
#include "comparison/comparison.h"

namespace cgpu {

/// What one iteration on one device takes of each row (all of it, where the sides have no iterations); `value(row,
/// side)` is that of all of them. The shares add up to that of the sum.
template <typename Rows, typename Value>
std::vector<PerSide<int64_t>> shares_of(const Comparison& comparison, const Rows& rows, Value value) {
  std::vector<PerSide<int64_t>> shares(rows.size());
  for (const Side side : kSides) {
    std::vector<int64_t> parts;
    for (const auto& row : rows) parts.push_back(value(row, side));
    const std::vector<int64_t> of_side = apportion(parts, comparison.totals(side).divisor());
    for (size_t i = 0; i < of_side.size(); ++i) shares[i][side] = of_side[i];
  }
  return shares;
}

/// How often per iteration and device.
inline double per_device_iteration(const Comparison& comparison, Side side, int64_t count) {
  return static_cast<double>(count) / static_cast<double>(comparison.totals(side).divisor());
}

/// a / b: how many times as fast B is; absent where a side has none.
inline Cell speedup_of(int64_t a, int64_t b) {
  if (a <= 0 || b <= 0) return {};
  return static_cast<double>(a) / static_cast<double>(b);
}

/// Columns that tell the change of the count and the change of the time of each apart: delta = (b - a) x mean time of A
/// + count of B x change of the mean. `of_one`: "of one copy".
inline std::vector<Column> with_split(std::vector<Column> columns, const std::string& of_one) {
  columns.push_back(detail_column(real_column("mean_a_ns", "ns", of_one + " in A")));
  columns.push_back(detail_column(real_column("mean_b_ns", "ns", "in B")));
  columns.push_back(
      detail_column(real_column("delta_by_count_ns", "ns",
                                "of the change, what the change of the count makes at the mean time of A; the rest is "
                                "that of the time of each")));
  return columns;
}

/// Their cells, of all iterations' counts and times (ns); the third is absent where one side has none.
inline void append_split(const Comparison& comparison, const PerSide<int64_t>& count, const PerSide<int64_t>& time,
                         Row& row) {
  for (const Side side : kSides) {
    row.push_back(count[side] == 0 ? Cell() : Cell(static_cast<double>(time[side]) / static_cast<double>(count[side])));
  }
  const bool both = count.a > 0 && count.b > 0;
  const auto more = [&] {
    return per_device_iteration(comparison, Side::b, count.b) - per_device_iteration(comparison, Side::a, count.a);
  };
  row.push_back(both ? Cell(more() * static_cast<double>(time.a) / static_cast<double>(count.a)) : Cell());
}

}  // namespace cgpu
