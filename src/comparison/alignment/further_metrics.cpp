#include "comparison/alignment/further_metrics.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/common/columns.h"
#include "table/units.h"

namespace cgpu {

namespace {

double or_zero(double value) {
  return std::isfinite(value) ? value : 0;
}

/// Inclusive values of a metric, by node or by function.
std::vector<double> values_of(const CallTree& tree, const FunctionTotals* totals, MetricIndex metric) {
  return totals ? totals->sums(metric).inclusive : inclusive_values(tree, metric);
}

/// Likewise the sum over all reasons.
std::vector<double> all_waits_of(const CallTree& tree, const FunctionTotals* totals) {
  std::vector<double> sums(totals ? totals->functions().nodes.size() : tree.nodes.size());
  for (MetricIndex i = 0; i < tree.metrics.size(); ++i) {
    if (tree.metrics[i].stall_reason.empty()) continue;
    const std::vector<double> values = values_of(tree, totals, i);
    for (size_t at = 0; at < sums.size(); ++at) sums[at] += or_zero(values[at]);
  }
  return sums;
}

}  // namespace

FurtherMetrics::FurtherMetrics(const std::vector<const CallTree*>& trees, const TableOptions& options,
                               const std::string& main) {
  for (ShownMetric& metric : shown_metrics(trees, options)) {
    Further further{std::move(metric), false};
    bool is_main = false;
    for (const CallTree* tree : trees) {
      const std::optional<MetricIndex> index = further.metric.in(*tree);
      if (!index) continue;
      is_main |= index == tree->find_metric(main);
      further.is_wait |= !tree->metrics[*index].stall_reason.empty();
    }
    if (!is_main) metrics_.push_back(std::move(further));
  }
}

void FurtherMetrics::append_columns(Table& table) const {
  for (const auto& [metric, is_wait] : metrics_) {
    const std::string about = metric.about.empty() ? metric.name : metric.about;
    table.columns.push_back(real_column(metric.name + ".a", metric.unit, about + "; in A, here and below"));
    table.columns.push_back(real_column(metric.name + ".b", metric.unit, "in B"));
    table.columns.push_back(real_column(metric.name + ".delta", metric.unit, "b - a"));
    if (!is_wait) continue;
    table.columns.push_back(
        real_column(metric.name + ".share_a_pct", "%", "of all that instructions waited here and below, in A"));
    table.columns.push_back(real_column(metric.name + ".share_b_pct", "%", "in B"));
  }
}

FurtherMetrics::Values::Values(const FurtherMetrics& metrics, const PerSide<const CallTree*>& trees,
                               const PerSide<const FunctionTotals*>& totals) {
  bool has_waits = false;
  for (const auto& [metric, is_wait] : metrics.metrics_) {
    OfMetric& values = metrics_.emplace_back();
    values.is_wait = is_wait;
    has_waits |= is_wait;
    for (const Side side : kSides) {
      const auto index = metric.in(*trees[side]);
      const auto ratio = index ? unit_ratio(trees[side]->metrics[*index].unit, metric.unit) : std::nullopt;
      if (!ratio) continue;
      values.inclusive[side] = values_of(*trees[side], totals[side], *index);
      for (double& value : values.inclusive[side]) value *= *ratio;
      values.ratio[side] = *ratio;
    }
  }
  for (const Side side : kSides) {
    if (has_waits) all_waits_[side] = all_waits_of(*trees[side], totals[side]);
  }
}

void FurtherMetrics::Values::append_to(Row& row, const AlignedCall& call) const {
  const auto at = [&](const PerSide<std::vector<double>>& values, Side side) {
    const std::optional<NodeIndex> node = side == Side::a ? call.a : call.b;
    // Of a transparent function they are in the rows of what it calls.
    return node && !call.own_only && !values[side].empty() ? values[side][*node] : kNoValue;
  };
  for (const OfMetric& metric : metrics_) {
    const double a = at(metric.inclusive, Side::a);
    const double b = at(metric.inclusive, Side::b);
    row.emplace_back(a);
    row.emplace_back(b);
    row.push_back(std::isfinite(a) || std::isfinite(b) ? Cell(or_zero(b) - or_zero(a)) : Cell());
    if (!metric.is_wait) continue;
    for (const Side side : kSides) {
      const double own_unit = or_zero(at(metric.inclusive, side)) / metric.ratio[side];
      row.push_back(share_of(own_unit, or_zero(at(all_waits_, side))));
    }
  }
}

}  // namespace cgpu
