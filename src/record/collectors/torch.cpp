// PyTorch's own profiler, started inside the program by the modules of ../torch/, which Python finds on PYTHONPATH.
#include "base/environment.h"
#include "record/collector.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace collect_torch {

namespace {

std::string why_not(const RecordContext& context) {
  if (!context.program.is_python) return "the program is not run by Python";
  if (context.program.has_no_site)
    return "python -S reads no sitecustomize, by which the recorder is started: leave out -S";
  if (context.program.ignores_environment) {
    return "python -I and -E ignore PYTHONPATH, by which the recorder is started: leave them out, or write python -I -m "
           "cgpu.record SCRIPT, with the package cgpu installed";
  }
  return "";
}

std::string_view text_of(RecordSet set) {
  if (set == RecordSet::quick) return "quick";
  return set == RecordSet::normal ? "normal" : "full";
}

/// What ../torch/cgpu_torch_recorder/settings.py reads.
std::string settings_of(const RecordContext& context) {
  const RecordRequest& request = context.request;
  JsonTextWriter json;
  json.begin_object().member("folder", context.folder).member("set", text_of(request.set));
  if (request.skip) json.member("skip", *request.skip);
  if (request.steps) json.member("steps", *request.steps);
  if (request.delay) json.member("delay_s", static_cast<double>(*request.delay) / 1e9);
  if (request.duration) json.member("duration_s", static_cast<double>(*request.duration) / 1e9);
  if (!request.ranges.empty()) json.member("ranges", request.ranges);
  if (!request.ranks.empty()) json.member("ranks", request.ranks);
  json.end_object();
  return std::move(json).text();
}

RecordPlan plan(const RecordContext& context) {
  RecordPlan plan;
  plan.command = context.request.command;
  const std::string path = environment("PYTHONPATH");
  plan.environment.emplace_back("CGPU_RECORD", settings_of(context));
  plan.environment.emplace_back("PYTHONPATH", path.empty() ? context.work : context.work + ":" + path);
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
