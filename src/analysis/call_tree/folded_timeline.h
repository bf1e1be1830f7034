// A timeline as a call tree: its host slices folded by nesting and name (Python frame > module > op > call), and below
// the calls the device ops that they launched, with the time on the host, the time on devices, and how often.
//
// O(slices) in time; what is kept is O(different stacks): 33 bytes a node and its name once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/call_tree/stack_tree.h"
#include "model/call_tree.h"

namespace cgpu {

struct FoldedTimeline {
  // Columns of equal length, one entry a node, parents before their children.
  std::vector<uint32_t> parent;  // StackTree::kRoot where there is none
  std::vector<uint32_t> name;    // into names
  std::vector<NodeKind> kind;
  std::vector<int64_t> cpu_ns;     // on the host, here and in nothing below
  std::vector<int64_t> device_ns;  // of device ops
  std::vector<int64_t> count;      // host slices or device ops
  std::vector<std::string> names;

  /// Whether the columns fit together.
  bool is_sound() const;
  template <typename Archive>
  void members(Archive& archive) {
    archive(parent, name, kind, cpu_ns, device_ns, count, names);
    if constexpr (!Archive::kIsWriting) {
      if (!is_sound()) archive.fail("holds no folded timeline");
    }
  }
};

/// A run's timeline; device ops under the call that launched them, also where it lies outside of the part that the
/// session is of.
FoldedTimeline fold_timeline(const Session& session, size_t run, ThreadFrames threads);

/// All of them in one: equal stacks are added up. O(nodes).
FoldedTimeline merged(const std::vector<const FoldedTimeline*>& several);

/// With the metrics device_time, cpu_time (ns) and count, as far as there is any; the first of them is the main one.
/// Values are whole numbers, exact up to 2^53. Node i + 1 is entry i; node 0 the root.
CallTree call_tree_of(const FoldedTimeline& folded);

}  // namespace cgpu
