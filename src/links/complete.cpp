#include "links/complete.h"

#include "links/device_ops.h"
#include "links/forward_backward.h"
#include "links/launches.h"
#include "links/names.h"
#include "links/nesting.h"

namespace cgpu {

void complete(Run& run, const KernelDictionary& dictionary) {
  Timeline& timeline = run.timeline;
  timeline.slices.flags.assign(timeline.slices.size(), 0);
  timeline.slices.parent.assign(timeline.slices.size(), kNone);
  timeline.slices.launch.assign(timeline.slices.size(), kNone);

  normalise_names(timeline);
  classify_device_ops(timeline, dictionary);
  flag_implausible_durations(run);
  note_overlaps(run);
  nest_host_slices(timeline);
  link_launches(run);
  link_forward_backward(run);
  timeline.hints = {};
}

}  // namespace cgpu
