#include "tiles/view_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/common/samples.h"
#include "base/ascii.h"
#include "base/natural_order.h"
#include "tiles/lanes/lane_sources.h"
#include "tiles/track_list.h"

namespace cgpu {

namespace {

/// Some profilers write -1 for what has no number.
bool has_number(const std::string& text) {
  return !text.empty() && text != "-1";
}

std::string name_of_thread(const Track& track) {
  if (track.thread_name.empty()) {
    if (track.thread == "-1") return "thread without a number";
    return is_digits(track.thread) ? "thread " + track.thread : track.thread;
  }
  if (!has_number(track.thread) || track.thread_name.find(track.thread) != std::string::npos) return track.thread_name;
  return fmt::format("{} ({})", track.thread_name, track.thread);
}

std::string name_of_stream(const Track& track) {
  // CUPTI writes this number for work of a whole context.
  if (track.thread.ends_with("4294967295") || track.thread == "-1") return "no stream";
  if (!is_digits(track.thread)) return name_of_thread(track);
  const std::string stream = "stream " + track.thread;
  const std::string& name = track.thread_name;
  return name.empty() || name.starts_with("stream") ? stream : fmt::format("{} ({})", name, stream);
}

/// The kinds of the tracks of the profile.
const LaneDeclaration& kind_of(TrackKind track, TrackPart part) {
  static const LaneDeclaration thread{.kind = "thread", .layout_order = 1};
  static const LaneDeclaration stream{.kind = "stream"};
  static const LaneDeclaration ranges{.kind = "ranges"};
  static const LaneDeclaration other{.kind = "other"};
  if (part == TrackPart::ranges) return ranges;
  if (part == TrackPart::rest) return other;
  return track == TrackKind::host_thread ? thread : track == TrackKind::device_stream ? stream : other;
}

/// The tracks of one run, in order.
class TracksOfRun {
 public:
  TracksOfRun(const Session& session, size_t number, const RunFacts& facts, std::vector<ViewTrack>& out)
      : run_(session.runs[number]), facts_(facts), list_(session, number, facts, out) {}

  void add_all() {
    list_lanes(TrackPlace::of_run, {});
    for (const auto& entry : facts_.ops.devices) {
      const int32_t device = entry.first;
      list_lanes(TrackPlace::of_device, {.device = device, .of_device = &entry.second});
      add_sources([&](TrackIndex track) { return facts_.ops.device_of[track] == device; });
    }
    add_sources([&](TrackIndex track) {
      const std::optional<int32_t>& device = facts_.ops.device_of[track];
      return !device || facts_.ops.devices.count(*device) == 0;
    });
    list_lanes(TrackPlace::at_end, {});
    list_.number_equal_names();
  }

 private:
  void list_lanes(TrackPlace place, const ListedAt& at) {
    for (const LaneDeclaration& lane : all_lanes()) {
      if (lane.place == place) list_.add_all(lane, at);
    }
  }

  /// Streams and threads in the order of their processes and names, each with its samples below it, and the main thread
  /// of a process first; where none is known, the one with the most slices.
  template <typename IsWanted>
  void add_sources(IsWanted is_wanted) {
    const std::vector<Track>& tracks = run_.timeline.tracks;
    std::vector<TrackIndex> order;
    for (TrackIndex track = 0; track < tracks.size(); ++track) {
      if (is_wanted(track)) order.push_back(track);
    }
    const std::map<std::string, TrackIndex> main_threads = main_threads_of(order);
    const auto is_stream = [&](TrackIndex track) { return tracks[track].kind == TrackKind::device_stream; };
    const std::vector<TrackIndex> thread_beside = threads_beside(run_.timeline);
    const auto thread_of = [&](TrackIndex track) { return tracks[track].sampled ? thread_beside[track] : track; };
    const auto is_main = [&](TrackIndex track) {
      const auto found = main_threads.find(tracks[track].process);
      return found != main_threads.end() && found->second == thread_of(track);
    };
    std::ranges::stable_sort(order, [&](TrackIndex a, TrackIndex b) {
      if (is_stream(a) != is_stream(b)) return is_stream(a);
      if (natural_less(tracks[a].process, tracks[b].process)) return true;
      if (natural_less(tracks[b].process, tracks[a].process)) return false;
      if (is_stream(a)) return natural_less(tracks[a].thread, tracks[b].thread);
      if (is_main(a) != is_main(b)) return is_main(a);
      const std::string name_a = name_of_thread(tracks[thread_of(a)]);
      const std::string name_b = name_of_thread(tracks[thread_of(b)]);
      if (natural_less(name_a, name_b)) return true;
      if (natural_less(name_b, name_a)) return false;
      return std::pair(thread_of(a), a != thread_of(a)) < std::pair(thread_of(b), b != thread_of(b));
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
    const std::string group = device && !host ? list_.name_of_device(*device) : TrackList::name_of_process(source);
    const std::string name = stream ? name_of_stream(source) : name_of_thread(source);
    const std::array<std::pair<TrackPart, const char*>, kTrackParts> parts = {
        {{TrackPart::ranges, " ranges"}, {TrackPart::main, ""}, {TrackPart::rest, " waits"}}};
    ViewTrackId samples = kNone;
    for (const auto& [part, suffix] : parts) {
      const PartFacts& facts = facts_.slices.parts[number][static_cast<size_t>(part)];
      if (facts.slices == 0) continue;
      ViewTrack& track = list_.add(group, name + suffix);
      track.lane = &kind_of(source.kind, part);
      track.group.insert(track.group.end(), source.above.begin(), source.above.end());
      track.slices = facts.slices;
      track.source = number;
      track.part = part;
      track.first = facts.first;
      track.last = facts.last;
      track.device = host ? std::nullopt : device;
      if (samples == kNone || part == TrackPart::main) samples = list_.last();
    }
    if (samples != kNone) list_lanes(TrackPlace::below_track, {.track = samples, .name = name});
  }

  const Run& run_;
  const RunFacts& facts_;
  TrackList list_;
};

}  // namespace

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
