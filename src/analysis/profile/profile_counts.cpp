#include "analysis/profile/profile_counts.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/device/copy_metrics.h"
#include "analysis/host/module_calls.h"
#include "model/processor_time.h"

namespace cgpu {

ProfileCounts::ProfileCounts(const SessionFacts& facts) {
  for (size_t i = 0; i < facts.session().runs.size(); ++i) {
    const Run& run = facts.run(i);
    ++runs;
    steps += facts.steps(i).size();
    op_graphs += run.op_graph ? 1 : 0;
    step_traces += run.step_traces.size();
    add_timeline(run.timeline);
    memory_events += run.timeline.memory.size();
    counter_samples += run.timeline.counters.value.size();
    notes += notes_of(run).all().size();
    devices += run.devices.size();
    if (run.call_tree) add_tree(*run.call_tree);
    if (!run.launch_metrics) continue;
    measured_launches += run.launch_metrics->launches.size();
    const StringPool& names = run.launch_metrics->names;
    for (StringId name = 0; name < names.size(); ++name) {
      launch_stall_metrics += names[name].find("warps_issue_stalled_") != std::string_view::npos ? 1 : 0;
    }
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      rules += launch.rules.size();
      measured_sections += launch.sections.size();
      for (const MetricValue& metric : launch.metrics) measured_sections += metric.section != 0 ? 1 : 0;
      instruction_counts += launch.instruction_counts.size();
      in_roofline += launch.flops_per_s.value_or(0) > 0 && launch.dram_bytes_per_s.value_or(0) > 0 ? 1 : 0;
    }
  }
}

void ProfileCounts::add_timeline(const Timeline& timeline) {
  // Several counters a category: to add to one again at once is to wait until the last sum has been stored.
  std::vector<std::array<uint64_t, 4>> of_category(timeline.categories.size());
  for (size_t i = 0; i < timeline.slices.size(); ++i) ++of_category[timeline.slices.category[i]][i % 4];
  for (size_t i = 0; i < of_category.size(); ++i) {
    const uint64_t count = std::accumulate(of_category[i].begin(), of_category[i].end(), uint64_t{0});
    of_kind[static_cast<size_t>(timeline.categories[i].kind)] += count;
    const std::string& name = timeline.categories[i].name;
    if (name == kSchedulingCategory || name == kSampleCategory) processor_slices += count;
  }
  slices += timeline.slices.size();
  const DeviceOps& ops = timeline.device_ops;
  device_ops += ops.size();
  launched = launched || std::any_of(ops.slice.begin(), ops.slice.end(),
                                     [&](SliceIndex op) { return timeline.slices.launch[op] != kNone; });
  communication = communication || std::find(ops.kind.begin(), ops.kind.end(), OpKind::communication) != ops.kind.end();
  module_calls = module_calls || has_module_calls(timeline);
}

void ProfileCounts::add_tree(const CallTree& tree) {
  ++call_trees;
  profiles += tree.profiles.size();
  profiles_with_values += tree.profile_values && tree.main_metric ? tree.profiles.size() : 0;
  main_metrics += tree.main_metric && tree.has_values(*tree.main_metric) ? 1 : 0;
  for (MetricIndex i = 0; i < tree.metrics.size(); ++i) {
    if (copy_kind_of_metric(tree.metrics[i].name) && tree.has_values(i)) ++copy_metrics;
    if (!tree.metrics[i].stall_reason.empty() && tree.has_values(i)) ++stall_metrics;
  }
}

}  // namespace cgpu
