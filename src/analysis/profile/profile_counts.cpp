#include "analysis/profile/profile_counts.h"

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
      in_roofline += launch.flops_per_s.value_or(0) > 0 && launch.dram_bytes_per_s.value_or(0) > 0 ? 1 : 0;
    }
  }
}

void ProfileCounts::add_timeline(const Timeline& timeline) {
  std::vector<uint64_t> of_category(timeline.categories.size(), 0);
  for (const uint16_t category : timeline.slices.category) ++of_category[category];
  for (size_t i = 0; i < of_category.size(); ++i) {
    of_kind[static_cast<size_t>(timeline.categories[i].kind)] += of_category[i];
    const std::string& name = timeline.categories[i].name;
    if (name == kSchedulingCategory || name == kSampleCategory) processor_slices += of_category[i];
  }
  slices += timeline.slices.size();
  const DeviceOps& ops = timeline.device_ops;
  device_ops += ops.size();
  for (const SliceIndex op : ops.slice) launched += timeline.slices.launch[op] != kNone ? 1 : 0;
  module_calls += count_module_calls(timeline);
  for (const OpKind kind : ops.kind) communication += kind == OpKind::communication ? 1 : 0;
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
