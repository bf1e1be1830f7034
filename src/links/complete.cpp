#include "links/complete.h"

#include <future>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/threads.h"
#include "links/device_ops.h"
#include "links/forward_backward.h"
#include "links/handovers.h"
#include "links/launches.h"
#include "links/names.h"
#include "links/nesting.h"
#include "links/recorded_work.h"
#include "links/transfers.h"

namespace cgpu {

namespace {

void link(Run& run, const KernelDictionary& dictionary, unsigned threads) {
  Timeline& timeline = run.timeline;
  // What is only needed to join is released before columns are added: here a run takes the most memory.
  drop_unused_external_ids(timeline);
  ForwardBackwardHints forward_backward = take_forward_backward_hints(timeline);
  timeline.slices.launch.assign(timeline.slices.size(), kNone);

  // Nesting and forward-backward links write columns of their own and read none that the steps below write.
  const auto nest = [&timeline, &forward_backward] {
    const int64_t unmatched = link_forward_backward(timeline, std::move(forward_backward));
    timeline.slices.parent.assign(timeline.slices.size(), kNone);
    nest_host_slices(timeline);
    join_handovers(timeline);
    return unmatched;
  };
  std::future<int64_t> unmatched_flows = threads == 1 ? std::async(std::launch::deferred, nest) : in_background(nest);
  normalise_names(timeline);
  classify_device_ops(timeline, dictionary);
  flag_implausible_durations(run);
  drop_implausible_sizes(run);
  link_launches(run);
  flag_impossible_times(run);
  note_overlaps(run);
  note_unrecorded_work(run);
  run.notes.add("unmatched_flow", unmatched_flows.get(), "forward-backward flows without an op at one of their ends");
  link_transfers(timeline);
  timeline.hints = {};
}

}  // namespace

void complete(Run& run, const KernelDictionary& dictionary, unsigned threads) {
  try {
    link(run, dictionary, threads);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(run.file);
  }
}

}  // namespace cgpu
