#include "readers/trace_event/assembler.h"

#include <algorithm>

#include "readers/trace_event/complete_trace.h"
#include "readers/trace_event/device_work.h"

namespace cgpu::trace_event {

namespace {

/// The entry for `id`, kNone where the worker's number has not been seen yet.
uint32_t& entry(std::vector<uint32_t>& table, uint32_t id) {
  if (id >= table.size()) table.resize(std::max<size_t>(id + 1, table.size() * 2), kNone);
  return table[id];
}

const char* text_of(Loss loss) {
  switch (loss) {
    case Loss::no_time:
      return "events without a usable time were left out";
    case Loss::no_duration:
      return "duration events without a duration were left out";
    case Loss::thread_duration:
      return "slices without a duration were kept with the time that their thread ran in them";
    case Loss::bad_number:
      return "events whose time or value is no finite number were left out";
    case Loss::bad_id:
      return "ids that are no 64-bit integer were ignored; their events were kept without them";
    case Loss::negative_duration:
      return "slices with a negative duration were kept with duration 0";
    case Loss::no_stack:
      return "samples that name no call stack were left out";
    case Loss::object:
      return "the lives and snapshots of objects (N, O, D) were left out";
    case Loss::memory_dump:
      return "memory dumps (v, V) were left out";
    case Loss::mark:
      return "marks for other readers (clocks, contexts, linked ids) were left out";
    case Loss::unknown_phase:
      return "events of a phase that this reader does not know were left out";
    case Loss::broken_event:
      return "events that are not JSON were left out";
    case Loss::repaired_event:
      return "events with broken text (quotes, control bytes, UTF-8) were repaired and kept";
    case Loss::oversized_event:
      return "pieces of more than 64 MB that are no event were left out";
  }
  return "";
}

struct LossCode {
  Loss loss;
  const char* code;
  bool damage;
};
constexpr LossCode kLossCodes[] = {
    {Loss::no_time, "skipped_event", false},           {Loss::no_duration, "skipped_event", false},
    {Loss::thread_duration, "thread_duration", false}, {Loss::bad_number, "invalid_number", false},
    {Loss::bad_id, "invalid_number", false},           {Loss::negative_duration, "negative_duration", false},
    {Loss::no_stack, "skipped_event", false},          {Loss::object, "skipped_event", false},
    {Loss::memory_dump, "skipped_event", false},       {Loss::mark, "skipped_event", false},
    {Loss::unknown_phase, "skipped_event", false},     {Loss::broken_event, "damaged_input", true},
    {Loss::repaired_event, "invalid_text", false},     {Loss::oversized_event, "damaged_input", true},
};

}  // namespace

Assembler::Assembler(Run& run, const RunMark* own)
    : run_(run), own_(own != nullptr), described_(run.timeline.tracks.size()) {
  if (!own_) return;
  for (TrackIndex track = 0; track < std::min(own->tracks.size(), described_); ++track) {
    for (const std::string& key : own->tracks[track]) tracks_.emplace(key, track);
  }
  const size_t counters = std::min(own->counters.size(), run.timeline.counters.tracks.size());
  for (uint32_t counter = 0; counter < counters; ++counter) counter_tracks_.emplace(own->counters[counter], counter);
}

void Assembler::append(const Batch& batch, const WorkerTables& tables, Translation& translation, double share) {
  Timeline& timeline = run_.timeline;
  const auto shift = static_cast<uint32_t>(timeline.slices.size());
  reserve(batch.slices.size(), share);
  append_slices(batch, tables, translation);

  for (DeviceOp row : batch.device_ops) {
    row.slice += shift;
    timeline.device_ops.append(row);
  }
  const auto append_collectives = [&](const std::vector<Collective>& rows, std::vector<Collective>& to) {
    for (Collective row : rows) {
      row.slice += shift;
      row.name = name(row.name, tables, translation);
      row.group = name(row.group, tables, translation);
      row.type = name(row.type, tables, translation);
      to.push_back(row);
    }
  };
  append_collectives(batch.collectives, timeline.collectives);
  append_collectives(batch.transfers, timeline.hints.transfers);
  for (const SynchronizationRow& row : batch.synchronizations) {
    if (row.record != kNoCorrelation) {
      timeline.hints.records.push_back({static_cast<uint32_t>(timeline.synchronizations.size()), row.record});
    }
    timeline.synchronizations.push_back({row.slice + shift, row.kind, row.device, row.stream});
  }
  for (const auto& row : batch.external) timeline.hints.external.push_back({row.slice + shift, row.id});
  for (const auto& row : batch.sequence) {
    timeline.hints.sequence.push_back({row.slice + shift, row.backward, row.number});
  }
  for (LinkHints::Flow row : batch.flows) {
    row.track = track(row.track, tables, translation);
    timeline.hints.flows.push_back(row);
  }
  if (own_) append_arrows(batch, shift, tables, translation);
  append_memory(batch, tables, translation);
  for (Instant row : batch.instants) {
    row.name = name(row.name, tables, translation);
    const bool on_none = own_ && tables.track_keys[row.track] == std::string_view(&kKeySeparator, 1);
    row.track = on_none ? kNone : track(row.track, tables, translation);
    timeline.instants.push_back(row);
  }
  append_counters(batch, tables, translation);
  append_parts(batch, tables, translation);
  for (const TrackName& row : batch.track_names) {
    auto& names = row.of_process ? process_names_ : thread_names_;
    names[std::string(tables.names[row.key])] = tables.names[row.name];
  }
  run_.events += batch.counts;
  for (size_t i = 0; i < kLosses; ++i) losses_[i] += batch.losses[i];
  kineto_category_ = kineto_category_ || batch.kineto_category;
}

void Assembler::append_slices(const Batch& batch, const WorkerTables& tables, Translation& translation) {
  Slices& slices = run_.timeline.slices;
  for (Slice row : batch.slices) {
    row.name = name(row.name, tables, translation);
    row.track = track(row.track, tables, translation);
    uint32_t& category = entry(translation.categories, row.category);
    if (category == kNone) category = number_of(tables.categories[row.category]);
    row.category = static_cast<uint16_t>(category);
    slices.append(row);
  }
}

/// Each belongs to the slice before it.
void Assembler::append_arrows(const Batch& batch, size_t shift, const WorkerTables& tables, Translation& translation) {
  const Slices& slices = run_.timeline.slices;
  for (const ArrowRow& row : batch.arrows) {
    const size_t before = shift + row.slices;
    const auto slice = static_cast<SliceIndex>(before - 1);
    const bool fits =
        before > 0 && slices.track[slice] == track(row.track, tables, translation) && slices.start[slice] == row.time;
    if (fits) {
      arrows_.add(row.kind, row.number, row.ends, slice);
    } else {
      ++run_.events.skipped;
      run_.notes.add("unmatched_flow", 1, "ends of arrows that are not behind their slice");
    }
  }
}

void Assembler::append_counters(const Batch& batch, const WorkerTables& tables, Translation& translation) {
  Counters& counters = run_.timeline.counters;
  for (const CounterRow& row : batch.counters) {
    uint32_t& index = entry(translation.counter_tracks, row.track);
    if (index == kNone) {
      const std::string key(tables.counter_keys[row.track]);
      const size_t separator = key.find(kKeySeparator);
      const auto [at, added] = counter_tracks_.try_emplace(key, static_cast<uint32_t>(counters.tracks.size()));
      if (added) counters.tracks.push_back({key.substr(0, separator), key.substr(separator + 1)});
      index = at->second;
    }
    counters.track.push_back(index);
    counters.time.push_back(row.time);
    counters.value.push_back(row.value);
  }
}

/// Their threads are looked up when all tracks are known: an allocation by itself makes no track.
void Assembler::append_memory(const Batch& batch, const WorkerTables& tables, Translation& translation) {
  for (MemoryEvent row : batch.memory) {
    uint32_t& thread = entry(translation.memory_threads, row.track);
    if (thread == kNone) {
      const auto next = static_cast<uint32_t>(memory_threads_.size());
      thread = memory_threads_.try_emplace(std::string(tables.track_keys[row.track]), next).first->second;
    }
    row.track = thread;
    run_.timeline.memory.push_back(row);
  }
}

void Assembler::append_parts(const Batch& batch, const WorkerTables& tables, Translation& translation) {
  const auto profiles = static_cast<uint32_t>(parts_.cpu_profiles.size());
  parts_.cpu_profiles.insert(parts_.cpu_profiles.end(), batch.cpu_profiles.begin(), batch.cpu_profiles.end());
  for (Part part : batch.parts) {
    if (part.kind == PartKind::cpu_profile) {
      part.key += profiles;
    } else {
      uint32_t& key = entry(translation.part_keys, part.key);
      if (key == kNone) key = parts_.keys.intern(tables.part_keys[part.key]);
      part.key = key;
    }
    part.name = name(part.name, tables, translation);
    part.track = track(part.track, tables, translation);
    uint32_t& category = entry(translation.categories, part.category);
    if (category == kNone) category = number_of(tables.categories[part.category]);
    part.category = static_cast<uint16_t>(category);
    parts_.rows.push_back(part);
  }
}

StringId Assembler::name(StringId id, const WorkerTables& tables, Translation& translation) {
  uint32_t& index = entry(translation.names, id);
  if (index == kNone) index = run_.timeline.names.intern(tables.names[id]);
  return index;
}

uint32_t Assembler::number_of(const Category& wanted) {
  std::vector<Category>& known = run_.timeline.categories;
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Category& c) { return c.kind == wanted.kind && c.name == wanted.name; });
  const auto number = static_cast<uint32_t>(found - known.begin());
  if (found == known.end()) known.push_back(wanted);
  return number;
}

