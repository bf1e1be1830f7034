// Table `call_tree`: the nodes from the root down, the most expensive child first. What is not shown of a node's
// children is one row below it, so that the rows add up. O(nodes log nodes) a metric.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/call_tree/call_trees.h"
#include "analysis/call_tree/sample_bounds.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"
#include "base/error.h"

namespace cgpu {

namespace {

constexpr const char* kPruned = "<pruned>";

const TableOption kScopeOption{"scope", TableOption::Kind::names, "",
                               "Also the values of these other scopes, as stored (function, point, lex_aware, ...)"};
const TableOption kMinPctOption{
    "min-pct", TableOption::Kind::number, "0",
    "Nodes with less than this percentage of the whole, by the first metric, are added up in a row \"<pruned>\" below "
    "the node above them"};
const TableOption kFocusOption{
    "focus", TableOption::Kind::names, "",
    "Only stacks with a node whose name contains one of these texts; the others are added up in rows \"<pruned>\""};

/// Throws Error for a scope that no profile has.
void check_scopes(const std::vector<TreeOfRun>& runs, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const TreeOfRun& run : runs) {
    if (!run.tree->profile_values) continue;
    for (const std::string& scope : run.tree->profile_values->scopes()) known.push_back(scope);
  }
  for (const std::string& scope : runs.empty() ? std::vector<std::string>() : wanted) {
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

double or_zero(double value) {
  return std::isfinite(value) ? value : 0;
}

/// The nodes that have a row.
std::vector<bool> kept_nodes(const CallTree& tree, const std::vector<double>& cost, double least_pct,
                             const std::vector<std::string>& focus) {
  const CallNodes& nodes = tree.nodes;
  std::vector<bool> kept(nodes.size(), true);
  if (!focus.empty()) {
    std::vector<bool> inside(nodes.size());
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
      const std::string name = tree.name_of(node);
      const bool wanted = std::any_of(focus.begin(), focus.end(),
                                      [&](const std::string& text) { return name.find(text) != std::string::npos; });
      inside[node] = wanted || (nodes.parent[node] != kNoNode && inside[nodes.parent[node]]);
    }
    kept = inside;
    for (NodeIndex node = nodes.size(); node-- > 1;) {
      if (kept[node]) kept[nodes.parent[node]] = true;
    }
  }
  const double least = nodes.size() > 0 ? least_pct / 100 * std::abs(or_zero(cost[0])) : 0;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    if (nodes.parent[node] == kNoNode) {
      kept[node] = true;
    } else if (!kept[nodes.parent[node]] || std::abs(or_zero(cost[node])) < least) {
      kept[node] = false;
    }
  }
  return kept;
}

/// Inclusive and exclusive values of a shown metric by node; of a computed metric also those of its operands.
class MetricValues {
 public:
  MetricValues(const CallTree& tree, std::optional<MetricIndex> index)
      : metric_(index ? &tree.metrics[*index] : nullptr) {
    const std::vector<double> none(tree.nodes.size(), kNoValue);
    inclusive_ = index ? inclusive_values(tree, *index) : none;
    exclusive_ = index ? exclusive_values(tree, *index) : none;
    if (metric_ && !metric_->measured()) {
      for (const MetricIndex part : metric_->parts) parts_.push_back(inclusive_values(tree, part));
    }
  }

  const std::vector<double>& inclusive() const { return inclusive_; }
  const std::vector<double>& exclusive() const { return exclusive_; }
  /// Of siblings together; absent where the metric is none that can be added up.
  double sum(const std::vector<NodeIndex>& siblings) const {
    if (!metric_ || !metric_->additive) return kNoValue;
    if (metric_->measured()) return sum_of(inclusive_, siblings);
    return metric_->formula.value([&](uint32_t operand) { return sum_of(parts_[operand], siblings); });
  }

 private:
  static double sum_of(const std::vector<double>& values, const std::vector<NodeIndex>& nodes) {
    double sum = kNoValue;
    for (const NodeIndex node : nodes) {
      if (std::isfinite(values[node])) sum = or_zero(sum) + values[node];
    }
    return sum;
  }

  const Metric* metric_;
  std::vector<double> inclusive_;
  std::vector<double> exclusive_;
  std::vector<std::vector<double>> parts_;
};

/// The rows of one tree.
class TreeRows {
 public:
  TreeRows(const TreeOfRun& run, const std::vector<ShownMetric>& metrics, const std::vector<ShownMetric>& bounded,
           const std::vector<std::string>& scopes)
      : rank_(run.rank), tree_(*run.tree) {
    for (const ShownMetric& metric : metrics) values_.emplace_back(tree_, metric.in(tree_));
    for (const ShownMetric& metric : bounded) {
      bounds_.emplace_back(MetricValues(tree_, metric.in(tree_)), SampleBounds(tree_, metric));
    }
    for (const ShownMetric& metric : metrics) {
      for (const std::string& scope : scopes) scoped_.push_back(scope_values(tree_, metric.in(tree_), scope));
    }
    const std::vector<double> none(tree_.nodes.size(), kNoValue);
    const std::vector<double>& cost = values_.empty() ? none : values_.front().inclusive();
    order_.resize(tree_.nodes.size());
    std::iota(order_.begin(), order_.end(), NodeIndex{0});
    // Children of one parent side by side, the largest first; the root behind all others.
    std::sort(order_.begin(), order_.end(), [&](NodeIndex a, NodeIndex b) {
      if (tree_.nodes.parent[a] != tree_.nodes.parent[b]) return tree_.nodes.parent[a] < tree_.nodes.parent[b];
      const double x = or_zero(cost[a]);
      const double y = or_zero(cost[b]);
      return x != y ? x > y : a < b;
    });
    first_child_.assign(tree_.nodes.size() + 1, 0);
    for (NodeIndex node = 1; node < tree_.nodes.size(); ++node) ++first_child_[tree_.nodes.parent[node] + 1];
    std::partial_sum(first_child_.begin(), first_child_.end(), first_child_.begin());
  }

