#include "links/window.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cgpu {

namespace {

/// Without events, the call tree, the measured launches and the op graph.
Run copy_facts(const Run& run) {
  Run copy;
  static_cast<RunHeader&>(copy) = run;
  copy.timeline.categories = run.timeline.categories;
  copy.timeline.tracks = run.timeline.tracks;
  copy.timeline.counters.tracks = run.timeline.counters.tracks;
  return copy;
}

/// Copies names to another pool, each when it is first needed.
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

/// The slices that are kept, with their new numbers.
struct Kept {
  std::vector<SliceIndex> number;  // for each slice its new number; kNone for a slice that is not kept
  std::vector<SliceIndex> slices;  // that are kept

  bool has(SliceIndex slice) const { return number[slice] != kNone; }
  SliceIndex of(SliceIndex slice) const { return slice == kNone ? kNone : number[slice]; }
  void add(SliceIndex slice) {
    number[slice] = static_cast<SliceIndex>(slices.size());
    slices.push_back(slice);
  }
};

Kept keep(const Timeline& timeline, const Part& part) {
  const auto [begin, end] = part.window;
  const Slices& slices = timeline.slices;
  Kept kept;
  kept.number.assign(slices.size(), kNone);
  // The answer for a slice depends on its track and category only.
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
    kept.add(slice);
  }
  return kept;
}

/// The device ops whose slices are kept.
std::vector<uint32_t> kept_ops(const DeviceOps& ops, const Kept& kept) {
  std::vector<uint32_t> found;
  for (uint32_t op = 0; op < ops.size(); ++op) {
    if (kept.has(ops.slice[op])) found.push_back(op);
  }
  return found;
}

/// What is known of the captures of the ops that are left, whose calls keep their numbers.
void keep_captured(const Run& run, Run& part) {
  if (run.captured.empty()) return;
  std::vector<uint32_t> new_number(run.timeline.device_ops.size(), kNone);
  for (uint32_t op = 0; op < part.part_of->ops.size(); ++op) new_number[part.part_of->ops[op]] = op;
  for (const CapturedWork& work : run.captured) {
    CapturedWork& kept = part.captured.emplace_back(CapturedWork{work.capture, {}});
    for (const CapturedOp& op : work.ops) {
      if (new_number[op.op] != kNone) kept.ops.push_back({new_number[op.op], op.call, op.replay});
    }
  }
}

Run cut_run(const Session& whole, size_t number, const Part& part) {
  const Run& run = whole.runs[number];
  const auto [begin, end] = part.window;
  const Timeline& from = run.timeline;
  Kept kept = keep(from, part);
  Run copy = copy_facts(run);
  Timeline& to = copy.timeline;
  if (part.takes) {  // a slice may have lost its parent, and not those above
    for (Track& track : to.tracks) track.nested = false;
  }
  NameCopier name(from.names, to.names);

  Slices& slices = to.slices;
  slices.append_from(from.slices, kept.slices);
  int64_t lost_launches = 0;
  int64_t clipped = 0;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    const SliceIndex launch = slices.launch[slice];
    lost_launches += launch != kNone && !kept.has(launch) && is_device_op(to.kind(slice)) ? 1 : 0;
    slices.parent[slice] = kept.of(slices.parent[slice]);
    slices.launch[slice] = kept.of(launch);
    slices.name[slice] = name(slices.name[slice]);
    const int64_t first = std::max(slices.start[slice], begin);
    const int64_t last = std::min(slices.end(slice), end);
    if (last - first != slices.duration[slice]) {
      ++clipped;
      slices.flags[slice] |= kClipped;
    }
    slices.start[slice] = first;
    slices.duration[slice] = last - first;
  }
  copy.part_of = {number, kept_ops(from.device_ops, kept), {}};
  to.device_ops.append_from(from.device_ops, copy.part_of->ops);
  keep_captured(run, copy);
  for (SliceIndex& slice : to.device_ops.slice) slice = kept.of(slice);
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
  copy.part_of->slices = std::move(kept.slices);
  return copy;
}

