#include "export/perfetto_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "export/nesting_lanes.h"
#include "export/run_description.h"
#include "model/export_marks.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

using export_marks::TrackNumber;

PerfettoRunWriter::PerfettoRunWriter(const TimelineView& view, size_t run, Sink& sink, PerfettoTracks& tracks,
                                     int64_t base, uint64_t& next_arrow, const ExportOptions& options)
    : view_(view),
      number_(run),
      run_(view.session().runs[run]),
      timeline_(run_.timeline),
      options_(options),
      tracks_(tracks),
      packets_(sink, export_marks::sequence_of_run(run)),
      arguments_(run_, options.arguments, EventArguments::Joined::by_flow),
      arrows_(timeline_, next_arrow),
      base_(base),
      zero_(view.zero(run)),
      lanes_(timeline_.tracks.size(), 0),
      slice_names_(timeline_.names.size(), 0) {
  tracks_.begin_run(run, packets_);
}

void PerfettoRunWriter::write() {
  write_description();
  for (ViewTrackId id = 0; id < view_.tracks().size(); ++id) {
    if (view_.tracks()[id].run != number_) continue;
    if (options_.progress) options_.progress(static_cast<double>(id) / static_cast<double>(view_.tracks().size()));
    write_track(id);
  }
  write_instants();
  write_memory();
  packets_.flush();
}

void PerfettoRunWriter::write_description() {
  packets_.description([&](ProtoWriter& packet) {
    packet.message(126, [&] { write_attribute(packet, export_marks::kRunKey, run_description(run_)); });
  });
}

void PerfettoRunWriter::write_track(ViewTrackId id) {
  const ViewTrack& track = view_.tracks()[id];
  if (!track.lane->is_exported || track.lane->is_found_on_demand) return;
  if (track.lane->drawing == Drawing::counter) return write_counter(id);
  if (track.lane->drawing == Drawing::activity) return write_busy(id);
  if (view_.derived(id) != nullptr) return write_derived(id);
  if (track.source != kNone) write_source(id);
}

template <typename WriteFields>
void PerfettoRunWriter::event(EventType type, uint64_t uuid, int64_t time, WriteFields write_fields) {
  packets_.packet(base_ + time, [&](ProtoWriter& packet) {
    packet.message(11, [&] {  // track_event
      packet.varint(9, type);
      packet.varint(11, uuid);
      write_fields(packet);
    });
  });
}

void PerfettoRunWriter::end_event(uint64_t uuid, int64_t time) {
  event(kEnd, uuid, time, [](ProtoWriter&) {});
}

/// Writes the slices of a track of the profile. Perfetto nests slices by time alone, so slices that overlap without
/// nesting go to further lanes.
void PerfettoRunWriter::write_source(ViewTrackId id) {
  const ViewTrack& track = view_.tracks()[id];
  const SliceTimes times = view_.times(id);
  const std::vector<SliceIndex> slices = in_nesting_order(view_.lanes(id), times);
  uint32_t& described = lanes_[track.source];
  const uint32_t first = described;
  std::vector<uint64_t> uuids;
  NestingLanes lanes;
  const auto close = [&](size_t lane, int64_t end) { end_event(uuids[lane], end); };
  arguments_.for_each(slices, [&](SliceIndex slice, std::span<const ArgumentView> values) {
    const size_t lane = lanes.place(times.start(slice), times.end(slice), close);
    if (lane == uuids.size()) {
      uuids.push_back(tracks_.source_lane(track, id, first + static_cast<uint32_t>(lane)));
      ++described;
    }
    begin_slice(uuids[lane], times.start(slice), slice, values);
  });
  lanes.finish(close);
}

void PerfettoRunWriter::begin_slice(uint64_t uuid, int64_t time, SliceIndex slice,
                                    std::span<const ArgumentView> arguments) {
  event(kBegin, uuid, time, [&](ProtoWriter& event) {
    event.varint(10, name_of(timeline_.slices.name[slice]));
    for (const uint64_t category : categories_of(timeline_.slices.category[slice])) event.varint(3, category);
    if ((timeline_.slices.flags[slice] & kNeverEnded) != 0) {
      event.varint(3, packets_.category(export_marks::kNeverEndedCategory));
    }
    if ((timeline_.slices.flags[slice] & kClipped) != 0) {
      event.varint(3, packets_.category(export_marks::kClippedCategory));
    }
    for (const ArgumentView& argument : arguments) packets_.annotation(event, name_of(argument), argument);
    for (const ArrowEnd& arrow : arrows_.of(slice)) {
      event.fixed64(arrow.ends() ? 48 : 47, arrow.number());  // terminating_flow_ids, flow_ids
    }
  });
}

/// That of the kind, and the profile's own where it is another one.
const std::vector<uint64_t>& PerfettoRunWriter::categories_of(uint16_t category) {
  categories_.resize(timeline_.categories.size());
  std::vector<uint64_t>& interned = categories_[category];
  if (!interned.empty()) return interned;
  const std::string& own = timeline_.categories[category].name;
  const std::string_view first = written_category(timeline_.categories[category]);
  interned.push_back(packets_.category(first));
  if (own != first) interned.push_back(packets_.category(own.empty() ? export_marks::kUnnamedCategory : own));
  return interned;
}

/// The interned name of slices.
uint64_t PerfettoRunWriter::name_of(StringId slice_name) {
  uint64_t& name = slice_names_[slice_name];
  if (name == 0) name = packets_.event_name(timeline_.names[slice_name]);
  return name;
}

