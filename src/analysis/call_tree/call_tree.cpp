// Tables `metrics`, `call_tree`, `hot_path` and `stalls`. O(nodes) a metric that is shown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"
#include "base/error.h"

namespace cgpu {

namespace {

const TableOption kScopeOption{
    "scope", TableOption::Kind::names, "",
    "Table call_tree: also the values of these other scopes, as stored (function, point, lex_aware, ...)"};
const TableOption kThresholdOption{
    "threshold", TableOption::Kind::number, "50",
    "Table hot_path: follow a child that has this percentage of its parent (default 50)"};

std::vector<uint32_t> depths_of(const CallNodes& nodes) {
  std::vector<uint32_t> depths(nodes.size(), 0);
  for (NodeIndex node = 1; node < nodes.size(); ++node) depths[node] = depths[nodes.parent[node]] + 1;
  return depths;
}

/// Throws Error for a scope that no profile has.
void check_scopes(const Session& session, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const Run& run : session.runs) {
    if (!run.call_tree || !run.call_tree->profile_values) continue;
    for (const std::string& scope : run.call_tree->profile_values->scopes()) known.push_back(scope);
  }
  for (const std::string& scope : session.runs.empty() ? std::vector<std::string>() : wanted) {
    if (std::find(known.begin(), known.end(), scope) != known.end()) continue;
    throw Error(fmt::format("no scope is called '{}'; the profile has {}", scope,
                            known.empty() ? "no others than inclusive" : fmt::format("{}", fmt::join(known, ", "))));
  }
}

/// For every node what the profile holds of a measured metric in a scope, kNoValue where there is nothing.
std::vector<double> scope_values(const CallTree& tree, std::optional<MetricIndex> metric, const std::string& scope) {
  std::vector<double> values(tree.nodes.size(), kNoValue);
  if (!metric || !tree.metrics[*metric].measured() || !tree.profile_values) return values;
  for (const NodeValue& value : tree.profile_values->of_scope(scope, *metric, std::nullopt)) {
    values[value.node] = value.value;
  }
  return values;
}

Table metrics_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.call_tree) continue;
    for (MetricIndex i = 0; i < run.call_tree->metrics.size(); ++i) {
      const Metric& metric = run.call_tree->metrics[i];
      if (!metric.visible) continue;
      table.append({run.rank, metric.name, metric.unit.empty() ? Cell() : Cell(metric.unit),
                    inclusive_value(*run.call_tree, i, 0), metric.about.empty() ? Cell() : Cell(metric.about)});
    }
  }
  return table;
}

Table call_tree_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const Session& session = facts.session();
  const std::vector<ShownMetric> metrics = shown_metrics(session, options);
  const std::vector<std::string> scopes = options.names(kScopeOption);
  check_scopes(session, scopes);
  std::vector<Column> columns = metric_columns(metrics);
  for (const ShownMetric& metric : metrics) {
    for (const std::string& scope : scopes) {
      columns.push_back(real_column(metric.name + "." + scope, metric.unit, metric.about + "; as stored"));
    }
  }
  Table table = analysis.empty_table();
  insert_before_place(table, columns);

  for (const Run& run : session.runs) {
    if (!run.call_tree) continue;
    const CallTree& tree = *run.call_tree;
    const CallNodes& nodes = tree.nodes;
    const std::vector<uint32_t> depths = depths_of(nodes);
    std::vector<Row> rows;
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
      const NodeIndex parent = nodes.parent[node];
      rows.push_back({run.rank, int64_t{node}, parent == kNoNode ? Cell() : Cell(int64_t{parent}),
                      int64_t{depths[node]}, text_of(nodes.kind[node]), tree.name_of(node)});
    }
    for (const ShownMetric& metric : metrics) {
      const auto index = metric.in(tree);
      const auto inclusive = index ? inclusive_values(tree, *index) : std::vector<double>(nodes.size(), kNoValue);
      const auto exclusive = index ? exclusive_values(tree, *index) : inclusive;
      for (NodeIndex node = 0; node < nodes.size(); ++node) {
        rows[node].emplace_back(inclusive[node]);
        rows[node].emplace_back(exclusive[node]);
      }
    }
    for (const ShownMetric& metric : metrics) {
      for (const std::string& scope : scopes) {
        const std::vector<double> values = scope_values(tree, metric.in(tree), scope);
        for (NodeIndex node = 0; node < nodes.size(); ++node) rows[node].emplace_back(values[node]);
      }
    }
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
      Row& row = rows[node];
      append_place(row, tree, node);
      row.emplace_back(text_of(nodes.relation[node]));
      const uint32_t call_line = node < nodes.call_line.size() ? nodes.call_line[node] : 0;
      row.push_back(call_line == 0 ? Cell() : Cell(int64_t{call_line}));
      table.append(row);
    }
  }
  return table;
}

