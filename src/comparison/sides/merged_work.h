// The work of all compared iterations of one side in one tree: what is done in every iteration is one node, with how
// often it was done and how long it took.
//
// Iterations are taken in one after another: each is paired with what there is so far (pairing.h), level by level, and
// what is new is put where it is. Linear in the work where iterations are alike; all of them share a budget
// (base/sequence_difference.h), so that it is linear in the work and the sizes of the tree where they are not.
#pragma once

#include <cstdint>
#include <vector>

#include "comparison/alignment/pairing.h"
#include "comparison/sides/run_work.h"

namespace cgpu {

struct WorkNode {
  uint32_t parent = kNone;
  uint32_t first_child = kNone;
  uint32_t next_sibling = kNone;
  uint32_t device = 0;  // as in WorkItem
  Label label = 0;
  Label shapes = 0;
  WorkKind kind = WorkKind::op;
  KernelClass kernel_class = KernelClass::unknown;
  WorkNature nature = WorkNature::computes;
  int64_t count = 0;     // of device work: how often
  int64_t duration = 0;  // ns of device work, overlapping or not
};

class MergedWork {
 public:
  explicit MergedWork(const Labels& labels) : labels_(labels) {}

  /// Merges the iterations of a run. Returns the node of each item.
  std::vector<uint32_t> add(const RunWork& work, size_t iterations);

  const std::vector<WorkNode>& nodes() const { return nodes_; }
  const WorkNode& node(uint32_t index) const { return nodes_[index]; }
  /// The nodes that are in no other one, or those below one, in order.
  std::vector<uint32_t> children(uint32_t parent) const;

 private:
  uint32_t& first_child(uint32_t parent) { return parent == kNone ? first_root_ : nodes_[parent].first_child; }
  uint32_t new_node(const WorkItem& item, uint32_t parent);

  const Labels& labels_;
  std::vector<WorkNode> nodes_;
  uint32_t first_root_ = kNone;
  SearchBudget budget_;
};

/// How alike work is to other work by its label, its shapes and its class. Orphans are like orphans only, and work of
/// one device, where devices are kept apart, like that of the same.
template <typename Work>
MatchKeys match_keys_of(const Work& work, const Labels& labels) {
  constexpr uint64_t kOrphans = 0x5851f42d4c957f2d;
  constexpr uint64_t kDevices = 0x14057b7ef767814f;
  const bool classed = is_device_work(work.kind) && work.kernel_class != KernelClass::unknown;
  MatchKeys keys{labels.hash(work.label, work.shapes), labels.hash(work.label),
                 classed ? static_cast<uint64_t>(work.kernel_class) + 1 : 0};
  const uint64_t apart = (work.kind == WorkKind::orphan ? kOrphans : 0) + kDevices * work.device;
  keys.exact ^= apart;
  keys.name ^= apart;
  if (classed) keys.rough ^= apart;
  return keys;
}

}  // namespace cgpu
