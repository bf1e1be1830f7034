#include "links/window.h"

#include <algorithm>
#include <utility>
#include <vector>

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
  copy.sources = run.sources;
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

Kept keep(const Timeline& timeline, const Part& part) {
  const auto [begin, end] = part.window;
  const Slices& slices = timeline.slices;
  Kept kept;
  kept.number.assign(slices.size(), kNone);
  // What is asked of a slice depends on its track and category only.
  std::vector<int8_t> answers(part.takes ? timeline.tracks.size() * timeline.categories.size() : 0, -1);
  const auto is_wanted = [&](SliceIndex slice) {
    if (!part.takes) return true;
    int8_t& answer = answers[slices.track[slice] * timeline.categories.size() + slices.category[slice]];
    if (answer < 0) answer = part.takes(slices.track[slice], timeline.kind(slice)) ? 1 : 0;
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

/// Gives the old numbers of the ops that are kept.
std::vector<uint32_t> copy_device_ops(const DeviceOps& from, const Kept& kept, DeviceOps& to) {
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
  return ops;
}

Run cut_run(const Session& whole, size_t number, const Part& part) {
  const Run& run = whole.runs[number];
  const auto [begin, end] = part.window;
  const Timeline& from = run.timeline;
  const Kept kept = keep(from, part);
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
    lost_launches += launch != kNone && !kept.has(launch) && is_device_op(from.kind(slice)) ? 1 : 0;
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
  copy.part_of = {number, copy_device_ops(from.device_ops, kept, to.device_ops)};
  for (Collective collective : from.collectives) {
    if (!kept.has(collective.slice)) continue;
    collective.slice = kept.of(collective.slice);
    collective.name = name(collective.name);
    collective.group = name(collective.group);
    collective.type = name(collective.type);
    to.collectives.push_back(collective);
  }
  for (Synchronization one : from.synchronizations) {
    if (!kept.has(one.slice)) continue;
    one.slice = kept.of(one.slice);
    one.record = kept.of(one.record);
    to.synchronizations.push_back(one);
  }
  for (const Link& link : from.links) {
    if (kept.has(link.from) && kept.has(link.to)) to.links.push_back({link.kind, kept.of(link.from), kept.of(link.to)});
  }
  const auto inside = [begin = begin, end = end](int64_t time) { return begin <= time && time < end; };
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

/// Keeps the entries of one column, or of several of equal length, for which `keep(i)` holds.
template <typename Keep, typename... Columns>
void keep_entries(size_t size, const Keep& keep, Columns&... columns) {
  size_t kept = 0;
  for (size_t i = 0; i < size; ++i) {
    if (!keep(i)) continue;
    ((columns[kept] = columns[i]), ...);
    ++kept;
  }
  (columns.resize(kept), ...);
}

/// Drops the slices without a number, and what belongs to them.
void keep_slices(Timeline& timeline, const std::vector<SliceIndex>& number) {
  Slices& slices = timeline.slices;
  const auto renumbered = [&](SliceIndex i) { return i == kNone ? kNone : number[i]; };
  const auto is_kept = [&](SliceIndex i) { return number[i] != kNone; };
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (!is_kept(i)) continue;
    slices.parent[i] = renumbered(slices.parent[i]);
    slices.launch[i] = renumbered(slices.launch[i]);
  }
  DeviceOps& ops = timeline.device_ops;
  keep_entries(
      ops.size(), [&](size_t i) { return is_kept(ops.slice[i]); }, ops.slice, ops.device, ops.stream, ops.bytes,
      ops.copy, ops.source, ops.destination, ops.kind, ops.kernel_class);
  for (SliceIndex& slice : ops.slice) slice = number[slice];
  keep_entries(
      slices.size(), [&](size_t i) { return number[i] != kNone; }, slices.start, slices.duration, slices.name,
      slices.track, slices.category, slices.flags, slices.correlation, slices.source, slices.parent, slices.launch);
  std::erase_if(timeline.collectives, [&](const Collective& c) { return !is_kept(c.slice); });
  for (Collective& collective : timeline.collectives) collective.slice = number[collective.slice];
  std::erase_if(timeline.synchronizations, [&](const Synchronization& one) { return !is_kept(one.slice); });
  for (Synchronization& one : timeline.synchronizations) {
    one.slice = number[one.slice];
    one.record = renumbered(one.record);
  }
  std::erase_if(timeline.links, [&](const Link& link) { return !is_kept(link.from) || !is_kept(link.to); });
  for (Link& link : timeline.links) link = {link.kind, number[link.from], number[link.to]};
}

}  // namespace

Session cut_out(std::shared_ptr<const Session> whole, const std::vector<std::optional<Part>>& parts) {
  Session session;
  session.inputs = whole->inputs;
  for (size_t run = 0; run < whole->runs.size(); ++run) {
    if (parts[run]) session.runs.push_back(cut_run(*whole, run, *parts[run]));
  }
  if (whole->whole) {  // a part of a part is a part of what that one is a part of
    for (Run& run : session.runs) {
      const Run::PartOf& between = *whole->runs[run.part_of->run].part_of;
      run.part_of->run = between.run;
      for (uint32_t& op : run.part_of->ops) op = between.ops[op];
    }
  }
  session.whole = whole->whole ? whole->whole : std::move(whole);
  return session;
}

void select_windows(Session& session, const std::vector<Interval>& windows) {
  const auto whole = std::make_shared<Session>(std::move(session));
  std::vector<std::optional<Part>> parts;
  for (const Interval& window : windows) parts.emplace_back(Part{window, {}});
  session = cut_out(whole, parts);
  for (size_t run = 0; run < session.runs.size(); ++run) {
    session.runs[run].call_tree = std::move(whole->runs[run].call_tree);
    session.runs[run].launch_metrics = std::move(whole->runs[run].launch_metrics);
    session.runs[run].op_graph = std::move(whole->runs[run].op_graph);
  }
}

void select_tracks(Run& run, const std::function<bool(const Track&)>& keep) {
  Timeline& timeline = run.timeline;
  std::vector<bool> kept;
  for (const Track& track : timeline.tracks) kept.push_back(keep(track));
  if (std::all_of(kept.begin(), kept.end(), [](bool one) { return one; })) return;
  const auto on_kept = [&](TrackIndex track) { return track == kNone || kept[track]; };
  std::vector<SliceIndex> number(timeline.slices.size(), kNone);
  SliceIndex next = 0;
  for (SliceIndex i = 0; i < number.size(); ++i) {
    if (on_kept(timeline.slices.track[i])) number[i] = next++;
  }
  keep_slices(timeline, number);
  std::erase_if(timeline.instants, [&](const Instant& instant) { return !on_kept(instant.track); });
}

}  // namespace cgpu
