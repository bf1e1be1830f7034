// Nsight Systems. Options: "CLI Profile Command Switch Options" of its User Guide.
#include "record/collector.h"

namespace cgpu {

namespace collect_nsys {

namespace {

constexpr KnownFailure kFailures[]{
    {"not recognised", "this version of nsys does not know an option: nsys --version; 2023.1 or later is needed"},
    {"unrecognised option", "this version of nsys does not know an option: nsys --version; 2023.1 or later is needed"},
    {"ERR_NVGPUCTRPERM", "metrics of the GPU need permission: run as root, or leave out --set full"},
};

std::string why_not(const RecordContext& context) {
  if (!context.machine.has("nsys")) return "nsys is not on PATH: install Nsight Systems";
  return "";
}

RecordPlan plan(const RecordContext& context) {
  const RecordRequest& request = context.request;
  const bool samples = request.set != RecordSet::quick;
  RecordPlan plan;
  plan.command = {"nsys",
                  "profile",
                  "--output=" + context.base,
                  "--trace=" + std::string(context.job.is_parallel() ? "cuda,nvtx,osrt,mpi" : "cuda,nvtx,osrt"),
                  "--sample=" + std::string(samples ? "process-tree" : "none"),
                  "--cpuctxsw=" + std::string(samples ? "process-tree" : "none"),
                  "--cuda-graph-trace=node",
                  "--kill=none"};  // the program goes on behind the end of the recording
  if (request.set == RecordSet::full) append(plan.command, {"--gpu-metrics-devices=all", "--cuda-memory-usage=true"});
  if (!request.ranges.empty()) {
    append(plan.command, {"--capture-range=nvtx", "--nvtx-capture=" + request.ranges,
                          "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0", "--capture-range-end=stop"});
  }
  if (request.delay) plan.command.push_back("--delay=" + whole_units(*request.delay, kSecond));
  if (request.duration) plan.command.push_back("--duration=" + whole_units(*request.duration, kSecond));
  append_program_with_own_output(plan, context);
  plan.environment.emplace_back("TMPDIR", context.work);  // a full /tmp loses the recording
  plan.profile = context.base + ".nsys-rep";
  return plan;
}

}  // namespace

}  // namespace collect_nsys

const Collector kNsysCollector{
    .name = "nsys",
    .about = "Nsight Systems: the timeline of NVIDIA devices",
    .caution = "the report holds the environment of the program, as Nsight Systems writes it",
    .why_not = collect_nsys::why_not,
    .plan = collect_nsys::plan,
    .failures = collect_nsys::kFailures,
    .takes_ranges = true};

}  // namespace cgpu
