#include "readers/ascend/assembler.h"

#include <algorithm>

#include "model/time_range.h"
#include "readers/ascend/names.h"

namespace cgpu::ascend {

namespace {

constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;  // ns since 1970; smaller times are no Unix times

std::string name_of_device(int32_t device) {
  return device < 0 ? "host" : "NPU " + std::to_string(device);
}

}  // namespace

uint16_t Assembler::category(std::string_view name, SliceKind kind) {
  constexpr size_t limit = 1000;  // no profiler writes more; the rest share one of each kind
  std::vector<Category>& known = timeline.categories;
  const auto find = [&](std::string_view text) {
    return std::find_if(known.begin(), known.end(),
                        [&](const Category& one) { return one.kind == kind && one.name == text; });
  };
  auto found = find(name);
  if (found == known.end() && known.size() >= limit) found = find(name = "");
  const auto place = static_cast<uint16_t>(found - known.begin());
  if (found == known.end()) known.push_back({std::string(name), kind});
  return place;
}

TrackIndex Assembler::track(TrackKind kind, const std::string& process, const std::string& thread) {
  const auto [at, added] =
      tracks_.try_emplace({kind, process, thread}, static_cast<TrackIndex>(timeline.tracks.size()));
  if (added) {
    Track& made = timeline.tracks.emplace_back();
    made.kind = kind;
    made.process = process;
    made.thread = thread;
  }
  return at->second;
}

TrackIndex Assembler::thread_track(int64_t process, int64_t thread) {
  const auto key = static_cast<int64_t>(static_cast<uint64_t>(process) << 32 ^ static_cast<uint64_t>(thread));
  const auto [at, added] = threads_.try_emplace(key, kNone);
  if (added) at->second = track(TrackKind::host_thread, std::to_string(process), std::to_string(thread));
  return at->second;
}

TrackIndex Assembler::stream_track(int32_t device, int64_t stream) {
  const auto [at, added] = streams_.try_emplace({device, stream}, kNone);
  if (added) {
    at->second = track(TrackKind::device_stream, name_of_device(device), "stream " + std::to_string(stream));
  }
  return at->second;
}

TrackIndex Assembler::group_track(int32_t device, const std::string& group) {
  return track(TrackKind::device_stream, name_of_device(device), group.empty() ? "collectives" : "group " + group);
}

SliceIndex Assembler::add_slice(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track,
                                int64_t correlation, uint64_t source) {
  if (!is_time(start) || !is_time(end)) {
    skip("invalid_number", "events whose time cannot be true (beyond a century) were left out");
    return kNone;
  }
  if (end < start) run.notes.add("negative_duration", 1, "slices with a negative duration were kept with duration 0");
  return run.add_slice({.start = start,
                        .duration = std::max(end, start) - start,
                        .correlation = correlation,
                        .source = source,
                        .name = name,
                        .track = track,
                        .category = category});
}

void Assembler::add_device_op(DeviceOp op) {
  if (op.copy != CopyKind::none) {
    op.source = source_of(op.copy);
    op.destination = destination_of(op.copy);
  }
  timeline.device_ops.append(op);
}

void Assembler::add_collective(SliceIndex slice, const CollectiveOp& op) {
  Collective collective;
  collective.slice = slice;
  const std::string name = collective_name(op.name);
  collective.name = timeline.names.intern(name);
  collective.group = timeline.names.intern(op.group.text);
  collective.type = timeline.names.intern(op.type);
  collective.group_size = op.group.size;
  constexpr int64_t kMost = int64_t{1} << 50;  // bytes of as many elements of as many ranks fit into 64 bits
  const int64_t count = op.count >= 0 && op.count < kMost ? op.count : -1;
  collective.elements_in = collective.elements_out = count;
  // The argument of the library is how much a rank sends (allgather) or receives (reduce_scatter): the other direction
  // is that of all ranks.
  int64_t* whole = name == "allgather"        ? &collective.elements_out
                   : name == "reduce_scatter" ? &collective.elements_in
                                              : nullptr;
  if (whole != nullptr && count > 0) {
    *whole = op.group.size > 0 && op.group.size < kMost / count ? count * op.group.size : -1;
  }
  timeline.collectives.push_back(collective);
}

void Assembler::add_synchronization(SliceIndex slice, std::string_view type, std::string_view name, int32_t device,
                                    int64_t stream) {
  const auto kind = kind_of_event_task(type, name);
  if (!kind) return;
  const bool record = *kind == Synchronization::Kind::event_record;  // of a wait it is not said for which stream
  timeline.synchronizations.push_back({slice, *kind, device, record ? stream : -1});
}

int64_t Assembler::stream_of_group(const std::string& group) {
  return group_streams_.try_emplace(group, -1 - static_cast<int64_t>(group_streams_.size())).first->second;
}

void Assembler::skip(const char* code, const char* why) {
  ++run.events.skipped;
  run.notes.add(code, 1, why);
}

void Assembler::add_sample(int32_t device, const std::string& name, int64_t time, double value, bool event) {
  if (event) ++run.events.counters;
  Counters& counters = timeline.counters;
  const auto [at, added] = counters_.try_emplace({device, name}, static_cast<uint32_t>(counters.tracks.size()));
  if (added) counters.tracks.push_back({name_of_device(device), name});
  counters.track.push_back(at->second);
  counters.time.push_back(time);
  counters.value.push_back(value);
}

void Assembler::add_memory_record(const std::string& component, int32_t device, int64_t time,
                                  std::optional<int64_t> allocated, std::optional<int64_t> reserved) {
  ++run.events.read;
  if (!is_time(time))
    return skip("invalid_number", "events whose time cannot be true (beyond a century) were left out");
  if (component == "PTA") {
    MemoryEvent event;
    event.time = time;
    event.device = device;
    if (allocated) {
      const auto before = allocated_.find(device);
      if (before != allocated_.end() && __builtin_sub_overflow(*allocated, before->second, &event.bytes))
        event.bytes = 0;
      allocated_[device] = *allocated;
      event.total_allocated = *allocated;
    }
    event.total_reserved = reserved.value_or(-1);
    timeline.memory.push_back(event);
    ++run.events.memory;
    return;
  }
  if (!allocated && !reserved) return skip("skipped_event", "memory records without a figure were left out");
  if (allocated) add_sample(device, component + " allocated (B)", time, static_cast<double>(*allocated));
  if (reserved) add_sample(device, component + " reserved (B)", time, static_cast<double>(*reserved), !allocated);
}

void Assembler::finish() {
  timeline.hints.kernels_compute = true;
  const std::set<int32_t> used(timeline.device_ops.device.begin(), timeline.device_ops.device.end());
  for (const int32_t id : used) {
    if (std::none_of(run.devices.begin(), run.devices.end(), [&](const Device& device) { return device.id == id; })) {
      Device device;
      device.id = id;
      device.vendor = "Huawei";
      run.devices.push_back(std::move(device));
    }
  }
  const std::vector<int64_t>& start = timeline.slices.start;
  run.clock_is_unix = !start.empty() && *std::min_element(start.begin(), start.end()) > kYear2001;
}

}  // namespace cgpu::ascend
