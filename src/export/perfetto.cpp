// Perfetto's trace: host threads, ranges, derived tracks and counters are track events; device ops are GPU render
// stages, joined to their launches by GpuCorrelation.
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "analysis/measured_launches/launch_shape.h"
#include "export/event_arguments.h"
#include "export/export.h"
#include "export/nesting_lanes.h"
#include "export/trace_packets.h"
#include "tiles/timeline_view.h"

namespace cgpu {

namespace {

enum EventType : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };  // TrackEvent.type

/// The earliest time in the session, from its start; 0 if nothing is before that.
int64_t earliest(const TimelineView& view) {
  int64_t first = 0;
  for (size_t r = 0; r < view.session().runs.size(); ++r) {
    const Timeline& timeline = view.session().runs[r].timeline;
    const auto see = [&](int64_t time) { first = std::min(first, time - view.zero(r)); };
    for (const int64_t time : timeline.slices.start) see(time);
    for (const int64_t time : timeline.counters.time) see(time);
    for (const Instant& instant : timeline.instants) see(instant.time);
    for (const MemoryEvent& event : timeline.memory) see(event.time);
  }
  return first;
}

class PerfettoWriter {
 public:
  PerfettoWriter(const Session& session, Sink& sink, const ExportOptions& options)
      : session_(session), options_(options), facts_(session), view_(facts_), packets_(sink) {
    const bool unix = !session.runs.empty() && session.runs.front().clock_is_unix;
    base_ = unix ? session.runs.front().clock_base + view_.zero(0) : -earliest(view_);
    if (unix) write_clocks();
    write_attributes();
    write_gpu_info();
  }

  void write() {
    for (size_t run = 0; run < session_.runs.size(); ++run) write_run(run);
    packets_.flush();
  }

 private:
  /// Times are of the trace clock (BOOTTIME, 6), which is set equal to real time (1).
  void write_clocks() {
    packets_.packet(base_, [&](ProtoWriter& packet) {
      packet.message(6, [&] {  // clock_snapshot
        for (const uint64_t clock : {6, 1}) {
          packet.message(1, [&] {
            packet.varint(1, clock);
            packet.integer(2, base_);
          });
        }
      });
    });
  }

  /// The rank of a single run, the number of ranks, and the host.
  void write_attributes() {
    if (session_.runs.size() != 1) return;
    const Run& run = session_.runs.front();
    packets_.description([&](ProtoWriter& packet) {
      packet.message(126, [&] {  // trace_attributes
        const auto add = [&](std::string_view key, auto write_value) {
          packet.message(1, [&] {
            packet.text(1, key);
            write_value();
          });
        };
        if (run.rank_known) add("rank", [&] { packet.integer(2, run.rank); });
        if (run.world_size) add("world_size", [&] { packet.integer(2, *run.world_size); });
        if (!run.host.empty()) add("host", [&] { packet.text(3, run.host); });
      });
    });
  }

  /// Numbers GPUs: those of a single run as the run does, those of several runs one run after another.
  void write_gpu_info() {
    std::vector<const Device*> gpus;
    for (size_t run = 0; run < session_.runs.size(); ++run) {
      const size_t first = gpus.size();
      const auto add = [&](int32_t id, const Device* device) {
        if (id < 0) return;
        gpus.resize(std::max(gpus.size(), first + static_cast<size_t>(id) + 1), nullptr);
        if (device != nullptr) gpus[first + static_cast<size_t>(id)] = device;
        gpu_id_[{run, id}] = first + static_cast<size_t>(id);
      };
      constexpr int32_t kMostGpus = 4096;  // a larger number is not one of a device
      for (const Device& device : session_.runs[run].devices) {
        if (device.id < kMostGpus) add(device.id, &device);
      }
      for (const int32_t device : used_devices(session_.runs[run])) {
        if (device < kMostGpus) add(device, nullptr);
      }
    }
    if (gpus.empty()) return;
    packets_.description([&](ProtoWriter& packet) {
      packet.message(128, [&] {  // gpu_info
        for (const Device* gpu : gpus) packet.message(1, [&] { write_gpu(packet, gpu); });
      });
    });
  }

