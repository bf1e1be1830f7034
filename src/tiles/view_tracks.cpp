#include "tiles/view_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "tiles/derived_slices.h"
#include "tiles/lane_index.h"
#include "tiles/natural_order.h"

namespace cgpu {

namespace {

/// What one part of a track of the profile holds.
struct PartFacts {
  uint64_t slices = 0;
  SliceIndex first = 0;
  SliceIndex last = 0;
};

struct DeviceFacts {
  bool launched = false;       // some op has a launch in the profile
  bool communication = false;  // some op communicates
};

/// One pass over a run: what there is to show.
struct RunFacts {
  std::vector<std::array<PartFacts, kTrackParts>> parts;  // by track
  std::vector<std::optional<int32_t>> device_of;          // by track
  std::map<int32_t, DeviceFacts> devices;
  std::set<int32_t> memory;  // devices with allocator events
  bool annotations = false;  // of the host
  bool projected = false;    // by the profiler onto a device

  explicit RunFacts(const Timeline& timeline) : parts(timeline.tracks.size()), device_of(timeline.tracks.size()) {
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      const SliceKind kind = timeline.kind(slice);
      annotations = annotations || kind == SliceKind::annotation;
      projected = projected || kind == SliceKind::device_annotation;
      PartFacts& part = parts[timeline.slices.track[slice]][static_cast<size_t>(part_of(timeline, slice))];
      if (part.slices++ == 0) part.first = slice;
      part.last = slice;
    }
    const DeviceOps& ops = timeline.device_ops;
    for (size_t op = 0; op < ops.size(); ++op) {
      const SliceIndex slice = ops.slice[op];
      device_of[timeline.slices.track[slice]] = ops.device[op];
      if (!is_plausible(timeline, slice)) continue;
      DeviceFacts& device = devices[ops.device[op]];
      device.launched = device.launched || timeline.slices.launch[slice] != kNone;
      device.communication = device.communication || ops.kind[op] == OpKind::communication;
    }
    for (const MemoryEvent& event : timeline.memory) {
      if (event.total_allocated >= 0) memory.insert(event.device);
    }
    find_devices_of_idle_streams(timeline);
  }

  /// A stream on which nothing ran (but the waits of others were recorded) belongs to the device of its process, where
  /// that has one.
  void find_devices_of_idle_streams(const Timeline& timeline) {
    std::map<std::string, std::set<int32_t>> devices_of_process;
    const auto is_stream = [&](TrackIndex track) { return timeline.tracks[track].kind == TrackKind::device_stream; };
    for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
      if (is_stream(track) && device_of[track])
        devices_of_process[timeline.tracks[track].process].insert(*device_of[track]);
    }
    for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
      const std::set<int32_t>& known = devices_of_process[timeline.tracks[track].process];
      if (is_stream(track) && !device_of[track] && known.size() == 1) device_of[track] = *known.begin();
    }
  }
};

