#include "analysis/idle/idle_gaps.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/host/launch_calls.h"
#include "model/migrations.h"

namespace cgpu {

namespace {

/// Calls part(time, cause, slice) for the pieces of a gap that for_each_piece(visit) gives, and for what lies between
/// and behind them with the cause `rest`.
template <typename ForEachPiece, typename Part>
void fill_gap(const Interval& gap, IdleCause rest, const ForEachPiece& for_each_piece, Part& part) {
  int64_t now = gap.begin;
  const auto rest_until = [&](int64_t time) {
    if (now < time) part({now, time}, rest, kNone);
  };
  for_each_piece([&](const Interval& time, IdleCause cause, SliceIndex slice) {
    rest_until(time.begin);
    part(time, cause, slice);
    now = time.end;
  });
  rest_until(gap.end);
}

/// Of pages that migrate, the thread that is taken to have touched them; kNone of other ops.
TrackIndex toucher_of(const Timeline& timeline, OpIndex op, TrackIndex thread_of_migrations) {
  return is_migration(timeline.device_ops.copy[op]) ? thread_of_migrations : kNone;
}

/// Calls part(time, cause, slice) for the parts of a gap, in order of time; `slice` stands for the cause, kNone where
/// none does. `stream_ended`: whether an op of the waking op's stream ended where the gap begins. `toucher`: of pages
/// that migrate, the thread that is taken to have touched them.
template <typename Part>
void split_gap(const Timeline& timeline, const Interval& gap, SliceIndex waking_op, bool stream_ended,
               TrackIndex toucher, HostCauses& host, Part part) {
  const SliceIndex launch = launch_of(timeline, waking_op);
  if (launch == kNone && toucher != kNone) {
    const auto pieces = [&](const auto& visit) { host.for_each_piece(toucher, gap, visit); };
    return fill_gap(gap, IdleCause::host_code, pieces, part);
  }
  if (launch == kNone) {
    const IdleCause rest = host.edges().holds(gap, waking_op) ? IdleCause::profile_edge : IdleCause::unknown;
    const TrackIndex thread = host.sampled().thread_of(timeline.slices.track[waking_op]);
    const auto samples = [&](const auto& visit) {
      if (thread != kNone) host.sampled().for_each_piece(thread, gap, visit);
    };
    return fill_gap(gap, rest, samples, part);
  }
  const Slices& slices = timeline.slices;
  const int64_t launch_end = slices.end(launch);
  const int64_t called = std::clamp(slices.start[launch], gap.begin, gap.end);
  const int64_t returned = std::clamp(launch_end, gap.begin, gap.end);

  if (returned > gap.begin) {  // else it was launched before, as most are where the queue is deep
    const auto place = [&](SliceIndex slice) {
      return std::tuple(slices.start[slice], -slices.duration[slice], slice);
    };
    const auto explains_launch = [&](SliceIndex slice) {
      return slice != kNone && (!is_host(timeline.kind(slice)) || place(slice) >= place(launch));
    };
    int64_t now = gap.begin;
    const auto without_cause_until = [&](int64_t time) {
      if (now < std::min(called, time)) part({now, std::min(called, time)}, IdleCause::host_code, kNone);
      if (std::max(called, now) < time) part({std::max(called, now), time}, IdleCause::launch_overhead, launch);
      now = std::max(now, time);
    };
    host.for_each_piece(slices.track[launch], {gap.begin, returned},
                        [&](const Interval& time, IdleCause cause, SliceIndex slice) {
                          without_cause_until(time.begin);
                          const int64_t until = explains_launch(slice) ? time.end : std::min(time.end, called);
                          if (now < until) part({now, until}, cause, slice);
                          now = std::max(now, until);
                        });
    without_cause_until(returned);
  }

  if (returned == gap.end) return;
  const bool alone = launch_end > gap.begin || stream_ended;
  const bool starting = alone && gap.end - returned < kLongestStart;
  const auto waits = [&] {
    return host.edges().holds({returned, gap.end}, waking_op) ? IdleCause::profile_edge : IdleCause::dependency;
  };
  part({returned, gap.end}, starting ? IdleCause::launch_overhead : waits(), launch);
}

/// Fetches what split_gap reads of the launch of an op: launches lie anywhere in memory.
void prefetch_launch(const Timeline& timeline, OpIndex op) {
  const Slices& slices = timeline.slices;
  const SliceIndex launch = slices.launch[timeline.device_ops.slice[op]];
  if (launch == kNone) return;
  __builtin_prefetch(&slices.flags[launch]);
  __builtin_prefetch(&slices.start[launch]);
  __builtin_prefetch(&slices.duration[launch]);
}

/// Calls visit(gap, last_op, waking_op, stream_ended) for the gaps between `ops`.
template <typename Visit>
void for_each_gap(const Timeline& timeline, const std::vector<OpIndex>& in_any_order, Visit visit) {
  const DeviceOps& all = timeline.device_ops;
  const auto stream_of = all.stream.values();
  const auto start_of = [&](OpIndex op) { return timeline.slices.start[all.slice[op]]; };
  const auto starts_earlier = [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); };
  std::vector<OpIndex> sorted;
  if (!std::is_sorted(in_any_order.begin(), in_any_order.end(), starts_earlier)) {
    sorted = in_any_order;
    std::stable_sort(sorted.begin(), sorted.end(), starts_earlier);
  }
  const std::vector<OpIndex>& ops = sorted.empty() ? in_any_order : sorted;
  if (ops.empty()) return;

