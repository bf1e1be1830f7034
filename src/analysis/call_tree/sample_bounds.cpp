#include "analysis/call_tree/sample_bounds.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/common/columns.h"
#include "analysis/common/sample_counts.h"

namespace cgpu {

std::vector<ShownMetric> bounded_metrics(const std::vector<const CallTree*>& trees,
                                         const std::vector<ShownMetric>& shown, const TableOptions& options) {
  const bool asked_for = !options.names(kMetricOption).empty();
  std::vector<ShownMetric> bounded;
  for (const ShownMetric& metric : shown) {
    const bool is_bounded = std::any_of(trees.begin(), trees.end(), [&](const CallTree* tree) {
      const std::optional<MetricIndex> index = metric.in(*tree);
      if (!index || !tree->metrics[*index].sample_value) return false;
      return asked_for || index == tree->main_metric || metric.name == kSamplesMetric;
    });
    if (is_bounded) bounded.push_back(metric);
  }
  return bounded;
}

std::vector<Column> bound_columns(const std::vector<ShownMetric>& metrics) {
  std::vector<Column> columns;
  for (const ShownMetric& metric : metrics) {
    for (const char* scope : {"inclusive", "exclusive"}) {
      const std::string name = metric.name + "." + scope;
      columns.push_back(real_column(name + "_low", metric.unit, "lower bound at 95 %, as numbers of samples vary"));
      columns.push_back(real_column(name + "_high", metric.unit, "upper bound"));
    }
  }
  return columns;
}

SampleBounds::SampleBounds(const CallTree& tree, const ShownMetric& metric) {
  const std::optional<MetricIndex> index = metric.in(tree);
  if (!index || tree.nodes.size() == 0) return;
  const double whole = inclusive_value(tree, *index, 0);
  if (!(whole > 0)) return;
  sample_value_ = tree.metrics[*index].sample_value;
  whole_ = whole;
}

void SampleBounds::append_to(Row& row, double inclusive, double exclusive) const {
  append_bounds(row, inclusive);
  append_bounds(row, exclusive);
}

void SampleBounds::append_bounds(Row& row, double value) const {
  std::optional<ShareBounds> bounds;
  if (sample_value_ && std::isfinite(value)) {
    const double known = std::clamp(value, 0.0, whole_);
    bounds = share_of_counts(known / *sample_value_, whole_ / *sample_value_);
  }
  row.push_back(bounds ? Cell(bounds->low * whole_) : Cell());
  row.push_back(bounds ? Cell(bounds->high * whole_) : Cell());
}

}  // namespace cgpu
