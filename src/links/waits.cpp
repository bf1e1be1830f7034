#include "links/waits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/interval_set.h"
#include "links/given_work.h"
#include "links/waiting_calls.h"

namespace cgpu {

namespace {

using Kind = Synchronization::Kind;
using Op = GivenWork::Op;

class WaitFinder {
 public:
  explicit WaitFinder(const Timeline& timeline) : timeline_(timeline), slices_(timeline.slices), work_(timeline) {
    for (const Synchronization& one : timeline.synchronizations) {
      const SliceIndex call = slices_.launch[one.slice];
      if (call != kNone && is_of_host(one.kind)) said_of_call_.emplace(call, &one);
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
  /// Its end is not the one that was recorded.
  bool is_doubtful(SliceIndex slice) const { return slices_.flags[slice] != 0; }
  Interval time_of(SliceIndex slice) const { return {slices_.start[slice], slices_.end(slice)}; }

  void find_calls(std::vector<Wait>& waits) {
    constexpr uint8_t not_asked = UINT8_MAX;
    std::vector<uint8_t> answers(timeline_.names.size(), not_asked);
    const auto awaited = [&](SliceIndex call) {
      uint8_t& answer = answers[slices_.name[call]];
      if (answer == not_asked) answer = static_cast<uint8_t>(awaited_by(timeline_.name(call)));
      return static_cast<Awaited>(answer);
    };
    for (const SliceIndex op : timeline_.device_ops.slice) {
      const SliceIndex call = slices_.launch[op];
      if (call == kNone || !is_call(timeline_.kind(call)) || awaited(call) != Awaited::own_copy) continue;
      const auto [last, added] = last_copy_.emplace(call, op);
      if (!added && slices_.end(op) > slices_.end(last->second)) last->second = op;
    }
    for (SliceIndex slice = 0; slice < slices_.size(); ++slice) {
      if (!is_call(timeline_.kind(slice)) || is_doubtful(slice)) continue;
      const Awaited what = awaited(slice);
      if (what == Awaited::nothing || what == Awaited::other) continue;
      waits.push_back(what == Awaited::own_copy ? own_copy(slice) : host_wait(slice, said_of(slice, what)));
    }
  }

  Wait own_copy(SliceIndex call) const {
    const auto copy = last_copy_.find(call);
    if (copy == last_copy_.end()) return {call};
    const Op op{slices_.start[call], slices_.start[copy->second], slices_.end(copy->second), copy->second};
    return ended_by(&op, time_of(call), {call, Wait::End::unknown, Wait::By::launch});
  }

  /// What the profile says of a call: in a synchronization of its own, else by the call's name alone.
  Synchronization said_of(SliceIndex call, Awaited what) const {
    const auto said = said_of_call_.find(call);
    if (said != said_of_call_.end()) return *said->second;
    Synchronization only;
    only.slice = call;
    only.kind = what == Awaited::stream   ? Kind::host_stream
                : what == Awaited::device ? Kind::host_device
                                          : Kind::host_event;
    return only;
  }

  /// Whose work a slice waits for: that of the process of its call.
  ProcessIndex process_of(SliceIndex slice) const {
    const SliceIndex call = slices_.launch[slice];
    return work_.process_of(slices_.track[call == kNone ? slice : call]);
  }

  Wait host_wait(SliceIndex slice, const Synchronization& said) const {
    Wait wait{slice};
    wait.record = said.record;
    const Interval time = time_of(slice);
    const bool whole_device = said.kind == Kind::host_device;
    const auto works = work_.find({whole_device, said.device, whole_device ? -1 : said.stream, process_of(slice)});
    if (!works) return wait;
    if ((!whole_device && said.stream < 0) || works->size() > 1) return by_times(*works, said, time, wait);
    wait.by = said.record != kNone ? Wait::By::record : whole_device ? Wait::By::device : Wait::By::stream;
    return ended_by(works->empty() ? nullptr : last_awaited(*works->front(), said, time), time, wait);
  }

  /// The last op that has to end before the wait can.
  const Op* last_awaited(const GivenWork& work, const Synchronization& said, const Interval& time) const {
    if (said.kind != Kind::host_event) return work.last_given(time.begin);
    if (said.record != kNone) return work.last_given(slices_.start[said.record]);
    return work.last_ended(time.begin, time.end);  // where in the stream the event was is not known
  }

  static Wait ended_by(const Op* op, const Interval& time, Wait wait) {
    if (op == nullptr || op->end <= time.begin) {
      wait.end = Wait::End::nothing;
    } else {
      wait.end = op->end > time.end ? Wait::End::later : Wait::End::op;
      wait.op = op->slice;
    }
    return wait;
  }

  /// The op of the only stream (or device) that can have ended the wait.
  Wait by_times(const std::vector<const GivenWork*>& works, const Synchronization& said, const Interval& time,
                Wait wait) const {
    wait.by = Wait::By::times;
    wait.end = Wait::End::nothing;
    for (const GivenWork* work : works) {
      Wait ended = ended_by(last_awaited(*work, said, time), time, wait);
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

  /// The stream that was told to wait does so when it has come to the wait and has an op to go on with.
  Wait stream_order(const Synchronization& said) const {
    Wait wait{said.slice};
    wait.record = said.record;
    if (said.record == kNone || said.stream < 0) return wait;
    wait.by = Wait::By::record;
    wait.end = Wait::End::nothing;
    const auto works = work_.find({false, said.device, said.stream, process_of(said.slice)});
    const GivenWork* own = work_.of_track(slices_.track[said.slice]);
    if (!works || works->size() != 1 || own == nullptr) return wait;
    const int64_t told = slices_.start[said.slice];
    const Op* op = works->front()->last_given(slices_.start[said.record]);
    const Op* held = own->first_given_from(told);
    if (op == nullptr || held == nullptr) return wait;
    const Op* before = own->last_given(told);
    const int64_t ready = std::max({told, held->given, before == nullptr ? told : before->end});
    wait = ended_by(op, {ready, held->start}, wait);
    if (wait.end == Wait::End::op) wait.held = held->slice;
    return wait;
  }

  /// With the events that other streams came to meanwhile: where these are of one stream, that one ended the wait.
  Wait stream_wait(const Synchronization& said) const {
    Wait wait{said.slice};
    wait.by = Wait::By::times;
    wait.end = Wait::End::nothing;
    const Interval time = time_of(said.slice);
    const TrackIndex own = slices_.track[said.slice];
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
    const auto works = work_.find({false, last->device, last->stream, process_of(last->slice)});
    const SliceIndex call = slices_.launch[last->slice];
    const Op* op =
        !works || works->size() != 1
            ? nullptr
            : works->front()->last_ended(call == kNone ? INT64_MAX : slices_.start[call], slices_.end(last->slice));
    if (op != nullptr && op->end > time.begin) {
      wait.end = Wait::End::op;
      wait.op = op->slice;
    }
    return wait;
  }

  const Timeline& timeline_;
  const Slices& slices_;
  AllWork work_;
  std::unordered_map<SliceIndex, const Synchronization*> said_of_call_;
  std::unordered_map<SliceIndex, SliceIndex> last_copy_;  // of blocking copies, by call
  std::vector<const Synchronization*> records_;           // on the device, by end
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
