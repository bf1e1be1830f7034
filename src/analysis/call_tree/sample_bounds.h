// How sure the values of a sampled call tree are: bounds that follow from the numbers of samples (sample_counts.h), of
// metrics whose samples can be counted (Metric::sample_value).
//
// Of the n samples of the whole program k are in a frame: its share of the whole is between the bounds of k of n, its
// value between these shares of the value of the whole, which is taken as measured.
#pragma once

#include <optional>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"

namespace cgpu {

/// Of the metrics that are shown those with bounds: of those that were asked for (kMetricOption), else of the main one
/// and of the number of samples, where the samples of some tree can be counted.
std::vector<ShownMetric> bounded_metrics(const std::vector<const CallTree*>& trees,
                                         const std::vector<ShownMetric>& shown, const TableOptions& options);

/// METRIC.inclusive_low and _high, METRIC.exclusive_low and _high of each.
std::vector<Column> bound_columns(const std::vector<ShownMetric>& metrics);

/// The bounds of a metric in one tree.
class SampleBounds {
 public:
  SampleBounds(const CallTree& tree, const ShownMetric& metric);

  /// Appends the four cells of what has these values: absent where a value is, or the samples cannot be counted.
  void append_to(Row& row, double inclusive, double exclusive) const;

 private:
  void append_bounds(Row& row, double value) const;

  std::optional<double> sample_value_;
  double whole_ = 0;
};

}  // namespace cgpu
