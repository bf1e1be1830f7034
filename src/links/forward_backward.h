// Which backward op belongs to which forward op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// What backward ops are joined with their forward ops by, taken out of LinkHints: of the profiler's flows, where it
/// wrote them, both ends and the ops that they may belong to; else the sequence numbers.
struct ForwardBackwardHints {
  struct FlowEnd {
    TrackIndex track;
    int64_t time;
    int64_t id;
    auto operator<=>(const FlowEnd&) const = default;
  };
  std::vector<FlowEnd> starts;
  std::vector<FlowEnd> finishes;
  std::vector<SliceIndex> ops;
  std::vector<LinkHints::Sequence> sequence;
};
/// Leaves no sequence numbers in the hints, and only the flows of launches. O(hints).
ForwardBackwardHints take_forward_backward_hints(Timeline& timeline);

/// Adds a Link (forward_backward) from each forward op to its backward op, sorted by the forward op. They are taken
/// from the profiler's `fwdbwd` flows where it wrote them. Else ops are joined by autograd's sequence number: the
/// innermost op with the number that names no forward thread (forward pass) and the outermost that names one (backward
/// pass); libkineto makes its flows by the same rule. Returns the number of flows without an op at one of their ends.
int64_t link_forward_backward(Timeline& timeline, ForwardBackwardHints hints);

}  // namespace cgpu
