#include "readers/timeline_builder.h"

#include <algorithm>

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
  return track_of(streams_, {device, stream},
                  Track{TrackKind::device_stream, "GPU " + std::to_string(device),
                        stream < 0 ? "no stream" : "stream " + std::to_string(stream), "", ""});
}

SliceIndex TimelineBuilder::add_slice(const NewSlice& slice) {
  Slices& slices = timeline.slices;
  if (slices.size() >= kNone - 1) {
    skip("truncated_input", "reading stopped at the most slices that a run can hold", true);
    return kNone;
  }
  if (!is_time(slice.start) || !is_time(slice.end)) {
    skip("invalid_number", "events whose time cannot be true (beyond a century) were left out");
    return kNone;
  }
  if (slice.end < slice.start) {
    run.notes.add("negative_duration", 1, "slices with a negative duration were kept with duration 0");
  }
  slices.start.push_back(slice.start);
  slices.duration.push_back(std::max(slice.start, slice.end) - slice.start);
  slices.name.push_back(slice.name);
  slices.track.push_back(slice.track);
  slices.category.push_back(slice.category);
  slices.flags.push_back(0);
  slices.correlation.push_back(slice.correlation);
  slices.source.push_back(UINT64_MAX);
  ++run.events.slices;
  return static_cast<SliceIndex>(slices.size() - 1);
}

void TimelineBuilder::add_device_op(SliceIndex slice, const NewDeviceOp& op) {
  DeviceOps& ops = timeline.device_ops;
  ops.slice.push_back(slice);
  ops.device.push_back(op.device);
  ops.stream.push_back(op.stream);
  ops.bytes.push_back(op.bytes);
  ops.copy.push_back(op.copy);
  ops.source.push_back(op.source);
  ops.destination.push_back(op.destination);
}

void TimelineBuilder::skip(const char* code, const std::string& why, bool damage) {
  ++run.events.skipped;
  run.notes.add(code, 1, why, damage);
}

}  // namespace cgpu