  static void write_gpu(ProtoWriter& packet, const Device* gpu) {
    if (gpu == nullptr) return;
    if (!gpu->name.empty()) packet.text(1, gpu->name);
    if (!gpu->vendor.empty()) packet.text(2, gpu->vendor);
    const auto extra = [&](std::string_view key, const std::string& value) {
      packet.message(6, [&] {  // extra_info
        packet.text(1, key);
        packet.text(2, value);
      });
    };
    if (gpu->sm_count) extra("numSms", std::to_string(*gpu->sm_count));
    if (gpu->memory_bytes) extra("totalGlobalMem", std::to_string(*gpu->memory_bytes));
    if (gpu->warp_size) extra("warpSize", std::to_string(*gpu->warp_size));
    if (!gpu->compute_capability.empty()) extra("computeCapability", gpu->compute_capability);
  }

  void write_run(size_t run) {
    EventArguments arguments(session_.runs[run], options_.arguments);
    argument_names_.clear();
    find_links(run);
    std::map<TrackIndex, uint64_t> uuid_of;
    for (ViewTrackId id = 0; id < view_.tracks().size(); ++id) {
      const ViewTrack& track = view_.tracks()[id];
      if (track.run != run) continue;
      if (options_.progress) options_.progress(static_cast<double>(id) / static_cast<double>(view_.tracks().size()));
      switch (track.kind) {
        case ViewKind::stream:
          write_stream(id, arguments);
          break;
        case ViewKind::counter:
          write_counter(track);
          break;
        case ViewKind::busy:
          write_busy(track);
          break;
        case ViewKind::idle:
        case ViewKind::exposed:
        case ViewKind::steps:
          write_derived(id);
          break;
        case ViewKind::call_path:
          break;  // follows from the samples
        case ViewKind::ranges:
        case ViewKind::thread:
        case ViewKind::async:
        case ViewKind::other:
          if (view_.derived(id) != nullptr) {
            write_derived(id);
          } else {
            const uint64_t uuid = write_nested(id, arguments);
            if (track.part == TrackPart::main) uuid_of[track.source] = uuid;
          }
          break;
      }
    }
    write_instants(run, uuid_of);
    write_memory(run);
    first_event_ += session_.runs[run].timeline.device_ops.size();
    first_flow_ += session_.runs[run].timeline.links.size();
  }

  /// Finds for each slice the ops that it launched and the flows that begin and end at it.
  void find_links(size_t run) {
    const Timeline& timeline = session_.runs[run].timeline;
    launched_.clear();
    flows_.clear();
    for (uint32_t op = 0; op < timeline.device_ops.size(); ++op) {
      const SliceIndex launch = timeline.slices.launch[timeline.device_ops.slice[op]];
      if (launch != kNone) launched_.emplace_back(launch, first_event_ + op + 1);
    }
    for (size_t i = 0; i < timeline.links.size(); ++i) {
      flows_.push_back({timeline.links[i].from, false, first_flow_ + i + 1});
      flows_.push_back({timeline.links[i].to, true, first_flow_ + i + 1});
    }
    std::sort(launched_.begin(), launched_.end());
    std::sort(flows_.begin(), flows_.end());
  }

  /// The track of the group of a track, made at its first use; 0 for a track without a group.
  uint64_t group(const ViewTrack& track) {
    uint64_t parent = 0;
    std::string path = std::to_string(track.run);
    for (const std::string& heading : track.group) {
      path.append(1, '\0').append(heading);
      const auto [at, added] = groups_.try_emplace(path, next_uuid_);
      if (added) {
        ++next_uuid_;
        describe_track(at->second, parent, [&](ProtoWriter& packet) { packet.text(2, heading); });
      }
      parent = at->second;
    }
    return parent;
  }

  template <typename WriteFields>
  void describe_track(uint64_t uuid, uint64_t parent, WriteFields write_fields) {
    packets_.description([&](ProtoWriter& packet) {
      packet.message(60, [&] {  // track_descriptor
        packet.varint(1, uuid);
        if (parent != 0) packet.varint(5, parent);
        write_fields(packet);
      });
    });
  }
  uint64_t new_track(uint64_t parent, const std::string& name) {
    const uint64_t uuid = next_uuid_++;
    describe_track(uuid, parent, [&](ProtoWriter& packet) { packet.text(2, name); });
    return uuid;
  }

