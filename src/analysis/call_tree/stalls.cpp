// Tables `stalls` and `stall_places`: why instructions on the device waited, as sampled; over the whole program, and by
// the kernel or the line of the source where they did.
//
// What a place waited is the sum of the exclusive values of its nodes, so that no sample counts twice and the places of
// a reason add up to its row of `stalls`. O(nodes) a reason.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

const TableOption kPlaceOption{"by",
                               TableOption::Kind::choice,
                               "line",
                               "a row for each reason and line of the source, or kernel",
                               {"line", "kernel"}};

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

/// For every node the device function that its kernel began with. HPCToolkit puts kernels below a place of its own;
/// without one it is the function that the node is in, and where that was inlined, the one that it was inlined into.
std::vector<NodeIndex> kernels_of(const CallTree& tree) {
  const CallNodes& nodes = tree.nodes;
  std::vector<NodeIndex> kernels(nodes.size(), kNoNode);
  std::vector<bool> known(nodes.size(), false);  // by the place of HPCToolkit
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    const NodeIndex parent = nodes.parent[node];
    const bool is_function = !is_inside_function(nodes.kind[node]);
    if (parent == kNoNode) {
      kernels[node] = node;
    } else if (known[parent] || !is_function) {
      kernels[node] = kernels[parent];
      known[node] = known[parent];
    } else if (tree.names[nodes.name[parent]] == "<gpu kernel>") {
      kernels[node] = node;
      known[node] = true;
    } else {
      kernels[node] = nodes.relation[node] == NodeRelation::inlined_call ? kernels[parent] : node;
    }
  }
  return kernels;
}

/// Kernel, function, line and file of a place; of a kernel as a whole the first alone.
using Place = std::tuple<std::string, std::string, uint32_t, StringId>;

struct PlaceStalls {
  std::map<size_t, double> of_reason;  // by index of the reason
  double total = 0;
};

struct Reason {
  std::string reason;
  std::string about;
  std::string metric;
};

void append_places(Table& table, const Run& run, bool by_line) {
  const CallTree& tree = *run.call_tree;
  const std::vector<NodeIndex> kernels = kernels_of(tree);
  std::vector<Reason> reasons;
  std::map<Place, PlaceStalls> places;
  double whole = 0;
  for (MetricIndex metric = 0; metric < tree.metrics.size(); ++metric) {
    if (tree.metrics[metric].stall_reason.empty()) continue;
    const std::vector<double> exclusive = exclusive_values(tree, metric);
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      if (!std::isfinite(exclusive[node]) || exclusive[node] == 0) continue;
      Place place{tree.name_of(kernels[node]), "", 0, 0};
      if (by_line) {
        place = {std::get<0>(place), tree.name_of(tree.function_of(node)), tree.nodes.line[node],
                 tree.nodes.file[node]};
      }
      PlaceStalls& stalls = places[place];
      stalls.of_reason[reasons.size()] += exclusive[node];
      stalls.total += exclusive[node];
      whole += exclusive[node];
    }
    reasons.push_back({tree.metrics[metric].stall_reason, tree.metrics[metric].about, tree.metrics[metric].name});
  }
  for (const auto& [place, stalls] : places) {
    const auto& [kernel, function, line, file] = place;
    for (const auto& [reason, value] : stalls.of_reason) {
      table.append(
          {run.rank, kernel, function.empty() ? Cell() : Cell(function), line == 0 ? Cell() : Cell(int64_t{line}),
           reasons[reason].reason, value, share_of(value, stalls.total), share_of(value, whole),
           file == 0 ? Cell() : Cell(std::string(tree.names[file])), reasons[reason].about, reasons[reason].metric});
    }
  }
}

Table stall_places_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  Table table = analysis.empty_table();
  const bool by_line = options.text(kPlaceOption) == "line";
  for (const Run& run : facts.session().runs) {
    if (run.call_tree) append_places(table, run, by_line);
  }
  sort_most_first(table, "value");
  return table;
}

constexpr const char* kNeeds = "metrics of why instructions waited (HPCToolkit with PC sampling)";

}  // namespace

Analysis stalls_analysis() {
  return {
      .name = "stalls",
      .about = "why instructions on the device waited, as sampled",
      .subject = Subject::call_tree,
      .columns = {rank_column(), key_column("reason", "what was waited for"), text_column("about", "what that means"),
                  real_column("value", "count", "as sampled, over the whole program"),
                  real_column("pct", "%", "share of all that waited"), key_column("metric", "the metric it is from")},
      .applies = [](const ProfileCounts& counts) { return counts.stall_metrics > 0; },
      .needs = kNeeds,
      .whole = stalls_table};
}

Analysis stall_places_analysis() {
  return {.name = "stall_places",
          .about = "where instructions on the device waited, and why, as sampled: by line of the source, or by kernel",
          .subject = Subject::call_tree,
          .columns = {rank_column(), key_column("kernel", "the kernel that they are of"),
                      key_column("function", "in which they are, also where it was inlined; absent by kernel"),
                      number_column("line", "in the source file; absent where unknown and by kernel"),
                      key_column("reason", "what was waited for"),
                      real_column("value", "count", "as sampled, in this place and not below it"),
                      real_column("pct", "%", "share of all that waited in this place"),
                      real_column("all_pct", "%", "share of all that waited in the program"),
                      key_column("file", "source file; absent where unknown and by kernel"),
                      text_column("about", "what the reason means"), key_column("metric", "the metric it is from")},
          .options = {kPlaceOption},
          .applies = [](const ProfileCounts& counts) { return counts.stall_metrics > 0; },
          .needs = kNeeds,
          .whole = stall_places_table};
}

}  // namespace cgpu