/// Drops the slices that are not kept, and what belongs to them.
void drop_others(Timeline& timeline, const Kept& kept) {
  DeviceOps& ops = timeline.device_ops;
  ops.keep(kept_ops(ops, kept));
  for (SliceIndex& slice : ops.slice) slice = kept.of(slice);
  Slices& slices = timeline.slices;
  slices.keep(kept.slices);
  for (SliceIndex& parent : slices.parent) parent = kept.of(parent);
  for (SliceIndex& launch : slices.launch) launch = kept.of(launch);
  std::erase_if(timeline.collectives, [&](const Collective& one) { return !kept.has(one.slice); });
  for (Collective& one : timeline.collectives) one.slice = kept.of(one.slice);
  std::erase_if(timeline.synchronizations, [&](const Synchronization& one) { return !kept.has(one.slice); });
  for (Synchronization& one : timeline.synchronizations) {
    one.slice = kept.of(one.slice);
    one.record = kept.of(one.record);
  }
  std::erase_if(timeline.links, [&](const Link& link) { return !kept.has(link.from) || !kept.has(link.to); });
  for (Link& link : timeline.links) link = {link.kind, kept.of(link.from), kept.of(link.to)};
}

}  // namespace

Session cut_out(std::shared_ptr<const Session> whole, const std::vector<std::optional<Part>>& parts) {
  Session session;
  session.inputs = whole->inputs;
  for (size_t run = 0; run < whole->runs.size(); ++run) {
    if (parts[run]) session.runs.push_back(cut_run(*whole, run, *parts[run]));
  }
  if (whole->whole) {  // `whole` is a part itself: refer to the session that it was cut out of
    for (Run& run : session.runs) {
      const Run::PartOf& between = *whole->runs[run.part_of->run].part_of;
      run.part_of->run = between.run;
      for (uint32_t& op : run.part_of->ops) op = between.ops[op];
      for (SliceIndex& slice : run.part_of->slices) slice = between.slices[slice];
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
  Kept slices;
  slices.number.assign(timeline.slices.size(), kNone);
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    if (on_kept(timeline.slices.track[i])) slices.add(i);
  }
  drop_others(timeline, slices);
  std::erase_if(timeline.instants, [&](const Instant& instant) { return !on_kept(instant.track); });
}

void select_devices(Run& run, const std::function<bool(int32_t)>& keep) {
  Timeline& timeline = run.timeline;
  const DeviceOps& ops = timeline.device_ops;
  enum class Use : uint8_t { none, kept, dropped };
  std::vector<Use> use(timeline.tracks.size(), Use::none);  // of a track, by the ops that are on it
  std::vector<bool> dropped(timeline.slices.size());
  for (uint32_t op = 0; op < ops.size(); ++op) {
    const SliceIndex slice = ops.slice[op];
    dropped[slice] = !keep(ops.device[op]);
    const TrackIndex track = timeline.slices.track[slice];
    if (track != kNone && use[track] != Use::kept) use[track] = dropped[slice] ? Use::dropped : Use::kept;
  }
  Kept slices;
  slices.number.assign(timeline.slices.size(), kNone);
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    const TrackIndex track = timeline.slices.track[i];
    if (!dropped[i] && (track == kNone || use[track] != Use::dropped)) slices.add(i);
  }
  run.notes.add("other_device", static_cast<int64_t>(timeline.slices.size() - slices.slices.size()),
                "slices of devices that were not selected were left out");
  drop_others(timeline, slices);
  std::erase_if(timeline.memory, [&](const MemoryEvent& event) { return event.device >= 0 && !keep(event.device); });
  std::erase_if(run.devices, [&](const Device& device) { return !keep(device.id); });
}

}  // namespace cgpu