  template <typename WriteFields>
  void event(EventType type, uint64_t uuid, int64_t time, WriteFields write_fields) {
    packets_.packet(base_ + time, [&](ProtoWriter& packet) {
      packet.message(11, [&] {  // track_event
        packet.varint(9, type);
        packet.varint(11, uuid);
        write_fields(packet);
      });
    });
  }
  void end_event(uint64_t uuid, int64_t time) {
    event(kEnd, uuid, time, [](ProtoWriter&) {});
  }

  /// Writes the slices of a thread. Perfetto nests slices by time alone, so slices that overlap without nesting go to a
  /// second track of the same name.
  uint64_t write_nested(ViewTrackId id, EventArguments& arguments) {
    const ViewTrack& track = view_.tracks()[id];
    const SliceTimes times = view_.times(id);
    const std::vector<SliceIndex> slices = in_nesting_order(view_.lanes(id), times);
    const uint64_t parent = group(track);
    std::vector<uint64_t> uuids;
    NestingLanes lanes;
    const auto close = [&](size_t lane, int64_t end) { end_event(uuids[lane], end); };

    arguments.for_each(slices, [&](SliceIndex slice, std::span<const ArgumentView> values) {
      const size_t lane = lanes.place(times.start(slice), times.end(slice), close);
      if (lane == uuids.size()) uuids.push_back(new_track(parent, track.name));
      begin_slice(track.run, uuids[lane], times.start(slice), slice, values);
    });
    lanes.finish(close);
    return uuids.empty() ? new_track(parent, track.name) : uuids.front();
  }

  void begin_slice(size_t run, uint64_t uuid, int64_t time, SliceIndex slice, std::span<const ArgumentView> arguments) {
    const Timeline& timeline = session_.runs[run].timeline;
    event(kBegin, uuid, time, [&](ProtoWriter& event) {
      event.varint(10, packets_.event_name(timeline.name(slice)));
      event.varint(3, packets_.category(category_of(timeline, slice)));
      for (const ArgumentView& argument : arguments) packets_.annotation(event, name_of(argument), argument);
      const auto flows = std::equal_range(flows_.begin(), flows_.end(), FlowEnd{slice, false, 0}, FlowEnd::of_slice);
      for (auto flow = flows.first; flow != flows.second; ++flow) {
        event.fixed64(flow->terminates ? 48 : 47, flow->id);  // terminating_flow_ids, flow_ids
      }
      const auto by_slice = [](const auto& a, const auto& b) { return a.first < b.first; };
      const auto ops = std::equal_range(launched_.begin(), launched_.end(), std::pair(slice, uint64_t{0}), by_slice);
      if (ops.first == ops.second) return;
      event.message(3000, [&] {  // GpuCorrelation.render_stage_submission_event_ids
        for (auto op = ops.first; op != ops.second; ++op) event.varint(1, op->second);
      });
    });
  }

  /// The interned name of an argument's key.
  uint64_t name_of(const ArgumentView& argument) {
    if (argument.number >= argument_names_.size()) argument_names_.resize(argument.number + 1);
    uint64_t& name = argument_names_[argument.number];
    if (name == 0) name = packets_.annotation_name(argument.key);
    return name;
  }

  /// Writes device ops, one GpuRenderStageEvent each.
  void write_stream(ViewTrackId id, EventArguments& arguments) {
    const ViewTrack& track = view_.tracks()[id];
    const Run& run = session_.runs[track.run];
    const SliceTimes times = view_.times(id);
    const std::vector<SliceIndex> slices = in_nesting_order(view_.lanes(id), times);
    const std::string queue =
        session_.runs.size() > 1 && !track.group.empty() ? track.group.front() + " " + track.name : track.name;
    arguments.for_each(slices, [&](SliceIndex slice, std::span<const ArgumentView> values) {
      const uint32_t op = arguments.op_of(slice);
      if (op != kNone) write_device_op(track, run, queue, op, times.start(slice), values);
    });
  }

