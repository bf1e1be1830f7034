// Table `idle`: what the launching host thread did during each gap of a device. O(n log n) in the slices, O(n) where
// they come sorted. The slow way it equals: find the cause of every idle nanosecond by looking at all slices.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/columns.h"
#include "analysis/host_causes.h"
#include "analysis/launch_calls.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

using TimeByCause = std::array<int64_t, kIdleCauses>;

int64_t& time_of(TimeByCause& times, IdleCause cause) {
  return times[static_cast<size_t>(cause)];
}

/// The device ops of one device, in the orders in which gaps look for their neighbours.
class GapNeighbours {
 public:
  GapNeighbours(const Timeline& timeline, std::vector<OpIndex> ops) : timeline_(timeline), by_start_(std::move(ops)) {
    const auto starts_earlier = [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); };
    if (!std::is_sorted(by_start_.begin(), by_start_.end(), starts_earlier)) {
      std::stable_sort(by_start_.begin(), by_start_.end(), starts_earlier);
    }
    for (const OpIndex op : by_start_) {
      ends_.emplace_back(timeline.slices.end(timeline.device_ops.slice[op]), timeline.device_ops.stream[op]);
    }
    std::sort(ends_.begin(), ends_.end());
  }

  /// The device op that ends a gap: of those that start then the first in the file.
  OpIndex waking_op(int64_t gap_end) const {
    return *std::partition_point(by_start_.begin(), by_start_.end(),
                                 [&](OpIndex op) { return start_of(op) < gap_end; });
  }
  /// Whether an op of the same stream as `op` ended at `time`.
  bool stream_ended(OpIndex op, int64_t time) const {
    return std::binary_search(ends_.begin(), ends_.end(), std::pair(time, timeline_.device_ops.stream[op]));
  }

 private:
  int64_t start_of(OpIndex op) const { return timeline_.slices.start[timeline_.device_ops.slice[op]]; }

  const Timeline& timeline_;
  std::vector<OpIndex> by_start_;                  // then in file order
  std::vector<std::pair<int64_t, int64_t>> ends_;  // time, stream
};

/// A launched op that has not begun after so long waits for something else (docs/definitions.md, "idle").
constexpr int64_t kLongestStart = 30'000;

TimeByCause split_gap(const Timeline& timeline, const Interval& gap, const GapNeighbours& neighbours,
                      HostCauses& host) {
  TimeByCause times{};
  const OpIndex waking_op = neighbours.waking_op(gap.end);
  const SliceIndex launch = launch_of(timeline, timeline.device_ops.slice[waking_op]);
  if (launch == kNone) {
    time_of(times, IdleCause::unknown) = gap.end - gap.begin;
    return times;
  }
  const int64_t launch_end = timeline.slices.end(launch);
  const int64_t called = std::clamp(timeline.slices.start[launch], gap.begin, gap.end);
  const int64_t returned = std::clamp(launch_end, gap.begin, gap.end);

  time_of(times, IdleCause::host_code) = called - gap.begin;
  host.for_each_piece(timeline.slices.track[launch], {gap.begin, called}, [&](int64_t length, IdleCause cause) {
    time_of(times, cause) += length;
    time_of(times, IdleCause::host_code) -= length;
  });

  const bool blocks = cause_named_by(timeline.kind(launch), timeline.name(launch)) == IdleCause::blocking_copy;
  time_of(times, blocks ? IdleCause::blocking_copy : IdleCause::launch_overhead) += returned - called;

  const bool alone = launch_end > gap.begin || neighbours.stream_ended(waking_op, gap.begin);
  const bool starting = alone && gap.end - returned < kLongestStart;
  time_of(times, starting ? IdleCause::launch_overhead : IdleCause::dependency) += gap.end - returned;
  return times;
}

struct Idle {
  int64_t count = 0;  // gaps
  int64_t total_ns = 0;
  int64_t max_ns = 0;
};

std::array<Idle, kIdleCauses> idle_of(const Timeline& timeline, const std::vector<OpIndex>& ops, HostCauses& host) {
  const GapNeighbours neighbours(timeline, ops);
  const IntervalSet gaps = IntervalSet({span_of(timeline, ops)}).subtract(busy_time(timeline, ops));
  std::array<Idle, kIdleCauses> idle;
  for (const Interval& gap : gaps.intervals()) {
    const TimeByCause times = split_gap(timeline, gap, neighbours, host);
    for (size_t cause = 0; cause < idle.size(); ++cause) {
      if (times[cause] == 0) continue;
      ++idle[cause].count;
      idle[cause].total_ns += times[cause];
      idle[cause].max_ns = std::max(idle[cause].max_ns, times[cause]);
    }
  }
  return idle;
}

}  // namespace

Table idle_table(const Session& session, const AnalysisOptions&) {
  Table table{
      "idle",
      "why each device stood idle: what the thread that launched the next op did; the rows of a device add up to "
      "its idle_ns",
      {rank_column(), device_column(),
       text_column("cause", "what the time went to; unknown where the launch is not in the profile"),
       count_column("count", "gaps with a part of this cause"), time_column("total_ns", "sum of these parts"),
       time_column("max_ns", "longest such part of one gap"),
       real_column("pct", "%", "share of the idle time of the device")},
      {}};

  for (const Run& run : session.runs) {
    HostCauses host(run.timeline);
    for (const auto& [device, ops] : ops_by_device(run.timeline)) {
      const std::array<Idle, kIdleCauses> idle = idle_of(run.timeline, ops, host);
      const int64_t whole = std::accumulate(idle.begin(), idle.end(), int64_t{0},
                                            [](int64_t sum, const Idle& cause) { return sum + cause.total_ns; });
      std::vector<size_t> causes;
      for (size_t cause = 0; cause < idle.size(); ++cause) {
        if (idle[cause].count > 0) causes.push_back(cause);
      }
      std::stable_sort(causes.begin(), causes.end(),
                       [&](size_t a, size_t b) { return idle[a].total_ns > idle[b].total_ns; });
      for (const size_t cause : causes) {
        const auto& [count, total_ns, max_ns] = idle[cause];
        table.rows.push_back({run.rank, int64_t{device}, cell(text_of(static_cast<IdleCause>(cause))), count, total_ns,
                              max_ns, percent_of(total_ns, whole)});
      }
    }
  }
  return table;
}

}  // namespace cgpu
