#include "analysis/idle/idle_culprits.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/common/name_rules.h"
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

namespace {

bool marks_iteration(std::string_view name) {
  return name.starts_with(kStepMark) || is_in(NameList::counted_step, name) || is_in(NameList::engine_step, name);
}

}  // namespace

IdleCulprits::IdleCulprits(const Timeline& timeline, const SampledHost& sampled, std::function<const Waits&()> waits)
    : timeline_(timeline),
      sampled_(sampled),
      thread_waits_(timeline),
      innermost_(timeline),
      is_step_(timeline, [&](SliceIndex slice) { return marks_iteration(timeline.name(slice)); }),
      waits_(std::move(waits)) {
  for (SliceIndex slice = 0; slice < timeline.slices.size() && !has_calls_; ++slice) {
    has_calls_ = is_call(timeline.kind(slice)) && is_host(timeline.kind(slice));
  }
}

void IdleCulprits::append(const Named& named, SliceIndex waking_op, std::vector<IdlePart>& parts) {
  const SliceIndex launch = launch_of(timeline_, waking_op);
  const SliceIndex slice = named.slice;
  if (launch == kNone && slice != kNone && named.toucher == kNone) {  // a sample
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
  const TrackIndex thread = launch == kNone ? named.toucher : timeline_.slices.track[launch];
  if (slice != kNone && is_host(timeline_.kind(slice)) && timeline_.slices.track[slice] != thread) {  // awaited
    const bool is_mark = is_step_(slice);
    parts.push_back({.time = named.time,
                     .cause = named.cause,
                     .culprit = is_mark ? kNone : slice,
                     .reason = is_mark ? NoCulprit::nothing_recorded : NoCulprit::none,
                     .host = slice});
    return;
  }
  const bool is_named = slice != kNone && !is_host(timeline_.kind(slice));  // the profiler's or the driver's work
  innermost_.for_each(thread, named.time, [&](const Interval& time, SliceIndex innermost) {
    IdlePart part{.time = time, .cause = named.cause, .host = innermost};
    if (is_named) {
      part.culprit = slice;
    } else if (innermost != kNone && thread_waits_.contain(innermost)) {  // for one that did something unknown
      part.reason = NoCulprit::nothing_recorded;
    } else if (innermost != kNone && !is_step_(innermost)) {
      part.culprit = innermost;
    } else {
      append_unrecorded(thread, part, parts);
      return;
    }
    parts.push_back(part);
  });
}

void IdleCulprits::append_unrecorded(TrackIndex thread, IdlePart part, std::vector<IdlePart>& parts) const {
  const auto append_until = [&](int64_t end) {
    if (part.time.begin >= end) return;
    IdlePart unknown = part;
    unknown.time.end = end;
    unknown.reason = NoCulprit::nothing_recorded;
    unknown.next = next_after(thread, part.time.begin);
    parts.push_back(unknown);
    part.time.begin = end;
  };
  const Interval whole = part.time;
  sampled_.for_each_piece(thread, whole, [&](const Interval& time, IdleCause, SliceIndex sample) {
    append_until(time.begin);
    IdlePart seen = part;
    seen.time = time;
    seen.culprit = sample;
    parts.push_back(seen);
    part.time.begin = time.end;
  });
  append_until(whole.end);
}

SliceIndex IdleCulprits::next_after(TrackIndex thread, int64_t time) const {
  const std::span<const SliceIndex> own = innermost_.of(thread);
  const auto later = std::partition_point(own.begin(), own.end(),
                                          [&](SliceIndex slice) { return timeline_.slices.start[slice] <= time; });
  const auto next = std::find_if(later, own.end(),
                                 [&](SliceIndex slice) { return is_plausible(timeline_, slice) && !is_step_(slice); });
  return next == own.end() ? kNone : *next;
}

/// Of the device ops that the stream of the waking op had to wait for, the one that ended last.
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
