#include "record/recorder_in_program.h"

#include "base/environment.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

std::string_view text_of(RecordSet set) {
  if (set == RecordSet::quick) return "quick";
  return set == RecordSet::normal ? "normal" : "full";
}

/// What torch/cgpu_torch_recorder/settings.py reads.
std::string torch_settings(const RecordContext& context, bool is_outside) {
  const RecordRequest& request = context.request;
  JsonTextWriter json;
  json.begin_object().member("folder", context.folder).member("set", text_of(request.set));
  if (request.skip) json.member("skip", *request.skip);
  if (request.steps) json.member("steps", *request.steps);
  if (request.delay) json.member("delay_s", static_cast<double>(*request.delay) / 1e9);
  if (request.duration) json.member("duration_s", static_cast<double>(*request.duration) / 1e9);
  if (!request.ranges.empty()) json.member("ranges", request.ranges);
  if (!request.ranks.empty()) json.member("ranks", request.ranks);
  if (is_outside) json.member("is_outside", true).member("warm_up", 0);
  json.end_object();
  return std::move(json).text();
}

}  // namespace

std::string why_no_torch_recorder(const Program& program) {
  if (!program.is_python) return "the program is not run by Python";
  if (program.has_no_site) return "python -S reads no sitecustomize, by which the recorder is started: leave out -S";
  if (program.ignores_environment) {
    return "python -I and -E ignore PYTHONPATH, by which the recorder is started: leave them out, or write python -I -m "
           "cgpu.record SCRIPT, with the package cgpu installed";
  }
  return "";
}

void add_torch_recorder(RecordPlan& plan, const RecordContext& context, bool is_outside) {
  const std::string path = environment("PYTHONPATH");
  plan.has_torch_recorder = true;
  plan.environment.emplace_back("CGPU_RECORD", torch_settings(context, is_outside));
  plan.environment.emplace_back("PYTHONPATH", path.empty() ? context.work : context.work + ":" + path);
}

}  // namespace cgpu
