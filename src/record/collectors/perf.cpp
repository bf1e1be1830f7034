// Linux perf: samples of call stacks. Options: perf-record(1), perf-script(1).
#include "record/collector.h"

namespace cgpu {

namespace collect_perf {

namespace {

constexpr KnownFailure kFailures[]{
    {"No permission to enable", "perf may not sample: sysctl kernel.perf_event_paranoid=2, or run as root"},
    {"Access to performance monitoring and observability operations is limited",
     "perf may not sample: sysctl kernel.perf_event_paranoid=2, or run as root"},
    {"not found for the kernel", "perf is not of this kernel: install linux-tools of the version that uname -r says"},
};

std::string why_not(const RecordContext& context) {
  const Machine& machine = context.machine;
  if (!machine.has("perf")) return "perf is not on PATH: install linux-perf (Debian) or linux-tools (Ubuntu)";
  if (machine.perf_paranoid > 2 && !machine.is_root) {
    return "the kernel forbids sampling (kernel.perf_event_paranoid is " + std::to_string(machine.perf_paranoid) +
           "): sysctl kernel.perf_event_paranoid=2, or run as root";
  }
  if (context.request.duration && !context.request.attach)
    return "perf records to the end of the program: leave out --duration";
  return "";
}

/// What both ways of recording have in common.
RecordPlan sampling(const RecordContext& context) {
  const std::string data = context.work_base + ".perf.data";
  RecordPlan plan;
  plan.command = {"perf", "record", "--quiet", "-F", "499", "-o", data};
  // Without counters of the processor, as in virtual machines, perf would fall back by itself, and some versions say
  // so.
  append(plan.command, {"-e", context.machine.has_processor_counters ? "cycles" : "cpu-clock"});
  // Python's functions have no frame pointers; its perf trampolines (3.12) are found by unwinding.
  append(plan.command, context.program.is_python ? std::vector<std::string>{"--call-graph", "dwarf"}
                                                 : std::vector<std::string>{"-g"});
  plan.has_separate_output = true;
  plan.profile = context.base + ".perf.txt";
  plan.follow_ups.push_back({{"perf", "script", "-i", data}, plan.profile});
  return plan;
}

RecordPlan plan(const RecordContext& context) {
  const RecordRequest& request = context.request;
  RecordPlan plan = sampling(context);
  if (request.set == RecordSet::full) plan.command.emplace_back("--all-cpus");
  if (request.delay) append(plan.command, {"-D", whole_units(*request.delay, kMillisecond)});
  plan.command.emplace_back("--");
  append_program_with_own_output(plan, context);
  if (context.program.is_python) plan.environment.emplace_back("PYTHONPERFSUPPORT", "1");
  return plan;
}

RecordPlan attach(const RecordContext& context) {
  const RecordRequest& request = context.request;
  RecordPlan plan = sampling(context);
  append(plan.command, {"-p", std::to_string(*request.attach)});
  if (request.duration) append(plan.command, {"--", "sleep", seconds_text(*request.duration)});
  return plan;
}

}  // namespace

}  // namespace collect_perf

const Collector kPerfCollector{"perf",
                               "perf: sampled call stacks of the CPUs",
                               "",
                               collect_perf::why_not,
                               collect_perf::plan,
                               collect_perf::kFailures,
                               collect_perf::attach};

}  // namespace cgpu
