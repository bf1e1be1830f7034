// What the tables over call trees share: which metrics they show, and as which columns.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "model/call_tree.h"

namespace cgpu {

inline const TableOption kMetricOption{"metric", TableOption::Kind::names, "",
                                       "These metrics, as in table metrics (several separated by commas)"};
inline constexpr const char* kByFunction = "function";
inline const TableOption kComparedOption{
    "by",
    TableOption::Kind::choice,
    "node",
    "What is compared: each node of the call tree, or each function, whatever it was called from",
    {"node", kByFunction}};

/// A metric of the opened runs, found by its name in each of them.
struct ShownMetric {
  std::string name;
  std::string unit;
  std::string about;

  /// Its number in this tree; none where the tree has no such metric.
  std::optional<MetricIndex> in(const CallTree& tree) const;
};

/// The call trees that the profiles of a session have.
std::vector<const CallTree*> stored_trees(const Session& session);

/// Those that were asked for (kMetricOption), else every metric that is visible, has values and is additive (ratios are
/// not), that of one_metric first. Throws Error where no tree has a metric that was asked for.
std::vector<ShownMetric> shown_metrics(const std::vector<const CallTree*>& trees, const TableOptions& options);
/// The one that was asked for, else the main metric of the first tree that has one; none without call trees.
std::optional<ShownMetric> one_metric(const std::vector<const CallTree*>& trees, const TableOptions& options);

/// Columns METRIC.inclusive and METRIC.exclusive for each metric.
std::vector<Column> metric_columns(const std::vector<ShownMetric>& metrics);

/// Where a node is: line, file and module, absent where unknown.
void append_place_columns(std::vector<Column>& columns);
/// Inserts columns before those of the place, where a table has the columns of its metrics. Returns the index of the
/// first one.
size_t insert_before_place(Table& table, const std::vector<Column>& columns);
void append_place(Row& row, const CallTree& tree, NodeIndex node);

/// The inclusive values of nodes, added up, in each profile (thread or stream), kNoValue where there is none. Reads
/// them from the file.
std::vector<double> values_by_profile(const CallTree& tree, std::span<const NodeIndex> nodes, MetricIndex metric);
inline std::vector<double> values_by_profile(const CallTree& tree, NodeIndex node, MetricIndex metric) {
  return values_by_profile(tree, std::span(&node, 1), metric);
}

/// 100 part / whole, absent where either is absent or the whole is 0.
Cell share_of(double part, double whole);

}  // namespace cgpu
