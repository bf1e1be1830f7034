// Counters: those of the profile, and the memory that allocators hold on each device.
#include <algorithm>
#include <numeric>

#include "base/natural_order.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

class CounterLane : public LaneSource {
 public:
  explicit CounterLane(const LaneScope& scope) : scope_(scope) {}

  std::vector<CounterIndex::Sample> samples(const ViewTrack& track) const override {
    const Timeline& timeline = scope_.timeline_of(track);
    const int64_t zero = scope_.zero(track.run);
    std::vector<CounterIndex::Sample> samples;
    if (track.counter) {
      const Counters& counters = timeline.counters;
      for (size_t i = 0; i < counters.time.size(); ++i) {
        if (counters.track[i] == *track.counter) samples.push_back({counters.time[i] - zero, counters.value[i]});
      }
      return samples;
    }
    for (const MemoryEvent& event : timeline.memory) {
      const int64_t total = track.reserved ? event.total_reserved : event.total_allocated;
      if (event.device == track.device && total >= 0)
        samples.push_back({event.time - zero, static_cast<double>(total)});
    }
    return samples;
  }

 private:
  const LaneScope& scope_;
};

/// Counters of a process are grouped with its threads.
std::string group_of_counter(const Timeline& timeline, const std::string& process) {
  if (process.empty()) return "Counters";
  const auto thread = std::find_if(timeline.tracks.begin(), timeline.tracks.end(), [&](const Track& track) {
    return track.kind == TrackKind::host_thread && track.process == process;
  });
  return thread == timeline.tracks.end() ? process : TrackList::name_of_process(*thread);
}

void list_counters(TrackList& tracks, const ListedAt&) {
  const Timeline& timeline = tracks.run().timeline;
  const std::vector<CounterTrack>& counters = timeline.counters.tracks;
  std::vector<uint32_t> order(counters.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order,
                           [&](uint32_t a, uint32_t b) { return natural_less(counters[a].name, counters[b].name); });
  for (const uint32_t i : order) {
    tracks.add(group_of_counter(timeline, counters[i].process), counters[i].name).counter = i;
  }
  for (const int32_t device : tracks.facts().memory) {
    for (const bool reserved : {false, true}) {
      ViewTrack& track = tracks.add(tracks.name_of_device(device), reserved ? "reserved memory" : "allocated memory");
      track.device = device;
      track.reserved = reserved;
    }
  }
}

}  // namespace

LaneDeclaration counter_lane() {
  return {.kind = "counter",
          .place = TrackPlace::at_end,
          .drawing = Drawing::counter,
          .list = list_counters,
          .open = open_lane<CounterLane>};
}

}  // namespace cgpu