  void write_device_op(const ViewTrack& track, const Run& run, const std::string& queue, uint32_t op, int64_t time,
                       std::span<const ArgumentView> arguments) {
    const Timeline& timeline = run.timeline;
    const SliceIndex slice = timeline.device_ops.slice[op];
    const SliceKind kind = timeline.kind(slice);
    const bool is_kernel = kind == SliceKind::kernel || kind == SliceKind::device_collective;
    const std::string_view vendor = vendor_of(run, timeline.device_ops.device[op]);
    packets_.packet(base_ + time, [&](ProtoWriter& packet) {
      packet.message(53, [&] {  // gpu_render_stage_event
        packet.varint(1, first_event_ + op + 1);
        packet.integer(2, timeline.slices.duration[slice]);
        packet.varint(5, packets_.graphics_context(vendor));
        const auto gpu = gpu_id_.find({track.run, timeline.device_ops.device[op]});
        if (gpu != gpu_id_.end()) packet.varint(11, gpu->second);
        packet.varint(13, packets_.gpu_specification(queue, 0));
        packet.varint(14, packets_.gpu_specification(category_of(timeline, slice), is_kernel ? 2 : 0));
        packet.varint(20, packets_.event_name(timeline.name(slice)));
        if (is_kernel) packet.varint(19, packets_.compute_kernel(timeline.name(slice)));
        if (const auto shape = launch_shape(arguments)) {
          packet.message(21, [&] {
            write_dimensions(packet, 1, shape->grid);
            write_dimensions(packet, 2, shape->block);
          });
        }
        for (const ArgumentView& argument : arguments) {
          packet.message(6, [&] {  // extra_data
            packet.text(1, argument.key);
            packet.text(2, argument.value);
          });
        }
      });
    });
  }

  static void write_dimensions(ProtoWriter& packet, uint32_t field, const std::array<uint32_t, 3>& size) {
    packet.message(field, [&] {
      for (uint32_t axis = 0; axis < 3; ++axis) packet.varint(axis + 1, size[axis]);
    });
  }

  static std::string_view vendor_of(const Run& run, int32_t device) {
    for (const Device& known : run.devices) {
      if (known.id == device) return known.vendor;
    }
    return "";
  }

  void write_derived(ViewTrackId id) {
    const ViewTrack& track = view_.tracks()[id];
    const DerivedSlices* slices = view_.derived(id);
    if (slices == nullptr || slices->size() == 0) return;
    const uint64_t parent = group(track);
    const std::string category = std::string("cgpu.") + text_of(track.kind);
    const LaneIndex& index = view_.lanes(id);
    for (uint32_t number = 0; number < index.lanes(); ++number) {
      const Lane lane = index.lane(number);
      const uint64_t uuid = new_track(parent, track.name);
      for (size_t i = 0; i < lane.size(); ++i) {
        write_plain(uuid, view_.names()[view_.look(id, lane.slice(i)).name], category, lane.start(i), lane.end(i));
      }
    }
  }
  void write_plain(uint64_t uuid, std::string_view name, std::string_view category, int64_t start, int64_t end) {
    event(kBegin, uuid, start, [&](ProtoWriter& event) {
      event.varint(10, packets_.event_name(name));
      event.varint(3, packets_.category(category));
    });
    end_event(uuid, end);
  }

  /// Writes what the device did, without overlaps: compute, else communication, else copies.
  void write_busy(const ViewTrack& track) {
    const Timeline& timeline = session_.runs[track.run].timeline;
    std::array<std::vector<Interval>, 3> times;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      if (timeline.device_ops.device[op] != *track.device) return;
      times[static_cast<size_t>(timeline.device_ops.kind[op])].push_back(
          {timeline.slices.start[slice], timeline.slices.end(slice)});
    });
    const IntervalSet compute(std::move(times[static_cast<size_t>(OpKind::compute)]));
    const IntervalSet communication(std::move(times[static_cast<size_t>(OpKind::communication)]));
    const IntervalSet memory(std::move(times[static_cast<size_t>(OpKind::memory)]));
    std::vector<std::pair<Interval, const char*>> parts;
    const auto add = [&](const IntervalSet& covered, const char* name) {
      for (const Interval& time : covered.intervals()) parts.emplace_back(time, name);
    };
    add(compute, "compute");
    add(communication.subtract(compute), "communication");
    add(memory.subtract(compute.unite(communication)), "memory");
    std::sort(parts.begin(), parts.end(),  // the end of one must be written before the begin of the next
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    const uint64_t uuid = new_track(group(track), track.name);
    const int64_t zero = view_.zero(track.run);
    for (const auto& [time, name] : parts) write_plain(uuid, name, "cgpu.busy", time.begin - zero, time.end - zero);
  }

