#include "tiles/view_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/natural_order.h"
#include "tiles/derived_slices.h"
#include "tiles/lane_index.h"
#include "tiles/layer_slices.h"

namespace cgpu {

namespace {

std::string name_of_device(const Run& run, int32_t id) {
  if (id < 0) return "Host";
  const std::vector<Device>& devices = run.devices;
  const auto device = std::find_if(devices.begin(), devices.end(), [&](const Device& d) { return d.id == id; });
  const bool are_npus = !devices.empty() && devices.front().vendor == "Huawei";
  const std::string name = device == devices.end() || device->name.empty() ? "" : ": " + device->name;
  return fmt::format("{} {}{}", are_npus ? "NPU" : "GPU", id, name);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Some profilers write -1 for what has no number.
bool has_number(const std::string& text) {
  return !text.empty() && text != "-1";
}

std::string name_of_process(const Track& track) {
  if (track.process_name.empty()) {
    return !has_number(track.process) ? "Program"
           : is_number(track.process) ? "Process " + track.process
                                      : track.process;
  }
  if (!has_number(track.process) || track.process_name.find(track.process) != std::string::npos)
    return track.process_name;
  return fmt::format("{} ({})", track.process_name, track.process);
}

std::string name_of_thread(const Track& track) {
  if (track.thread_name.empty()) {
    if (track.thread == "-1") return "thread without a number";
    return is_number(track.thread) ? "thread " + track.thread : track.thread;
  }
  if (!has_number(track.thread) || track.thread_name.find(track.thread) != std::string::npos) return track.thread_name;
  return fmt::format("{} ({})", track.thread_name, track.thread);
}

std::string name_of_stream(const Track& track) {
  // CUPTI writes this number for work of a whole context.
  if (track.thread.ends_with("4294967295") || track.thread == "-1") return "no stream";
  if (!is_number(track.thread)) return name_of_thread(track);
  const std::string stream = "stream " + track.thread;
  const std::string& name = track.thread_name;
  return name.empty() || name.starts_with("stream") ? stream : fmt::format("{} ({})", name, stream);
}

/// The tracks of one run, in order.
class TracksOfRun {
 public:
  TracksOfRun(const Session& session, size_t number, const RunFacts& facts, std::vector<ViewTrack>& out)
      : run_(session.runs[number]),
        number_(number),
        facts_(facts),
        has_critical_path_(!session.whole && !facts.ops.devices.empty()),
        out_(out) {
    if (session.runs.size() == 1) return;
    const auto twins = std::count_if(session.runs.begin(), session.runs.end(),
                                     [&](const Run& other) { return other.rank == run_.rank; });
    group_.push_back(twins > 1
                         ? fmt::format("rank {} ({})", run_.rank, std::filesystem::path(run_.file).filename().string())
                         : fmt::format("rank {}", run_.rank));
  }

  void add_all() {
    if (facts_.steps) add(ViewKind::steps, "Iterations", "steps").lanes = 1;
    if (has_critical_path_) add(ViewKind::critical_path, "Critical path", "critical path").lanes = 1;
    add_layers();
    for (const auto& [device, facts] : facts_.ops.devices) add_device(device, facts);
    add_sources([&](TrackIndex track) {
      const std::optional<int32_t>& device = facts_.ops.device_of[track];
      return !device || facts_.ops.devices.count(*device) == 0;
    });
    const std::vector<CounterTrack>& counters = run_.timeline.counters.tracks;
    std::vector<uint32_t> order(counters.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order,
                             [&](uint32_t a, uint32_t b) { return natural_less(counters[a].name, counters[b].name); });
    for (const uint32_t i : order) {
      add(ViewKind::counter, group_of_counter(counters[i].process), counters[i].name).counter = i;
    }
    for (const int32_t device : facts_.memory) {
      for (const bool reserved : {false, true}) {
        ViewTrack& track =
            add(ViewKind::counter, name_of_device(run_, device), reserved ? "reserved memory" : "allocated memory");
        track.device = device;
        track.reserved = reserved;
      }
    }
    number_equal_names();
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

  /// Counters of a process are grouped with its threads.
  std::string group_of_counter(const std::string& process) const {
    if (process.empty()) return "Counters";
    const std::vector<Track>& tracks = run_.timeline.tracks;
    const auto thread = std::find_if(tracks.begin(), tracks.end(), [&](const Track& track) {
      return track.kind == TrackKind::host_thread && track.process == process;
    });
    return thread == tracks.end() ? process : name_of_process(*thread);
  }

  /// Numbers tracks of equal name in one group, such as streams of several processes on one device.
  void number_equal_names() {
    std::map<std::pair<std::vector<std::string>, std::string>, int> seen;
    for (ViewTrack& track : out_) {
      if (track.run != number_) continue;
      const int number = ++seen[{track.group, track.name}];
      if (number > 1) track.name += fmt::format(" ({})", number);
    }
  }

  /// Of the devices that compute what models are made of.
  void add_layers() {
    for (const auto& [device, facts] : facts_.ops.devices) {
      if (!facts.products) continue;
      const std::string name = facts_.ops.devices.size() == 1 ? "layers" : name_of_device(run_, device) + " layers";
      ViewTrack& track = add(ViewKind::layers, "Layers", name);
      track.device = device;
      track.lanes = LayerSlices::kLanes;
    }
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
    if (facts_.slices.annotations && !facts_.slices.projected && facts.launched) {
      add_projected_ranges(device, facts, group);
    }
    add_sources([&](TrackIndex track) { return facts_.ops.device_of[track] == device; });
  }

  void add_projected_ranges(int32_t device, const DeviceFacts& facts, const std::string& group) {
    const DerivedSlices ranges = projected_ranges(run_.timeline, facts.ops);
    if (ranges.size() == 0) return;
    std::vector<SliceIndex> all(ranges.size());
    std::iota(all.begin(), all.end(), SliceIndex{0});
    ViewTrack& track = add(ViewKind::ranges, group, "ranges");
    track.device = device;
    track.slices = ranges.size();
    track.lanes = count_lanes(SliceTimes(ranges.start, ranges.duration, 0), all, {});
  }

  /// Streams and threads in the order of their processes and names, with the main thread of a process first; where none
  /// is known, the one with the most slices.
  template <typename IsWanted>
  void add_sources(IsWanted is_wanted) {
    const std::vector<Track>& tracks = run_.timeline.tracks;
    std::vector<TrackIndex> order;
    for (TrackIndex track = 0; track < tracks.size(); ++track) {
      if (is_wanted(track)) order.push_back(track);
    }
    const std::map<std::string, TrackIndex> main_threads = main_threads_of(order);
    const auto is_stream = [&](TrackIndex track) { return tracks[track].kind == TrackKind::device_stream; };
    const auto is_main = [&](TrackIndex track) {
      const auto found = main_threads.find(tracks[track].process);
      return found != main_threads.end() && found->second == track;
    };
    std::ranges::stable_sort(order, [&](TrackIndex a, TrackIndex b) {
      if (is_stream(a) != is_stream(b)) return is_stream(a);
      if (natural_less(tracks[a].process, tracks[b].process)) return true;
      if (natural_less(tracks[b].process, tracks[a].process)) return false;
      if (is_stream(a)) return natural_less(tracks[a].thread, tracks[b].thread);
      if (is_main(a) != is_main(b)) return is_main(a);
      return natural_less(name_of_thread(tracks[a]), name_of_thread(tracks[b]));
    });
    for (const TrackIndex track : order) add_source(track);
  }

  /// By process. A thread is the main one if it has the number of its process or is called so.
  std::map<std::string, TrackIndex> main_threads_of(const std::vector<TrackIndex>& wanted) const {
    const std::vector<Track>& tracks = run_.timeline.tracks;
    const auto rank_of = [&](TrackIndex number) {
      const Track& track = tracks[number];
      const bool is_main = (!track.thread.empty() && track.thread == track.process) || track.thread_name == "main" ||
                           track.thread_name == "MainThread";
      return std::pair(is_main, facts_.slices.parts[number][0].slices);
    };
    std::map<std::string, TrackIndex> found;
    for (const TrackIndex track : wanted) {
      if (tracks[track].kind != TrackKind::host_thread) continue;
      const auto [main, is_new] = found.emplace(tracks[track].process, track);
      if (!is_new && rank_of(track) > rank_of(main->second)) main->second = track;
    }
    return found;
  }

  void add_source(TrackIndex number) {
    const Track& source = run_.timeline.tracks[number];
    const bool host = source.kind == TrackKind::host_thread;
    const bool stream = source.kind == TrackKind::device_stream;
    const std::optional<int32_t> device = facts_.ops.device_of[number];
    const std::string group = device && !host ? name_of_device(run_, *device) : name_of_process(source);
    const std::string name = stream ? name_of_stream(source) : name_of_thread(source);
    const std::array<std::pair<TrackPart, const char*>, kTrackParts> parts = {
        {{TrackPart::ranges, " ranges"}, {TrackPart::main, ""}, {TrackPart::rest, " waits"}}};
    ViewTrackId samples = kNone;
    for (const auto& [part, suffix] : parts) {
      const PartFacts& facts = facts_.slices.parts[number][static_cast<size_t>(part)];
      if (facts.slices == 0) continue;
      const ViewKind kind = part == TrackPart::ranges ? ViewKind::ranges
                            : part == TrackPart::rest ? ViewKind::other
                            : host                    ? ViewKind::thread
                            : stream                  ? ViewKind::stream
                                                      : ViewKind::other;
      ViewTrack& track = add(kind, group, name + suffix);
      track.group.insert(track.group.end(), source.above.begin(), source.above.end());
      track.slices = facts.slices;
      track.source = number;
      track.part = part;
      track.first = facts.first;
      track.last = facts.last;
      track.device = host ? std::nullopt : device;
      if (samples == kNone || part == TrackPart::main) samples = static_cast<ViewTrackId>(out_.size() - 1);
    }
    if (samples != kNone && run_.call_tree && run_.call_tree->sampled_nodes) {
      ViewTrack& track = add(ViewKind::call_path, group, name + " call path");
      track.group = out_[samples].group;
      track.samples = samples;
    }
  }

  const Run& run_;
  size_t number_;
  const RunFacts& facts_;
  bool has_critical_path_;  // the dependencies of a part of a session are those of the whole
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
    case ViewKind::call_path:
      return "call_path";
    case ViewKind::critical_path:
      return "critical_path";
    case ViewKind::layers:
      return "layers";
  }
  return "other";
}

bool is_found_on_demand(ViewKind kind) {
  return kind == ViewKind::critical_path || kind == ViewKind::layers;
}

ViewTracks::ViewTracks(const Session& session, const std::vector<RunFacts>& facts) {
  for (size_t run = 0; run < session.runs.size(); ++run) {
    TracksOfRun(session, run, facts[run], tracks_).add_all();
    of_source_.emplace_back(session.runs[run].timeline.tracks.size(), IdOfPart{kNone, kNone, kNone});
  }
  for (ViewTrackId id = 0; id < tracks_.size(); ++id) {
    const ViewTrack& track = tracks_[id];
    if (track.source != kNone) of_source_[track.run][track.source][static_cast<size_t>(track.part)] = id;
  }
}

}  // namespace cgpu
