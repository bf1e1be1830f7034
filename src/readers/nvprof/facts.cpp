#include <algorithm>
#include <array>

#include "model/time_range.h"
#include "readers/nvprof/tables.h"

namespace cgpu::nvprof {

namespace {

void read_devices(Assembler& assembler) {
  Run& run = assembler.run;
  enum { kId, kName, kMultiprocessors, kMemory, kWarp, kMajor, kMinor };
  assembler.each("CUPTI_ACTIVITY_KIND_DEVICE",
                 {"id", "name", "numMultiprocessors", "globalMemorySize", "numThreadsPerWarp", "computeCapabilityMajor",
                  "computeCapabilityMinor"},
                 [&](Row& row) {
                   const auto known = [&](int column) {
                     const int64_t value = row.integer(column);
                     return value > 0 ? std::optional<int64_t>(value) : std::nullopt;
                   };
                   Device device;
                   device.id = Assembler::device(row, kId);
                   const bool again = std::any_of(run.devices.begin(), run.devices.end(),
                                                  [&](const Device& one) { return one.id == device.id; });
                   if (device.id < 0 || again) return;
                   device.name = run.timeline.names[assembler.text(row, kName)];
                   device.vendor = "NVIDIA";
                   device.sm_count = known(kMultiprocessors);
                   device.memory_bytes = known(kMemory);
                   device.warp_size = known(kWarp);
                   if (known(kMajor)) {
                     device.compute_capability =
                         std::to_string(row.integer(kMajor)) + "." + std::to_string(row.integer(kMinor));
                   }
                   run.devices.push_back(std::move(device));
                 });
  std::sort(run.devices.begin(), run.devices.end(), [](const Device& a, const Device& b) { return a.id < b.id; });
}

/// A figure in the data of a record of the environment.
struct Figure {
  int64_t kind;  // of the record
  size_t at;     // of its bytes
  const char* name;
  double scale;
};
constexpr std::array<Figure, 6> kFigures{{{1, 0, "SM clock (MHz)", 1},
                                          {1, 4, "memory clock (MHz)", 1},
                                          {2, 0, "temperature (C)", 1},
                                          {3, 0, "power (W)", 1e-3},
                                          {3, 4, "power limit (W)", 1e-3},
                                          {4, 0, "fan speed (%)", 1}}};

}  // namespace

void read_facts(Assembler& assembler) {
  assembler.each("StringTable", {"_id_", "value"}, [&](Row& row) { assembler.add_text(row.integer(0), row.text(1)); });
  assembler.each("Version", {"version"}, [&](Row& row) { assembler.run.format_version = row.text(0); });
  read_devices(assembler);
}

void read_counters(Assembler& assembler) {
  Counters& counters = assembler.run.timeline.counters;
  std::map<std::pair<int32_t, const Figure*>, uint32_t> tracks;
  enum { kTime, kDevice, kKind, kData };
  assembler.each_event(
      "CUPTI_ACTIVITY_KIND_ENVIRONMENT", {"timestamp", "deviceId", "environmentKind", "data"}, [&](Row& row) {
        const int64_t time = row.integer(kTime);
        const int32_t device = Assembler::device(row, kDevice);
        const std::string data(row.text(kData));
        bool kept = false;
        for (const Figure& figure : kFigures) {
          const auto value = number_at(data, figure.at);
          if (figure.kind != row.integer(kKind) || !value || time == 0 || !is_time(time)) continue;
          const auto [at, added] = tracks.try_emplace({device, &figure}, static_cast<uint32_t>(counters.tracks.size()));
          if (added) counters.tracks.push_back({"GPU " + std::to_string(device), figure.name});
          counters.track.push_back(at->second);
          counters.time.push_back(time);
          counters.value.push_back(*value * figure.scale);
          kept = true;
        }
        if (!kept) return assembler.skip("skipped_event", "samples without a time or value were left out");
        ++assembler.run.events.counters;
      });
}

namespace {

void read_names(Assembler& assembler) {
  Timeline& timeline = assembler.run.timeline;
  enum { kKind, kObject, kName };
  assembler.each("CUPTI_ACTIVITY_KIND_NAME", {"objectKind", "objectId", "name"}, [&](Row& row) {
    const int64_t kind = row.integer(kKind);
    const auto object = object_of(kind, row.text(kObject));
    if (!object) return;
    const std::string name(timeline.names[assembler.text(row, kName)]);
    for (const auto& [thread, track] : assembler.threads()) {
      if (thread.first != object->first) continue;
      if (kind == Object::process) timeline.tracks[track].process_name = name;
      if (kind == Object::thread && thread.second == object->second) timeline.tracks[track].thread_name = name;
    }
    if (kind != Object::stream) return;
    for (Track& track : timeline.tracks) {
      const bool is_it = track.kind == TrackKind::device_stream &&
                         track.process == "GPU " + std::to_string(object->first) &&
                         track.thread == "stream " + std::to_string(object->third);
      if (is_it) track.thread_name = name;
    }
  });
}

void note_processes(Assembler& assembler) {
  std::set<uint32_t> processes;
  for (const auto& [thread, track] : assembler.threads()) processes.insert(thread.first);
  assembler.run.notes.add(
      "missing_process", processes.size() > 1,
      "the file holds several processes and does not say which of them launched a device op; they were joined as if of "
      "one process, which is wrong where ids of calls repeat");
}

}  // namespace

void finish(Assembler& assembler) {
  Run& run = assembler.run;
  // CUPTI counts from 1970 on most systems, and from the start of the machine on others.
  constexpr int64_t kAfterStart = int64_t{1'000'000'000} * 1'000'000'000;  // the year 2001
  const std::vector<int64_t>& starts = run.timeline.slices.start;
  run.clock_is_unix = !starts.empty() && *std::min_element(starts.begin(), starts.end()) > kAfterStart;
  read_names(assembler);
  note_processes(assembler);
  note_unread_tables(assembler.tables, assembler.read_tables(), {"start", "timestamp", "correlationId"}, run.notes);
}

}  // namespace cgpu::nvprof