  void write_counter(const ViewTrack& track) {
    const Timeline& timeline = session_.runs[track.run].timeline;
    const int64_t zero = view_.zero(track.run);
    const uint64_t uuid = next_uuid_++;
    describe_track(uuid, group(track), [&](ProtoWriter& packet) {
      packet.text(2, track.name);
      packet.message(8, [] {});  // counter
    });
    const auto sample = [&](int64_t time, double value) {
      event(kCounter, uuid, time - zero, [&](ProtoWriter& event) { event.number(44, value); });
    };
    if (track.counter) {
      for (size_t i = 0; i < timeline.counters.time.size(); ++i) {
        if (timeline.counters.track[i] == *track.counter) sample(timeline.counters.time[i], timeline.counters.value[i]);
      }
      return;
    }
    for (const MemoryEvent& event : timeline.memory) {
      const int64_t total = track.reserved ? event.total_reserved : event.total_allocated;
      if (event.device == track.device.value_or(-1) && total >= 0) sample(event.time, static_cast<double>(total));
    }
  }

  void write_instants(size_t run, const std::map<TrackIndex, uint64_t>& uuid_of) {
    const Timeline& timeline = session_.runs[run].timeline;
    for (const Instant& instant : timeline.instants) {
      const auto track = uuid_of.find(instant.track);
      if (track == uuid_of.end() && instants_track_ == 0) instants_track_ = new_track(0, "instants");
      event(kInstant, track == uuid_of.end() ? instants_track_ : track->second, instant.time - view_.zero(run),
            [&](ProtoWriter& event) { event.varint(10, packets_.event_name(timeline.names[instant.name])); });
    }
  }

  /// Writes the events of the allocator under the names of the PyTorch profiler.
  void write_memory(size_t run) {
    const std::vector<MemoryEvent>& memory = session_.runs[run].timeline.memory;
    if (memory.empty()) return;
    const uint64_t uuid = new_track(0, "allocator");
    for (const MemoryEvent& of : memory) {
      event(kInstant, uuid, of.time - view_.zero(run), [&](ProtoWriter& event) {
        event.varint(10, packets_.event_name("[memory]"));
        const auto add = [&](const char* key, int64_t value) {
          packets_.annotation(event, packets_.annotation_name(key), {0, key, std::to_string(value), true});
        };
        add("Bytes", of.bytes);
        add("Device Type", of.device < 0 ? 0 : 1);
        add("Device Id", of.device);
        if (of.total_allocated >= 0) add("Total Allocated", of.total_allocated);
        if (of.total_reserved >= 0) add("Total Reserved", of.total_reserved);
      });
    }
  }

  struct FlowEnd {
    SliceIndex slice;
    bool terminates;
    uint64_t id;
    auto operator<=>(const FlowEnd&) const = default;
    static bool of_slice(const FlowEnd& a, const FlowEnd& b) { return a.slice < b.slice; }
  };

  const Session& session_;
  const ExportOptions& options_;
  SessionFacts facts_;
  TimelineView view_;
  TracePackets packets_;
  int64_t base_ = 0;                                       // trace time at the start of the session
  std::map<std::pair<size_t, int32_t>, uint64_t> gpu_id_;  // by run and device
  std::map<std::string, uint64_t> groups_;                 // by path of headings
  uint64_t next_uuid_ = 1;
  uint64_t instants_track_ = 0;
  uint64_t first_event_ = 0;  // number of render stages in the runs before
  uint64_t first_flow_ = 0;
  std::vector<std::pair<SliceIndex, uint64_t>> launched_;  // call, event id of the op that it launched
  std::vector<FlowEnd> flows_;
  std::vector<uint64_t> argument_names_;  // of the run, by key number; 0 if not written yet
};

}  // namespace

void write_perfetto(const Session& session, Sink& sink, const ExportOptions& options) {
  PerfettoWriter(session, sink, options).write();
  sink.finish();
}

}  // namespace cgpu
