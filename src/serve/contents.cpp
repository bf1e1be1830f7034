#include "serve/contents.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "analysis/analysis.h"

namespace cgpu {

namespace {

/// How many there are of everything that a table can be about.
struct Counts {
  std::array<uint64_t, static_cast<size_t>(SliceKind::other) + 1> of_kind{};
  uint64_t slices = 0;
  uint64_t device_ops = 0;
  uint64_t launched = 0;
  uint64_t communication = 0;
  uint64_t memory = 0;
  uint64_t notes = 0;
  uint64_t devices = 0;
  uint64_t steps = 0;
  uint64_t launches = 0;     // measured one by one
  uint64_t in_roofline = 0;  // of these, with both coordinates
  uint64_t rules = 0;
  uint64_t trees = 0;
  uint64_t profiles = 0;  // threads and streams of call trees
  uint64_t values_of_profiles = 0;
  uint64_t main_metrics = 0;
  uint64_t stalls = 0;
  uint64_t runs = 0;
  uint64_t graphs = 0;       // of ops
  uint64_t step_traces = 0;  // of the profiler's own

  explicit Counts(const Profile& profile) {
    for (const std::vector<Step>& of_run : profile.view().steps()) steps += of_run.size();
    for (const Run& run : profile.session().runs) {
      ++runs;
      graphs += run.op_graph ? 1 : 0;
      step_traces += run.step_traces.size();
      add_timeline(run.timeline);
      memory += run.timeline.memory.size();
      notes += run.notes.all().size();
      devices += run.devices.size();
      if (run.launch_metrics) {
        launches += run.launch_metrics->launches.size();
        for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
          rules += launch.rules.size();
          in_roofline += launch.flops_per_s.value_or(0) > 0 && launch.dram_bytes_per_s.value_or(0) > 0 ? 1 : 0;
        }
      }
      if (run.call_tree) add_tree(*run.call_tree);
    }
  }

  uint64_t of(std::initializer_list<SliceKind> kinds) const {
    uint64_t count = 0;
    for (const SliceKind kind : kinds) count += of_kind[static_cast<size_t>(kind)];
    return count;
  }
  uint64_t calls() const { return of({SliceKind::runtime_call, SliceKind::driver_call}); }
  uint64_t nested() const {
    return calls() +
           of({SliceKind::framework_op, SliceKind::annotation, SliceKind::python_function, SliceKind::os_call});
  }

