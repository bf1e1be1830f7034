#include "analysis/idle/idle_gaps.h"

#include <algorithm>
#include <utility>

#include "analysis/host/launch_calls.h"

namespace cgpu {

namespace {

int64_t& time_of(TimeByCause& times, IdleCause cause) {
  return times[static_cast<size_t>(cause)];
}

/// A launched op that has not begun after so long waits for something else (docs/definitions.md, "idle").
constexpr int64_t kLongestStart = 30'000;

/// Which calls are blocking copies; each name is looked at once.
class BlockingCopies {
 public:
  explicit BlockingCopies(const Timeline& timeline) : timeline_(timeline), answers_(timeline.names.size(), kUnasked) {}
  bool has(SliceIndex call) {
    int8_t& answer = answers_[timeline_.slices.name[call]];
    if (answer == kUnasked) {
      answer = cause_named_by(timeline_.kind(call), timeline_.name(call)) == IdleCause::blocking_copy ? 1 : 0;
    }
    return answer == 1;
  }

 private:
  static constexpr int8_t kUnasked = -1;
  const Timeline& timeline_;
  std::vector<int8_t> answers_;
};

/// `stream_ended`: whether an op of the waking op's stream ended where the gap begins.
TimeByCause split_gap(const Timeline& timeline, const Interval& gap, SliceIndex waking_op, bool stream_ended,
                      BlockingCopies& blocking_copies, HostCauses& host) {
  TimeByCause times{};
  const SliceIndex launch = launch_of(timeline, waking_op);
  if (launch == kNone) {
    time_of(times, IdleCause::unknown) = gap.end - gap.begin;
    return times;
  }
  const int64_t launch_end = timeline.slices.end(launch);
  const int64_t called = std::clamp(timeline.slices.start[launch], gap.begin, gap.end);
  const int64_t returned = std::clamp(launch_end, gap.begin, gap.end);

  if (called > gap.begin) {  // else it was launched before, as most are where the queue is deep
    time_of(times, IdleCause::host_code) = called - gap.begin;
    host.for_each_piece(timeline.slices.track[launch], {gap.begin, called},
                        [&](const Interval& piece, IdleCause cause) {
                          time_of(times, cause) += piece.end - piece.begin;
                          time_of(times, IdleCause::host_code) -= piece.end - piece.begin;
                        });
  }

  time_of(times, blocking_copies.has(launch) ? IdleCause::blocking_copy : IdleCause::launch_overhead) +=
      returned - called;

  const bool alone = launch_end > gap.begin || stream_ended;
  const bool starting = alone && gap.end - returned < kLongestStart;
  time_of(times, starting ? IdleCause::launch_overhead : IdleCause::dependency) += gap.end - returned;
  return times;
}

}  // namespace

void for_each_idle_gap(const Timeline& timeline, std::vector<OpIndex> ops, HostCauses& host,
                       const std::function<void(const IdleGap&)>& visit) {
  const DeviceOps& all = timeline.device_ops;
  const auto start_of = [&](OpIndex op) { return timeline.slices.start[all.slice[op]]; };
  const auto starts_earlier = [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); };
  if (!std::is_sorted(ops.begin(), ops.end(), starts_earlier)) {
    std::stable_sort(ops.begin(), ops.end(), starts_earlier);
  }
  if (ops.empty()) return;

  BlockingCopies blocking_copies(timeline);
  int64_t last_end = INT64_MIN;
  int64_t busy_until = start_of(ops.front());
  std::vector<int64_t> ended;  // the streams of the ops that ended then
  const auto gap_before = [&](OpIndex waking_op, int64_t end) {
    const bool stream_ended = std::find(ended.begin(), ended.end(), all.stream[waking_op]) != ended.end();
    const Interval gap{busy_until, end};
    visit({gap, waking_op, split_gap(timeline, gap, all.slice[waking_op], stream_ended, blocking_copies, host)});
  };
  OpIndex first = ops.front();  // of the ops that start when this one does, in file order
  for (const OpIndex op : ops) {
    const int64_t start = start_of(op);
    const int64_t end = timeline.slices.end(all.slice[op]);
    if (start != start_of(first)) first = op;
    last_end = std::max(last_end, end);
    if (start > busy_until && end > start) {
      gap_before(first, start);
      busy_until = end;
      ended = {all.stream[op]};
    } else if (end > busy_until && end > start) {
      busy_until = end;
      ended = {all.stream[op]};
    } else if (end == busy_until) {
      ended.push_back(all.stream[op]);
    }
  }
  if (busy_until < last_end) gap_before(first, last_end);  // up to an op without duration
}

}  // namespace cgpu
