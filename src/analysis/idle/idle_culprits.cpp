#include "analysis/idle/idle_culprits.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/host/launch_calls.h"
#include "analysis/steps/step_times.h"

namespace cgpu {

std::string_view text_of(NoCulprit reason) {
  switch (reason) {
    case NoCulprit::none:
      break;
    case NoCulprit::nothing_recorded:
      return "(nothing recorded)";
    case NoCulprit::launch_not_recorded:
      return "(launch not recorded)";
    case NoCulprit::no_calls_recorded:
      return "(no calls recorded)";
    case NoCulprit::wait_not_recorded:
      return "(what it waited for is not recorded)";
    case NoCulprit::no_wait_recorded:
      return "(collective not recorded)";
    case NoCulprit::not_in_recording:
      return "(outside of the recording)";
  }
  return "";
}

IdleCulprits::IdleCulprits(const Timeline& timeline, std::function<const Waits&()> waits)
    : timeline_(timeline), begin_(timeline.tracks.size() + 1), waits_(std::move(waits)) {
  const Slices& slices = timeline.slices;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_host(timeline.kind(slice))) continue;
    ++begin_[slices.track[slice] + 1];
    has_calls_ = has_calls_ || is_call(timeline.kind(slice));
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  slices_.resize(begin_.back());
  std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (is_host(timeline.kind(slice))) slices_[next[slices.track[slice]]++] = slice;
  }
  steps_.resize(timeline.names.size());
  for (StringId name = 0; name < timeline.names.size(); ++name)
    steps_[name] = timeline.names[name].starts_with(kStepMark);
  const auto outer_first = [&](SliceIndex a, SliceIndex b) { return is_outer(a, b); };
  for (size_t track = 0; track + 1 < begin_.size(); ++track) {
    const auto first = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[track]);
    const auto last = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[track + 1]);
    if (!std::is_sorted(first, last, outer_first)) std::sort(first, last, outer_first);
  }
}

bool IdleCulprits::is_outer(SliceIndex a, SliceIndex b) const {
  const Slices& slices = timeline_.slices;
  if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
  if (slices.duration[a] != slices.duration[b]) return slices.duration[a] > slices.duration[b];
  return a < b;
}

SliceIndex IdleCulprits::active_at(SliceIndex slice, int64_t time) const {
  const Slices& slices = timeline_.slices;
  const TrackIndex thread = slice == kNone ? kNone : slices.track[slice];
  while (slice != kNone) {
    if (!is_plausible(timeline_, slice)) {  // as if it was not there
      const auto first = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[thread]);
      const auto last = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[thread + 1]);
      const auto at = std::partition_point(first, last, [&](SliceIndex other) { return is_outer(other, slice); });
      slice = at == first ? kNone : *(at - 1);
    } else if (slices.end(slice) <= time) {
      // All that began between its parent and it ended before it did.
      slice = slices.parent[slice];
      if (slice != kNone && slices.track[slice] != thread) return kNone;  // it put this work into a queue
    } else {
      return slice;
    }
  }
  return kNone;
}

template <typename Visit>
void IdleCulprits::for_each_innermost(TrackIndex thread, Interval time, Visit visit) const {
  const Slices& slices = timeline_.slices;
  const auto first = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[thread]);
  const auto last = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[thread + 1]);
  auto next = std::partition_point(first, last, [&](SliceIndex slice) { return slices.start[slice] <= time.begin; });
  int64_t now = time.begin;
  SliceIndex innermost = next == first ? kNone : active_at(*(next - 1), now);
  while (now < time.end) {
    const int64_t until = next == last ? time.end : std::min(time.end, slices.start[*next]);
    while (now < until) {
      const int64_t end = innermost == kNone ? until : std::min(until, slices.end(innermost));
      visit(Interval{now, end}, innermost);
      now = end;
      innermost = innermost == kNone ? kNone : active_at(innermost, now);
    }
    for (; next != last && slices.start[*next] == now; ++next) innermost = active_at(*next, now);
  }
}

void IdleCulprits::append(const Named& named, SliceIndex waking_op, std::vector<IdlePart>& parts) {
  const SliceIndex launch = launch_of(timeline_, waking_op);
  const SliceIndex slice = named.slice;
  if (launch == kNone && slice != kNone) {  // a sample
    parts.push_back({.time = named.time, .cause = named.cause, .culprit = slice});
    return;
  }
  switch (named.cause) {
    case IdleCause::unknown:
      parts.push_back({.time = named.time,
                       .cause = named.cause,
                       .reason = has_calls_ ? NoCulprit::launch_not_recorded : NoCulprit::no_calls_recorded});
      return;
    case IdleCause::profile_edge:
      parts.push_back(
          {.time = named.time, .cause = named.cause, .reason = NoCulprit::not_in_recording, .host = launch});
      return;
    case IdleCause::dependency: {
      const SliceIndex awaited = awaited_by(waking_op);
      parts.push_back({.time = named.time,
                       .cause = named.cause,
                       .culprit = awaited,
                       .reason = awaited == kNone ? NoCulprit::wait_not_recorded : NoCulprit::none,
                       .host = launch});
      return;
    }
    case IdleCause::other_rank:
      parts.push_back({.time = named.time,
                       .cause = named.cause,
                       .culprit = slice,
                       .reason = slice == kNone ? NoCulprit::no_wait_recorded : NoCulprit::none,
                       .host = slice});
      return;
    case IdleCause::host_code:
    case IdleCause::data_loading:
      break;
    default:
      if (is_host(timeline_.kind(slice))) {
        parts.push_back({.time = named.time, .cause = named.cause, .culprit = slice, .host = slice});
        return;
      }
  }
  const TrackIndex thread = timeline_.slices.track[launch];
  const bool is_named = slice != kNone && !is_host(timeline_.kind(slice));  // the profiler's or the driver's work
  for_each_innermost(thread, named.time, [&](const Interval& time, SliceIndex innermost) {
    IdlePart part{.time = time, .cause = named.cause, .host = innermost};
    if (is_named) {
      part.culprit = slice;
    } else if (innermost != kNone && !is_step(innermost)) {
      part.culprit = innermost;
    } else {
      part.reason = NoCulprit::nothing_recorded;
      part.next = next_after(thread, time.begin);
    }
    parts.push_back(part);
  });
}

SliceIndex IdleCulprits::next_after(TrackIndex thread, int64_t time) const {
  const auto first = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[thread]);
  const auto last = slices_.begin() + static_cast<std::ptrdiff_t>(begin_[thread + 1]);
  const auto later =
      std::partition_point(first, last, [&](SliceIndex slice) { return timeline_.slices.start[slice] <= time; });
  const auto next =
      std::find_if(later, last, [&](SliceIndex slice) { return is_plausible(timeline_, slice) && !is_step(slice); });
  return next == last ? kNone : *next;
}

bool IdleCulprits::is_step(SliceIndex slice) const {
  return steps_[timeline_.slices.name[slice]];
}

/// The op of the device that ended last of those that the waking op's stream was told to wait for.
SliceIndex IdleCulprits::awaited_by(SliceIndex waking_op) const {
  const Slices& slices = timeline_.slices;
  SliceIndex latest = kNone;
  for (const Wait* wait : waits_().around(waking_op)) {
    if (wait->held != waking_op || wait->op == kNone) continue;
    if (latest == kNone || slices.end(wait->op) > slices.end(latest)) latest = wait->op;
  }
  return latest;
}

}  // namespace cgpu
