// HPCToolkit: hpcrun, hpcstruct where binaries are to be analysed, hpcprof. Options: its User's Manual.
#include "record/collector.h"

namespace cgpu {

namespace collect_hpctoolkit {

namespace {

constexpr KnownFailure kFailures[]{
    {"No measurements", "hpcrun measured nothing: the program may be too short, or clear LD_PRELOAD"},
};

std::string why_not(const RecordContext& context) {
  for (const char* tool : {"hpcrun", "hpcprof"}) {
    if (!context.machine.has(tool)) return std::string(tool) + " is not on PATH: install HPCToolkit";
  }
  if (context.program.is_static) return "the program is linked statically, so that hpcrun cannot be loaded into it";
  if (context.request.delay || context.request.duration) {
    return "hpcrun records whole programs: leave out --delay and --duration";
  }
  return "";
}

RecordPlan plan(const RecordContext& context) {
  const RecordSet set = context.request.set;
  const std::string measurements = context.work + "/measurements";
  RecordPlan plan;
  plan.command = {"hpcrun", "-o", measurements, "-e", "CPUTIME", "-t"};
  const std::string sampling = set == RecordSet::full ? ",pc" : "";
  if (context.machine.nvidia) append(plan.command, {"-e", "gpu=cuda" + sampling});
  if (context.machine.amd) append(plan.command, {"-e", "gpu=rocm"});
  append(plan.command, context.request.command);
  if (set != RecordSet::quick) plan.follow_ups.push_back({{"hpcstruct", measurements}, ""});
  plan.profile = context.folder + "/hpctoolkit-database";
  plan.follow_ups.push_back({{"hpcprof", "-o", plan.profile, measurements}, ""});
  plan.once_for_job = true;
  return plan;
}

}  // namespace

}  // namespace collect_hpctoolkit

const Collector kHpctoolkitCollector{"hpctoolkit",
                                     "HPCToolkit: call paths of CPUs and devices",
                                     "",
                                     collect_hpctoolkit::why_not,
                                     collect_hpctoolkit::plan,
                                     collect_hpctoolkit::kFailures};

}  // namespace cgpu