  void append_to(Table& table, double least_pct, const std::vector<std::string>& focus) const {
    if (tree_.nodes.size() == 0) return;
    const std::vector<double> none(tree_.nodes.size(), kNoValue);
    const std::vector<bool> kept =
        kept_nodes(tree_, values_.empty() ? none : values_.front().inclusive(), least_pct, focus);
    struct Open {
      NodeIndex node;
      uint32_t next;  // child, in order_
      std::vector<NodeIndex> pruned = {};
    };
    std::vector<Open> open = {{0, first_child_[0]}};
    append_node(table, 0, 0);
    while (!open.empty()) {
      Open& here = open.back();
      if (here.next == first_child_[here.node + 1]) {
        if (!here.pruned.empty()) append_pruned(table, here.node, open.size(), here.pruned);
        open.pop_back();
        continue;
      }
      const NodeIndex child = order_[here.next++];
      if (!kept[child]) {
        here.pruned.push_back(child);
        continue;
      }
      append_node(table, child, open.size());
      open.push_back({child, first_child_[child]});
    }
  }

 private:
  void append_node(Table& table, NodeIndex node, size_t depth) const {
    const CallNodes& nodes = tree_.nodes;
    const NodeIndex parent = nodes.parent[node];
    Row row = {rank_,
               int64_t{node},
               parent == kNoNode ? Cell() : Cell(int64_t{parent}),
               static_cast<int64_t>(depth),
               text_of(nodes.kind[node]),
               tree_.name_of(node)};
    for (const MetricValues& metric : values_) {
      row.emplace_back(metric.inclusive()[node]);
      row.emplace_back(metric.exclusive()[node]);
    }
    for (const auto& [values, bounds] : bounds_) {
      bounds.append_to(row, values.inclusive()[node], values.exclusive()[node]);
    }
    for (const std::vector<double>& scope : scoped_) row.emplace_back(scope[node]);
    append_place(row, tree_, node);
    row.emplace_back(text_of(nodes.relation[node]));
    const uint32_t call_line = node < nodes.call_line.size() ? nodes.call_line[node] : 0;
    row.push_back(call_line == 0 ? Cell() : Cell(int64_t{call_line}));
    table.append(row);
  }

  void append_pruned(Table& table, NodeIndex parent, size_t depth, const std::vector<NodeIndex>& pruned) const {
    Row row = {rank_, Cell(), int64_t{parent}, static_cast<int64_t>(depth), "pruned", kPruned};
    for (const MetricValues& metric : values_) {
      const double sum = metric.sum(pruned);
      row.emplace_back(sum);
      row.emplace_back(sum);
    }
    for (const auto& [values, bounds] : bounds_) {
      const double sum = values.sum(pruned);
      bounds.append_to(row, sum, sum);
    }
    row.resize(table.columns.size());
    table.append(row);
  }

  Cell rank_;
  const CallTree& tree_;
  std::vector<MetricValues> values_;  // by shown metric
  std::vector<std::pair<MetricValues, SampleBounds>> bounds_;
  std::vector<std::vector<double>> scoped_;  // by shown metric and scope
  std::vector<NodeIndex> order_;
  std::vector<uint32_t> first_child_;  // by node, in order_
};

void append_call_tree(Table& table, const std::vector<TreeOfRun>& runs, const TableOptions& options) {
  const std::vector<ShownMetric> metrics = shown_metrics(trees_in(runs), options);
  const std::vector<std::string> scopes = options.names(kScopeOption);
  check_scopes(runs, scopes);
  std::vector<Column> columns = metric_columns(metrics);
  const std::vector<ShownMetric> bounded = bounded_metrics(trees_in(runs), metrics, options);
  for (Column& column : bound_columns(bounded)) columns.push_back(std::move(column));
  for (const ShownMetric& metric : metrics) {
    for (const std::string& scope : scopes) {
      columns.push_back(real_column(metric.name + "." + scope, metric.unit, metric.about + "; as stored"));
    }
  }
  insert_before_place(table, columns);
  for (const TreeOfRun& run : runs) {
    TreeRows(run, metrics, bounded, scopes)
        .append_to(table, options.number(kMinPctOption), options.names(kFocusOption));
  }
}

}  // namespace

Analysis call_tree_analysis() {
  Analysis analysis{
      .name = "call_tree",
      .about = "who called what, from the outside in, the most expensive first; --metric chooses what is shown",
      .subject = Subject::call_tree,
      .columns = {rank_column(), number_column("id", "number of the node; absent for what is pruned"),
                  number_column("parent", "number of the node above; absent at the root"),
                  depth_column("depth", "steps from the root"),
                  text_column("kind",
                              "root, entry (a thread), function, loop, line or instruction; of a timeline "
                              "frame, module, op, range, call or device_op; pruned"),
                  key_column("name", "what is called, or place in the source")},
      .options = {kMetricOption, kScopeOption, kApartOption, kMinPctOption, kFocusOption},
      .applies = has_call_trees,
      .needs = "call tree, and no slices on threads of the host or on devices",
      .fold = fold_of<CallTreeRows<append_call_tree>>};
  append_place_columns(analysis.columns);
  analysis.columns.push_back(
      text_column("relation", "how it hangs on its parent: call, inlined_call or lexical (inside)"));
  analysis.columns.push_back(number_column("call_line", "line in the caller that calls it, where it has no node"));
  return analysis;
}

}  // namespace cgpu