/// The interned name of an argument's key.
uint64_t PerfettoRunWriter::name_of(const ArgumentView& argument) {
  if (argument.number >= argument_names_.size()) argument_names_.resize(argument.number + 1);
  uint64_t& name = argument_names_[argument.number];
  if (name == 0) name = packets_.annotation_name(argument.key);
  return name;
}

void PerfettoRunWriter::write_derived(ViewTrackId id) {
  const ViewTrack& track = view_.tracks()[id];
  if (view_.derived(id)->size() == 0) return;
  const std::string category = fmt::format("cgpu.{}", track.lane->kind);
  const LaneIndex& index = view_.lanes(id);
  for (uint32_t number = 0; number < index.lanes(); ++number) {
    const Lane lane = index.lane(number);
    const uint64_t uuid = tracks_.derived(track, id);
    for (size_t i = 0; i < lane.size(); ++i) {
      write_plain(uuid, view_.names()[view_.style(id, lane.slice(i)).name], category, lane.start(i), lane.end(i));
    }
  }
}

void PerfettoRunWriter::write_plain(uint64_t uuid, std::string_view name, std::string_view category, int64_t start,
                                    int64_t end) {
  event(kBegin, uuid, start, [&](ProtoWriter& event) {
    event.varint(10, packets_.event_name(name));
    event.varint(3, packets_.category(category));
  });
  end_event(uuid, end);
}

/// Writes what the device did, without overlaps: compute, else communication, else copies.
void PerfettoRunWriter::write_busy(ViewTrackId id) {
  const ViewTrack& track = view_.tracks()[id];
  const DeviceTimes& times = view_.device_times(track);
  std::vector<std::pair<Interval, const char*>> parts;
  const auto add = [&](const IntervalSet& covered, const char* name) {
    for (const Interval& time : covered.intervals()) parts.emplace_back(time, name);
  };
  add(times.compute, "compute");
  add(times.exposed_communication, "communication");
  add(times.exposed_memory, "memory");
  std::sort(parts.begin(), parts.end(),  // the end of one must be written before the begin of the next
            [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  const uint64_t uuid = tracks_.derived(track, id);
  for (const auto& [time, name] : parts) write_plain(uuid, name, "cgpu.busy", time.begin - zero_, time.end - zero_);
}

void PerfettoRunWriter::write_counter(ViewTrackId id) {
  const ViewTrack& track = view_.tracks()[id];
  const uint64_t uuid = tracks_.counter(track, id);
  for (const CounterIndex::Sample& sample : view_.samples_of(track)) {
    event(kCounter, uuid, sample.time, [&](ProtoWriter& event) { event.number(44, sample.value); });
  }
}

void PerfettoRunWriter::write_instants() {
  std::vector<bool> described(timeline_.tracks.size());
  for (size_t track = 0; track < described.size(); ++track) described[track] = lanes_[track] > 0;
  uint64_t on_none = 0;
  for (const Instant& instant : timeline_.instants) {
    const auto run = static_cast<uint32_t>(number_);
    uint64_t uuid = 0;
    if (instant.track == kNone) {
      if (on_none == 0) on_none = tracks_.of_run(TrackNumber{TrackNumber::What::instants, run}.uuid(), "instants");
      uuid = on_none;
    } else {
      uuid = TrackNumber{TrackNumber::What::slices, run, instant.track, 0}.uuid();
      if (!described[instant.track]) {  // it has no slices
        ViewTrack track;
        track.run = number_;
        track.source = instant.track;
        const Track& source = timeline_.tracks[instant.track];
        const std::string& process = source.process_name.empty() ? source.process : source.process_name;
        track.group = {process.empty() ? "Program" : process};
        track.group.insert(track.group.end(), source.above.begin(), source.above.end());
        track.name = source.thread_name.empty() ? source.thread : source.thread_name;
        tracks_.source_lane(track, static_cast<ViewTrackId>(view_.tracks().size()), 0);
        described[instant.track] = true;
      }
    }
    event(kInstant, uuid, instant.time - zero_,
          [&](ProtoWriter& event) { event.varint(10, packets_.event_name(timeline_.names[instant.name])); });
  }
}

/// Writes the events of the allocator under the names of the PyTorch profiler.
void PerfettoRunWriter::write_memory() {
  if (timeline_.memory.empty()) return;
  const uint64_t uuid =
      tracks_.of_run(TrackNumber{TrackNumber::What::allocator, static_cast<uint32_t>(number_)}.uuid(), "allocator");
  for (const MemoryEvent& of : timeline_.memory) {
    event(kInstant, uuid, of.time - zero_, [&](ProtoWriter& event) {
      event.varint(10, packets_.event_name("[memory]"));
      const auto add = [&](const char* key, int64_t value) {
        packets_.annotation(event, packets_.annotation_name(key), {0, key, std::to_string(value), true});
      };
      add("Bytes", of.bytes);
      add("Device Type", of.device < 0 ? 0 : 1);
      add("Device Id", of.device);
      if (of.address != 0) add("Addr", of.address);
      if (of.track != kNone) add("Track", of.track);
      if (of.total_allocated >= 0) add("Total Allocated", of.total_allocated);
      if (of.total_reserved >= 0) add("Total Reserved", of.total_reserved);
    });
  }
}

}  // namespace cgpu
