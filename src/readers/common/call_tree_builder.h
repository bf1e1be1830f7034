// Builds a call tree from paths through a program and what was measured on them.
//
// A node is a place below a parent. What a place is (its name, file, line) is said with the node, or for all places at
// the end, since some formats name their functions behind the samples. Values come profile by profile (thread, rank),
// exclusive or inclusive, and stay in memory for tables of single profiles: 32 bytes for each node, metric and profile
// with a value.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/call_tree.h"

namespace cgpu {

/// What a node stands for; ids are in CallTree::names.
struct CallPlace {
  StringId name = 0;
  StringId file = 0;
  StringId module = 0;
  uint32_t line = 0;
  NodeKind kind = NodeKind::function;

  auto operator<=>(const CallPlace&) const = default;
};

/// How several values of one node are combined. `only`: not at all; where they differ, the node has no value.
enum class Combine : uint8_t { sum, smallest, largest, first, only };

class CallTreeBuilder {
 public:
  CallTreeBuilder();

  StringPool& names() { return tree_.names; }
  /// The node of a place below a node; 0 is the root. The caller numbers the places, and describes them in finish().
  /// O(1).
  NodeIndex child(NodeIndex parent, uint32_t place);
  /// The node of a place that is described here: equal places below one node are one. For all nodes of a tree, or none.
  NodeIndex child(NodeIndex parent, const CallPlace& place);
  /// The same of a function that is known by its name, which is made valid UTF-8.
  NodeIndex child_named(NodeIndex parent, std::string_view name);
  NodeIndex parent(NodeIndex node) const { return tree_.nodes.parent[node]; }
  uint32_t place(NodeIndex node) const { return places_[node]; }
  /// The description of a node that has one and is not the root.
  const CallPlace& described(NodeIndex node) const { return described_[places_[node]]; }
  NodeIndex nodes() const { return tree_.nodes.size(); }

  MetricIndex add_metric(Metric description, Combine combine = Combine::sum);
  uint32_t add_profile(CallProfile profile);
  Metric& metric(MetricIndex index) { return tree_.metrics[index]; }

  /// Adds to the exclusive value of a node. For metrics that are sums.
  void add(uint32_t profile, MetricIndex metric, NodeIndex node, double value);
  /// Sets the inclusive value of a node, combined with those that it has.
  void add_inclusive(uint32_t profile, MetricIndex metric, NodeIndex node, double value);

  /// Values that were dropped, since the average of several averages is not known.
  int64_t ambiguous() const { return ambiguous_; }

  /// The tree, with the sums over all profiles. A node's inclusive value is the one given, else its own and those of
  /// its children. `places` describes the places. A single profile without a name is none. O(values x depth).
  CallTree finish(const std::vector<CallPlace>& places);
  /// The same of places that were described with their nodes.
  CallTree finish();

 private:
  struct Value {
    double own = 0;
    double inclusive = kNoValue;
  };
  struct MetricValues {
    Combine combine = Combine::sum;
    std::unordered_map<uint64_t, Value> of;  // by profile << 32 | node
  };
  class Stored;

  CallTree tree_;
  std::vector<uint32_t> places_;                      // of the nodes
  std::vector<CallPlace> described_;                  // of the places, in the order of their first nodes
  std::map<CallPlace, uint32_t> numbers_;             // of these
  std::unordered_map<uint64_t, NodeIndex> children_;  // by parent << 32 | place
  std::vector<MetricValues> values_;                  // of the metrics
  int64_t ambiguous_ = 0;
};

}  // namespace cgpu
