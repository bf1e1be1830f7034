#include "links/handovers.h"

namespace cgpu {

void join_handovers(Timeline& timeline) {
  Slices& slices = timeline.slices;
  for (const LinkHints::Handover& handover : timeline.hints.handovers) {
    SliceIndex& parent = slices.parent[handover.to];
    if (parent == kNone && slices.start[handover.from] < slices.start[handover.to]) parent = handover.from;
  }
}

}  // namespace cgpu
