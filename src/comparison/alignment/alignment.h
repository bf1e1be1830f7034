// Aligns the work of two sides: the trees of both are paired from the root down, a level at a time, and each device op
// belongs to the innermost op around it that both sides have.
//
// A level that only one side has (a range of NVTX, a wrapper around other ops) is transparent: its children take its
// place. Device ops are matched by name, then by class, below ops that are matched; where nothing of the host is
// recorded, in the order of their launches. After hierarchical alignment of call trees (Weber et al., "Alignment-based
// metrics for trace comparison", Euro-Par 2013) with the O(ND) difference instead of a quadratic one.
//
// Linear in the nodes where the sides are alike, and bounded for each node where they are not
// (base/sequence_difference.h).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "comparison/sides/merged_work.h"

namespace cgpu {

enum class Side : uint8_t { a, b };
inline constexpr std::array<Side, 2> kSides = {Side::a, Side::b};
inline constexpr Side other(Side side) {
  return side == Side::a ? Side::b : Side::a;
}
/// A value of each side.
template <typename T>
struct PerSide {
  T a{};
  T b{};
  T& operator[](Side side) { return side == Side::a ? a : b; }
  const T& operator[](Side side) const { return side == Side::a ? a : b; }
};

/// Where device work is found: below an op that both sides have, or on one side only, or nothing says where it belongs.
enum class Status : uint8_t { both, only_a, only_b, orphan };
const char* text_of(Status status);

struct AlignedNode {
  uint32_t partner = kNone;      // the node of the other side that is the same work
  uint32_t place = kNone;        // the innermost op above or at it that both sides have; where there is none, the
                                 // outermost op, else the node itself
  uint32_t replacement = kNone;  // of work without a partner, which is where the other side has other work
  Status status = Status::both;
};

class Alignment {
 public:
  Alignment(const MergedWork& a, const MergedWork& b, const Labels& labels);

  const AlignedNode& node(Side side, uint32_t node) const { return nodes_[side][node]; }
  const MergedWork& work(Side side) const { return *work_[side]; }
  /// Of a node without a partner below an op that both sides have, the outermost op between them that has none either;
  /// kNone where there is none.
  uint32_t outermost_unmatched(Side side, uint32_t node) const;

  /// Nodes of one side that were replaced by nodes of the other without being the same work.
  const std::vector<PerSide<std::vector<uint32_t>>>& replacements() const { return replacements_; }

  /// Ops of each side that lie in no other op, and how many of them the other side has, wherever it has them.
  struct TopLevel {
    PerSide<int64_t> ops;
    PerSide<int64_t> aligned;
  };
  const TopLevel& top_level() const { return top_level_; }

 private:
  void align(uint32_t a, uint32_t b, PerSide<uint32_t> places);
  void mark_unmatched(Side side, uint32_t node, uint32_t place, uint32_t replacement);
  void append_children(Side side, uint32_t node, std::vector<uint32_t>& list) const;
  bool is_transparent(Side side, uint32_t node) const;
  /// Pairs the device work of a replacement by itself; leaves all as it is unless nearly all of it has a partner.
  void align_device_work(uint32_t replacement);
  /// Whether a stretch without anything of the host is as many launches of one kernel on both sides, of a name that
  /// says nothing on one of them: some profilers call all kernels of an unknown binary by one name.
  bool is_one_kernel_on_each_side(const PerSide<std::vector<uint32_t>>& ops) const;
  void pair_device_work(const PerSide<uint32_t>& pair);
  std::vector<uint32_t> device_work_below(Side side, const std::vector<uint32_t>& nodes) const;
  void count_top_level();

  const Labels& labels_;
  PerSide<const MergedWork*> work_;
  PerSide<std::unordered_set<Label>> levels_;  // labels of ops and annotations
  PerSide<std::vector<AlignedNode>> nodes_;
  std::vector<PerSide<std::vector<uint32_t>>> replacements_;
  TopLevel top_level_;

  struct Open {
    uint32_t a;
    uint32_t b;
    PerSide<uint32_t> places;
  };
  std::vector<Open> open_;
};

}  // namespace cgpu
