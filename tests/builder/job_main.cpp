// job_builder: the summaries of a simulated job of thousands of ranks (job.h), made by the library as `cgpu summarize`
// makes them, each of a trace that lies in shared memory meanwhile; the traces of some ranks; and the truth.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/threads.h"
#include "gate/summarize.h"
#include "job.h"

namespace {

namespace fs = std::filesystem;
using cgpu::builder::Job;

void write(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

/// A folder of shared memory that vanishes with the object.
class SharedFolder {
 public:
  SharedFolder() : path_(fmt::format("/dev/shm/cgpu-job-{}", ::getpid())) { fs::create_directory(path_); }
  ~SharedFolder() { fs::remove_all(path_); }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::string summary_of(const std::string& name, const std::string& trace, bool with_host) const {
    const fs::path path = path_ / name;
    write(path, trace);
    cgpu::OpenOptions open;
    open.inputs = {path.string()};
    open.threads = 1;
    std::string bytes = cgpu::summarize(cgpu::ProfileSource(open), with_host).bytes;
    fs::remove(path);
    return bytes;
  }

 private:
  fs::path path_;
};

nlohmann::ordered_json truth_of(const Job& job, const cgpu::builder::JobOptions& options) {
  const int ranks = options.ranks;
  std::vector<int64_t> offsets;
  std::vector<int64_t> drifts;
  std::vector<int64_t> rates;
  for (int rank = 0; rank < ranks; ++rank) {
    offsets.push_back(job.clock_offset(rank));
    drifts.push_back(job.clock_drift(rank));
    rates.push_back(job.clock_rate(rank));
  }
  const auto number = [](std::optional<int> known) {
    return known ? nlohmann::ordered_json(*known) : nlohmann::ordered_json();
  };
  return {{"ranks", ranks},
          {"stragglers", job.stragglers()},
          {"slow_machine", number(job.slow_machine())},
          {"slow_link", number(job.slow_link())},
          {"ranks_of_machine", cgpu::builder::kRanksOfMachine},
          {"machines_of_pod", cgpu::builder::kMachinesOfPod},
          {"stages", options.stages},
          {"slow_stage", number(options.slow_stage)},
          {"tensor_ranks", options.tensor_ranks},
          {"slow_tensor_group", number(options.slow_tensor_group)},
          {"slow_rack", number(options.slow_rack)},
          {"machines_of_rack", cgpu::builder::kMachinesOfRack},
          {"missing", job.missing()},
          {"duplicated", job.duplicated()},
          {"clock_offsets_ns", offsets},
          {"clock_drifts_ns", drifts},
          {"clock_rates_ppm", rates}};
}

void make_job(const cgpu::builder::JobOptions& options, const fs::path& out, const std::vector<int>& traces,
              unsigned threads) {
  const int together = std::max(options.tensor_ranks, cgpu::builder::kRanksOfMachine);
  if (options.stages > 1 && options.ranks % (options.stages * together) != 0) {
    throw std::runtime_error("the stages must have whole machines and tensor parallel groups");
  }
  const Job job(options);
  fs::create_directories(out / "summaries");
  if (!traces.empty()) fs::create_directories(out / "traces");
  for (const int rank : traces) write(out / "traces" / fmt::format("rank-{}.json", rank), job.trace_of(rank));
  const SharedFolder shared;
  std::mutex mutex;
  std::exception_ptr failed;
  const auto is_in = [](const std::vector<int>& all, int rank) {
    return std::find(all.begin(), all.end(), rank) != all.end();
  };
  cgpu::for_each_in_parallel(cgpu::thread_count(threads), static_cast<size_t>(options.ranks), [&](size_t i) {
    const int rank = static_cast<int>(i);
    if (is_in(job.missing(), rank)) return;
    try {
      std::vector<std::string> names = {fmt::format("rank-{}", rank)};
      if (is_in(job.duplicated(), rank)) names.push_back(names.front() + "-again");
      for (const std::string& name : names) {
        write(out / "summaries" / (name + ".cgpu"),
              shared.summary_of(name + ".json", job.trace_of(rank), options.racks));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
    }
  });
  if (failed) std::rethrow_exception(failed);
  write(out / "truth.json", truth_of(job, options).dump(1));
}

}  // namespace

int main(int argc, char** argv) {
  cgpu::builder::JobOptions options;
  std::string out;
  std::vector<int> traces;
  unsigned threads = 0;
  CLI::App app{
      "Writes the summaries of a simulated job of many ranks, and the truth about it. See tests/builder/README.md."};
  app.add_option("OUT", out, "The folder: summaries/, traces/, truth.json")->required();
  app.add_option("--ranks", options.ranks, "Ranks")->check(CLI::Range(24, 100'000))->capture_default_str();
  app.add_option("--steps", options.steps, "Iterations")->check(CLI::Range(1, 10'000))->capture_default_str();
  app.add_option("--layers", options.layers, "Layers of the model")->check(CLI::Range(1, 1'000))->capture_default_str();
  app.add_option("--seed", options.seed, "The same seed gives the same bytes")->capture_default_str();
  app.add_flag("--healthy", options.healthy,
               "Nothing is planted but what clocks show: the same noise, all ranks equal");
  app.add_flag("--without-stragglers", options.without_stragglers, "No rank computes longer");
  app.add_flag("--without-slow-machine", options.without_slow_machine, "No machine loads its input longer");
  app.add_flag("--without-slow-link", options.without_slow_link, "No machine has a slow link");
  app.add_option("--tensor-ranks", options.tensor_ranks, "Ranks that work on the same tensors")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--stages", options.stages, "Of the pipeline; 1: there is none")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--undescribed", options.undescribed, "The profiles do not say what their groups are for");
  app.add_option("--slow-stage", options.slow_stage, "One whose ranks compute longer, also of a healthy job");
  app.add_option("--slow-tensor-group", options.slow_tensor_group, "One whose collectives take longer, likewise");
  app.add_flag("--racks", options.racks, "The names of machines say in which rack they are, and are kept");
  app.add_option("--slow-rack", options.slow_rack, "One whose machines load their input longer, likewise");
  app.add_option("--drift-ppm", options.drift_ppm, "Most by which clocks of machines are faster or slower")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  app.add_option("--traces", traces, "Ranks whose traces are written, too")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  app.add_option("--threads", threads, "Threads to work with (default: all)");
  CLI11_PARSE(app, argc, argv);
  try {
    make_job(options, out, traces, threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "job_builder: %s\n", error.what());
    return 1;
  }
  return 0;
}
