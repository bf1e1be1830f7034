#include "analysis/critical_path/small_copies.h"

#include <cstdint>
#include <utility>

#include "model/plausible.h"

namespace cgpu {

namespace {

/// The small copies of a run that have a call.
std::vector<SliceIndex> small_copies_of(const Timeline& t, double size) {
  std::vector<SliceIndex> copies;
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    const CopyKind kind = t.device_ops.copy[op];
    if (kind != CopyKind::HtoD && kind != CopyKind::DtoH) return;
    const int64_t bytes = t.device_ops.bytes[op];
    if (launch_of(t, slice) != kNone && bytes >= 0 && static_cast<double>(bytes) < size) copies.push_back(slice);
  });
  return copies;
}

}  // namespace

SmallCopies find_small_copies(const SessionFacts& whole, double size, double fewest) {
  const size_t runs = whole.session().runs.size();
  std::vector<std::vector<SliceIndex>> copies;
  size_t count = 0;
  for (size_t run = 0; run < runs; ++run) {
    copies.push_back(small_copies_of(whole.run(run).timeline, size));
    count += copies.back().size();
  }
  SmallCopies found;
  found.times.resize(runs);
  found.ops.resize(runs);
  if (static_cast<double>(count) < fewest) return found;
  for (size_t run = 0; run < runs; ++run) {
    if (copies[run].empty()) continue;
    const Timeline& t = whole.run(run).timeline;
    std::vector<uint32_t> launched(t.slices.size());  // device ops, by host slice around their calls
    for_each_device_op(t, [&](OpIndex, SliceIndex slice) {
      for (SliceIndex at = launch_of(t, slice); at != kNone; at = t.slices.parent[at]) ++launched[at];
    });
    std::map<TrackIndex, std::vector<Interval>> of_threads;
    found.ops[run].resize(t.slices.size());
    for (const SliceIndex copy : copies[run]) {
      found.ops[run][copy] = true;
      const SliceIndex call = launch_of(t, copy);
      SliceIndex outermost = call;
      for (SliceIndex at = t.slices.parent[call]; at != kNone; at = t.slices.parent[at]) {
        if (t.kind(at) != SliceKind::framework_op || launched[at] != launched[call]) break;
        outermost = at;
      }
      of_threads[t.slices.track[call]].push_back({t.slices.start[outermost], t.slices.end(outermost)});
    }
    for (auto& [thread, intervals] : of_threads) found.times[run].emplace(thread, IntervalSet(std::move(intervals)));
  }
  return found;
}

}  // namespace cgpu
