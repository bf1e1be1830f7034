// The call tree of a run: who called what, and what it cost in each of several metrics.
//
// Nodes are columns, a parent always before its children; node 0 is the root, which stands for the whole program. A
// metric holds, for every node, the sum of what was measured in it and below it (inclusive), over all profiles of the
// run; only nodes with a value are stored. The exclusive value of a node is its inclusive value minus those of its
// children, so that exclusive values add up to the root. The values of single threads and ranks stay in the file and
// are read when they are asked for (ProfileValues).
//
// 20 bytes a node, 12 bytes a value; file and function names are stored once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "model/formula.h"

namespace cgpu {

using NodeIndex = uint32_t;
using MetricIndex = uint32_t;
inline constexpr NodeIndex kNoNode = UINT32_MAX;

enum class NodeKind : uint8_t {
  root,
  entry,  // the start of a thread
  function,
  loop,
  line,
  instruction,
  // Of a timeline that was folded by nesting (analysis/call_tree/folded_timeline.h):
  frame,   // of Python
  module,  // of a framework's model
  op,
  range,  // an annotation
  call,   // of a runtime, a driver or the operating system
  device_op,
};
/// What is in the body of a function and no call by itself.
inline bool is_inside_function(NodeKind kind) {
  return kind == NodeKind::loop || kind == NodeKind::line || kind == NodeKind::instruction;
}
/// How a node relates to its parent.
enum class NodeRelation : uint8_t { lexical, call, inlined_call };
const char* text_of(NodeKind kind);          // "function", ...
const char* text_of(NodeRelation relation);  // "call", ...

/// Columns of equal length, one entry a node.
struct CallNodes {
  std::vector<NodeIndex> parent;  // kNoNode for the root
  std::vector<NodeKind> kind;
  std::vector<NodeRelation> relation;
  std::vector<StringId> name;    // of a function, an entry, an instruction; 0 for lines and loops: see name_of
  std::vector<StringId> file;    // 0 where unknown
  std::vector<StringId> module;  // program or library, 0 where unknown
  std::vector<uint32_t> line;    // 0 where unknown
  /// Of a function, the line in its caller that calls it, 0 where unknown; empty where the profile has nodes for lines.
  std::vector<uint32_t> call_line = {};

  NodeIndex size() const { return static_cast<NodeIndex>(parent.size()); }
};

/// A quantity that was measured, or one computed from measured ones. Sums are taken over nodes before the formula.
struct Metric {
  std::string name;                  // "GKER:COUNT"
  std::string unit;                  // "sec", "B", "" for a number
  std::string about;                 // one line
  std::vector<std::string> aliases;  // other names that people know it by
  std::string stall_reason;          // why instructions waited, where the metric counts that; else ""
  bool visible = true;               // shown by default
  std::optional<double> sample_value =
      {};                // what one sample adds, where it is of samples at a fixed rate that is known
  bool additive = true;  // the values of parts of a program can be summed (a sampling period cannot)

  std::vector<MetricIndex> parts;  // the operands of the formula; empty for a measured metric
  Formula formula;

  // Of a measured metric, ascending in the node:
  std::vector<NodeIndex> node;
  std::vector<double> value;  // inclusive, over all profiles
  double rounding = 1e-12;    // relative rounding error of the values: a smaller difference counts as 0

  bool measured() const { return parts.empty(); }
};

/// One thread, or one stream of a device, of one process.
struct CallProfile {
  std::string name;  // "rank 1 thread 3"
  std::optional<int64_t> rank;
  std::optional<int64_t> thread;
  bool device = false;  // a stream
};

struct NodeValue {
  NodeIndex node;
  double value;
};
struct ProfileValue {
  uint32_t profile;  // index into CallTree::profiles
  double value;
};

/// Reads the inclusive values of single profiles from the file again. Methods throw Error where it has vanished.
class ProfileValues {
 public:
  virtual ~ProfileValues() = default;
  /// A measured metric in one profile; nodes in ascending order.
  virtual std::vector<NodeValue> of_profile(uint32_t profile, MetricIndex metric) = 0;
  /// A measured metric of one node, in every profile that has a value; profiles in ascending order.
  virtual std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex metric) = 0;

  /// Names of the other values that the file stores of a metric besides inclusive ones ("function": a function without
  /// its callees, ...).
  virtual std::vector<std::string> scopes() { return {}; }
  /// The values of such a scope as they are stored, of one profile or summed over all; nodes in ascending order.
  virtual std::vector<NodeValue> of_scope(const std::string&, MetricIndex, std::optional<uint32_t> /*profile*/) {
    return {};
  }
};

/// Where in the call tree the slices of a timeline were recorded, of a profile that has both. Thread-safe.
class SampledNodes {
 public:
  virtual ~SampledNodes() = default;
  /// `source`: that of a slice (Slices::source). kNoNode where its place is not in the tree.
  virtual NodeIndex node_of(uint64_t source) const = 0;
};

struct CallTree {
  StringPool names;
  CallNodes nodes;
  std::vector<Metric> metrics;
  /// The metric that is shown by default: the time, where there is one.
  std::optional<MetricIndex> main_metric;
  std::vector<CallProfile> profiles;
  std::shared_ptr<ProfileValues> profile_values;      // may be null
  std::shared_ptr<const SampledNodes> sampled_nodes;  // may be null

  /// The name to show for a node: the function's name, "file.c:12", "loop at file.c:12", ...
  std::string name_of(NodeIndex node) const;
  /// The nearest function at or above a node; the entry or root above them where there is none.
  NodeIndex function_of(NodeIndex node) const;
  /// Whether a metric has values: a computed one at the root, a measured one at any node.
  bool has_values(MetricIndex metric) const;
  /// The metric of that name as people type it: "GKER (sec)", "gker (inc)", "gker", an alias.
  std::optional<MetricIndex> find_metric(std::string_view text) const;
};

/// The inclusive value of a metric at one node, kNoValue where there is none. O(log values).
double inclusive_value(const CallTree& tree, MetricIndex metric, NodeIndex node);
/// For every node, the inclusive value of a metric, kNoValue where there is none. O(nodes + values).
std::vector<double> inclusive_values(const CallTree& tree, MetricIndex metric);
/// For every node its exclusive value: its inclusive value minus those of its children; of a computed metric, the
/// formula over exclusive values. Differences within the rounding error (Metric::rounding) are 0. O(nodes + values).
std::vector<double> exclusive_values(const CallTree& tree, MetricIndex metric);
/// A computed metric from the values of measured ones: value_of(metric) gives these.
template <typename ValueOf>
double combined(const Metric& metric, ValueOf value_of) {
  return metric.formula.value([&](uint32_t operand) { return value_of(metric.parts[operand]); });
}

}  // namespace cgpu
