// Table `imbalance`: how evenly the cost of each node lies on the threads or ranks. O(values of single profiles), which
// are read for it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Table imbalance_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const auto metric = one_metric(stored_trees(facts.session()), options);
  Table table = analysis.empty_table();
  for (const char* column : {"min", "mean", "max"}) {
    table.columns[table.column(column)].unit = metric ? metric->unit : "";
  }
  for (const Run& run : facts.session().runs) {
    const auto index = metric && run.call_tree ? metric->in(*run.call_tree) : std::nullopt;
    if (!index || !run.call_tree->profile_values || !run.call_tree->has_values(*index)) continue;
    const CallTree& tree = *run.call_tree;
    const std::vector<double> whole = values_by_profile(tree, 0, *index);
    const auto threads = std::count_if(whole.begin(), whole.end(), [](double v) { return std::isfinite(v); });
    const std::vector<double> total = inclusive_values(tree, *index);
    for (NodeIndex node = 0; node < tree.nodes.size() && threads > 0; ++node) {
      if (!std::isfinite(total[node])) continue;
      double sum = 0;
      double least = std::numeric_limits<double>::infinity();
      size_t worst = whole.size();
      std::vector<double> values = values_by_profile(tree, node, *index);
      for (size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(whole[i])) continue;
        if (!std::isfinite(values[i])) values[i] = 0;
        sum += values[i];
        least = std::min(least, values[i]);
        if (worst == whole.size() || values[i] > values[worst]) worst = i;
      }
      const double mean = sum / static_cast<double>(threads);
      table.append({run.rank, int64_t{node}, tree.name_of(node), metric->name, least, mean, values[worst],
                    mean > 0 ? values[worst] / mean : kNoValue, tree.profiles[worst].name,
                    static_cast<int64_t>(threads)});
    }
  }
  const ColumnValues& mean = table.values(table.column("mean"));
  const ColumnValues& most = table.values(table.column("max"));
  const auto gain = [&](uint32_t row) { return most.real(row) - mean.real(row); };
  table.sort([&](uint32_t a, uint32_t b) { return gain(a) > gain(b); });
  return table;
}

}  // namespace

Analysis imbalance_analysis() {
  return {.name = "imbalance",
          .about = "how evenly the cost of each node lies on the threads and ranks that have any, most to gain first",
          .subject = Subject::call_tree,
          .columns = {rank_column(), number_column("id", "number of the node in call_tree"),
                      key_column("name", "function, or place in the source"), text_column("metric", "what is compared"),
                      real_column("min", "", "least cost, here and below, of a thread; 0 for one that was never here"),
                      real_column("mean", "", "mean cost over the threads"),
                      real_column("max", "", "most cost of a thread"),
                      real_column("imbalance", "", "max / mean: 1 is even"),
                      text_column("worst", "the thread with the most"),
                      count_column("profiles", "threads that have any cost at all")},
          .options = {kMetricOption},
          .applies = [](const ProfileCounts& counts) { return counts.profiles_with_values > 0; },
          .needs = "call tree with values of single threads",
          .whole = imbalance_table};
}

}  // namespace cgpu
