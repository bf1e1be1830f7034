#include "tiles/lane_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/partition_point_near.h"
#include "base/sort_runs.h"
#include "model/narrow_column.h"
#include "tiles/lanes.h"

namespace cgpu {

namespace {

/// Sorted by start, outer slices before inner ones, as in links/nesting.h.
std::vector<SliceIndex> in_nesting_order(const SliceTimes& times, std::vector<SliceIndex> slices) {
  sort_runs(slices, [&](SliceIndex a, SliceIndex b) {
    const int64_t start_a = times.start(a);
    const int64_t start_b = times.start(b);
    if (start_a != start_b) return start_a < start_b;
    const int64_t end_a = times.end(a);
    const int64_t end_b = times.end(b);
    return end_a != end_b ? end_a > end_b : a < b;
  });
  return slices;
}

/// The lane of each slice, by its number minus the smallest number; 0 for the numbers of other tracks' slices.
struct Lanes {
  NarrowColumn<uint32_t, kNone, uint16_t> of;
  uint32_t count = 0;
};

/// `slices` are in nesting order; `first` and `last` are the least and the greatest of their numbers.
Lanes lay_out(const SliceTimes& times, const std::vector<SliceIndex>& slices, SliceIndex first, SliceIndex last,
              const SliceParents& parents) {
  Lanes lanes;
  lanes.of.resize(size_t{last - first} + 1);
  LaneLayout layout;
  for (const SliceIndex slice : slices) {
    const SliceIndex parent = parents.of(slice);
    const uint32_t from = parent == kNone ? 0 : lanes.of[parent - first] + 1;
    lanes.of[slice - first] = layout.place(times.start(slice), times.end(slice), from);
  }
  lanes.count = layout.lanes();
  return lanes;
}

/// Whether no slice begins before the one before it has ended, or has a parent: one lane is enough then.
bool follow_each_other(const SliceTimes& times, const std::vector<SliceIndex>& slices, const SliceParents& parents) {
  int64_t end = INT64_MIN;
  for (const SliceIndex slice : slices) {
    if (times.start(slice) < end || parents.of(slice) != kNone) return false;
    end = times.end(slice);
  }
  return true;
}

}  // namespace

size_t Lane::first_starting(int64_t time, size_t from) const {
  return partition_point_near(from, size_, from, [&](size_t position) { return start(position) < time; });
}

size_t Lane::first_reaching(int64_t time) const {
  size_t low = 0;
  size_t high = size_;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (end(middle) > time || start(middle) >= time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Lane::Node Lane::longest_of(size_t first, size_t last) const {
  Node best;
  for (size_t position = first; position < last; ++position) {
    const int64_t length = duration(position);
    if (length > best.duration) best = {length, static_cast<uint32_t>(position)};
  }
  return best;
}

size_t Lane::longest(size_t first, size_t last) const {
  const size_t first_leaf = (first + kLeaf - 1) / kLeaf;
  const size_t last_leaf = last / kLeaf;
  if (first_leaf >= last_leaf) return longest_of(first, last).position;
  Node best = longest_of(first, first_leaf * kLeaf);
  const size_t leaves = (size_ + kLeaf - 1) / kLeaf;
  size_t left = leaves + first_leaf;
  size_t right = leaves + last_leaf;
  for (; left < right; left /= 2, right /= 2) {
    if ((left & 1) == 1) best = std::max(best, nodes_[left++]);
    if ((right & 1) == 1) best = std::max(best, nodes_[--right]);
  }
  if (last_leaf * kLeaf < last) best = std::max(best, longest_of(last_leaf * kLeaf, last));
  return best.position;
}

LaneIndex::LaneIndex(const SliceTimes& times, std::vector<SliceIndex> slices, const SliceParents& parents)
    : times_(times), slices_(std::move(slices)) {
  if (slices_.empty()) {
    begin_ = {0};
  } else if (follow_each_other(times, slices_, parents)) {
    begin_ = {0, slices_.size()};
  } else {
    fill_lanes(parents);
  }
  build_trees();
}

LaneIndex::LaneIndex(const SliceTimes& times, std::vector<uint32_t> lane)
    : times_(times), slices_(lane.size()), lane_(std::move(lane)) {
  std::iota(slices_.begin(), slices_.end(), SliceIndex{0});
  fill_begins(lane_.empty() ? 0 : *std::max_element(lane_.begin(), lane_.end()) + 1);
  std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
  by_lane_.resize(slices_.size());
  for (const SliceIndex slice : slices_) by_lane_[next[lane_[slice]]++] = slice;
  build_trees();
}

void LaneIndex::fill_lanes(const SliceParents& parents) {
  const std::vector<SliceIndex> sorted = in_nesting_order(times_, slices_);
  const SliceIndex first = slices_.front();
  const Lanes lanes = lay_out(times_, sorted, first, slices_.back(), parents);
  lane_.reserve(slices_.size());
  for (const SliceIndex slice : slices_) lane_.push_back(lanes.of[slice - first]);
  fill_begins(lanes.count);
  std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
  by_lane_.resize(slices_.size());
  for (const SliceIndex slice : sorted) by_lane_[next[lanes.of[slice - first]]++] = slice;
}

/// From the lane of each slice.
void LaneIndex::fill_begins(uint32_t lanes) {
  begin_.assign(size_t{lanes} + 1, 0);
  for (const uint32_t lane : lane_) ++begin_[lane + 1];
  for (uint32_t lane = 0; lane < lanes; ++lane) begin_[lane + 1] += begin_[lane];
}

void LaneIndex::build_trees() {
  const auto leaves_of = [&](uint32_t lane) {
    return (begin_[lane + 1] - begin_[lane] + Lane::kLeaf - 1) / Lane::kLeaf;
  };
  nodes_begin_.push_back(0);
  for (uint32_t lane = 0; lane < lanes(); ++lane) nodes_begin_.push_back(nodes_begin_.back() + 2 * leaves_of(lane));
  nodes_.resize(nodes_begin_.back());
  for (uint32_t number = 0; number < lanes(); ++number) {
    const Lane here = lane(number);
    const size_t leaves = leaves_of(number);
    Lane::Node* nodes = nodes_.data() + nodes_begin_[number];
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
      nodes[leaves + leaf] = here.longest_of(leaf * Lane::kLeaf, std::min((leaf + 1) * Lane::kLeaf, here.size()));
    }
    for (size_t node = leaves; node-- > 1;) nodes[node] = std::max(nodes[2 * node], nodes[2 * node + 1]);
  }
}

Lane LaneIndex::lane(uint32_t number) const {
  const std::vector<SliceIndex>& sorted = by_lane_.empty() ? slices_ : by_lane_;
  return Lane(times_, sorted.data() + begin_[number], nodes_.data() + nodes_begin_[number],
              begin_[number + 1] - begin_[number]);
}

uint32_t LaneIndex::lane_of(SliceIndex slice) const {
  const auto at = std::lower_bound(slices_.begin(), slices_.end(), slice);
  if (at == slices_.end() || *at != slice) return kNone;
  return lane_.empty() ? 0 : lane_[static_cast<size_t>(at - slices_.begin())];
}

size_t LaneIndex::bytes() const {
  return slices_.capacity() * sizeof(SliceIndex) + lane_.capacity() * sizeof(uint32_t) +
         by_lane_.capacity() * sizeof(SliceIndex) + begin_.capacity() * sizeof(size_t) +
         nodes_.capacity() * sizeof(Lane::Node) + nodes_begin_.capacity() * sizeof(size_t);
}

uint32_t count_lanes(const SliceTimes& times, const std::vector<SliceIndex>& slices, const SliceParents& parents) {
  if (slices.empty()) return 0;
  if (follow_each_other(times, slices, parents)) return 1;
  return lay_out(times, in_nesting_order(times, slices), slices.front(), slices.back(), parents).count;
}

}  // namespace cgpu
