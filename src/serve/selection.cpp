#include "serve/selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace cgpu {

namespace {

/// Everything of a run that a window leaves alone, bodies other than the timeline apart.
Run copy_facts(const Run& run) {
  Run copy;
  copy.file = run.file;
  copy.format = run.format;
  copy.format_version = run.format_version;
  copy.host = run.host;
  copy.rank = run.rank;
  copy.rank_known = run.rank_known;
  copy.world_size = run.world_size;
  copy.groups = run.groups;
  copy.metadata = run.metadata;
  copy.devices = run.devices;
  copy.clock_is_unix = run.clock_is_unix;
  copy.clock_base = run.clock_base;
  copy.clock = run.clock;
  copy.input_bytes = run.input_bytes;
  copy.text_bytes = run.text_bytes;
  copy.events = run.events;
  copy.step_traces = run.step_traces;
  copy.notes = run.notes;
  copy.arguments = run.arguments;
  copy.timeline.categories = run.timeline.categories;
  copy.timeline.tracks = run.timeline.tracks;
  copy.timeline.counters.tracks = run.timeline.counters.tracks;
  return copy;
}

/// Copies names into another pool, each when it is first needed.
class NameCopier {
 public:
  NameCopier(const StringPool& from, StringPool& to) : from_(from), to_(to), copied_(from.size(), StringPool::absent) {}
  StringId operator()(StringId id) {
    if (copied_[id] == StringPool::absent) copied_[id] = to_.intern(from_[id]);
    return copied_[id];
  }

 private:
  const StringPool& from_;
  StringPool& to_;
  std::vector<StringId> copied_;
};

/// The new numbers of the slices that are kept; kNone for the others.
struct Kept {
  std::vector<SliceIndex> number;
  std::vector<SliceIndex> slices;  // those kept

  bool has(SliceIndex slice) const { return number[slice] != kNone; }
  SliceIndex of(SliceIndex slice) const { return slice == kNone ? kNone : number[slice]; }
};

Kept keep(const Timeline& timeline, int64_t begin, int64_t end,
          const std::function<bool(TrackIndex, SliceKind)>& takes_part) {
  const Slices& slices = timeline.slices;
  Kept kept;
  kept.number.assign(slices.size(), kNone);
  // What is asked of a slice depends on its track and category only.
  std::vector<int8_t> answers(takes_part ? timeline.tracks.size() * timeline.categories.size() : 0, -1);
  const auto is_wanted = [&](SliceIndex slice) {
    if (!takes_part) return true;
    int8_t& answer = answers[slices.track[slice] * timeline.categories.size() + slices.category[slice]];
    if (answer < 0) answer = takes_part(slices.track[slice], timeline.kind(slice)) ? 1 : 0;
    return answer == 1;
  };
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (slices.start[slice] >= end) continue;
    const bool instant = slices.duration[slice] == 0;
    if (instant ? slices.start[slice] < begin : slices.end(slice) <= begin) continue;
    if (!is_wanted(slice)) continue;
    kept.number[slice] = static_cast<SliceIndex>(kept.slices.size());
    kept.slices.push_back(slice);
  }
  return kept;
}

template <typename T>
std::vector<T> pick(const std::vector<T>& from, const std::vector<SliceIndex>& which) {
  std::vector<T> picked;
  picked.reserve(which.size());
  for (const SliceIndex i : which) picked.push_back(from[i]);
  return picked;
}

void copy_device_ops(const DeviceOps& from, const Kept& kept, DeviceOps& to) {
  std::vector<uint32_t> ops;
  for (uint32_t op = 0; op < from.size(); ++op) {
    if (kept.has(from.slice[op])) ops.push_back(op);
  }
  to.slice = pick(from.slice, ops);
  for (SliceIndex& slice : to.slice) slice = kept.of(slice);
  to.device = pick(from.device, ops);
  to.stream = pick(from.stream, ops);
  to.bytes = pick(from.bytes, ops);
  to.copy = pick(from.copy, ops);
  to.source = pick(from.source, ops);
  to.destination = pick(from.destination, ops);
  to.kind = pick(from.kind, ops);
  to.kernel_class = pick(from.kernel_class, ops);
}

}  // namespace

