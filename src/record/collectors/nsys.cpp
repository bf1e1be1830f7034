// Nsight Systems. Options: "CLI Profile Command Switch Options" of its User Guide.
#include "record/collector.h"
#include "record/recorder_in_program.h"

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
  const RecordRequest& request = context.request;
  if (!request.skip && !request.steps) return "";
  if (request.delay || request.duration || !request.ranges.empty()) {
    return "it records steps, a span of time or ranges: leave out --skip and --steps, or --delay, --duration and --ranges";
  }
  const std::string hindrance = why_no_torch_recorder(context.program);
  if (hindrance.empty()) return "";
  return "it counts steps of PyTorch programs only, and " + hindrance;
}

/// Whether steps are recorded, which the recorder of PyTorch programs finds, and not the whole run.
bool records_steps(const RecordContext& context) {
  const RecordRequest& request = context.request;
  if (request.skip || request.steps) return true;
  return context.program.imports_torch && why_no_torch_recorder(context.program).empty() && !request.delay &&
         !request.duration && request.ranges.empty();
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
  if (records_steps(context)) {
    append(plan.command, {"--capture-range=cudaProfilerApi", "--capture-range-end=stop"});
    add_torch_recorder(plan, context, true);
    plan.without_profile =
        "no step was recorded: --duration 10s records a span of time, --ranges NAME the ranges of that name";
    plan.remarks.push_back("steps of the program are recorded; --delay or --duration: a span of time");
  }
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
    .counts_steps = true,
    .takes_ranges = true};

}  // namespace cgpu
