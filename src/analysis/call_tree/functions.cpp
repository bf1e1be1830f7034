// Tables `functions` (flat) and `callers` (bottom-up). O(nodes) a metric that is shown
// (function_sums.h).
#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "analysis/call_tree/call_functions.h"
#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/call_tree/call_trees.h"
#include "analysis/call_tree/function_sums.h"
#include "analysis/call_tree/sample_bounds.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The metrics that a table shows, those of them with bounds, and where the columns of the former are: for each its
/// inclusive, then its exclusive cost.
struct MetricColumns {
  std::vector<ShownMetric> metrics;
  std::vector<ShownMetric> bounded;
  size_t begin = 0;
  size_t end = 0;
};

/// Appends the cells of the metrics to the rows, one row a group.
void append_sums(std::vector<Row>& rows, const CallTree& tree, const CallFunctions& functions,
                 const FunctionGroups& grouping, const MetricColumns& columns) {
  const auto sums_of_metric = [&](const ShownMetric& metric) {
    const auto index = metric.in(tree);
    const std::vector<double> none(grouping.groups, kNoValue);
    return index ? sums_of(tree, functions, grouping, *index) : FunctionSums{none, none};
  };
  for (const ShownMetric& metric : columns.metrics) {
    const FunctionSums sums = sums_of_metric(metric);
    for (size_t group = 0; group < grouping.groups; ++group) {
      rows[group].emplace_back(sums.inclusive[group]);
      rows[group].emplace_back(sums.exclusive[group]);
    }
  }
  for (const ShownMetric& metric : columns.bounded) {
    const SampleBounds bounds(tree, metric);
    const FunctionSums sums = sums_of_metric(metric);
    for (size_t group = 0; group < grouping.groups; ++group) {
      bounds.append_to(rows[group], sums.inclusive[group], sums.exclusive[group]);
    }
  }
}

/// Appends the rows, but for those of the root and of starts of threads that have no exclusive cost.
void append_costly(Table& table, const std::vector<Row>& rows, const std::vector<bool>& is_function,
                   const MetricColumns& columns) {
  for (size_t i = 0; i < rows.size(); ++i) {
    bool costs = is_function[i];
    for (size_t c = columns.begin + 1; c < columns.end && !costs; c += 2) {
      costs = !is_absent(rows[i][c]) && std::get<double>(rows[i][c]) != 0;
    }
    if (costs) table.append(rows[i]);
  }
}

/// Orders by the exclusive cost of the first metric, then by its inclusive cost; absent last.
void sort_by_cost(Table& table, const MetricColumns& columns) {
  if (columns.begin == columns.end) return;
  const ColumnValues& inclusive = table.values(columns.begin);
  const ColumnValues& exclusive = table.values(columns.begin + 1);
  table.sort([&](uint32_t a, uint32_t b) {
    const auto order = exclusive.compare(a, b);
    return order != 0 ? order > 0 : inclusive.compare(a, b) > 0;
  });
  table.sorted_by = "-" + table.columns[columns.begin + 1].name;
}

/// Inserts the columns of the metrics that are to be shown.
MetricColumns insert_metrics(Table& table, const std::vector<TreeOfRun>& runs, const TableOptions& options) {
  MetricColumns inserted;
  inserted.metrics = shown_metrics(trees_in(runs), options);
  inserted.bounded = bounded_metrics(trees_in(runs), inserted.metrics, options);
  std::vector<Column> columns = metric_columns(inserted.metrics);
  const size_t of_metrics = columns.size();
  for (Column& column : bound_columns(inserted.bounded)) columns.push_back(std::move(column));
  inserted.begin = insert_before_place(table, columns);
  inserted.end = inserted.begin + of_metrics;
  return inserted;
}

/// Adds the rows of one run: one per group: `examples` is a node of it, `rows` the first cells.
void append_groups(Table& table, const CallTree& tree, const CallFunctions& functions, const FunctionGroups& grouping,
                   std::vector<Row> rows, const std::vector<NodeIndex>& examples, const MetricColumns& columns) {
  append_sums(rows, tree, functions, grouping, columns);
  std::vector<bool> is_function;
  for (size_t group = 0; group < examples.size(); ++group) {
    append_place(rows[group], tree, examples[group]);
    const NodeKind kind = tree.nodes.kind[examples[group]];
    is_function.push_back(kind != NodeKind::root && kind != NodeKind::entry);
  }
  append_costly(table, rows, is_function, columns);
}

void append_functions(Table& table, const std::vector<TreeOfRun>& runs, const TableOptions& options) {
  const MetricColumns columns = insert_metrics(table, runs, options);
  for (const auto& [rank, tree] : runs) {
    const CallFunctions functions = functions_of(*tree);
    const FunctionGroups grouping = one_group_each(functions);
    std::vector<Row> rows;
    for (const NodeIndex node : functions.example) rows.push_back({rank, tree->name_of(node)});
    append_groups(table, *tree, functions, grouping, std::move(rows), functions.example, columns);
  }
  sort_by_cost(table, columns);
}

void append_callers(Table& table, const std::vector<TreeOfRun>& runs, const TableOptions& options) {
  const MetricColumns columns = insert_metrics(table, runs, options);
  for (const TreeOfRun& run : runs) {
    const CallTree& tree = *run.tree;
    const CallFunctions functions = functions_of(tree);
    std::map<std::pair<FunctionIndex, FunctionIndex>, size_t> group_of_pair;
    FunctionGroups grouping{0, std::vector<size_t>(tree.nodes.size())};
    std::vector<Row> rows;
    std::vector<NodeIndex> examples;
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      if (!functions.is_function(tree, node)) {
        grouping.of[node] = grouping.of[tree.nodes.parent[node]];
        continue;
      }
      const FunctionIndex caller = functions.caller[node];
      const auto [at, is_new] = group_of_pair.try_emplace({functions.function[node], caller}, grouping.groups);
      grouping.of[node] = at->second;
      if (!is_new) continue;
      ++grouping.groups;
      examples.push_back(node);
      rows.push_back({run.rank, tree.name_of(node),
                      caller == kNoFunction ? Cell() : Cell(tree.name_of(functions.example[caller]))});
    }
    append_groups(table, tree, functions, grouping, std::move(rows), examples, columns);
  }
  sort_by_cost(table, columns);
}

}  // namespace

Analysis functions_analysis() {
  Analysis analysis{
      .name = "functions",
      .about = "cost of each function, wherever it was called from; recursion counts once",
      .subject = Subject::call_tree,
      .columns = {rank_column(),
                  key_column("name", "function; of a timeline frame, module, op, range, call or device op")},
      .options = {kMetricOption, kApartOption},
      .applies = has_call_trees,
      .needs = "call tree, and no slices on threads of the host or on devices",
      .fold = fold_of<CallTreeRows<append_functions>>};
  append_place_columns(analysis.columns);
  return analysis;
}

Analysis callers_analysis() {
  Analysis analysis{
      .name = "callers",
      .about = "cost of each function by who called it; recursion counts once",
      .subject = Subject::call_tree,
      .columns = {rank_column(),
                  key_column("name", "function; of a timeline frame, module, op, range, call or device op"),
                  key_column("caller", "function that called it; absent where nothing did")},
      .options = {kMetricOption, kApartOption},
      .applies = has_call_trees,
      .needs = "call tree, and no slices on threads of the host or on devices",
      .fold = fold_of<CallTreeRows<append_callers>>};
  append_place_columns(analysis.columns);
  return analysis;
}

}  // namespace cgpu
