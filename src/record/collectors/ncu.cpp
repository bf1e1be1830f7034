// Nsight Compute. Options: "Command Line Options" of its CLI manual.
#include <fmt/format.h>

#include "record/collector.h"

namespace cgpu {

namespace collect_ncu {

namespace {

constexpr KnownFailure kFailures[]{
    {"ERR_NVGPUCTRPERM",
     "counters of the GPU need permission: run as root, or have the administrator set NVreg_RestrictProfilingToAdminUsers=0"},
    {"No kernels were profiled",
     "no kernel was launched behind --skip, or none that --kernels or --ranges name: give a smaller --skip, or other names"},
    {"No space left on device",
     "the disk is full: choose another folder with -o, or record fewer launches with --steps"},
};

std::string why_not(const RecordContext& context) {
  if (!context.machine.has("ncu")) return "ncu is not on PATH: install Nsight Compute";
  if (context.request.delay || context.request.duration) {
    return "Nsight Compute counts kernel launches, no time: give --skip and --steps in the place of --delay and --duration";
  }
  return "";
}

RecordPlan plan(const RecordContext& context) {
  constexpr int64_t kSkippedLaunches = 20;
  constexpr int64_t kMeasuredLaunches = 20;
  const RecordRequest& request = context.request;
  const char* set = request.set == RecordSet::quick ? "basic" : request.set == RecordSet::normal ? "detailed" : "full";
  RecordPlan plan;
  plan.command = {"ncu",
                  "--export",
                  context.base,
                  "--set",
                  set,
                  "--launch-skip",
                  fmt::format("{}", request.skip.value_or(kSkippedLaunches)),
                  "--launch-count",
                  fmt::format("{}", request.steps.value_or(kMeasuredLaunches)),
                  "--target-processes",
                  "all",
                  "--graph-profiling",
                  "node",
                  "--log-file",
                  context.work_base + ".log"};
  if (!request.ranges.empty()) append(plan.command, {"--nvtx", "--nvtx-include", request.ranges + "/"});
  if (!request.kernels.empty()) append(plan.command, {"--kernel-name", "regex:" + request.kernels});
  append(plan.command, request.command);
  plan.profile = context.base + ".ncu-rep";
  return plan;
}

}  // namespace

}  // namespace collect_ncu

const Collector kNcuCollector{.name = "ncu",
                              .about = "Nsight Compute: counters of single kernel launches",
                              .caution = "",
                              .why_not = collect_ncu::why_not,
                              .plan = collect_ncu::plan,
                              .failures = collect_ncu::kFailures,
                              .counts_steps = true,
                              .takes_ranges = true,
                              .takes_kernels = true};

}  // namespace cgpu
