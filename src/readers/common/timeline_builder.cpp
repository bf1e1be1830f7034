#include "readers/common/timeline_builder.h"

#include <algorithm>

#include "model/time_range.h"

namespace cgpu {

namespace {

constexpr size_t kMostCategories = 1000;

}  // namespace

uint16_t TimelineBuilder::category(std::string_view name, SliceKind kind) {
  // A file that makes up a new category for every event has no categories.
  if (categories_.size() >= kMostCategories) name = text_of(kind);
  const auto next = static_cast<uint16_t>(timeline.categories.size());
  const auto [at, added] = categories_.try_emplace({std::string(name), kind}, next);
  if (added) timeline.categories.push_back({std::string(name), kind});
  return at->second;
}

template <typename Key>
TrackIndex TimelineBuilder::track_of(std::map<Key, TrackIndex>& known, const Key& key, Track description) {
  const auto [at, added] = known.try_emplace(key, static_cast<TrackIndex>(timeline.tracks.size()));
  if (added) timeline.tracks.push_back(std::move(description));
  return at->second;
}

TrackIndex TimelineBuilder::thread_track(const std::string& process, const std::string& thread) {
  return track_of(threads_, {process, thread}, Track{TrackKind::host_thread, process, thread, "", ""});
}

TrackIndex TimelineBuilder::stream_track(int32_t device, int64_t stream) {
  const std::string process = device < 0 ? "GPU" : "GPU " + std::to_string(device);  // the profile does not say which
  return track_of(
      streams_, {device, stream},
      Track{TrackKind::device_stream, process, stream < 0 ? "no stream" : "stream " + std::to_string(stream), "", ""});
}

SliceIndex TimelineBuilder::add_slice(Slice slice, int64_t end) {
  if (timeline.slices.size() >= kNone - 1) {
    skip("truncated_input", "reading stopped at the most slices that a run can hold", true);
    return kNone;
  }
  if (!is_time(slice.start) || !is_time(end)) {
    skip("invalid_number", "events whose time cannot be true (beyond a century) were left out");
    return kNone;
  }
  if (end < slice.start) {
    run.notes.add("negative_duration", 1, "slices with a negative duration were kept with duration 0");
  }
  slice.duration = std::max(slice.start, end) - slice.start;
  return run.add_slice(slice);
}

void TimelineBuilder::skip(const char* code, const std::string& why, bool damage) {
  ++run.events.skipped;
  run.notes.add(code, 1, why, damage);
}

}  // namespace cgpu
