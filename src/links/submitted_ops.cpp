#include "links/submitted_ops.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/plausible.h"

namespace cgpu {

namespace {

/// Numbers processes in the order of their tracks.
std::vector<ProcessIndex> processes_of_host(const std::vector<Track>& tracks) {
  std::vector<ProcessIndex> numbers(tracks.size(), kNone);
  std::map<std::pair<std::string, std::optional<int64_t>>, ProcessIndex> known;
  for (TrackIndex track = 0; track < tracks.size(); ++track) {
    if (tracks[track].kind == TrackKind::device_stream) continue;
    const auto next = static_cast<ProcessIndex>(known.size());
    numbers[track] = known.try_emplace({tracks[track].process, tracks[track].rank}, next).first->second;
  }
  return numbers;
}

}  // namespace

void SubmittedOps::finish() {
  const auto earlier = [&](SliceIndex a, SliceIndex b) {
    return std::pair(submission_of(*timeline_, a), timeline_->slices.start[a]) <
           std::pair(submission_of(*timeline_, b), timeline_->slices.start[b]);
  };
  if (!std::is_sorted(ops_.begin(), ops_.end(), earlier)) std::stable_sort(ops_.begin(), ops_.end(), earlier);
  latest_.resize(ops_.size());
  for (uint32_t i = 0; i < ops_.size(); ++i) {
    latest_[i] = i > 0 && end_of(latest_[i - 1]) > end_of(i) ? latest_[i - 1] : i;
  }
  by_end_.resize(ops_.size());
  std::iota(by_end_.begin(), by_end_.end(), uint32_t{0});
  const auto ends_earlier = [&](uint32_t a, uint32_t b) { return end_of(a) < end_of(b); };
  if (!std::is_sorted(by_end_.begin(), by_end_.end(), ends_earlier)) {
    std::stable_sort(by_end_.begin(), by_end_.end(), ends_earlier);
  }
}

SliceIndex SubmittedOps::last_to_end(int64_t limit) const {
  const auto after = std::partition_point(ops_.begin(), ops_.end(),
                                          [&](SliceIndex op) { return submission_of(*timeline_, op) <= limit; });
  return after == ops_.begin() ? kNone : ops_[latest_[static_cast<size_t>(after - ops_.begin()) - 1]];
}

SliceIndex SubmittedOps::first_submitted(int64_t limit) const {
  const auto first = std::partition_point(ops_.begin(), ops_.end(),
                                          [&](SliceIndex op) { return submission_of(*timeline_, op) < limit; });
  return first == ops_.end() ? kNone : *first;
}

SliceIndex SubmittedOps::last_ended(int64_t limit, int64_t until) const {
  constexpr std::ptrdiff_t kMostLookedAt = 256;
  const auto after =
      std::partition_point(by_end_.begin(), by_end_.end(), [&](uint32_t place) { return end_of(place) <= until; });
  for (auto at = after; at != by_end_.begin() && after - at < kMostLookedAt;) {
    --at;
    if (submission_of(*timeline_, ops_[*at]) <= limit) return ops_[*at];
  }
  return kNone;
}

SubmissionIndex::SubmissionIndex(const Timeline& timeline)
    : stream_of_track_(timeline.tracks.size(), kNone), process_of_(processes_of_host(timeline.tracks)) {
  const Slices& slices = timeline.slices;
  const DeviceOps& ops = timeline.device_ops;
  for (const SliceIndex slice : ops.slice) {
    ProcessIndex& process = process_of_[slices.track[slice]];
    if (process == kNone && slices.launch[slice] != kNone) process = process_of_[slices.track[slices.launch[slice]]];
  }
  using Place = std::tuple<int32_t, int64_t, ProcessIndex>;
  std::map<Place, uint32_t> streams;
  std::map<std::pair<int32_t, ProcessIndex>, uint32_t> devices;
  std::pair<Place, uint32_t> last{{}, kNone};
  std::vector<uint32_t> device_of_stream;
  for (size_t i = 0; i < ops.size(); ++i) {
    const SliceIndex slice = ops.slice[i];
    if (!is_plausible(timeline, slice)) continue;
    const SliceIndex launch = slices.launch[slice];
    const TrackIndex track = slices.track[slice];
    const ProcessIndex process = process_of_[launch == kNone ? track : slices.track[launch]];
    const Place place(ops.device[i], ops.stream[i], process);
    if (last.second == kNone || last.first != place) {
      const auto [at, added] = streams.try_emplace(place, static_cast<uint32_t>(streams_.size()));
      if (added) {
        const auto [device, first] =
            devices.try_emplace({ops.device[i], process}, static_cast<uint32_t>(devices_.size()));
        if (first) {
          devices_.emplace_back(timeline).device = ops.device[i];
          devices_.back().process = process;
        }
        device_of_stream.push_back(device->second);
        streams_.emplace_back(timeline).device = ops.device[i];
        streams_.back().stream = ops.stream[i];
        streams_.back().process = process;
      }
      last = {place, at->second};
    }
    streams_[last.second].add(slice);
    devices_[device_of_stream[last.second]].add(slice);
    stream_of_track_[track] = last.second;
  }
  for (SubmittedOps& ops_of_stream : streams_) ops_of_stream.finish();
  for (SubmittedOps& ops_of_device : devices_) ops_of_device.finish();
  for (uint32_t i = 0; i < streams_.size(); ++i) stream_numbers_.emplace_back(streams_[i].stream, i);
  for (uint32_t i = 0; i < devices_.size(); ++i) device_numbers_.emplace_back(devices_[i].device, i);
  std::sort(stream_numbers_.begin(), stream_numbers_.end());
  std::sort(device_numbers_.begin(), device_numbers_.end());
}

std::optional<std::vector<const SubmittedOps*>> SubmissionIndex::find(const Query& query) const {
  constexpr std::ptrdiff_t kMost = 256;
  const ByNumber& numbers = query.whole_device ? device_numbers_ : stream_numbers_;
  const int64_t number = query.whole_device ? query.device : query.stream;
  auto first = numbers.begin();
  auto last = numbers.end();
  if (number >= 0) {
    first = std::partition_point(first, last, [&](const auto& entry) { return entry.first < number; });
    last = std::partition_point(first, last, [&](const auto& entry) { return entry.first == number; });
  }
  if (last - first > kMost) return std::nullopt;
  std::vector<const SubmittedOps*> found;
  for (auto at = first; at != last; ++at) {
    const SubmittedOps& candidate = (query.whole_device ? devices_ : streams_)[at->second];
    const bool known = query.process != kNone && candidate.process != kNone;
    if ((query.device < 0 || candidate.device == query.device) && (!known || candidate.process == query.process)) {
      found.push_back(&candidate);
    }
  }
  return found;
}

const SubmittedOps* SubmissionIndex::of_track(TrackIndex track) const {
  const uint32_t stream = stream_of_track_[track];
  return stream == kNone ? nullptr : &streams_[stream];
}

}  // namespace cgpu