 private:
  void add_timeline(const Timeline& timeline) {
    std::vector<uint64_t> of_category(timeline.categories.size(), 0);
    for (const uint16_t category : timeline.slices.category) ++of_category[category];
    for (size_t i = 0; i < of_category.size(); ++i) {
      of_kind[static_cast<size_t>(timeline.categories[i].kind)] += of_category[i];
    }
    slices += timeline.slices.size();
    const DeviceOps& ops = timeline.device_ops;
    device_ops += ops.size();
    for (const SliceIndex op : ops.slice) launched += timeline.slices.launch[op] != kNone ? 1 : 0;
    for (const OpKind kind : ops.kind) communication += kind == OpKind::communication ? 1 : 0;
  }
  void add_tree(const CallTree& tree) {
    ++trees;
    profiles += tree.profiles.size();
    values_of_profiles += tree.profile_values && tree.main_metric ? tree.profiles.size() : 0;
    main_metrics += tree.main_metric && tree.has_values(*tree.main_metric) ? 1 : 0;
    for (MetricIndex i = 0; i < tree.metrics.size(); ++i) {
      if (!tree.metrics[i].stall_reason.empty() && tree.has_values(i)) ++stalls;
    }
  }
};

/// Tables that may be empty, with what they need. A table that is not named here is always listed.
const std::map<std::string, std::function<uint64_t(const Counts&)>>& needs() {
  static const std::map<std::string, std::function<uint64_t(const Counts&)>> needs = {
      {"notes", [](const Counts& c) { return c.notes; }},
      {"devices", [](const Counts& c) { return c.devices + c.device_ops + c.launches; }},
      {"gpu_time", [](const Counts& c) { return c.device_ops; }},
      {"streams", [](const Counts& c) { return c.device_ops; }},
      {"kernels",
       [](const Counts& c) {
         return c.of({SliceKind::kernel, SliceKind::device_collective});
       }},
      {"kernel_classes", [](const Counts& c) { return c.device_ops; }},
      {"ops", [](const Counts& c) { return c.of({SliceKind::framework_op}); }},
      {"api", [](const Counts& c) { return c.calls(); }},
      {"os_calls", [](const Counts& c) { return c.of({SliceKind::os_call}); }},
      {"transfers",
       [](const Counts& c) {
         return c.of({SliceKind::memcpy, SliceKind::memset});
       }},
      {"launches", [](const Counts& c) { return c.launched; }},
      {"queue", [](const Counts& c) { return c.launched; }},
      {"idle", [](const Counts& c) { return c.device_ops > 1 ? c.device_ops : 0; }},
      {"idle_streams", [](const Counts& c) { return c.device_ops > 1 ? c.device_ops : 0; }},
      {"steps", [](const Counts& c) { return c.steps; }},
      {"ranges", [](const Counts& c) { return c.of({SliceKind::annotation}); }},
      {"collectives", [](const Counts& c) { return c.communication; }},
      {"memory", [](const Counts& c) { return c.memory; }},
      {"launch_metrics", [](const Counts& c) { return c.launches; }},
      {"launch_rules", [](const Counts& c) { return c.rules; }},
      {"launch_values", [](const Counts& c) { return c.launches; }},
      {"metrics", [](const Counts& c) { return c.trees; }},
      {"call_tree", [](const Counts& c) { return c.trees; }},
      {"hot_path", [](const Counts& c) { return c.main_metrics; }},
      {"functions", [](const Counts& c) { return c.trees; }},
      {"callers", [](const Counts& c) { return c.trees; }},
      {"imbalance", [](const Counts& c) { return c.values_of_profiles; }},
      {"stalls", [](const Counts& c) { return c.stalls; }},
      {"profiles", [](const Counts& c) { return c.profiles; }},
      {"stragglers", [](const Counts& c) { return c.runs > 1 ? c.communication : 0; }},
      {"clocks", [](const Counts& c) { return c.runs; }},
      {"ascend_overlap", [](const Counts& c) { return c.step_traces; }},
      {"et_ops", [](const Counts& c) { return c.graphs; }},
      {"et_shapes", [](const Counts& c) { return c.graphs; }},
      {"device_ops", [](const Counts& c) { return c.device_ops; }},
      {"activities", [](const Counts& c) { return c.device_ops + c.calls(); }},
      {"kernel_grids",
       [](const Counts& c) {
         return c.of({SliceKind::kernel, SliceKind::device_collective});
       }},
      {"api_trace", [](const Counts& c) { return c.calls(); }},
      {"device_trace", [](const Counts& c) { return c.device_ops; }},
      {"launch_trace", [](const Counts& c) { return c.launched; }},
      {"range_trace", [](const Counts& c) { return c.of({SliceKind::annotation}); }},
      {"range_kernels", [](const Counts& c) { return c.launched > 0 ? c.of({SliceKind::annotation}) : 0; }},
      {"slices", [](const Counts& c) { return c.slices; }},
  };
  return needs;
}

}  // namespace

Contents contents_of(const Profile& profile) {
  const Counts counts(profile);
  Contents contents;
  for (const Analysis& analysis : all_analyses()) {
    const auto need = needs().find(analysis.name);
    if (need == needs().end() || need->second(counts) > 0) contents.tables.push_back(analysis.name);
  }
  const auto has = [&](const std::string& table) {
    return std::find(contents.tables.begin(), contents.tables.end(), table) != contents.tables.end();
  };
  const auto add = [&](const char* view, bool shown) {
    if (shown) contents.views.emplace_back(view);
  };
  add("overview", true);
  add("timeline", counts.slices > 0 || counts.memory > 0);
  add("flame", counts.nested() > 0 || counts.trees > 0);
  for (const char* view : {"kernels", "ops", "api", "transfers", "collectives", "steps", "idle"}) add(view, has(view));
  add("stalls", has("stalls"));
  add("roofline", counts.in_roofline > 0);
  add("memory", has("memory"));
  add("call_tree", has("call_tree"));
  add("launches", counts.launches > 0);
  add("tables", true);
  return contents;
}

}  // namespace cgpu
