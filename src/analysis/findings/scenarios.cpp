#include "analysis/findings/scenarios.h"

#include <memory>

#include "analysis/device/device_ops.h"

namespace cgpu {

EdgeTimes::Scenario removed(std::initializer_list<BoundBy> kinds) {
  EdgeTimes::Scenario scenario;
  for (const BoundBy kind : kinds) scenario.removed.set(kind.number());
  return scenario;
}

EdgeTimes::Scenario scaled(OpFactors factors) {
  EdgeTimes::Scenario scenario;
  scenario.op_factor = [shared = std::make_shared<const OpFactors>(std::move(factors))](size_t run, SliceIndex op) {
    const auto& of_run = (*shared)[run];
    const auto found = of_run.find(op);
    return found == of_run.end() ? 1.0 : found->second;
  };
  return scenario;
}

EdgeTimes::Scenario scaled(SliceFactors factors) {
  EdgeTimes::Scenario scenario;
  scenario.op_factor = [shared = std::make_shared<const SliceFactors>(std::move(factors))](size_t run, SliceIndex op) {
    const std::vector<float>& of_run = (*shared)[run];
    return of_run.empty() ? 1.0 : static_cast<double>(of_run[op]);
  };
  return scenario;
}

EdgeTimes::Scenario scaled(const SessionFacts& whole, const DeviceFactors& factors) {
  SliceFactors of_runs(whole.session().runs.size());
  for (size_t run = 0; run < of_runs.size(); ++run) {
    const auto first = factors.lower_bound({run, INT32_MIN});
    if (first == factors.end() || first->first.first != run) continue;
    const Timeline& t = whole.run(run).timeline;
    std::vector<float>& of_run = of_runs[run];
    of_run.assign(t.slices.size(), 1.0F);
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      const auto factor = factors.find({run, t.device_ops.device[op]});
      if (factor == factors.end() || t.device_ops.kind[op] != OpKind::compute) return;
      of_run[slice] = static_cast<float>(factor->second);
    });
  }
  return scaled(std::move(of_runs));
}

}  // namespace cgpu
