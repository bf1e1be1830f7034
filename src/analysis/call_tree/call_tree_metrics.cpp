#include "analysis/call_tree/call_tree_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/common/columns.h"
#include "base/error.h"

namespace cgpu {

namespace {

using Trees = std::vector<const CallTree*>;

[[noreturn]] void throw_unknown(const Trees& trees, const std::string& wanted) {
  std::vector<std::string> known;
  for (const CallTree* tree : trees) {
    for (MetricIndex i = 0; i < tree->metrics.size(); ++i) {
      const std::string& name = tree->metrics[i].name;
      const bool shown = tree->metrics[i].visible && tree->has_values(i);
      if (shown && std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  throw Error(fmt::format("no metric is called '{}'; the profile has {}", wanted,
                          known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

ShownMetric shown(const Metric& metric) {
  return {metric.name, metric.unit, metric.about};
}

std::optional<ShownMetric> find_shown(const Trees& trees, const std::string& wanted) {
  for (const CallTree* tree : trees) {
    if (const auto metric = tree->find_metric(wanted)) return shown(tree->metrics[*metric]);
  }
  if (!trees.empty()) throw_unknown(trees, wanted);
  return std::nullopt;
}

}  // namespace

std::optional<MetricIndex> ShownMetric::in(const CallTree& tree) const {
  for (MetricIndex i = 0; i < tree.metrics.size(); ++i) {
    if (tree.metrics[i].name == name) return i;
  }
  return std::nullopt;
}

std::vector<const CallTree*> stored_trees(const Session& session) {
  std::vector<const CallTree*> trees;
  for (const Run& run : session.runs) {
    if (run.call_tree) trees.push_back(&*run.call_tree);
  }
  return trees;
}

std::vector<ShownMetric> shown_metrics(const std::vector<const CallTree*>& trees, const TableOptions& options) {
  const std::vector<std::string> asked_for = options.names(kMetricOption);
  std::vector<ShownMetric> metrics;
  const auto add = [&](ShownMetric metric) {
    const bool known =
        std::any_of(metrics.begin(), metrics.end(), [&](const ShownMetric& m) { return m.name == metric.name; });
    if (!known) metrics.push_back(std::move(metric));
  };
  for (const std::string& wanted : asked_for) {
    if (auto metric = find_shown(trees, wanted)) add(*std::move(metric));
  }
  if (!asked_for.empty()) return metrics;
  for (const CallTree* tree : trees) {
    for (MetricIndex i = 0; i < tree->metrics.size(); ++i) {
      const Metric& metric = tree->metrics[i];
      if (metric.visible && metric.additive && tree->has_values(i)) add(shown(metric));
    }
  }
  if (const auto main = one_metric(trees, options)) {
    const auto at = std::find_if(metrics.begin(), metrics.end(),
                                 [&](const ShownMetric& metric) { return metric.name == main->name; });
    if (at != metrics.end()) std::rotate(metrics.begin(), at, at + 1);
  }
  return metrics;
}

std::optional<ShownMetric> one_metric(const std::vector<const CallTree*>& trees, const TableOptions& options) {
  const std::vector<std::string> asked_for = options.names(kMetricOption);
  if (!asked_for.empty()) return find_shown(trees, asked_for.front());
  for (const CallTree* tree : trees) {
    if (tree->main_metric) return shown(tree->metrics[*tree->main_metric]);
  }
  return std::nullopt;
}

std::vector<Column> metric_columns(const std::vector<ShownMetric>& metrics) {
  std::vector<Column> columns;
  for (const ShownMetric& metric : metrics) {
    const std::string about = metric.about.empty() ? metric.name : metric.about;
    columns.push_back(real_column(metric.name + ".inclusive", metric.unit, about + "; here and below"));
    columns.push_back(real_column(metric.name + ".exclusive", metric.unit, about + "; here and not below"));
  }
  return columns;
}

void append_place_columns(std::vector<Column>& columns) {
  columns.push_back(number_column("line", "line in the source file"));
  columns.push_back(text_column("file", "source file"));
  columns.push_back(text_column("module", "program or library"));
}

size_t insert_before_place(Table& table, const std::vector<Column>& columns) {
  const size_t place = table.column("line");
  table.columns.insert(table.columns.begin() + static_cast<std::ptrdiff_t>(place), columns.begin(), columns.end());
  return place;
}

void append_place(Row& row, const CallTree& tree, NodeIndex node) {
  row.emplace_back();
  if (const uint32_t line = tree.nodes.line[node]; line != 0) row.back() = int64_t{line};
  for (const StringId id : {tree.nodes.file[node], tree.nodes.module[node]}) {
    row.emplace_back();
    if (id != 0) row.back() = std::string(tree.names[id]);
  }
}

std::vector<double> values_by_profile(const CallTree& tree, std::span<const NodeIndex> nodes, MetricIndex index) {
  const Metric& metric = tree.metrics[index];
  std::vector<double> values(tree.profiles.size(), kNoValue);
  if (!tree.profile_values) return values;
  if (metric.measured()) {
    for (const NodeIndex node : nodes) {
      for (const ProfileValue& value : tree.profile_values->of_node(node, index)) {
        double& sum = values[value.profile];
        sum = std::isfinite(sum) ? sum + value.value : value.value;
      }
    }
    return values;
  }
  std::vector<std::vector<double>> parts(tree.metrics.size());
  for (const MetricIndex part : metric.parts) parts[part] = values_by_profile(tree, nodes, part);
  for (size_t profile = 0; profile < values.size(); ++profile) {
    values[profile] = combined(metric, [&](MetricIndex part) { return parts[part][profile]; });
  }
  return values;
}

Cell share_of(double part, double whole) {
  if (!(whole > 0 || whole < 0)) return {};
  return 100.0 * part / whole;
}

}  // namespace cgpu
