// Linux perf: samples of call stacks. Options: perf-record(1), perf-script(1).
#include <utility>

#include "readers/common/outside_program.h"
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
  return "";
}

/// Whether perf can record how long threads wait: with BPF, which it must have been built with, as root.
bool has_off_cpu(const Machine& machine) {
  return machine.is_root &&
         run_quietly({"sh", "-c", "perf version --build-options | grep -q 'bpf_skeletons: *.* on '"}) == 0;
}

/// What all ways of recording have in common.
RecordPlan sampling(const RecordContext& context) {
  const std::string data = context.work_base + ".perf.data";
  RecordPlan plan;
  plan.command = {"perf", "record", "--quiet", "-F", "499", "-o", data};
  // Without counters of the processor, as in virtual machines, perf would fall back by itself, and some versions say
  // so.
  append(plan.command, {"-e", context.machine.has_processor_counters ? "cycles" : "cpu-clock"});
  if (!context.machine.has_processor_counters)
    plan.remarks.emplace_back("this machine shows no counters of the processor: perf samples by time (cpu-clock)");
  if (context.request.set != RecordSet::quick) {
    if (has_off_cpu(context.machine)) {
      plan.command.emplace_back("--off-cpu");
    } else {
      plan.remarks.emplace_back(
          "waiting is not recorded: perf --off-cpu needs root, and a perf built with BPF (perf version --build-options)");
    }
  }
  // Python's functions have no frame pointers; its perf trampolines (3.12) are found by unwinding.
  append(plan.command, context.program.is_python ? std::vector<std::string>{"--call-graph", "dwarf"}
                                                 : std::vector<std::string>{"-g"});
  plan.has_separate_output = true;
  plan.profile = context.base + ".perf.txt";
  // Inlined functions are left out: perf asks addr2line for them, which takes minutes for large programs.
  plan.follow_ups.push_back({{"perf", "script", "--no-inline", "-i", data}, plan.profile});
  return plan;
}

/// perf looks at the program from beside: it ends programs that it has started itself when somebody presses Ctrl-C, or
/// when its time is over. The program begins when perf is ready, so that nothing is missed.
RecordPlan plan(const RecordContext& context) {
  const RecordRequest& request = context.request;
  RecordPlan plan = sampling(context);
  plan.has_separate_output = false;
  plan.waits_for_beside = true;
  plan.beside = std::exchange(plan.command, request.command);
  append(plan.beside, request.set == RecordSet::full ? std::vector<std::string>{"--all-cpus"}
                                                     : std::vector<std::string>{"-p", "{pid}"});
  const int64_t delay = request.delay.value_or(0);
  if (delay > 0) append(plan.beside, {"-D", whole_units(delay, kMillisecond)});
  const std::string wait = request.duration ? "exec sleep " + seconds_text(delay + *request.duration)
                                            : "while kill -0 {pid} 2>/dev/null; do sleep 0.2; done";
  append(plan.beside, {"--", "sh", "-c", "kill -CONT {pid}; " + wait});
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
                               "FOLDER/.recorder/*.perf.data of Python programs holds pieces of their stacks, where "
                               "arguments and environment are: delete it before you pass the folder on",
                               collect_perf::why_not,
                               collect_perf::plan,
                               collect_perf::kFailures,
                               collect_perf::attach};

}  // namespace cgpu
