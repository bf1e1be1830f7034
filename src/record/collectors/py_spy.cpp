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

std::string profile_of(const RecordContext& context) {
  return context.base + ".py-spy.speedscope.json";
}

std::vector<std::string> spy(const RecordContext& context, const std::string& process) {
  const RecordRequest& request = context.request;
  std::vector<std::string> words{"py-spy", "record", "--pid",          process,    "--format",         "speedscope",
                                 "--rate", "100",    "--subprocesses", "--output", profile_of(context)};
  if (request.set != RecordSet::quick) words.emplace_back("--native");
  if (request.set == RecordSet::full) append(words, {"--threads", "--idle"});
  if (request.duration) append(words, {"--duration", whole_units(*request.duration, kSecond)});
  return words;
}

RecordPlan plan(const RecordContext& context) {
  RecordPlan plan;
  plan.command = context.request.command;
  plan.beside = spy(context, "{pid}");
  plan.profile = profile_of(context);
  return plan;
}

RecordPlan attach(const RecordContext& context) {
  RecordPlan plan;
  plan.command = spy(context, std::to_string(*context.request.attach));
  plan.has_separate_output = true;
  plan.profile = profile_of(context);
  return plan;
}

}  // namespace

}  // namespace collect_py_spy

const Collector kPySpyCollector{"py-spy",
                                "py-spy: sampled stacks of Python programs",
                                "the profile holds the command lines of the program's processes, as py-spy writes them",
                                collect_py_spy::why_not,
                                collect_py_spy::plan,
                                collect_py_spy::kFailures,
                                collect_py_spy::attach};

}  // namespace cgpu
