#include "links/complete.h"

#include <future>

#include "links/device_ops.h"
#include "links/forward_backward.h"
#include "links/handovers.h"
#include "links/launches.h"
#include "links/names.h"
#include "links/nesting.h"

namespace cgpu {

void complete(Run& run, const KernelDictionary& dictionary, unsigned threads) {
  Timeline& timeline = run.timeline;
  timeline.slices.parent.assign(timeline.slices.size(), kNone);
  timeline.slices.launch.assign(timeline.slices.size(), kNone);

  // Nesting and forward-backward links write columns of their own and read none that the steps below write.
  const auto policy = threads == 1 ? std::launch::deferred : std::launch::async;
  std::future<int64_t> unmatched_flows = std::async(policy, [&timeline] {
    nest_host_slices(timeline);
    join_handovers(timeline);
    return link_forward_backward(timeline);
  });
  normalise_names(timeline);
  classify_device_ops(timeline, dictionary);
  flag_implausible_durations(run);
  note_overlaps(run);
  link_launches(run);
  run.notes.add("unmatched_flow", unmatched_flows.get(), "forward-backward flows without an op at one of their ends");
  timeline.hints = {};
}

}  // namespace cgpu