std::string name_of_device(const Run& run, int32_t id) {
  if (id < 0) return "Host";
  const auto device = std::find_if(run.devices.begin(), run.devices.end(), [&](const Device& d) { return d.id == id; });
  if (device == run.devices.end()) return fmt::format("Device {}", id);
  const std::string what = device->vendor == "Huawei" ? "NPU" : "GPU";
  return fmt::format("{} {}{}{}", what, id, device->name.empty() ? "" : ": ", device->name);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string name_of_process(const Track& track) {
  if (track.process_name.empty()) {
    return track.process.empty() ? "Program" : is_number(track.process) ? "Process " + track.process : track.process;
  }
  if (track.process.empty() || track.process_name.find(track.process) != std::string::npos) return track.process_name;
  return fmt::format("{} ({})", track.process_name, track.process);
}

std::string name_of_thread(const Track& track) {
  if (track.thread_name.empty()) return is_number(track.thread) ? "thread " + track.thread : track.thread;
  if (track.thread.empty() || track.thread_name.find(track.thread) != std::string::npos) return track.thread_name;
  return fmt::format("{} ({})", track.thread_name, track.thread);
}

std::string name_of_stream(const Track& track) {
  if (track.thread.ends_with("4294967295")) return "no stream";  // what CUPTI writes for a whole context
  if (!is_number(track.thread)) return name_of_thread(track);
  const std::string stream = "stream " + track.thread;
  const std::string& name = track.thread_name;
  return name.empty() || name.starts_with("stream") ? stream : fmt::format("{} ({})", name, stream);
}

/// The tracks of one run, in order.
class TracksOfRun {
 public:
  TracksOfRun(const Session& session, size_t number, std::vector<ViewTrack>& out)
      : run_(session.runs[number]), number_(number), facts_(run_.timeline), out_(out) {
    if (session.runs.size() > 1) group_.push_back(fmt::format("rank {}", run_.rank));
  }

  void add_all(bool has_steps) {
    if (has_steps) add(ViewKind::steps, "Iterations", "steps").lanes = 1;
    for (const auto& [device, facts] : facts_.devices) add_device(device, facts);
    add_sources([&](TrackIndex track) {
      const std::optional<int32_t>& device = facts_.device_of[track];
      return !device || facts_.devices.count(*device) == 0;
    });
    const std::vector<CounterTrack>& counters = run_.timeline.counters.tracks;
    for (uint32_t i = 0; i < counters.size(); ++i) {
      add(ViewKind::counter, counters[i].process.empty() ? "Counters" : counters[i].process, counters[i].name).counter =
          i;
    }
    for (const int32_t device : facts_.memory) {
      for (const bool reserved : {false, true}) {
        ViewTrack& track =
            add(ViewKind::counter, name_of_device(run_, device), reserved ? "reserved memory" : "allocated memory");
        track.device = device;
        track.reserved = reserved;
      }
    }
  }

 private:
  ViewTrack& add(ViewKind kind, const std::string& group, const std::string& name) {
    ViewTrack& track = out_.emplace_back();
    track.kind = kind;
    track.run = number_;
    track.group = group_;
    track.group.push_back(group);
    track.name = name;
    return track;
  }

  void add_device(int32_t device, const DeviceFacts& facts) {
    const std::string group = name_of_device(run_, device);
    add(ViewKind::busy, group, "busy").device = device;
    out_.back().lanes = 1;
    add(ViewKind::idle, group, "idle").device = device;
    out_.back().lanes = 1;
    if (facts.communication) {
      add(ViewKind::exposed, group, "exposed communication").device = device;
      out_.back().lanes = 1;
    }
    if (facts_.annotations && !facts_.projected && facts.launched) add_projected_ranges(device, group);
    add_sources([&](TrackIndex track) { return facts_.device_of[track] == device; });
  }

  void add_projected_ranges(int32_t device, const std::string& group) {
    if (ops_.empty()) ops_ = ops_by_device(run_.timeline);
    const DerivedSlices ranges = projected_ranges(run_.timeline, ops_[device]);
    if (ranges.size() == 0) return;
    std::vector<SliceIndex> all(ranges.size());
    std::iota(all.begin(), all.end(), SliceIndex{0});
    ViewTrack& track = add(ViewKind::ranges, group, "ranges");
    track.device = device;
    track.slices = ranges.size();
    track.lanes = count_lanes(SliceTimes(ranges.start, ranges.duration, 0), all, nullptr);
  }

  /// Streams as they count, threads of a process by how much there is to see on them.
  template <typename IsWanted>
  void add_sources(IsWanted is_wanted) {
    const std::vector<Track>& tracks = run_.timeline.tracks;
    std::vector<TrackIndex> order;
    for (TrackIndex track = 0; track < tracks.size(); ++track) {
      if (is_wanted(track)) order.push_back(track);
    }
    const auto is_stream = [&](TrackIndex track) { return tracks[track].kind == TrackKind::device_stream; };
    const auto slices = [&](TrackIndex track) { return facts_.parts[track][0].slices; };
    std::stable_sort(order.begin(), order.end(), [&](TrackIndex a, TrackIndex b) {
      if (is_stream(a) != is_stream(b)) return is_stream(a);
      if (natural_less(tracks[a].process, tracks[b].process)) return true;
      if (natural_less(tracks[b].process, tracks[a].process)) return false;
      return is_stream(a) ? natural_less(tracks[a].thread, tracks[b].thread) : slices(a) > slices(b);
    });
    for (const TrackIndex track : order) add_source(track);
  }

  void add_source(TrackIndex number) {
    const Track& source = run_.timeline.tracks[number];
    const bool host = source.kind == TrackKind::host_thread;
    const bool stream = source.kind == TrackKind::device_stream;
    const std::optional<int32_t> device = facts_.device_of[number];
    const std::string group = device && !host ? name_of_device(run_, *device) : name_of_process(source);
    const std::string name = stream ? name_of_stream(source) : name_of_thread(source);
    const std::array<std::pair<TrackPart, const char*>, kTrackParts> parts = {
        {{TrackPart::ranges, " ranges"}, {TrackPart::main, ""}, {TrackPart::rest, " waits"}}};
    for (const auto& [part, suffix] : parts) {
      const PartFacts& facts = facts_.parts[number][static_cast<size_t>(part)];
      if (facts.slices == 0) continue;
      const ViewKind kind = part == TrackPart::ranges ? ViewKind::ranges
                            : part == TrackPart::rest ? ViewKind::other
                            : host                    ? ViewKind::thread
                            : stream                  ? ViewKind::stream
                                                      : ViewKind::other;
      ViewTrack& track = add(kind, group, name + suffix);
      track.slices = facts.slices;
      track.source = number;
      track.part = part;
      track.first = facts.first;
      track.last = facts.last;
      track.device = host ? std::nullopt : device;
    }
  }

  const Run& run_;
  size_t number_;
  RunFacts facts_;
  std::map<int32_t, std::vector<OpIndex>> ops_;  // by device, where they are needed
  std::vector<ViewTrack>& out_;
  std::vector<std::string> group_;
};

}  // namespace

