// For tests: traces of the ranks of a small job, in a folder.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace cgpu::test {

/// A folder of traces, one a rank, that vanishes with the object.
class TraceFolder {
 public:
  TraceFolder() {
    std::string name = "/tmp/cgpu-ranks-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  void add(const std::string& file, const std::string& text) const { std::ofstream(path_ / file) << text; }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string event_text(const std::string& category, const std::string& name, int process,
                              const std::string& thread, int64_t start_us, int64_t duration_us,
                              const std::string& arguments) {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )" + std::to_string(process) +
         R"(, "tid": )" + thread + R"(, "ts": )" + std::to_string(start_us) + R"(.250, "dur": )" +
         std::to_string(duration_us) + R"(.125, "args": {)" + arguments + "}},\n";
}

/// Steps of ops, launches, kernels, copies and an all-reduce, and a blocking host barrier that the ranks reach at
/// different times. The clock of a rank is off by `clock_us`.
inline std::string trace_of_rank(int rank, int ranks, int64_t clock_us) {
  std::mt19937_64 random(static_cast<uint64_t>(rank) + 99);
  const auto up_to = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  std::string events;
  int64_t correlation = 1;
  for (int step = 0; step < 4; ++step) {
    const int64_t begin = clock_us + 1'000'000 + step * 20'000;
    events += event_text("user_annotation", "ProfilerStep#" + std::to_string(step), 100, "1", begin, 19'000, "");
    for (int op = 0; op < 12; ++op) {
      const int64_t at = begin + 100 + op * 900 + up_to(100);
      events += event_text("cpu_op", op % 3 == 0 ? "aten::mm" : "aten::add_of_" + std::to_string(rank), 100, "1", at,
                           600, "");
      const std::string id = "\"correlation\": " + std::to_string(correlation++);
      events +=
          event_text("cuda_runtime", op % 4 == 3 ? "cudaMemcpyAsync" : "cudaLaunchKernel", 100, "1", at + 10, 20, id);
      if (op % 4 == 3) {
        events +=
            event_text("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, "7", at + 60 + up_to(50), 100 + up_to(200),
                       id + R"(, "device": 0, "stream": 7, "bytes": )" + std::to_string(1 << (10 + op)));
      } else {
        events += event_text("kernel", op % 3 == 0 ? "void gemm<float>(float*)" : "elementwise_kernel", 0, "7",
                             at + 60 + up_to(50), 200 + up_to(300), id + R"(, "device": 0, "stream": 7)");
      }
    }
    const std::string id = "\"correlation\": " + std::to_string(correlation++);
    const int64_t barrier = begin + 11'500 + up_to(400) * rank;
    events += event_text("cpu_op", "gloo:barrier", 100, "1", barrier,
                         clock_us + 1'000'000 + step * 20'000 + 14'000 - barrier, "");
    events += event_text("cuda_runtime", "cudaLaunchKernel", 100, "1", begin + 14'100, 20, id);
    const int64_t met = begin + 14'500 + up_to(300);
    events +=
        event_text("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, "20", met, begin + 16'000 - met,
                   id + R"(, "device": 0, "stream": 20, "Collective name": "allreduce", "In msg nelems": 4096, )" +
                       R"("Out msg nelems": 4096, "Group size": )" + std::to_string(ranks) +
                       R"(, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0]")");
  }
  events.resize(events.size() - 2);
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
         R"(, "world_size": )" + std::to_string(ranks) + R"(}, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
"traceEvents": [)" +
         events + "]}";
}

}  // namespace cgpu::test
