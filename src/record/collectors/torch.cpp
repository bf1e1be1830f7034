// PyTorch's own profiler, started inside the program by the modules of ../torch/, which Python finds on PYTHONPATH.
#include "record/collector.h"
#include "record/recorder_in_program.h"

namespace cgpu {

namespace collect_torch {

namespace {

std::string why_not(const RecordContext& context) {
  return why_no_torch_recorder(context.program);
}

RecordPlan plan(const RecordContext& context) {
  RecordPlan plan;
  plan.command = context.request.command;
  add_torch_recorder(plan, context, false);
  return plan;
}

}  // namespace

}  // namespace collect_torch

const Collector kTorchCollector{.name = "torch",
                                .about = "PyTorch's profiler, inside the program",
                                .caution = "",
                                .why_not = collect_torch::why_not,
                                .plan = collect_torch::plan,
                                .failures = {},
                                .is_inside = true,
                                .counts_steps = true,
                                .takes_ranges = true};

}  // namespace cgpu
