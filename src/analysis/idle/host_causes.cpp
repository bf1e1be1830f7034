#include "analysis/idle/host_causes.h"

#include <map>
#include <string_view>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/idle/driver_lock_waits.h"
#include "analysis/idle/load_waits.h"
#include "analysis/idle/polls.h"
#include "analysis/idle/stopped_ops.h"
#include "analysis/idle/unusual_calls.h"
#include "links/messages.h"

namespace cgpu {

HostCauses::HostCauses(const Timeline& timeline, const Waits& waits, const CallTree* tree)
    : timeline_(timeline),
      thread_waits_(timeline),
      threads_(timeline.tracks.size()),
      sampled_(timeline, tree),
      edges_(timeline) {
  // The answer for a name, kept for the kind that was asked last: a name is rarely of two kinds.
  struct Answer {
    SliceKind kind = SliceKind::kernel;
    std::optional<IdleCause> cause;
  };
  std::vector<Answer> answers(timeline.names.size());
  Pieces profiler;
  Pieces driver;
  std::vector<SliceIndex> calls;  // that name no cause
  std::vector<SliceIndex> ops;    // likewise, of frameworks
  bool has_loads = false;         // what most profiles do not have need not be looked for
  bool has_polls = false;
  const SliceKinds kinds = timeline.kinds();
  const auto names = timeline.slices.name.values();
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const SliceKind kind = kinds[slice];
    const bool host = is_host(kind);
    const bool other = kind == SliceKind::overhead || kind == SliceKind::other;
    if (!(host || other) || !is_plausible(timeline, slice)) continue;
    Answer& answer = answers[names[slice]];
    if (answer.kind != kind) {
      const std::string_view name = timeline.name(slice);
      answer = {kind, cause_named_by(kind, name)};
      has_loads = has_loads || (is_call(kind) && answer.cause == IdleCause::module_load);
      has_polls = has_polls || (host && is_poll(name));
    }
    const Interval time{timeline.slices.start[slice], timeline.slices.end(slice)};
    if (!host) {
      if (answer.cause) {
        driver.push_back({time, *answer.cause, slice});
      } else if (kind == SliceKind::overhead) {
        profiler.push_back({time, IdleCause::profiler_overhead, slice});
      }
      continue;
    }
    if (!answer.cause) {
      if (is_call(kind)) calls.push_back(slice);
      if (kind == SliceKind::framework_op) ops.push_back(slice);
      continue;
    }
    Thread& thread = threads_[timeline.slices.track[slice]];
    if (*answer.cause == IdleCause::no_work && kind != SliceKind::os_call) {
      thread.taking_requests.push_back(time);
    } else {
      (is_way_of_waiting(*answer.cause) ? thread.ways : thread.named).push_back({time, *answer.cause, slice});
    }
  }
  std::vector<Interval> overhead;
  for (const Piece& piece : profiler) overhead.push_back(piece.time);
  for (const auto& [call, cause] : unusual_calls(timeline, calls, IntervalSet(std::move(overhead)))) {
    const Interval time{timeline.slices.start[call], timeline.slices.end(call)};
    threads_[timeline.slices.track[call]].named.push_back({time, cause, call});
  }
  for (const DriverLockWait& wait : driver_lock_waits(timeline, calls)) {
    threads_[timeline.slices.track[wait.call]].named.push_back({wait.time, IdleCause::lock, wait.call});
  }
  for (const StoppedOp& stopped : stopped_ops(timeline, ops)) {
    threads_[timeline.slices.track[stopped.op]].named.push_back({stopped.time, IdleCause::not_scheduled, stopped.op});
  }
  DeviceBusyTime busy_time(timeline);
  for (const LoadWait& wait : has_loads ? load_waits(timeline, busy_time) : std::vector<LoadWait>()) {
    threads_[timeline.slices.track[wait.call]].named.push_back({wait.time, IdleCause::module_load, wait.call});
  }
  for (const Poll& poll : has_polls ? polls(timeline, busy_time) : std::vector<Poll>()) {
    threads_[timeline.slices.track[poll.call]].ways.push_back({poll.time, IdleCause::no_work, poll.call});
  }
  for (const MessagesOfThread& messages : messages_of(timeline)) {
    for (const MessageWait& wait : messages.waits) {
      if (wait.start >= wait.until) continue;
      threads_[messages.track].messages.push_back({{wait.start, wait.until}, IdleCause::other_rank, wait.call});
    }
  }
  add_waits(timeline, waits);
  everywhere_ = below(innermost(std::move(profiler)), innermost(std::move(driver)));
}

/// Waits come without their collective: it is the innermost slice of the thread that begins with the wait and lasts at
/// least as long.
void HostCauses::add_waits(const Timeline& timeline, const Waits& waits) {
  if (waits.empty()) return;
  std::map<std::pair<TrackIndex, int64_t>, Piece> found;
  for (const Wait& wait : waits) {
    found.insert_or_assign({wait.thread, wait.time.begin}, Piece{wait.time, IdleCause::other_rank});
  }
  const Slices& slices = timeline.slices;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_host(timeline.kind(slice))) continue;
    const auto at = found.find({slices.track[slice], slices.start[slice]});
    if (at == found.end() || slices.end(slice) < at->second.time.end) continue;
    SliceIndex& known = at->second.slice;
    if (known == kNone || slices.duration[slice] <= slices.duration[known]) known = slice;
  }
  for (const auto& [start, piece] : found) threads_[start.first].named.push_back(piece);
}

