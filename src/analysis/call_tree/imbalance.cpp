// Table `imbalance`: how evenly the cost of each node, or of each function, lies on the threads or ranks. O(values of
// single profiles), which are read for it.
//
// A thread that is never at a place takes no part in its work and does not count: where it would be is often a place of
// another thread (the start of the program, what a runtime calls on its workers). A rank does: it is another instance
// of the same program, and what it leaves to others shows as a 0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "analysis/call_tree/call_functions.h"
#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// A row: what it is called after, and the nodes whose inclusive values are its cost.
struct ComparedPlace {
  NodeIndex example;
  std::vector<NodeIndex> nodes;
};

std::vector<ComparedPlace> compared_places(const CallTree& tree, MetricIndex metric, bool by_function) {
  const std::vector<double> total = inclusive_values(tree, metric);
  std::vector<ComparedPlace> places;
  if (!by_function) {
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      if (std::isfinite(total[node])) places.push_back({node, {node}});
    }
    return places;
  }
  const CallFunctions functions = functions_of(tree);
  for (const NodeIndex example : functions.example) places.push_back({example, {}});
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    if (functions.outermost[node] && std::isfinite(total[node])) {
      places[functions.function[node]].nodes.push_back(node);
    }
  }
  std::erase_if(places, [](const ComparedPlace& place) { return place.nodes.empty(); });
  return places;
}

/// The ranks of a call tree, those with a cost as a whole. A damaged file may give a part a cost and the whole none.
class Ranks {
 public:
  Ranks(const Run& run, const std::vector<double>& whole) {
    std::map<int64_t, size_t> known;
    for (size_t i = 0; i < whole.size(); ++i) {
      const int64_t rank = run.call_tree->profiles[i].rank.value_or(run.rank);
      of_profile_.push_back(std::isfinite(whole[i]) ? known.try_emplace(rank, known.size()).first->second : kNone);
    }
    count_ = known.size();
  }

  /// How many of them have no cost there.
  size_t without(const std::vector<double>& values) const {
    std::vector<bool> has(count_, false);
    for (size_t i = 0; i < values.size(); ++i) {
      if (has_cost(values[i]) && of_profile_[i] != kNone) has[of_profile_[i]] = true;
    }
    return static_cast<size_t>(std::count(has.begin(), has.end(), false));
  }
  static bool has_cost(double value) { return std::isfinite(value) && value != 0; }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();
  std::vector<size_t> of_profile_;
  size_t count_ = 0;
};

struct Spread {
  size_t profiles = 0;
  double least = std::numeric_limits<double>::infinity();
  double mean = 0;
  size_t worst = 0;
};

/// Of the threads that have any cost, and of ranks without such a thread. No profiles where no thread has any.
Spread spread_of(const std::vector<double>& values, const Ranks& ranks) {
  Spread spread;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!Ranks::has_cost(values[i])) continue;
    spread.mean += values[i];
    spread.least = std::min(spread.least, values[i]);
    if (spread.profiles++ == 0 || values[i] > values[spread.worst]) spread.worst = i;
  }
  if (spread.profiles == 0) return spread;
  if (const size_t without = ranks.without(values); without > 0) {
    spread.profiles += without;
    spread.least = std::min(spread.least, 0.0);
  }
  spread.mean /= static_cast<double>(spread.profiles);
  return spread;
}

Table imbalance_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const auto metric = one_metric(stored_trees(facts.session()), options);
  const bool by_function = options.text(kComparedOption) == kByFunction;
  Table table = analysis.empty_table();
  for (const char* column : {"min", "mean", "max"}) {
    table.columns[table.column(column)].unit = metric ? metric->unit : "";
  }
  for (const Run& run : facts.session().runs) {
    const auto index = metric && run.call_tree ? metric->in(*run.call_tree) : std::nullopt;
    if (!index || !run.call_tree->profile_values || !run.call_tree->has_values(*index)) continue;
    const CallTree& tree = *run.call_tree;
    const Ranks ranks(run, values_by_profile(tree, 0, *index));
    for (const ComparedPlace& place : compared_places(tree, *index, by_function)) {
      const std::vector<double> values = values_by_profile(tree, place.nodes, *index);
      const Spread spread = spread_of(values, ranks);
      if (spread.profiles == 0) continue;
      const double most = values[spread.worst];
      table.append({run.rank, int64_t{place.example}, tree.name_of(place.example), metric->name, spread.least,
                    spread.mean, most, spread.mean > 0 ? most / spread.mean : kNoValue,
                    tree.profiles[spread.worst].name, static_cast<int64_t>(spread.profiles)});
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
          .about =
              "how evenly the cost of each node, or of each function, lies on the threads and ranks that have any, "
              "most to gain first",
          .subject = Subject::call_tree,
          .columns = {rank_column(), number_column("id", "number of the node in call_tree; of a function its first"),
                      key_column("name", "function, or place in the source"), text_column("metric", "what is compared"),
                      real_column("min", "", "least cost, here and below, of a thread; 0 where a rank has none"),
                      real_column("mean", "",
                                  "mean cost over the threads that have any; a rank without any counts as "
                                  "one with 0"),
                      real_column("max", "", "most cost of a thread"),
                      real_column("imbalance", "", "max / mean: 1 is even"),
                      text_column("worst", "the thread with the most"),
                      count_column("profiles", "threads that have any cost here, and ranks without")},
          .options = {kComparedOption, kMetricOption},
          .applies = [](const ProfileCounts& counts) { return counts.profiles_with_values > 0; },
          .needs = "call tree with values of single threads",
          .also_kept = {TableOptions().set(kComparedOption, {kByFunction})},
          .whole = imbalance_table};
}

}  // namespace cgpu
