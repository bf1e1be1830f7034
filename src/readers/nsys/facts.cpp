#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/credentials.h"
#include "model/time_range.h"
#include "readers/nsys/tables.h"

namespace cgpu::nsys {

namespace {

/// What is worth showing of the recording's options. Everything else stays in the file: it holds the environment of the
/// program.
struct Option {
  std::string_view ending;
  const char* key;
};
constexpr std::array<Option, 6> kOptions{{{"CUDA_GRAPH_TRACE_OPTIONS:MODE", "cuda_graph_trace"},
                                          {"CUDA_SKIP_SOME_API_CALLS", "skip_some_api_calls"},
                                          {"COLLECT_GPU_MEMORY_USAGE", "gpu_memory_usage"},
                                          {"OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS", "os_calls_threshold_ns"},
                                          {"LINUX_PERF_OPTIONS:SAMPLING_PERIOD", "cpu_sampling_period"},
                                          {"LINUX_PERF_OPTIONS:COLLECTION_MODE", "cpu_collection_mode"}}};

void add_metadata(Run& run, const std::string& key, std::string_view value) {
  if (value.empty() || is_secret_value(value)) return;
  const bool known =
      std::any_of(run.metadata.begin(), run.metadata.end(), [&](const auto& m) { return m.first == key; });
  if (!known) run.metadata.emplace_back(key, value);
}

void read_export(Assembler& assembler, bool& normalised) {
  Run& run = assembler.run;
  // The table was called the other way round until 2022.
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    assembler.each(table, {"name", "value"}, [&](Row& row) {
      const std::string name(row.text(0));
      const std::string_view value = row.text(1);
      if (name == "EXPORT_SCHEMA_VERSION") run.format_version = value;
      if (name == "EXPORT_PRODUCT_VERSION") add_metadata(run, "nsys_version", value);
      if (name == "EXPORT_TIME_UTC") add_metadata(run, "exported", value);
      if (name == "EXPORT_PARAM_TIME_NORMALIZE") normalised = value == "true";
    });
  }
}

void read_capture(Assembler& assembler) {
  Run& run = assembler.run;
  int64_t credentials = 0;
  bool skips_calls = false;
  assembler.each("META_DATA_CAPTURE", {"name", "value"}, [&](Row& row) {
    const std::string name(row.text(0));
    const std::string_view value = row.text(1);
    if (name.find("ENVIRONMENT") != std::string::npos) {
      ++credentials;
      return;
    }
    if (is_secret_key(name) || is_secret_value(value)) ++credentials;
    if (name.ends_with("CUDA_SKIP_SOME_API_CALLS") && value == "true") skips_calls = true;
    for (const Option& option : kOptions) {
      if (name.ends_with(option.ending)) add_metadata(run, option.key, value);
    }
  });
  run.notes.add("credentials_present", credentials,
                "environment variables or values that look like credentials are in the file's metadata; they are not "
                "shown here, but anybody with the file can read them");
  run.notes.add(
      "missing_calls", skips_calls,
      "the profiler left out some API calls that cost little (its default): counts of calls are not complete");
}

void read_clock(Assembler& assembler, bool normalised) {
  Run& run = assembler.run;
  if (normalised) run.clock_is_unix = true;
  assembler.each("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](Row& row) {
    const int64_t epoch = row.integer(0);
    if (normalised || run.clock_is_unix || epoch <= 0 || !is_time(epoch)) return;
    run.clock_is_unix = true;
    run.clock_base = epoch;
  });
}

void read_devices(Assembler& assembler) {
  Run& run = assembler.run;
  enum { kId, kName, kMultiprocessors, kMemory, kWarp, kMajor, kMinor };
  assembler.each(
      "TARGET_INFO_GPU", {"id", "name", "smCount", "totalMemory", "threadsPerWarp", "computeMajor", "computeMinor"},
      [&](Row& row) {
        const int64_t id = row.integer(kId);
        if (id < 0 || id > INT32_MAX) return;
        const auto known = [&](int column) {
          const int64_t value = row.integer(column);
          return value > 0 ? std::optional<int64_t>(value) : std::nullopt;
        };
        Device device;
        device.id = static_cast<int32_t>(id);
        device.name = row.text(kName);
        device.vendor = "NVIDIA";
        device.sm_count = known(kMultiprocessors);
        device.memory_bytes = known(kMemory);
        device.warp_size = known(kWarp);
        if (known(kMajor)) {
          device.compute_capability = std::to_string(row.integer(kMajor)) + "." + std::to_string(row.integer(kMinor));
        }
        run.devices.push_back(std::move(device));
      });
  std::sort(run.devices.begin(), run.devices.end(), [](const Device& a, const Device& b) { return a.id < b.id; });
}

