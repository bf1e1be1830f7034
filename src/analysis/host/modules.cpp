// Table `modules`: the modules of a framework's model by their path, with the device work launched in them and in the
// backward pass of what they did. O(n) in the slices, whatever the depth of the nesting.
#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/host/captured_work.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/module_calls.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

constexpr std::string_view kNoModule = "(no module)";

struct Module {
  int64_t count = 0;
  int64_t cpu_total_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  int64_t device_backward_ns = 0;
  int64_t open = 0;  // while a run is walked: calls with this path around the place where the walk is

  void combine(Module&& other) {
    count += other.count;
    cpu_total_ns += other.cpu_total_ns;
    device_total_ns += other.device_total_ns;
    device_self_ns += other.device_self_ns;
    device_backward_ns += other.device_backward_ns;
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, cpu_total_ns, device_total_ns, device_self_ns, device_backward_ns);
  }
};

class Modules {
 public:
  Modules(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    std::vector<OpIndex> ops = all_ops(timeline);
    std::vector<bool> captured(timeline.device_ops.size());
    add_captured(run, captured);
    std::erase_if(ops, [&](OpIndex op) { return captured[op]; });
    const OpsInFullRun full_run = ops_in_full_run(run.session(), run.index, ops);
    const ModuleCalls calls(full_run.timeline);
    add_device(timeline, ops, full_run, calls);
    if (run.run().part_of) {
      add_host(timeline, ModuleCalls(timeline));
    } else {
      add_host(timeline, calls);
    }
  }
  void combine(Modules&& other) {
    modules_.combine(std::move(other.modules_));
    elsewhere_ns_ += other.elsewhere_ns_;
  }
  void append_rows(Table& table, const RunIndex&) {
    int64_t all_ns = elsewhere_ns_;
    modules_.for_each([&](std::string_view, const Module& module) { all_ns += module.device_self_ns; });
    modules_.for_each([&](std::string_view path, const Module& module) {
      if (module.count == 0 && module.device_total_ns == 0) return;
      table.append({cell(path), module.count, module.cpu_total_ns, module.device_total_ns, module.device_self_ns,
                    module.device_backward_ns, percent_of(module.device_total_ns, all_ns)});
    });
    if (table.empty()) return;
    sort_most_first(table, "device_total_ns");
    if (elsewhere_ns_ == 0) return;
    table.append(
        {cell(kNoModule), Cell(), Cell(), elsewhere_ns_, elsewhere_ns_, Cell(), percent_of(elsewhere_ns_, all_ns)});
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(modules_, elsewhere_ns_);
  }

 private:
  void add_host(const Timeline& timeline, const ModuleCalls& calls) {
    const auto of = [&](SliceIndex call) -> Module& { return modules_.of_text(calls.path(call)); };
    calls.forest().walk([&](SliceIndex call) { ++of(call).open; },
                        [&](SliceIndex call) {
                          Module& module = of(call);
                          ++module.count;
                          if (--module.open == 0) module.cpu_total_ns += timeline.slices.duration[call];
                        });
  }

  /// Device ops of graph replays, with the modules that they were captured in. Marks those that were captured in one.
  void add_captured(const RunInSession& run, std::vector<bool>& in_captured_module) {
    for (const CapturedWork& work : run.run().captured) {
      const ModuleCalls calls(run_of_capture(run.session(), run.run(), work).timeline);
      std::vector<uint32_t> seen;  // paths of the calls around one
      for (const CapturedOp& captured : work.ops) {
        SliceIndex call = calls.any() ? calls.around(captured.call) : kNone;
        if (call == kNone) continue;
        const int64_t ns = duration_of(run.run(), captured);
        const bool backward = calls.is_backward(captured.call);
        in_captured_module[captured.op] = true;
        modules_.of_text(calls.path(call)).device_self_ns += ns;
        for (seen.clear(); call != kNone; call = calls.around(call)) {
          const uint32_t path = calls.path_number(call);
          if (std::find(seen.begin(), seen.end(), path) != seen.end()) continue;
          seen.push_back(path);
          Module& module = modules_.of_text(calls.path_text(path));
          module.device_total_ns += ns;
          if (backward) module.device_backward_ns += ns;
        }
      }
    }
  }

  /// `ops` of a timeline, which are `there.ops` in the one that has the calls.
  void add_device(const Timeline& timeline, const std::vector<OpIndex>& ops, const OpsInFullRun& full_run,
                  const ModuleCalls& calls) {
    struct Times {
      int64_t all = 0;
      int64_t backward = 0;
    };
    std::vector<Times> inside(calls.any() ? full_run.timeline.slices.size() : 0);
    for (size_t i = 0; i < ops.size(); ++i) {
      const int64_t ns = timeline.slices.duration[timeline.device_ops.slice[ops[i]]];
      const SliceIndex launch = launch_of(full_run.timeline, full_run.timeline.device_ops.slice[full_run.ops[i]]);
      const SliceIndex call = launch == kNone ? kNone : calls.around(launch);
      if (call == kNone) {
        elsewhere_ns_ += ns;
        continue;
      }
      inside[call].all += ns;
      if (calls.is_backward(launch)) inside[call].backward += ns;
      modules_.of_text(calls.path(call)).device_self_ns += ns;
    }
    const auto of = [&](SliceIndex call) -> Module& { return modules_.of_text(calls.path(call)); };
    calls.forest().walk([&](SliceIndex call) { ++of(call).open; },
                        [&](SliceIndex call) {
                          Module& module = of(call);
                          if (--module.open == 0) {  // the outermost of its path, so that what is inside counts once
                            module.device_total_ns += inside[call].all;
                            module.device_backward_ns += inside[call].backward;
                          }
                          const SliceIndex outer = calls.around(call);
                          if (outer == kNone) return;
                          inside[outer].all += inside[call].all;
                          inside[outer].backward += inside[call].backward;
                        });
  }

  GroupsByName<Module> modules_;
  int64_t elsewhere_ns_ = 0;  // device ops that belong to no module
};

}  // namespace

Analysis modules_analysis() {
  return {
      .name = "modules",
      .about = "modules of the model by their path, with the device work of their forward and backward passes",
      .columns = {key_column("name", "path of the module; \"(no module)\" for device work outside of all of them"),
                  count_column("count", "calls of the module"),
                  time_column("cpu_total_ns", "time on the host inside its calls"),
                  time_column("device_total_ns", "durations of the device ops of its calls and of the modules inside"),
                  time_column("device_self_ns", "durations of the device ops of its calls and of no module inside"),
                  time_column("device_backward_ns", "share of device_total_ns that the backward pass launched"),
                  real_column("pct", "%", "share of device_total_ns in the durations of all device ops")},
      .applies = [](const ProfileCounts& counts) { return counts.module_calls; },
      .needs = "calls of modules (PyTorch: record with_stack and with_modules; vLLM and SGLang: layerwise NVTX)",
      .fold = fold_of<Modules>};
}

}  // namespace cgpu