const char* text_of(ViewKind kind) {
  switch (kind) {
    case ViewKind::thread:
      return "thread";
    case ViewKind::stream:
      return "stream";
    case ViewKind::async:
      return "async";
    case ViewKind::other:
      return "other";
    case ViewKind::ranges:
      return "ranges";
    case ViewKind::busy:
      return "busy";
    case ViewKind::idle:
      return "idle";
    case ViewKind::steps:
      return "steps";
    case ViewKind::exposed:
      return "exposed";
    case ViewKind::counter:
      return "counter";
  }
  return "other";
}

TrackPart part_of(const Timeline& timeline, TrackIndex number, SliceKind kind) {
  const TrackKind track = timeline.tracks[number].kind;
  if (track == TrackKind::host_thread || is_device_op(kind)) return TrackPart::main;
  if (kind == SliceKind::device_annotation) return TrackPart::ranges;
  return track == TrackKind::device_stream ? TrackPart::rest : TrackPart::main;
}

ViewTracks::ViewTracks(const Session& session, const std::vector<bool>& has_steps) {
  for (size_t run = 0; run < session.runs.size(); ++run) {
    TracksOfRun(session, run, tracks_).add_all(has_steps[run]);
    of_source_.emplace_back(session.runs[run].timeline.tracks.size(), IdOfPart{kNone, kNone, kNone});
  }
  for (ViewTrackId id = 0; id < tracks_.size(); ++id) {
    const ViewTrack& track = tracks_[id];
    if (track.source != kNone) of_source_[track.run][track.source][static_cast<size_t>(track.part)] = id;
  }
}

ViewTrackId ViewTracks::of(const Session& session, size_t run, SliceIndex slice) const {
  const Timeline& timeline = session.runs[run].timeline;
  return of_source_[run][timeline.slices.track[slice]][static_cast<size_t>(part_of(timeline, slice))];
}

}  // namespace cgpu
