// Ascend's msprof. Options: "Collecting AI Job Runtime Profile Data" of the CANN documentation.
#include "record/collector.h"

namespace cgpu {

namespace collect_msprof {

namespace {

std::string why_not(const RecordContext& context) {
  if (!context.machine.has("msprof")) return "msprof is not on PATH: source the set_env.sh of the CANN toolkit";
  if (context.request.delay || context.request.duration)
    return "msprof records whole programs: leave out --delay and --duration";
  return "";
}

RecordPlan plan(const RecordContext& context) {
  const RecordSet set = context.request.set;
  RecordPlan plan;
  plan.command = {"msprof",         "--output=" + context.base + ".msprof",
                  "--ascendcl=on",  "--runtime-api=on",
                  "--task-time=on", std::string("--ai-core=") + (set == RecordSet::quick ? "off" : "on")};
  if (set == RecordSet::full) append(plan.command, {"--aicpu=on", "--sys-hardware-mem=on"});
  append_program_with_own_output(plan, context);
  plan.profile = context.base + ".msprof";
  return plan;
}

}  // namespace

}  // namespace collect_msprof

const Collector kMsprofCollector{
    "msprof", "msprof: the timeline of Ascend devices", "", collect_msprof::why_not, collect_msprof::plan, {}};

}  // namespace cgpu
