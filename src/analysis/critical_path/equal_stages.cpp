#include "analysis/critical_path/equal_stages.h"

#include "analysis/common/order_statistics.h"
#include "analysis/critical_path/step_of_work.h"
#include "analysis/device/device_ops.h"
#include "analysis/ranks/pipeline_stages.h"
#include "analysis/ranks/pipelines.h"

namespace cgpu {

namespace {

/// By run, a number for all ranks of one stage.
std::vector<int64_t> stages_of(const Session& session) {
  std::vector<int64_t> stages;
  for (const std::optional<int64_t>& stage : pipeline_stages(session)) {
    stages.push_back(stage.value_or(-1 - static_cast<int64_t>(stages.size())));
  }
  return stages;
}

}  // namespace

std::string EqualStages::why_unknown(const SessionFacts& whole) {
  if (!is_pipeline(whole)) return "no ranks send work on to each other, as the stages of a pipeline do";
  for (const CollectiveSeries& series : whole.collectives()) {
    if (!passes_work_on(series) || series.members.size() > 1) continue;
    return "some sends and receives have no counterpart, so that how long stages wait for each other is not known: give "
           "all ranks, of a profiler that records which ranks a transfer is between";
  }
  if (share_without_launch(whole.session()) > 0.5) {
    return "most device ops have no launch in these profiles, so that a replay leaves them where they began: record the "
           "calls of the host, too";
  }
  return "";
}

EqualStages::EqualStages(const SessionFacts& whole) : facts_(whole) {
  const size_t runs = whole.session().runs.size();
  const std::vector<int64_t> stages = stages_of(whole.session());
  std::vector<std::map<int64_t, int64_t>> compute(runs);  // ns
  for (size_t run = 0; run < runs; ++run) {
    const Timeline& t = whole.run(run).timeline;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] != OpKind::compute) return;
      if (const auto step = step_of_op(whole, run, slice)) compute[run][*step] += t.slices.duration[slice];
    });
  }
  std::map<int64_t, std::map<int64_t, std::vector<double>>> of_stages;  // by step, by stage: of its ranks
  for (size_t run = 0; run < runs; ++run) {
    for (const auto& [step, time] : compute[run]) of_stages[step][stages[run]].push_back(static_cast<double>(time));
  }
  factors_.resize(runs);
  for (const auto& [step, by_stage] : of_stages) {
    std::vector<double> means;
    for (const auto& [stage, times] : by_stage) means.push_back(mean_of(times));
    for (size_t run = 0; run < runs; ++run) {
      if (!compute[run].contains(step)) continue;
      const double own = mean_of(by_stage.at(stages[run]));
      if (own > 0) factors_[run][step] = mean_of(means) / own;
    }
  }
}

void EqualStages::scale_ops(size_t run, std::vector<float>& factor_of_slice) const {
  const Timeline& t = facts_.run(run).timeline;
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    if (t.device_ops.kind[op] != OpKind::compute) return;
    const auto step = step_of_op(facts_, run, slice);
    const auto found = step ? factors_[run].find(*step) : factors_[run].end();
    if (found != factors_[run].end()) factor_of_slice[slice] *= static_cast<float>(found->second);
  });
}

}  // namespace cgpu