/// What the profiler said while it recorded: warnings and errors, and of the rest what tells of lost events.
void read_diagnostics(Assembler& assembler) {
  Run& run = assembler.run;
  enum : int64_t { kWarning = 2, kError = 3 };
  constexpr size_t kMostTexts = 50;
  std::map<std::pair<std::string, std::string>, int64_t> texts;
  int64_t more = 0;
  assembler.each("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](Row& row) {
    const int64_t severity = row.integer(0);
    if (severity != kWarning && severity != kError) return;
    std::string text(row.text(1));
    if (text.empty()) return;
    std::replace(text.begin(), text.end(), '\n', ' ');
    const bool lost = text.find("Not all") != std::string::npos || text.find("lost") != std::string::npos ||
                      text.find("dropped") != std::string::npos;
    const char* of_severity = severity == kError ? "profiler_error" : "profiler_warning";
    const std::pair<std::string, std::string> note(lost ? "lost_events" : of_severity, text);
    const bool known = texts.count(note) != 0;
    if (known || texts.size() < kMostTexts) {
      ++texts[note];
    } else {
      ++more;
    }
  });
  for (const auto& [note, count] : texts) {
    // "Not all NVTX events might have been collected" stands also where there were none: then nothing is lost.
    const auto& [code, text] = note;
    constexpr std::string_view kNotAll = "Not all ";
    const size_t kind_end = text.find(" events might");
    const bool might = text.starts_with(kNotAll) && kind_end != std::string::npos;
    const std::string none = might ? "No " + text.substr(kNotAll.size(), kind_end - kNotAll.size()) + " events" : "";
    const bool had_none =
        might && std::ranges::any_of(texts, [&](const auto& other) { return other.first.second.starts_with(none); });
    run.notes.add(had_none ? "profiler_warning" : code, count, "the profiler says: " + text);
  }
  run.notes.add("profiler_warning", more, "further warnings and errors of the profiler are not listed");
}

/// The numbers of GPUs for the ordinals of processes. Before 2023 files say them once for the machine, not of each
/// process; of several machines they say nothing then.
DeviceNumbers read_device_numbers(Assembler& assembler) {
  DeviceNumbers numbers;
  assembler.each("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}, [&](Row& row) {
    numbers.try_emplace({row.integer(0), row.integer(1)}, row.integer(2));
  });
  if (!numbers.empty()) return numbers;
  bool are_unique = true;
  assembler.each("TARGET_INFO_GPU", {"cuDevice", "id"}, [&](Row& row) {
    if (row.is_null(0) || row.is_null(1) || row.integer(0) < 0) return;
    are_unique &= numbers.try_emplace({kAnyProcess, row.integer(0)}, row.integer(1)).second;
  });
  return are_unique ? numbers : DeviceNumbers();
}

}  // namespace

DeviceNumbers read_facts(Assembler& assembler) {
  assembler.each("StringIds", {"id", "value"}, [&](Row& row) { assembler.names.add(row.integer(0), row.text(1)); });
  bool normalised = false;
  read_export(assembler, normalised);
  read_capture(assembler);
  read_clock(assembler, normalised);
  read_devices(assembler);
  read_diagnostics(assembler);
  assembler.each("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](Row& row) {
    if (row.text(0) == "Hostname") assembler.run.host = row.text(1);
  });
  return read_device_numbers(assembler);
}

