#include "header.h"

#include <fmt/format.h>

#include <algorithm>

namespace cgpu::builder {

namespace {

struct DeviceFacts {
  std::string_view name;
  int64_t memory;
  int major, minor, registers, warp;
  int shared, multiprocessors;
  std::string_view more;  // members that only this vendor writes
};

DeviceFacts device_facts(Era era, Vendor vendor) {
  if (vendor == Vendor::amd) {
    return {"AMD Instinct MI300X",
            206'141'652'992,
            9,
            4,
            131'072,
            64,
            65'536,
            304,
            R"("maxSharedMemoryPerMultiProcessor": 65536)"};
  }
  constexpr std::string_view kVolta =
      R"("regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 98304, "sharedMemPerMultiprocessor": 98304)";
  constexpr std::string_view kLater =
      R"("regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472)";
  switch (era) {
    case Era::y2021:
      return {"Tesla V100-SXM2-32GB", 34'079'637'504, 7, 0, 65'536, 32, 49'152, 80, kVolta};
    case Era::y2024:
      return {"NVIDIA H100 80GB HBM3", 84'929'347'584, 9, 0, 65'536, 32, 49'152, 132, kLater};
    default:
      return {"NVIDIA B200", 191'503'138'816, 10, 0, 65'536, 32, 49'152, 148, kLater};
  }
}

std::string device_list(const DeviceFacts& d, int count) {
  std::string text = "[";
  for (int id = 0; id < count; ++id) {
    text += fmt::format(
        "{}\n    {{\n      \"id\": {}, \"name\": \"{}\", \"totalGlobalMem\": {},\n      \"computeMajor\": {}, "
        "\"computeMinor\": {},\n      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n      "
        "\"regsPerBlock\": {}, \"warpSize\": {},\n      \"sharedMemPerBlock\": {}, \"numSms\": {}, {}\n    }}",
        id == 0 ? "" : ",", id, d.name, d.memory, d.major, d.minor, d.registers, d.warp, d.shared, d.multiprocessors,
        d.more);
  }
  return text + "\n  ]";
}

std::string distributed_info(const Options& options, int rank, const std::vector<Communicator>& groups) {
  Members members;
  members.add("backend", "nccl").add("rank", rank).add("world_size", options.ranks);
  std::vector<std::string> list;
  for (const Communicator& group : groups) {
    if (std::count(group.ranks.begin(), group.ranks.end(), rank) == 0) continue;
    Members one;
    one.add("pg_name", group.name).add("pg_desc", group.description).add("backend_config", "cuda:nccl");
    one.add("pg_size", static_cast<int64_t>(group.ranks.size()));
    one.raw("ranks", fmt::format("[{}]", fmt::join(group.ranks, ", ")));
    list.push_back("{" + one.text() + "}");
  }
  members.add("pg_count", static_cast<int64_t>(list.size()))
      .raw("pg_config", fmt::format("[{}]", fmt::join(list, ", ")));
  members.add("nccl_version", options.era == Era::y2024 ? "2.20.5" : "2.27.3");
  return "{" + members.text() + "}";
}

}  // namespace

std::string_view device_name(Era era, Vendor vendor) {
  return device_facts(era, vendor).name;
}

Members header_members(const Options& options, int rank, const std::vector<Communicator>& groups) {
  Members header;
  header.add("schemaVersion", 1);
  header.raw("deviceProperties",
             device_list(device_facts(options.era, options.vendor), std::min(8, std::max(options.ranks, 1))));
  // In 2021 a trace did not say which rank it was of; its file name did.
  if (options.era == Era::y2021) return header;
  if (options.era == Era::y2026) {
    if (options.vendor == Vendor::nvidia) {
      header.add("cupti_version", 26).add("cuda_runtime_version", 12'080).add("cuda_driver_version", 12'090);
    }
    header.add("host_name", "node-0").add("profile_memory", 1).add("with_stack", 1);
  }
  header.add("record_shapes", 1);
  header.raw("distributedInfo", distributed_info(options, rank, groups));
  if (options.era == Era::y2026) header.add("displayTimeUnit", "ms").add("baseTimeNanoseconds", base_time(options.era));
  return header;
}

Members footer_members(const Options& options, int rank) {
  Members footer;
  if (options.era == Era::y2021) return footer;
  footer.add("traceName", fmt::format("/tmp/rank-{}.pt.trace.json", rank));
  if (options.era == Era::y2024) footer.add("displayTimeUnit", "ms").add("baseTimeNanoseconds", base_time(options.era));
  return footer;
}

void write_epilogue(const Options& options, int rank, const Machine& machine, KinetoWriter& writer) {
  const int64_t start = start_of_run(options.era);
  const int64_t end = machine.now() - start;
  const auto describe = [&](const Row& row, std::string_view name, std::string_view labels, int64_t order) {
    writer.metadata("process_name", row, start, Members().add("name", name));
    writer.metadata("process_labels", row, start, Members().add("labels", labels));
    writer.metadata("process_sort_index", row, start, Members().add("sort_index", order));
  };
  const std::string process = std::to_string(process_of(rank));
  describe({process, "0"}, "python3", "CPU", process_of(rank));
  for (int device = 0; device < 8; ++device) {
    describe({std::to_string(device), "0"}, "python3", fmt::format("GPU {}", device), 5'000'000 + device);
  }
  int64_t order = 0;
  for (const Row& row : machine.host_rows()) {
    writer.metadata("thread_name", row, start, Members().add("name", fmt::format("thread {} (python3)", ++order)));
    writer.metadata("thread_sort_index", row, start, Members().add("sort_index", order));
  }
  for (const Stream& stream : machine.streams()) {
    writer.metadata("thread_name", stream.row, start, Members().add("name", fmt::format("stream {}", stream.id)));
    writer.metadata("thread_sort_index", stream.row, start, Members().add("sort_index", stream.id));
  }
  const char* spans = options.era == Era::y2021 ? "\"Traces\"" : "\"Spans\"";
  writer.slice("Trace", "PyTorch Profiler (0)", {spans, "\"PyTorch Profiler\""}, start, end,
               Members().add("Op count", 0));
  writer.metadata("process_sort_index", {spans, "0"}, start, Members().add("sort_index", 536'870'912));
  writer.instant("", "Iteration Start: PyTorch Profiler", {"\"Traces\"", "\"Trace PyTorch Profiler\""}, start, "g", {});
  writer.instant("", "Record Window End", {"\"\"", "\"\""}, start + end, "g", {});
}

}  // namespace cgpu::builder
