// The arrows of a run by the slices that they begin and end at: launches, links, handovers, records of events.
//
// O(n) in the slices and arrows, 4 bytes a slice and 8 an end of an arrow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "model/export_marks.h"
#include "model/run.h"

namespace cgpu {

class ArrowEnd {
 public:
  ArrowEnd() = default;
  ArrowEnd(bool ends, uint64_t number) : bits_(uint64_t{ends} << kEnds | number) {}
  /// Here, else it begins.
  bool ends() const { return bits_ >> kEnds != 0; }
  /// With its FlowKind in the high bits.
  uint64_t number() const { return bits_ & ~(uint64_t{1} << kEnds); }
  auto operator<=>(const ArrowEnd&) const = default;

 private:
  static constexpr unsigned kEnds = 63;  // above all kinds
  uint64_t bits_ = 0;
};

class SliceArrows {
 public:
  /// `next` is the number of the next arrow of the export, and is moved on.
  SliceArrows(const Timeline& timeline, uint64_t& next) : until_(timeline.slices.size() + 1, 0) {
    for_each_arrow(timeline, next, [&](SliceIndex from, SliceIndex to, uint64_t) {
      ++until_[from + 1];
      ++until_[to + 1];
    });
    std::partial_sum(until_.begin(), until_.end(), until_.begin());
    ends_.resize(until_.back());
    next = for_each_arrow(timeline, next, [&](SliceIndex from, SliceIndex to, uint64_t number) {
      ends_[until_[from]++] = {false, number};
      ends_[until_[to]++] = {true, number};
    });
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      std::sort(ends_.begin() + begin_of(slice), ends_.begin() + until_[slice]);
    }
  }

  std::span<const ArrowEnd> of(SliceIndex slice) const {
    return {ends_.data() + begin_of(slice), ends_.data() + until_[slice]};
  }

 private:
  /// Calls visit(from, to, number); returns the number of the next arrow.
  template <typename Visit>
  static uint64_t for_each_arrow(const Timeline& timeline, uint64_t next, Visit visit) {
    using export_marks::FlowKind;
    const auto arrow = [&](FlowKind kind, SliceIndex from, SliceIndex to) {
      visit(from, to, uint64_t{static_cast<uint8_t>(kind)} << export_marks::kFlowKindShift | next++);
    };
    const Slices& slices = timeline.slices;
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (slices.launch[slice] != kNone) arrow(FlowKind::launch, slices.launch[slice], slice);
      const SliceIndex parent = slices.parent[slice];
      if (parent != kNone && slices.track[parent] != slices.track[slice]) arrow(FlowKind::handover, parent, slice);
    }
    for (const Link& link : timeline.links) {
      arrow(link.kind == Link::Kind::forward_backward ? FlowKind::forward_backward : FlowKind::flow, link.from,
            link.to);
    }
    for (const Synchronization& wait : timeline.synchronizations) {
      if (wait.record != kNone) arrow(FlowKind::record, wait.record, wait.slice);
    }
    return next;
  }
  uint32_t begin_of(SliceIndex slice) const { return slice == 0 ? 0 : until_[slice - 1]; }

  std::vector<uint32_t> until_;  // by slice: where its ends stop in ends_, and those of the next one begin
  std::vector<ArrowEnd> ends_;
};

}  // namespace cgpu
