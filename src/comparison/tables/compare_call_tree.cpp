// Table `compare_call_tree`: the call trees of two profiles, paired by the path of frames (call_tree_alignment.h), or
// their functions, by one metric, with what this and the others say of each. O(nodes) a further metric.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/sample_counts.h"
#include "base/error.h"
#include "comparison/alignment/call_tree_alignment.h"
#include "comparison/alignment/further_metrics.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The metric to compare, by a name that both sides know (a metric may have several): the one that was asked for, else
/// the main one of both, else of one, else the first of both, in units that can be compared. The same whichever side is
/// A.
std::optional<std::string> shared_metric(const CallTree& a, const CallTree& b, const TableOptions& options) {
  const std::vector<std::string> wanted = options.names(kMetricOption);
  const auto find_in = [](const CallTree& tree, const std::string& name) {
    const std::optional<MetricIndex> found = tree.find_metric(name);
    return found && tree.has_values(*found) ? found : std::nullopt;
  };
  if (!wanted.empty()) {
    const std::optional<MetricIndex> in_a = find_in(a, wanted.front());
    const std::optional<MetricIndex> in_b = find_in(b, wanted.front());
    if (!in_a || !in_b) {
      throw Error("no metric called '" + wanted.front() + "' has values on both sides; table `metrics` lists them");
    }
    if (!unit_ratio(b.metrics[*in_b].unit, a.metrics[*in_a].unit)) {
      throw Error(fmt::format("metric '{}' cannot be compared: A has it in '{}', B in '{}'", wanted.front(),
                              a.metrics[*in_a].unit, b.metrics[*in_b].unit));
    }
    return wanted.front();
  }
  std::optional<std::tuple<int, size_t, std::string>> best;  // sides whose main one it is not, its place, its name
  for (const CallTree* tree : {&a, &b}) {
    for (MetricIndex i = 0; i < tree->metrics.size(); ++i) {
      const Metric& metric = tree->metrics[i];
      if (!metric.visible && tree->main_metric != i) continue;
      const std::optional<MetricIndex> in_a = find_in(a, metric.name);
      const std::optional<MetricIndex> in_b = find_in(b, metric.name);
      if (!in_a || !in_b || !unit_ratio(b.metrics[*in_b].unit, a.metrics[*in_a].unit)) continue;
      const int not_main = (in_a != a.main_metric ? 1 : 0) + (in_b != b.main_metric ? 1 : 0);
      const std::tuple<int, size_t, std::string> one(not_main, *in_a + *in_b, metric.name);
      if (!best || one < *best) best = one;
    }
  }
  if (!best) return std::nullopt;
  return std::get<std::string>(*best);
}

std::vector<const CallTree*> stored_trees_of_both(const Comparison& comparison) {
  std::vector<const CallTree*> trees = stored_trees(comparison.original(Side::a).session());
  for (const CallTree* tree : stored_trees(comparison.original(Side::b).session())) trees.push_back(tree);
  return trees;
}

/// The function that a node is or is in; absent outside of all.
Cell function_around(const CallTree& tree, NodeIndex node) {
  const NodeIndex function = tree.function_of(node);
  return tree.nodes.kind[function] == NodeKind::function ? Cell(tree.name_of(function)) : Cell();
}

/// The file of that function, as the profile has it.
Cell file_around(const CallTree& tree, NodeIndex node) {
  const StringId file = tree.nodes.file[tree.function_of(node)];
  return file == 0 ? Cell() : Cell(std::string(tree.names[file]));
}

