#include "analysis/idle/host_causes.h"

#include <utility>

#include "analysis/device/device_ops.h"

namespace cgpu {

HostCauses::HostCauses(const Timeline& timeline, const std::vector<Wait>& waits) : threads_(timeline.tracks.size()) {
  // The answer for a name, kept for the kind that was asked last: a name is rarely of two kinds.
  struct Answer {
    SliceKind kind = SliceKind::other;
    std::optional<IdleCause> cause;
  };
  std::vector<Answer> answers(timeline.names.size());
  std::vector<Interval> overhead;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const SliceKind kind = timeline.kind(slice);
    if (!(is_host(kind) || kind == SliceKind::overhead) || !is_plausible(timeline, slice)) continue;
    const Interval time{timeline.slices.start[slice], timeline.slices.end(slice)};
    if (kind == SliceKind::overhead) {
      overhead.push_back(time);
      continue;
    }
    Answer& answer = answers[timeline.slices.name[slice]];
    if (answer.kind != kind) answer = {kind, cause_named_by(kind, timeline.name(slice))};
    if (!answer.cause) continue;
    Thread& thread = threads_[timeline.slices.track[slice]];
    if (*answer.cause == IdleCause::lock) {
      thread.locks.push_back(time);
    } else {
      thread.named.push_back({time, *answer.cause});
    }
  }
  for (const Wait& wait : waits) threads_[wait.thread].named.push_back({wait.time, IdleCause::other_rank});
  overhead_ = IntervalSet(std::move(overhead));
}

const std::vector<HostCauses::Piece>& HostCauses::pieces_of(TrackIndex thread) {
  std::optional<std::vector<Piece>>& pieces = threads_[thread].pieces;
  if (!pieces) pieces = split(threads_[thread]);
  return *pieces;
}

std::vector<HostCauses::Piece> HostCauses::split(const Thread& thread) const {
  std::vector<Piece> pieces;
  std::vector<Interval> taken;
  const auto append = [&](const IntervalSet& times, IdleCause cause) {
    for (const Interval& time : times.intervals()) {
      pieces.push_back({time, cause});
      taken.push_back(time);
    }
  };
  append(overhead_, IdleCause::profiler_overhead);
  for (const Piece& piece : innermost(thread.named)) {
    append(IntervalSet({piece.time}).subtract(overhead_.clip(piece.time.begin, piece.time.end)), piece.cause);
  }
  append(IntervalSet(thread.locks).subtract(IntervalSet(taken)), IdleCause::lock);
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.time.begin < b.time.begin; });
  return pieces;
}

/// Each moment to the slice that began last of those active in it; of those that began together to the one that ends
/// first, then to the last in the file: the innermost, and a clear answer where slices overlap without nesting.
std::vector<HostCauses::Piece> HostCauses::innermost(std::vector<Piece> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Piece& a, const Piece& b) {
    return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
  });
  std::vector<Piece> pieces;
  std::vector<Piece> open;  // the innermost at the back
  int64_t now = INT64_MIN;
  const auto advance_to = [&](int64_t time) {
    while (!open.empty() && now < time) {
      const int64_t end = std::min(open.back().time.end, time);
      if (now < end) {
        pieces.push_back({{now, end}, open.back().cause});
        now = end;
      }
      if (open.back().time.end <= now) open.pop_back();
    }
    now = time;
  };
  for (const Piece& slice : slices) {
    advance_to(slice.time.begin);
    open.push_back(slice);
  }
  advance_to(INT64_MAX);
  return pieces;
}

}  // namespace cgpu
