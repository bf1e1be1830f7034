// Table `idle_streams`: why each stream waited before its ops. O(n log n) in the device ops, O(n) where they come
// sorted.
#include <algorithm>
#include <array>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/host/launch_calls.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

constexpr std::array kGapKinds = {"host_wait", "kernel_wait", "other"};
enum GapKind : uint8_t { host_wait, kernel_wait, other };
constexpr int64_t kKernelWaitLimit = 30'000;  // ns; a longer gap is more than the device needs between two ops

struct Gaps {
  int64_t count = 0;
  int64_t total_ns = 0;
};

std::array<Gaps, kGapKinds.size()> gaps_of(OpsInFullRun of_stream) {
  const Timeline& timeline = of_stream.timeline;
  std::vector<OpIndex>& ops = of_stream.ops;
  const Slices& slices = timeline.slices;
  const auto slice_of = [&](OpIndex op) { return timeline.device_ops.slice[op]; };
  const auto earlier = [&](OpIndex a, OpIndex b) { return slices.start[slice_of(a)] < slices.start[slice_of(b)]; };
  if (!std::is_sorted(ops.begin(), ops.end(), earlier)) std::stable_sort(ops.begin(), ops.end(), earlier);

  std::array<Gaps, kGapKinds.size()> gaps;
  int64_t end = slices.start[slice_of(ops.front())];
  for (const OpIndex op : ops) {
    const SliceIndex slice = slice_of(op);
    const int64_t gap = slices.start[slice] - end;
    if (gap > 0) {
      const SliceIndex call = launch_of(timeline, slice);
      const GapKind kind = call != kNone && slices.start[call] > end ? host_wait
                           : gap < kKernelWaitLimit                  ? kernel_wait
                                                                     : other;
      ++gaps[kind].count;
      gaps[kind].total_ns += gap;
    }
    end = std::max(end, slices.end(slice));
  }
  return gaps;
}

void append_stream_gaps(const RunInSession& run, Table& table) {
  for (const auto& [id, ops] : ops_by_stream(run.timeline())) {
    const auto gaps = gaps_of(ops_in_full_run(run.session(), run.index, ops));
    const int64_t whole = gaps[host_wait].total_ns + gaps[kernel_wait].total_ns + gaps[other].total_ns;
    for (const GapKind kind : {host_wait, kernel_wait, other}) {
      const auto& [count, total_ns] = gaps[kind];
      if (count == 0) continue;
      table.append({run.run().rank, int64_t{id.device}, id.stream, cell(kGapKinds[kind]), count, total_ns,
                    percent_of(total_ns, whole)});
    }
  }
}

}  // namespace

Analysis idle_streams_analysis() {
  return {.name = "idle_streams",
          .about = "gaps between the device ops of each stream, by what the stream waited for",
          .columns = {rank_column(), device_column(), stream_column(),
                      key_column("category",
                                 "host_wait: the op after the gap was launched after the gap began; kernel_wait: any "
                                 "other gap shorter than 30 us; other: the rest"),
                      count_column("count", "gaps"), time_column("total_ns", "sum of the gaps"),
                      real_column("pct", "%", "share of all gaps of the stream")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 1; },
          .fold = fold_of<RowsByRun<append_stream_gaps>>};
}

}  // namespace cgpu
