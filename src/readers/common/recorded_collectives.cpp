#include "readers/common/recorded_collectives.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/contains.h"

namespace cgpu {

namespace {

constexpr double kNsOfMs = 1e6;
constexpr double kLongestMs = 1e12;  // beyond a century no time is true

}  // namespace

void set_elements(RecordedCollective& of, int64_t count, std::optional<int64_t> ranks) {
  if (count < 0) return;
  int64_t all = -1;
  if (!ranks || *ranks <= 0 || __builtin_mul_overflow(count, *ranks, &all)) all = -1;
  if (of.name == "AllGather") {
    of.elements_in = count;
    of.elements_out = all;
  } else if (of.name == "ReduceScatter") {
    of.elements_in = all;
    of.elements_out = count;
  } else if (is_any(of.name, {"AllReduce", "Reduce", "Broadcast"})) {
    of.elements_in = of.elements_out = count;
  } else if (of.name == "Send") {
    of.elements_in = count;
  } else if (of.name == "Recv") {
    of.elements_out = count;
  }
}

void RecordedCollectives::finish() {
  int64_t end = INT64_MIN;
  for (const RecordedCollective& entry : entries_) {
    for (const auto& time : {entry.created, entry.started, entry.completed}) {
      if (time) end = std::max(end, *time);
    }
  }
  for (const RecordedCollective& entry : entries_) add_op(entry, end);
}

void RecordedCollectives::add_op(const RecordedCollective& entry, int64_t end_of_dump) {
  const std::optional<int64_t> begin = entry.started ? entry.started : entry.created;
  if (!begin) return into_.skip("skipped_event", "collectives without a time were left out");
  const bool ended = entry.state == "completed" || entry.completed;
  int64_t start = *begin;
  int64_t end = entry.completed.value_or(end_of_dump);
  if (ended && entry.duration_ms && *entry.duration_ms >= 0 && *entry.duration_ms < kLongestMs) {
    const int64_t duration = std::llround(*entry.duration_ms * kNsOfMs);
    if (entry.completed) {
      start = end - duration;
    } else {
      end = start + duration;
    }
  }
  const auto group = std::find(groups_.begin(), groups_.end(), entry.group);
  const int64_t stream = group - groups_.begin();
  if (group == groups_.end()) groups_.push_back(entry.group);
  Timeline& timeline = run_.timeline;
  const TrackIndex track = into_.stream_track(entry.device, stream);
  if (timeline.tracks[track].thread_name.empty()) {
    timeline.tracks[track].process_name =
        entry.device < 0 ? "collectives" : "collectives of GPU " + std::to_string(entry.device);
    timeline.tracks[track].thread_name = "group " + entry.group;
    if (!entry.purpose.empty() && entry.purpose != entry.group) {
      timeline.tracks[track].thread_name += " (" + entry.purpose + ")";
    }
  }
  const SliceIndex slice =
      into_.add_slice({.start = start,
                       .name = timeline.names.intern(entry.name),
                       .track = track,
                       .category = into_.category(text_of(SliceKind::device_collective), SliceKind::device_collective),
                       .flags = ended ? uint8_t{0} : uint8_t{kNeverEnded}},
                      end);
  if (slice == kNone) return;
  DeviceOp op;
  op.slice = slice;
  op.device = entry.device;
  op.stream = stream;
  timeline.device_ops.append(op);
  Collective collective;
  collective.slice = slice;
  const size_t colon = entry.name.find(':');
  collective.name = timeline.names.intern(entry.name.substr(colon == std::string::npos ? 0 : colon + 1));
  collective.group = timeline.names.intern(entry.group);
  collective.type = timeline.names.intern(entry.type);
  collective.group_size = entry.group_size;
  collective.elements_in = entry.elements_in;
  collective.elements_out = entry.elements_out;
  collective.sequence = entry.is_p2p ? entry.p2p_sequence : entry.sequence;
  timeline.collectives.push_back(collective);
  if (!ended) {
    run_.notes.add("unfinished_collective", 1,
                   "collectives did not complete before the flight recorder was dumped; they last until its last time");
  }
}

}  // namespace cgpu
