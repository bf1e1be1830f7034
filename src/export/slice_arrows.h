// The arrows of a run by the slices that they begin and end at: launches, links, handovers, records of events.
//
// O(n log n) in the arrows, 24 bytes an end of one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/export_marks.h"
#include "model/run.h"

namespace cgpu {

struct ArrowEnd {
  SliceIndex slice = kNone;
  bool ends = false;    // here, else it begins
  uint64_t number = 0;  // with its FlowKind in the high bits
  auto operator<=>(const ArrowEnd&) const = default;
};

class SliceArrows {
 public:
  /// `next` is the number of the next arrow of the export, and is moved on.
  SliceArrows(const Timeline& timeline, uint64_t& next) : next_(next) {
    using export_marks::FlowKind;
    const Slices& slices = timeline.slices;
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (slices.launch[slice] != kNone) add(FlowKind::launch, slices.launch[slice], slice);
      const SliceIndex parent = slices.parent[slice];
      if (parent != kNone && slices.track[parent] != slices.track[slice]) add(FlowKind::handover, parent, slice);
    }
    for (const Link& link : timeline.links) {
      add(link.kind == Link::Kind::forward_backward ? FlowKind::forward_backward : FlowKind::flow, link.from, link.to);
    }
    for (const Synchronization& wait : timeline.synchronizations) {
      if (wait.record != kNone) add(FlowKind::record, wait.record, wait.slice);
    }
    std::sort(ends_.begin(), ends_.end());
  }

  std::span<const ArrowEnd> of(SliceIndex slice) const {
    const auto by_slice = [](const ArrowEnd& a, const ArrowEnd& b) { return a.slice < b.slice; };
    const auto [first, last] = std::equal_range(ends_.begin(), ends_.end(), ArrowEnd{slice, false, 0}, by_slice);
    return {first, last};
  }

 private:
  void add(export_marks::FlowKind kind, SliceIndex from, SliceIndex to) {
    const uint64_t number = uint64_t{static_cast<uint8_t>(kind)} << export_marks::kFlowKindShift | next_++;
    ends_.push_back({from, false, number});
    ends_.push_back({to, true, number});
  }

  uint64_t& next_;
  std::vector<ArrowEnd> ends_;
};

}  // namespace cgpu
