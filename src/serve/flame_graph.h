// Flame graphs: stacks folded by name, from nested host slices with the device work below the calls that launched it,
// or from a call tree.
//
// Folding is O(slices), of idle time what session_idle.h says; what is made of the folded tree costs O(nodes),
// bottom-up O(nodes x depth).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/session_facts.h"
#include "model/run.h"

namespace cgpu {

/// Nodes as columns, parents before their children; several roots.
class FlameTree {
 public:
  static constexpr uint32_t kRoot = UINT32_MAX;   // the parent of a root
  static constexpr uint8_t kNoClass = UINT8_MAX;  // of what is no device op

  struct Node {
    uint32_t parent = kRoot;
    uint32_t name = 0;  // into names
    uint8_t kind = 0;   // as in the colour of a tile
    uint8_t kernel_class = kNoClass;
    uint64_t count = 0;
    double self = 0;   // here
    double value = 0;  // here and below
  };

  std::vector<Node> nodes;
  std::vector<std::string> names;

  uint32_t name(std::string_view text);
  /// The child of `parent` with this name, added if it is new.
  uint32_t child(uint32_t parent, uint32_t name, uint8_t kind);
  /// Values from what the nodes cost by themselves. O(nodes).
  void add_up();
  double total() const;

 private:
  std::unordered_map<std::string, uint32_t> number_of_;
  struct Slot {
    uint64_t key = UINT64_MAX;  // parent and name
    uint32_t node = 0;
  };
  size_t slot_of(uint64_t key) const;
  std::vector<Slot> child_of_;  // open addressing, a power of two, at most half full
};

/// What becomes of the marks of iterations, each of which has a name of its own.
enum class StepFrames : uint8_t { merged, apart };

/// By the time of the host slices themselves.
FlameTree fold_host_time(const Session& session, StepFrames steps);
/// By the time of the device ops, below the calls that launched them; those whose launch is unknown have a root.
FlameTree fold_device_time(const Session& session, StepFrames steps);
/// By the time in which devices stood idle, below the host slices that were to blame, each with the causes as leaves.
FlameTree fold_idle_time(const SessionFacts& facts, StepFrames steps);
/// By a metric of the call trees, which divides among the parts of a program.
FlameTree fold_call_trees(const Session& session, const std::string& metric);

/// Only what the function called `name` costs with what it calls; callers keep that share.
FlameTree focus_on(const FlameTree& tree, std::string_view name);
/// From callees to callers: each function by what it costs itself, split over its callers; with a focus that function
/// alone, by what it costs with what it calls.
FlameTree turn_around(const FlameTree& tree, const std::optional<std::string>& focus);
/// In pre-order, children by falling value; nodes below `share` of the total are added up in "(other)" of their parent.
FlameTree arrange(const FlameTree& tree, double share);

}  // namespace cgpu