TrackIndex Assembler::track(uint32_t id, const WorkerTables& tables, Translation& translation) {
  uint32_t& index = entry(translation.tracks, id);
  if (index == kNone) {
    const std::string key(tables.track_keys[id]);
    const size_t separator = key.find(kKeySeparator);
    std::vector<Track>& tracks = run_.timeline.tracks;
    const auto [at, added] = tracks_.try_emplace(key, static_cast<TrackIndex>(tracks.size()));
    if (added) {
      Track& made = tracks.emplace_back();
      made.process = key.substr(0, separator);
      made.thread = key.substr(separator + 1);
    }
    index = at->second;
  }
  return index;
}

void Assembler::reserve(size_t more, double share) {
  Slices& slices = run_.timeline.slices;
  const size_t needed = slices.size() + more;
  if (slices.start.capacity() >= needed) return;
  // Too much costs address space only, since pages that are never touched never exist; an early share says little,
  // though.
  const double expected = share > 0 ? static_cast<double>(needed) / share * 1.1 : 0;
  const double most = 16.0 * static_cast<double>(needed) + 1048576;
  slices.reserve(std::max(needed + needed / 2, static_cast<size_t>(std::min(expected, most))));
}

void Assembler::finish(bool kineto, const std::vector<TopLevelValue>& header) {
  Timeline& timeline = run_.timeline;
  if (kineto) {
    const auto unended = [](const Part& part) { return part.kind == PartKind::unended; };
    const auto dropped = static_cast<int64_t>(std::erase_if(parts_.rows, unended));
    run_.events.skipped += dropped;
    losses_[static_cast<size_t>(Loss::no_duration)] += dropped;
  } else if (!own_) {
    // Whatever a program marks in its trace is an annotation of it.
    for (Category& category : timeline.categories) {
      if (category.kind == SliceKind::other) category.kind = SliceKind::annotation;
    }
  }
  if (own_) {
    arrows_.join(run_);
    timeline.hints.all_launches_known = true;
  }
  complete_trace(parts_, header, run_);
  std::vector<TrackIndex> threads(memory_threads_.size(), kNone);
  for (const auto& [key, number] : memory_threads_) {
    const auto found = tracks_.find(key);
    if (found != tracks_.end()) threads[number] = found->second;
  }
  for (MemoryEvent& event : timeline.memory) event.track = threads[event.track];

  for (size_t i = described_; i < timeline.tracks.size(); ++i) {
    Track& track = timeline.tracks[i];
    const auto process = process_names_.find(track.process);
    if (process != process_names_.end()) track.process_name = process->second;
    const auto thread = thread_names_.find(track.process + kKeySeparator + track.thread);
    if (thread != thread_names_.end()) track.thread_name = thread->second;
  }
  if (!own_) find_device_work(parts_, run_);
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    if (timeline.slices.track[i] < described_) continue;
    TrackKind& kind = timeline.tracks[timeline.slices.track[i]].kind;
    const SliceKind slice = timeline.kind(i);
    if (is_device_op(slice)) kind = TrackKind::device_stream;
    if (is_host(slice) && kind == TrackKind::other) kind = TrackKind::host_thread;
  }
  for (const LossCode& loss : kLossCodes) {
    run_.notes.add(loss.code, losses_[static_cast<size_t>(loss.loss)], text_of(loss.loss), loss.damage);
  }
}

}  // namespace cgpu::trace_event
