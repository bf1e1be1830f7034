// py-spy, which looks into a running Python program from outside. Options: py-spy record --help.
#include "record/collector.h"

namespace cgpu {

namespace collect_py_spy {

namespace {

constexpr KnownFailure kFailures[]{
    {"Permission Denied", "py-spy may not trace the program: run as root, or sysctl kernel.yama.ptrace_scope=0"},
    {"Operation not permitted", "py-spy may not trace the program: run as root, or, in a container, allow SYS_PTRACE"},
    {"Failed to find python version", "py-spy does not know this version of Python: install a newer py-spy"},
    {"No such process", "the program ended before py-spy could look into it"},
    {"No space left on device", "the disk is full: choose another folder with -o"},
};

std::string why_not(const RecordContext& context) {
  const Machine& machine = context.machine;
  if (!context.program.is_python) return "the program is not run by Python";
  if (!machine.has("py-spy")) return "py-spy is not on PATH: pip install py-spy";
  if (machine.ptrace_scope > 1 && !machine.is_root) {
    return "the kernel forbids tracing (kernel.yama.ptrace_scope is " + std::to_string(machine.ptrace_scope) +
           "): run as root";
  }
  if (context.request.delay) return "py-spy records from the start: leave out --delay";
  return "";
}

RecordPlan plan(const RecordContext& context) {
  constexpr int64_t kSecond = 1'000'000'000;
  const RecordRequest& request = context.request;
  RecordPlan plan;
  plan.command = request.command;
  plan.profile = context.base + ".py-spy.speedscope.json";
  plan.beside = {"py-spy", "record", "--pid",          "{pid}",    "--format",  "speedscope",
                 "--rate", "100",    "--subprocesses", "--output", plan.profile};
  if (request.set != RecordSet::quick) plan.beside.emplace_back("--native");
  if (request.set == RecordSet::full) append(plan.beside, {"--threads", "--idle"});
  if (request.duration) append(plan.beside, {"--duration", whole_units(*request.duration, kSecond)});
  return plan;
}

}  // namespace

}  // namespace collect_py_spy

const Collector kPySpyCollector{"py-spy",
                                "py-spy: sampled stacks of Python programs",
                                "",
                                collect_py_spy::why_not,
                                collect_py_spy::plan,
                                collect_py_spy::kFailures};

}  // namespace cgpu
