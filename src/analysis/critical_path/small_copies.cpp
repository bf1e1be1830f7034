#include "analysis/critical_path/small_copies.h"

#include <cstdint>
#include <utility>

#include "model/plausible.h"

namespace cgpu {

namespace {

/// The calls of a run that launch small copies.
std::vector<SliceIndex> calls_of_small_copies(const Timeline& t, double size) {
  std::vector<SliceIndex> calls;
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    const CopyKind kind = t.device_ops.copy[op];
    if (kind != CopyKind::HtoD && kind != CopyKind::DtoH) return;
    const int64_t bytes = t.device_ops.bytes[op];
    const SliceIndex call = launch_of(t, slice);
    if (call != kNone && bytes >= 0 && static_cast<double>(bytes) < size) calls.push_back(call);
  });
  return calls;
}

}  // namespace

std::vector<std::map<TrackIndex, IntervalSet>> times_of_small_copies(const SessionFacts& whole, double size,
                                                                     double fewest) {
  const size_t runs = whole.session().runs.size();
  std::vector<std::vector<SliceIndex>> calls;
  size_t count = 0;
  for (size_t run = 0; run < runs; ++run) {
    calls.push_back(calls_of_small_copies(whole.run(run).timeline, size));
    count += calls.back().size();
  }
  std::vector<std::map<TrackIndex, IntervalSet>> times(runs);
  if (static_cast<double>(count) < fewest) return times;
  for (size_t run = 0; run < runs; ++run) {
    if (calls[run].empty()) continue;
    const Timeline& t = whole.run(run).timeline;
    std::vector<uint32_t> launched(t.slices.size());  // device ops, by host slice around their calls
    for_each_device_op(t, [&](OpIndex, SliceIndex slice) {
      for (SliceIndex at = launch_of(t, slice); at != kNone; at = t.slices.parent[at]) ++launched[at];
    });
    std::map<TrackIndex, std::vector<Interval>> of_threads;
    for (const SliceIndex call : calls[run]) {
      SliceIndex outermost = call;
      for (SliceIndex at = t.slices.parent[call]; at != kNone; at = t.slices.parent[at]) {
        if (t.kind(at) != SliceKind::framework_op || launched[at] != launched[call]) break;
        outermost = at;
      }
      of_threads[t.slices.track[call]].push_back({t.slices.start[outermost], t.slices.end(outermost)});
    }
    for (auto& [thread, intervals] : of_threads) times[run].emplace(thread, IntervalSet(std::move(intervals)));
  }
  return times;
}

}  // namespace cgpu
