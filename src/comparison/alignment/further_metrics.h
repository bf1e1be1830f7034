// The other metrics of two call trees that are paired by one of them: of each node its inclusive values on both sides,
// and of the reasons why instructions waited their shares of all of these. O(nodes) a metric.
#pragma once

#include <string>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "comparison/alignment/call_tree_alignment.h"

namespace cgpu {

/// Which there are.
class FurtherMetrics {
 public:
  /// Those that were asked for (kMetricOption), else all that are visible, have values and are additive, in any of the
  /// trees; without `main`.
  FurtherMetrics(const std::vector<const CallTree*>& trees, const TableOptions& options, const std::string& main);

  /// NAME.a, NAME.b, NAME.delta of each; of a reason to wait also NAME.share_a_pct and NAME.share_b_pct.
  void append_columns(Table& table) const;

  /// Their values in a pair of trees, by node, or, with the totals of both, by function.
  class Values {
   public:
    Values(const FurtherMetrics& metrics, const PerSide<const CallTree*>& trees,
           const PerSide<const FunctionTotals*>& totals);
    /// The cells of one call: absent where a side does not have it, or no value.
    void append_to(Row& row, const AlignedCall& call) const;

   private:
    struct OfMetric {
      bool is_wait = false;
      PerSide<std::vector<double>> inclusive;  // by node; empty where the tree does not have it
      PerSide<double> ratio{1, 1};             // that the values were multiplied by, for one unit
    };
    std::vector<OfMetric> metrics_;
    PerSide<std::vector<double>> all_waits_;  // by node; empty where no metric is one
  };

 private:
  struct Further {
    ShownMetric metric;
    bool is_wait = false;
  };
  std::vector<Further> metrics_;
};

}  // namespace cgpu
