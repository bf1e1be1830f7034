#include "links/waits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/interval_set.h"
#include "links/submitted_ops.h"
#include "links/waiting_calls.h"

namespace cgpu {

namespace {

using Kind = Synchronization::Kind;

class WaitFinder {
 public:
  explicit WaitFinder(const Timeline& timeline) : timeline_(timeline), slices_(timeline.slices), submitted_(timeline) {
    for (const Synchronization& one : timeline.synchronizations) {
      const SliceIndex call = slices_.launch[one.slice];
      if (call != kNone && is_of_host(one.kind)) recorded_wait_of_.emplace(call, &one);
      if (one.kind == Kind::event_record) records_.push_back(&one);
    }
    std::sort(records_.begin(), records_.end(), [&](const Synchronization* a, const Synchronization* b) {
      return std::pair(slices_.end(a->slice), a->slice) < std::pair(slices_.end(b->slice), b->slice);
    });
  }

  std::vector<Wait> find() {
    std::vector<Wait> waits;
    find_calls(waits);
    for (const Synchronization& one : timeline_.synchronizations) {
      if (one.kind == Kind::event_record || is_doubtful(one.slice)) continue;
      waits.push_back(one.kind == Kind::stream_order  ? stream_order(one)
                      : one.kind == Kind::stream_wait ? stream_wait(one)
                                                      : host_wait(one.slice, one));
    }
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return a.slice < b.slice; });
    return waits;
  }

 private:
  static bool is_of_host(Kind kind) {
    return kind == Kind::host_stream || kind == Kind::host_device || kind == Kind::host_event;
  }
  /// Whether the end of a slice is not the recorded one.
  bool is_doubtful(SliceIndex slice) const { return slices_.flags[slice] != 0; }
  Interval time_of(SliceIndex slice) const { return {slices_.start[slice], slices_.end(slice)}; }

  void find_calls(std::vector<Wait>& waits) {
    constexpr uint8_t kUnknown = UINT8_MAX;
    std::vector<uint8_t> answers(timeline_.names.size(), kUnknown);
    const auto awaited_by_call = [&](SliceIndex call) {
      uint8_t& answer = answers[slices_.name[call]];
      if (answer == kUnknown) answer = static_cast<uint8_t>(awaited_by(timeline_.name(call)));
      return static_cast<Awaited>(answer);
    };
    for (const SliceIndex op : timeline_.device_ops.slice) {
      const SliceIndex call = slices_.launch[op];
      if (call == kNone || !is_call(timeline_.kind(call)) || awaited_by_call(call) != Awaited::own_copy) continue;
      const auto [last, added] = last_copy_.emplace(call, op);
      if (!added && slices_.end(op) > slices_.end(last->second)) last->second = op;
    }
    for (SliceIndex slice = 0; slice < slices_.size(); ++slice) {
      if (!is_call(timeline_.kind(slice)) || is_doubtful(slice)) continue;
      const Awaited what = awaited_by_call(slice);
      if (what == Awaited::nothing || what == Awaited::other) continue;
      if (what == Awaited::released) {
        find_release(slice, waits);
      } else {
        waits.push_back(what == Awaited::own_copy ? own_copy(slice) : host_wait(slice, description_of(slice, what)));
      }
    }
  }

  /// A call that releases something says by no name that it waits. It did where all that its process had submitted to
  /// a device ended while it lasted.
  void find_release(SliceIndex call, std::vector<Wait>& waits) const {
    constexpr int64_t kShortestWait = 10'000;  // a call that does not wait may by chance be under way at an end
    if (slices_.duration[call] < kShortestWait) return;
    Synchronization device;
    device.kind = Kind::host_device;
    Wait wait = host_wait(call, device);
    wait.by = Wait::By::times;
    if (wait.end == Wait::End::op) waits.push_back(wait);
  }

  Wait own_copy(SliceIndex call) const {
    const auto copy = last_copy_.find(call);
    if (copy == last_copy_.end()) return {call};
    return ended_by(copy->second, time_of(call), {call, Wait::End::unknown, Wait::By::launch});
  }