const HostCauses::Pieces& HostCauses::pieces_of(TrackIndex thread) {
  std::optional<Pieces>& pieces = threads_[thread].pieces;
  if (!pieces) pieces = with_awaited_threads(thread, own_pieces_of(thread));
  return *pieces;
}

const HostCauses::Pieces& HostCauses::own_pieces_of(TrackIndex thread) {
  std::optional<Pieces>& own = threads_[thread].own;
  if (!own) own = split(threads_[thread]);
  return *own;
}

HostCauses::Pieces HostCauses::with_awaited_threads(TrackIndex thread, const Pieces& own) {
  constexpr int64_t kLeast = 100'000;
  Pieces pieces;
  for (const Piece& piece : own) {
    const bool is_long = piece.cause == IdleCause::lock && piece.time.end - piece.time.begin >= kLeast;
    std::optional<TrackIndex> other;
    if (is_long && thread_waits_.contain(piece.slice)) {
      if (!awaited_) awaited_.emplace(timeline_);
      other = awaited_->of(thread, piece.time);
    }
    if (other) {
      add_work_of(*other, piece.time, pieces);
    } else {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

void HostCauses::add_work_of(TrackIndex other, Interval time, Pieces& pieces) {
  const auto add_code_until = [&](int64_t end) {
    awaited_->innermost().for_each(other, {time.begin, end}, [&](const Interval& part, SliceIndex slice) {
      pieces.push_back({part, IdleCause::host_code, slice});
    });
    time.begin = end;
  };
  const Pieces& own = own_pieces_of(other);
  auto at =
      std::partition_point(own.begin(), own.end(), [&](const Piece& piece) { return piece.time.end <= time.begin; });
  for (; at != own.end() && at->time.begin < time.end; ++at) {
    if (at->time.begin > time.begin) add_code_until(at->time.begin);
    const int64_t end = std::min(at->time.end, time.end);
    pieces.push_back({{time.begin, end}, at->cause, at->slice});
    time.begin = end;
  }
  if (time.begin < time.end) add_code_until(time.end);
}

HostCauses::Pieces HostCauses::split(Thread& thread) const {
  Pieces ways = innermost(std::exchange(thread.ways, {}));
  const IntervalSet taking(std::exchange(thread.taking_requests, {}));
  if (!taking.empty() && !ways.empty()) {
    // To wait where requests are taken is to have none.
    Pieces waits_for_requests;
    for (const Piece& piece : ways) {
      const IntervalSet inside = taking.clip(piece.time.begin, piece.time.end);
      for (const Interval& time : inside.intervals()) {
        waits_for_requests.push_back({time, IdleCause::no_work, piece.slice});
      }
    }
    ways = below(std::move(waits_for_requests), std::move(ways));
  }
  Pieces named = below(innermost(std::exchange(thread.messages, {})), innermost(std::exchange(thread.named, {})));
  return below(below(everywhere_, std::move(named)), std::move(ways));
}

/// Each moment to the slice that began last of those active in it; of those that began together to the one that ends
/// first, then to the last in the file, a wait behind all slices: the innermost, and a clear answer where slices
/// overlap without nesting.
HostCauses::Pieces HostCauses::innermost(Pieces slices) {
  const auto place = [](const Piece& piece) { return piece.cause == IdleCause::other_rank ? kNone : piece.slice; };
  std::sort(slices.begin(), slices.end(), [&](const Piece& a, const Piece& b) {
    if (a.time.begin != b.time.begin) return a.time.begin < b.time.begin;
    return a.time.end != b.time.end ? a.time.end > b.time.end : place(a) < place(b);
  });
  Pieces pieces;
  Pieces open;  // the innermost at the back
  int64_t now = INT64_MIN;
  const auto advance_to = [&](int64_t time) {
    while (!open.empty() && now < time) {
      const int64_t end = std::min(open.back().time.end, time);
      if (now < end) {
        pieces.push_back({{now, end}, open.back().cause, open.back().slice});
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

/// `top`, and `more` where it has nothing. All sorted and disjoint. O(top + more).
HostCauses::Pieces HostCauses::below(Pieces top, Pieces more) {
  if (top.empty()) return more;
  if (more.empty()) return top;
  Pieces both;
  both.reserve(top.size() + more.size());
  auto above = top.begin();
  for (const Piece& piece : more) {
    int64_t begin = piece.time.begin;
    while (begin < piece.time.end) {
      for (; above != top.end() && above->time.end <= begin; ++above) both.push_back(*above);
      const int64_t free_until = above == top.end() ? piece.time.end : std::min(above->time.begin, piece.time.end);
      if (begin < free_until) both.push_back({{begin, free_until}, piece.cause, piece.slice});
      begin = free_until;
      if (above != top.end() && begin < piece.time.end) begin = above->time.end;
    }
  }
  both.insert(both.end(), above, top.end());
  return both;
}

}  // namespace cgpu