void append_call_trees(const Comparison& comparison, const TableOptions& options, Table& table) {
  const std::vector<Run>& runs_a = comparison.original(Side::a).session().runs;
  const std::vector<Run>& runs_b = comparison.original(Side::b).session().runs;
  std::optional<FurtherMetrics> further;
  for (size_t run = 0; run < std::min(runs_a.size(), runs_b.size()); ++run) {
    if (!runs_a[run].call_tree || !runs_b[run].call_tree) continue;
    const CallTree& a = *runs_a[run].call_tree;
    const CallTree& b = *runs_b[run].call_tree;
    const std::optional<std::string> metric = shared_metric(a, b, options);
    if (!metric) continue;
    if (!further) {
      further.emplace(stored_trees_of_both(comparison), options, *metric);
      further->append_columns(table);
    }
    std::optional<FunctionTotals> totals_a;
    std::optional<FunctionTotals> totals_b;
    if (options.text(kComparedOption) == kByFunction) {
      totals_a.emplace(a);
      totals_b.emplace(b);
    }
    const PerSide<const FunctionTotals*> totals{totals_a ? &*totals_a : nullptr, totals_b ? &*totals_b : nullptr};
    const FurtherMetrics::Values further_values(*further, {&a, &b}, totals);
    Labels labels;
    const MetricIndex in_a = *a.find_metric(*metric);
    const MetricIndex in_b = *b.find_metric(*metric);
    const std::string unit = a.metrics[in_a].unit;
    const TreeSide side_a(a, in_a, labels, totals.a);
    const TreeSide side_b(b, in_b, labels, totals.b, *unit_ratio(b.metrics[in_b].unit, unit));
    constexpr double kRounding = 1e-9;  // of a conversion between units
    const bool has_samples = side_a.sample_value && side_b.sample_value &&
                             std::abs(*side_b.sample_value / *side_a.sample_value - 1) < kRounding;
    const auto samples = [&](double count) { return has_samples ? Cell(count) : Cell(); };
    CallTreeAlignment(side_a, side_b).walk([&](const AlignedCall& call) {
      const CallTree& named = call.a ? *side_a.tree : *side_b.tree;
      const NodeIndex node = call.a ? *call.a : *call.b;
      const Status status = !call.a ? Status::only_b : !call.b ? Status::only_a : Status::both;
      std::optional<double> ratio;
      if (call.inclusive.a != 0) ratio = call.inclusive.b / call.inclusive.a;
      std::optional<RatioBounds> bounds;
      if (has_samples) bounds = ratio_of_counts(call.inclusive_samples.a, call.inclusive_samples.b);
      Row row{runs_a[run].rank,
              static_cast<int64_t>(call.depth),
              text_of(named.nodes.kind[node]),
              named.name_of(node),
              cell(text_of(status)),
              call.inclusive.a,
              call.inclusive.b,
              call.inclusive.b - call.inclusive.a,
              cell(ratio),
              call.exclusive.a,
              call.exclusive.b,
              *metric,
              cell(unit),
              function_around(named, node),
              file_around(named, node),
              samples(call.inclusive_samples.a),
              samples(call.inclusive_samples.b),
              bounds ? Cell(bounds->low) : Cell(),
              bounds ? cell(bounds->high) : Cell(),
              samples(call.exclusive_samples.a),
              samples(call.exclusive_samples.b)};
      further_values.append_to(row, call);
      table.append(row);
    });
  }
}

}  // namespace

ComparisonTable compare_call_tree_table() {
  return {.name = "compare_call_tree",
          .about =
              "the call trees of both profiles by the path of frames, or their functions, with what the metrics "
              "say; what changed most by the first of them comes first",
          .columns = {rank_column(),
                      depth_column("depth", "steps from the root"),
                      text_column("kind", "root, entry (a thread), function, loop, line or instruction"),
                      key_column("name", "what is called, as A has it"),
                      detail_column(key_column("status", "both, only_a or only_b")),
                      real_column("a", "", "in A, here and below"),
                      real_column("b", "", "in B"),
                      main_column(real_column("delta", "", "b - a")),
                      main_column(real_column("ratio", "", "b / a")),
                      real_column("exclusive_a", "", "in A, here and not below: adds up to the root"),
                      real_column("exclusive_b", "", "in B"),
                      text_column("metric", "that is compared"),
                      text_column("unit", "of the metric"),
                      text_column("function", "that this is or is in, as A has it"),
                      text_column("file", "of that function; absent where unknown"),
                      real_column("samples_a", "",
                                  "samples in A, here and below; absent where they are not known of both, at one rate"),
                      real_column("samples_b", "", "in B"),
                      real_column("ratio_low", "",
                                  "lower bound of samples_b / samples_a at 95 %, as numbers of random samples vary"),
                      real_column("ratio_high", "", "upper bound; absent where A has so few that there is none"),
                      real_column("exclusive_samples_a", "", "samples in A, here and not below"),
                      real_column("exclusive_samples_b", "", "in B")},
          .options = {kComparedOption, kMetricOption},
          .append_rows = append_call_trees};
}

}  // namespace cgpu