  /// The wait of a call: the synchronization that the profile records for it, else what the name of the call says.
  Synchronization description_of(SliceIndex call, Awaited what) const {
    const auto recorded = recorded_wait_of_.find(call);
    if (recorded != recorded_wait_of_.end()) return *recorded->second;
    Synchronization by_name;
    by_name.slice = call;
    by_name.kind = what == Awaited::stream   ? Kind::host_stream
                   : what == Awaited::device ? Kind::host_device
                                             : Kind::host_event;
    return by_name;
  }

  /// The process whose work a slice waits for: that of its call.
  ProcessIndex process_of(SliceIndex slice) const {
    const SliceIndex call = slices_.launch[slice];
    return submitted_.process_of(slices_.track[call == kNone ? slice : call]);
  }

  Wait host_wait(SliceIndex slice, const Synchronization& awaited) const {
    Wait wait{slice};
    wait.record = awaited.record;
    const Interval time = time_of(slice);
    const bool whole_device = awaited.kind == Kind::host_device;
    const auto streams =
        submitted_.find({whole_device, awaited.device, whole_device ? -1 : awaited.stream, process_of(slice)});
    if (!streams) return wait;
    if ((!whole_device && awaited.stream < 0) || streams->size() > 1) return by_times(*streams, awaited, time, wait);
    wait.by = awaited.record != kNone ? Wait::By::record : whole_device ? Wait::By::device : Wait::By::stream;
    return ended_by(streams->empty() ? kNone : last_awaited(*streams->front(), awaited, time), time, wait);
  }

  /// The last op that has to end before the wait can.
  SliceIndex last_awaited(const SubmittedOps& stream, const Synchronization& awaited, const Interval& time) const {
    if (awaited.kind != Kind::host_event) return stream.last_to_end(time.begin);
    if (awaited.record != kNone) return stream.last_to_end(slices_.start[awaited.record]);
    return stream.last_ended(time.begin, time.end);  // the position of the event is not known
  }

  Wait ended_by(SliceIndex op, const Interval& time, Wait wait) const {
    if (op == kNone || slices_.end(op) <= time.begin) {
      wait.end = Wait::End::nothing;
    } else {
      wait.end = slices_.end(op) > time.end ? Wait::End::later : Wait::End::op;
      wait.op = op;
    }
    return wait;
  }

  /// Ended by the only stream (or device) with an op that ended during the wait.
  Wait by_times(const std::vector<const SubmittedOps*>& streams, const Synchronization& awaited, const Interval& time,
                Wait wait) const {
    wait.by = Wait::By::times;
    wait.end = Wait::End::nothing;
    for (const SubmittedOps* stream : streams) {
      Wait ended = ended_by(last_awaited(*stream, awaited, time), time, wait);
      if (ended.end != Wait::End::op) continue;
      if (wait.op != kNone) {
        wait.op = kNone;
        wait.end = Wait::End::ambiguous;
        return wait;
      }
      wait = ended;
    }
    return wait;
  }

  /// A stream that waits for an event is blocked from when it has reached the wait and has an op to run.
  Wait stream_order(const Synchronization& awaited) const {
    Wait wait{awaited.slice};
    wait.record = awaited.record;
    if (awaited.record == kNone || awaited.stream < 0) return wait;
    wait.by = Wait::By::record;
    wait.end = Wait::End::nothing;
    const auto streams = submitted_.find({false, awaited.device, awaited.stream, process_of(awaited.slice)});
    const SubmittedOps* own = submitted_.of_track(slices_.track[awaited.slice]);
    if (!streams || streams->size() != 1 || own == nullptr) return wait;
    const int64_t submitted = slices_.start[awaited.slice];
    const SliceIndex op = streams->front()->last_to_end(slices_.start[awaited.record]);
    const SliceIndex held = own->first_submitted(submitted);
    if (op == kNone || held == kNone) return wait;
    const SliceIndex before = own->last_to_end(submitted);
    const int64_t ready =
        std::max({submitted, submission_of(timeline_, held), before == kNone ? submitted : slices_.end(before)});
    wait = ended_by(op, {ready, slices_.start[held]}, wait);
    if (wait.end == Wait::End::op) wait.held = held;
    return wait;
  }