Run copy_window(const Run& run, int64_t begin, int64_t end,
                const std::function<bool(TrackIndex, SliceKind)>& takes_part) {
  const Timeline& from = run.timeline;
  const Kept kept = keep(from, begin, end, takes_part);
  Run copy = copy_facts(run);
  Timeline& to = copy.timeline;
  NameCopier name(from.names, to.names);

  to.slices.track = pick(from.slices.track, kept.slices);
  to.slices.category = pick(from.slices.category, kept.slices);
  to.slices.flags = pick(from.slices.flags, kept.slices);
  to.slices.correlation = pick(from.slices.correlation, kept.slices);
  to.slices.source = pick(from.slices.source, kept.slices);
  int64_t lost_launches = 0;
  int64_t clipped = 0;
  for (const SliceIndex slice : kept.slices) {
    const SliceIndex launch = from.slices.launch[slice];
    lost_launches += launch != kNone && !kept.has(launch) ? 1 : 0;
    to.slices.parent.push_back(kept.of(from.slices.parent[slice]));
    to.slices.launch.push_back(kept.of(launch));
    to.slices.name.push_back(name(from.slices.name[slice]));
    const int64_t first = std::max(from.slices.start[slice], begin);
    const int64_t last = std::min(from.slices.end(slice), end);
    if (last - first != from.slices.duration[slice]) {
      ++clipped;
      to.slices.flags[to.slices.start.size()] |= kClipped;
    }
    to.slices.start.push_back(first);
    to.slices.duration.push_back(last - first);
  }
  copy_device_ops(from.device_ops, kept, to.device_ops);
  for (Collective collective : from.collectives) {
    if (!kept.has(collective.slice)) continue;
    collective.slice = kept.of(collective.slice);
    collective.name = name(collective.name);
    collective.group = name(collective.group);
    collective.type = name(collective.type);
    to.collectives.push_back(collective);
  }
  for (const Link& link : from.links) {
    if (kept.has(link.from) && kept.has(link.to)) to.links.push_back({link.kind, kept.of(link.from), kept.of(link.to)});
  }
  const auto inside = [&](int64_t time) { return begin <= time && time < end; };
  for (const MemoryEvent& event : from.memory) {
    if (inside(event.time)) to.memory.push_back(event);
  }
  for (Instant instant : from.instants) {
    if (!inside(instant.time)) continue;
    instant.name = name(instant.name);
    to.instants.push_back(instant);
  }
  for (size_t i = 0; i < from.counters.time.size(); ++i) {
    if (!inside(from.counters.time[i])) continue;
    to.counters.track.push_back(from.counters.track[i]);
    to.counters.time.push_back(from.counters.time[i]);
    to.counters.value.push_back(from.counters.value[i]);
  }
  copy.notes.add("outside_window", static_cast<int64_t>(from.slices.size() - kept.slices.size()),
                 "slices lie outside the selected time and were left out");
  copy.notes.add("clipped", clipped, "slices reach over a border of the selected time and were cut there");
  copy.notes.add("launch_outside_window", lost_launches,
                 "device ops were launched outside the selected time; they belong to no op here");
  return copy;
}

ChosenTracks::ChosenTracks(const Profile& profile, const std::vector<ViewTrackId>& wanted) {
  const std::vector<ViewTrack>& tracks = profile.view().tracks();
  for (const Run& run : profile.session().runs) chosen_.emplace_back(run.timeline.tracks.size());
  devices_.resize(profile.session().runs.size());
  const auto choose = [&](const ViewTrack& track) {
    chosen_[track.run][track.source][static_cast<size_t>(track.part)] = true;
  };
  for (const ViewTrackId id : wanted) {
    const ViewTrack& track = tracks[id];
    if (track.device) devices_[track.run].push_back(*track.device);
    if (track.source != kNone) {
      choose(track);
      continue;
    }
    if (!track.device || track.kind == ViewKind::counter) continue;
    for (const ViewTrack& other : tracks) {
      if (other.run == track.run && other.device == track.device && other.kind == ViewKind::stream) choose(other);
    }
  }
}

bool ChosenTracks::has_device(size_t run, int32_t device) const {
  return std::find(devices_[run].begin(), devices_[run].end(), device) != devices_[run].end();
}

namespace {

/// The window of a run on its clock. Empty where it has none of the selected steps.
Interval window_of(const Profile& profile, size_t run, const Selection& selection) {
  Interval window{INT64_MIN, INT64_MAX};
  const int64_t zero = profile.view().zero(run);
  const auto on_clock = [&](int64_t time) {
    int64_t sum = 0;
    return __builtin_add_overflow(time, zero, &sum) ? (time > 0 ? INT64_MAX : INT64_MIN) : sum;
  };
  if (selection.from) window.begin = on_clock(*selection.from);
  if (selection.to) window.end = on_clock(*selection.to);
  if (!selection.steps) return window;
  Interval steps{INT64_MAX, INT64_MIN};
  for (const Step& step : profile.view().steps()[run]) {
    if (step.number < selection.steps->first || step.number > selection.steps->second) continue;
    steps = {std::min(steps.begin, step.time.begin), std::max(steps.end, step.time.end)};
  }
  if (steps.begin > steps.end) return {zero, zero};
  return {std::max(window.begin, steps.begin), std::min(window.end, steps.end)};
}

void check_steps(const Profile& profile, const std::pair<int64_t, int64_t>& wanted) {
  for (const std::vector<Step>& steps : profile.view().steps()) {
    for (const Step& step : steps) {
      if (wanted.first <= step.number && step.number <= wanted.second) return;
    }
  }
  throw RequestError(kNotFound, fmt::format("the profile has no step {}", wanted.first));
}

}  // namespace

SelectedSession::SelectedSession(const Profile& profile, const Selection& selection) : whole_(profile.session()) {
  if (selection.steps) check_steps(profile, *selection.steps);
  const auto is_wanted = [&](const Run& run) { return !selection.rank || run.rank == *selection.rank; };
  if (std::none_of(whole_.runs.begin(), whole_.runs.end(), is_wanted)) {
    throw RequestError(kNotFound, fmt::format("the profile has no rank {}", selection.rank.value_or(0)));
  }
  const bool all_ranks = std::all_of(whole_.runs.begin(), whole_.runs.end(), is_wanted);
  if (all_ranks && !selection.has_window() && !selection.tracks) return;

  std::optional<ChosenTracks> chosen;
  if (selection.tracks) chosen.emplace(profile, *selection.tracks);
  own_.emplace();
  own_->inputs = whole_.inputs;
  for (size_t i = 0; i < whole_.runs.size(); ++i) {
    const Run& run = whole_.runs[i];
    if (!is_wanted(run)) continue;
    const Interval window = window_of(profile, i, selection);
    std::function<bool(TrackIndex, SliceKind)> takes_part;
    if (chosen) {
      takes_part = [&, i](TrackIndex track, SliceKind kind) {
        return chosen->has(i, track, part_of(run.timeline, track, kind));
      };
    }
    own_->runs.push_back(copy_window(run, window.begin, window.end, takes_part));
  }
}

}  // namespace cgpu