  int64_t last_end = INT64_MIN;
  int64_t busy_until = start_of(ops.front());
  OpIndex last_op = ops.front();  // the first that ended then
  std::vector<int64_t> ended;     // the streams of the ops that ended then
  const auto gap_before = [&](OpIndex waking_op, int64_t end) {
    const bool stream_ended = std::find(ended.begin(), ended.end(), stream_of[waking_op]) != ended.end();
    visit(Interval{busy_until, end}, last_op, waking_op, stream_ended);
  };
  const auto busy_with = [&](OpIndex op, int64_t end) {
    busy_until = end;
    last_op = op;
    ended.assign(1, stream_of[op]);
  };
  OpIndex first = ops.front();  // of the ops that start when this one does, in file order
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < ops.size(); ++i) {
    const OpIndex op = ops[i];
    if (i + kAhead < ops.size()) prefetch_launch(timeline, ops[i + kAhead]);
    const int64_t start = start_of(op);
    const int64_t end = timeline.slices.end(all.slice[op]);
    if (start != start_of(first)) first = op;
    last_end = std::max(last_end, end);
    if (start > busy_until && end > start) {
      gap_before(first, start);
      busy_with(op, end);
    } else if (end > busy_until && end > start) {
      busy_with(op, end);
    } else if (end == busy_until) {
      ended.push_back(stream_of[op]);
    }
  }
  if (busy_until < last_end) gap_before(first, last_end);  // up to an op without duration
}

/// Makes a gap another one, without times; it keeps its memory.
void begin(IdleGap& gap, const Interval& time, OpIndex last_op, OpIndex waking_op) {
  gap.time = time;
  gap.last_op = last_op;
  gap.waking_op = waking_op;
  for (const IdleCause cause : gap.causes) gap.times[static_cast<size_t>(cause)] = 0;
  gap.causes.clear();
}

void add(IdleGap& gap, const Interval& part, IdleCause cause) {
  int64_t& time = gap.times[static_cast<size_t>(cause)];
  if (time == 0) gap.causes.push_back(cause);
  time += part.end - part.begin;
}

}  // namespace

void for_each_idle_gap(const Timeline& timeline, const std::vector<OpIndex>& ops, HostCauses& host,
                       const VisitGap& visit) {
  const TrackIndex thread = thread_of_migrations(timeline, ops);
  IdleGap gap;
  for_each_gap(timeline, ops, [&](const Interval& time, OpIndex last_op, OpIndex waking_op, bool stream_ended) {
    begin(gap, time, last_op, waking_op);
    split_gap(timeline, time, timeline.device_ops.slice[waking_op], stream_ended,
              toucher_of(timeline, waking_op, thread), host,
              [&](const Interval& part, IdleCause cause, SliceIndex) { add(gap, part, cause); });
    visit(gap);
  });
}

void for_each_idle_gap(const Timeline& timeline, const std::vector<OpIndex>& ops, HostCauses& host,
                       IdleCulprits& culprits, const VisitParts& visit) {
  const TrackIndex thread = thread_of_migrations(timeline, ops);
  IdleGap gap;
  std::vector<IdlePart> parts;
  for_each_gap(timeline, ops, [&](const Interval& time, OpIndex last_op, OpIndex waking_op, bool stream_ended) {
    begin(gap, time, last_op, waking_op);
    parts.clear();
    const SliceIndex waking = timeline.device_ops.slice[waking_op];
    const TrackIndex toucher = toucher_of(timeline, waking_op, thread);
    split_gap(timeline, time, waking, stream_ended, toucher, host,
              [&](const Interval& part, IdleCause cause, SliceIndex slice) {
                add(gap, part, cause);
                culprits.append({part, cause, slice, toucher}, waking, parts);
              });
    visit(gap, parts);
  });
}

}  // namespace cgpu