  /// Ended by the event that another stream reached during the wait, if the events reached then are of one stream.
  Wait stream_wait(const Synchronization& awaited) const {
    Wait wait{awaited.slice};
    wait.by = Wait::By::times;
    wait.end = Wait::End::nothing;
    const Interval time = time_of(awaited.slice);
    const TrackIndex own = slices_.track[awaited.slice];
    constexpr size_t kMostEvents = 256;
    const Synchronization* last = nullptr;
    size_t seen = 0;
    for (auto at = std::partition_point(records_.begin(), records_.end(),
                                        [&](const auto* record) { return slices_.end(record->slice) <= time.end; });
         at != records_.begin() && slices_.end((*std::prev(at))->slice) > time.begin;) {
      const Synchronization* record = *--at;
      const TrackIndex track = slices_.track[record->slice];
      if (track == own) continue;
      if (last != nullptr && (track != slices_.track[last->slice] || seen == kMostEvents)) {
        wait.end = Wait::End::ambiguous;
        return wait;
      }
      if (seen++ == 0) last = record;
    }
    if (last == nullptr) return wait;
    wait.end = seen == 1 ? Wait::End::event : Wait::End::ambiguous;
    if (seen == 1) wait.record = last->slice;
    const auto streams = submitted_.find({false, last->device, last->stream, process_of(last->slice)});
    const SliceIndex call = slices_.launch[last->slice];
    const SliceIndex op =
        !streams || streams->size() != 1
            ? kNone
            : streams->front()->last_ended(call == kNone ? INT64_MAX : slices_.start[call], slices_.end(last->slice));
    if (op != kNone && slices_.end(op) > time.begin) {
      wait.end = Wait::End::op;
      wait.op = op;
    }
    return wait;
  }

  const Timeline& timeline_;
  const Slices& slices_;
  SubmissionIndex submitted_;
  std::unordered_map<SliceIndex, const Synchronization*> recorded_wait_of_;
  std::unordered_map<SliceIndex, SliceIndex> last_copy_;  // by call that copies and blocks
  std::vector<const Synchronization*> records_;           // of events on devices, by end
};

}  // namespace

const char* text_of(Wait::End end) {
  static constexpr std::array<const char*, 6> texts{"op", "event", "nothing", "later", "ambiguous", "unknown"};
  return texts[static_cast<size_t>(end)];
}

const char* text_of(Wait::By by) {
  static constexpr std::array<const char*, 6> texts{"", "launch", "record", "stream", "device", "times"};
  return texts[static_cast<size_t>(by)];
}

Waits::Waits(const Timeline& timeline) : waits_(WaitFinder(timeline).find()) {
  for (uint32_t i = 0; i < waits_.size(); ++i) {
    const Wait& wait = waits_[i];
    for (const SliceIndex part : {wait.end == Wait::End::op ? wait.op : kNone, wait.held, wait.record}) {
      if (part != kNone) parts_.emplace_back(part, i);
    }
  }
  std::sort(parts_.begin(), parts_.end());
}

const Wait* Waits::find(SliceIndex slice) const {
  const auto at =
      std::partition_point(waits_.begin(), waits_.end(), [&](const Wait& wait) { return wait.slice < slice; });
  return at == waits_.end() || at->slice != slice ? nullptr : &*at;
}

std::vector<const Wait*> Waits::around(SliceIndex slice) const {
  std::vector<const Wait*> found;
  const auto first =
      std::partition_point(parts_.begin(), parts_.end(), [&](const auto& part) { return part.first < slice; });
  for (auto at = first; at != parts_.end() && at->first == slice; ++at) found.push_back(&waits_[at->second]);
  return found;
}

}  // namespace cgpu