Table hot_path_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const Session& session = facts.session();
  const auto metric = one_metric(session, options);
  const double least_pct = options.number(kThresholdOption);
  Table table = analysis.empty_table();
  if (metric) {
    table.about += " (" + metric->name + ")";
    table.columns[table.column("value")].unit = metric->unit;
  }
  for (const Run& run : session.runs) {
    const auto index = metric && run.call_tree ? metric->in(*run.call_tree) : std::nullopt;
    if (!index || !run.call_tree->has_values(*index)) continue;
    const CallTree& tree = *run.call_tree;
    const std::vector<double> values = inclusive_values(tree, *index);
    // The most expensive child of every node, the first of equal ones.
    std::vector<NodeIndex> hottest(tree.nodes.size(), kNoNode);
    for (NodeIndex node = 1; node < tree.nodes.size(); ++node) {
      NodeIndex& best = hottest[tree.nodes.parent[node]];
      if (std::isfinite(values[node]) && (best == kNoNode || values[node] > values[best])) best = node;
    }
    int64_t depth = 0;
    for (NodeIndex node = 0; node != kNoNode; ++depth) {
      table.append(
          {run.rank, depth, tree.name_of(node), values[node], share_of(values[node], values[0]), int64_t{node}});
      const NodeIndex child = hottest[node];
      node = child != kNoNode && values[child] >= least_pct / 100 * values[node] ? child : kNoNode;
    }
  }
  return table;
}

Table stalls_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.call_tree) continue;
    std::vector<Row> rows;
    double whole = 0;
    for (MetricIndex i = 0; i < run.call_tree->metrics.size(); ++i) {
      const Metric& metric = run.call_tree->metrics[i];
      if (metric.stall_reason.empty()) continue;
      const double value = inclusive_value(*run.call_tree, i, 0);
      if (!std::isfinite(value)) continue;
      whole += value;
      rows.push_back({run.rank, metric.stall_reason, metric.about, value, Cell(), metric.name});
    }
    for (Row& row : rows) {
      row[4] = share_of(std::get<double>(row[3]), whole);
      table.append(row);
    }
  }
  sort_most_first(table, "value");
  return table;
}

}  // namespace

Analysis metrics_analysis() {
  return {.name = "metrics",
          .about = "what was measured over the call tree, for the whole program",
          .subject = Subject::call_tree,
          .columns = {rank_column(), key_column("name", "what --metric takes"), text_column("unit", "of the value"),
                      real_column("value", "", "of the whole program; absent where the profile has none"),
                      text_column("about", "what it is")},
          .applies = [](const ProfileCounts& counts) { return counts.call_trees > 0; },
          .whole = metrics_table};
}

Analysis call_tree_analysis() {
  Analysis analysis{
      .name = "call_tree",
      .about = "every place in the program by who called it, with its cost; --metric chooses which",
      .subject = Subject::call_tree,
      .columns = {rank_column(), number_column("id", "number of the node"),
                  number_column("parent", "number of the node above; absent at the root"),
                  number_column("depth", "steps from the root"),
                  text_column("kind", "root, entry (a thread's start), function, loop, line or instruction"),
                  key_column("name", "function, or place in the source")},
      .options = {kMetricOption, kScopeOption},
      .applies = [](const ProfileCounts& counts) { return counts.call_trees > 0; },
      .whole = call_tree_table};
  append_place_columns(analysis.columns);
  analysis.columns.push_back(
      text_column("relation", "how it hangs on its parent: call, inlined_call or lexical (inside)"));
  analysis.columns.push_back(
      number_column("call_line", "line in the caller that calls it, where no node stands for it"));
  return analysis;
}

Analysis hot_path_analysis() {
  return {.name = "hot_path",
          .about =
              "where the cost goes: from the root, down to the most expensive child as long as it has --threshold "
              "percent of its parent",
          .subject = Subject::call_tree,
          .columns = {rank_column(), number_column("depth", "steps from the root"),
                      key_column("name", "function, or place in the source"),
                      real_column("value", "", "cost here and below"),
                      real_column("pct", "%", "share of the cost of the whole program"),
                      number_column("id", "number of the node in call_tree")},
          .options = {kMetricOption, kThresholdOption},
          .applies = [](const ProfileCounts& counts) { return counts.main_metrics > 0; },
          .whole = hot_path_table};
}

Analysis stalls_analysis() {
  return {
      .name = "stalls",
      .about = "why instructions on the device waited, as sampled",
      .subject = Subject::call_tree,
      .columns = {rank_column(), key_column("reason", "what was waited for"), text_column("about", "what that means"),
                  real_column("value", "count", "as sampled, over the whole program"),
                  real_column("pct", "%", "share of all that waited"), key_column("metric", "the metric it is from")},
      .applies = [](const ProfileCounts& counts) { return counts.stall_metrics > 0; },
      .whole = stalls_table};
}

}  // namespace cgpu