namespace {

/// Metrics of network adapters and of switches: one sample an interval, shown at its start.
void read_network(Assembler& assembler, const std::string& table, const std::string& what) {
  if (!assembler.tables.has_rows(table)) return;
  std::map<std::pair<int64_t, int64_t>, std::string> metrics;
  assembler.each("TARGET_INFO_NETWORK_METRICS", {"metricsListId", "metricsIdx", "name"}, [&](Row& row) {
    metrics.try_emplace({row.integer(0), row.integer(1)}, row.text(2));
  });
  std::map<int64_t, std::string> adapters;
  assembler.each("TARGET_INFO_NIC_INFO", {"nicId", "name"},
                 [&](Row& row) { adapters.try_emplace(row.integer(0), row.text(1)); });
  Counters& counters = assembler.run.timeline.counters;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, uint32_t> tracks;
  enum { kStart, kDevice, kPort, kList, kMetric, kValue };
  assembler.each_event(table, {"start", "globalId", "portId", "metricsListId", "metricsIdx", "value"}, [&](Row& row) {
    if (row.is_null(kStart) || row.is_null(kValue) || !is_time(row.integer(kStart))) {
      return assembler.skip("skipped_event", "samples without a time or value were left out");
    }
    const int64_t device = row.integer(kDevice);
    const auto [at, added] = tracks.try_emplace({device, row.integer(kPort), row.integer(kList), row.integer(kMetric)},
                                                static_cast<uint32_t>(counters.tracks.size()));
    if (added) {
      const auto adapter = adapters.find(device);
      const auto name = metrics.find({row.integer(kList), row.integer(kMetric)});
      counters.tracks.push_back(
          {adapter == adapters.end() ? what + " " + std::to_string(device) : what + " " + adapter->second,
           (name == metrics.end() ? "metric " + std::to_string(row.integer(kMetric)) : name->second) +
               (row.is_null(kPort) ? "" : ", port " + std::to_string(row.integer(kPort)))});
    }
    counters.track.push_back(at->second);
    counters.time.push_back(row.integer(kStart));
    counters.value.push_back(row.real(kValue));
    ++assembler.run.events.counters;
  });
}

}  // namespace

void read_counters(Assembler& assembler) {
  read_network(assembler, "NET_NIC_METRIC", "NIC");
  read_network(assembler, "NET_IB_SWITCH_METRIC", "switch");
  if (!assembler.tables.has_rows("GPU_METRICS")) return;
  using Key = std::pair<int64_t, int64_t>;
  std::map<Key, std::string> metrics;
  assembler.each("TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, [&](Row& row) {
    metrics.try_emplace({row.integer(0), row.integer(1)}, row.text(2));
  });
  Counters& counters = assembler.run.timeline.counters;
  std::map<Key, uint32_t> tracks;
  enum { kTime, kType, kMetric, kValue };
  assembler.each_event("GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}, [&](Row& row) {
    if (row.is_null(kTime) || row.is_null(kValue) || !is_time(row.integer(kTime))) {
      return assembler.skip("skipped_event", "samples without a time or value were left out");
    }
    const Key key{row.integer(kType), row.integer(kMetric)};
    const auto [at, added] = tracks.try_emplace(key, static_cast<uint32_t>(counters.tracks.size()));
    if (added) {
      const auto name = metrics.find(key);
      constexpr int64_t kGpuOfType = 0xff;  // the GPU's number is the lowest byte of the type
      counters.tracks.push_back({"GPU " + std::to_string(key.first & kGpuOfType),
                                 name == metrics.end() ? "metric " + std::to_string(key.second) : name->second});
    }
    counters.track.push_back(at->second);
    counters.time.push_back(row.integer(kTime));
    counters.value.push_back(row.real(kValue));
    ++assembler.run.events.counters;
  });
}

void finish(Assembler& assembler) {
  Run& run = assembler.run;
  std::map<uint64_t, std::string> processes;
  assembler.each("PROCESSES", {"globalPid", "name"},
                 [&](Row& row) { processes.try_emplace(process_of(row.integer(0)), row.text(1)); });
  for (const auto& [thread, track] : assembler.threads()) {
    const auto name = processes.find(process_of(thread));
    if (name != processes.end()) run.timeline.tracks[track].process_name = name->second;
  }
  assembler.each("ThreadNames", {"globalTid", "nameId"}, [&](Row& row) {
    const auto thread = assembler.threads().find(row.integer(0));
    if (thread == assembler.threads().end()) return;
    std::string& name = run.timeline.tracks[thread->second].thread_name;
    if (name.empty()) name = assembler.names.text(row.integer(1));
  });
  for (const auto& [samples, thread] : assembler.sampled_threads()) {
    const Track& of = run.timeline.tracks[thread];
    Track& track = run.timeline.tracks[samples];
    track.process_name = of.process_name;
    track.thread_name = (of.thread_name.empty() ? "thread " + of.thread : of.thread_name) + " samples";
  }
  std::unordered_map<std::string, std::string> gpus;
  for (const Device& device : run.devices) gpus.emplace("GPU " + std::to_string(device.id), device.name);
  for (Track& track : run.timeline.tracks) {
    const auto gpu = gpus.find(track.process);
    if (gpu != gpus.end()) track.process_name = gpu->second;
  }
  note_unread_tables(assembler.tables, assembler.read_tables(), {"start", "timestamp"}, run.notes);
}

}  // namespace cgpu::nsys
