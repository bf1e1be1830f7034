#include "analysis/findings/unreported_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "analysis/device/device_ops.h"
#include "analysis/ranks/pipelines.h"
#include "analysis/session_clock.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What the rules need of a profile.
struct Contents {
  bool device_ops = false;
  bool host_calls = false;
  bool launches = false;
  bool steps = false;
  bool copies = false;
  bool communication = false;         // of the devices
  bool communication_of_any = false;  // of devices or hosts
  bool shapes = false;                // of framework ops whose cost is known
  bool memory = false;                // allocations and releases
  bool samples = false;
  bool measured_launches = false;
  bool ranks = false;         // several
  bool peers = false;         // several ranks or devices
  bool common_clock = false;  // of them
  bool pipeline = false;
  bool replays = true;     // the ops of graphs that are replayed were recorded
  bool other_work = true;  // than collectives was recorded
};

Contents contents_of(RuleContext& context) {
  Contents has;
  const Session& session = context.session();
  has.device_ops = context.has_device_ops();
  has.ranks = session.runs.size() > 1;
  has.peers = has.ranks || (!session.runs.empty() && used_devices(session.runs.front()).size() > 1);
  has.common_clock = has_common_clock(session);
  has.host_calls = context.has_host_calls();
  has.samples = context.sampled_tree() != nullptr;
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const Run& run = session.runs[number];
    const Timeline& t = run.timeline;
    has.memory = has.memory || !t.memory.empty();
    has.measured_launches = has.measured_launches || (run.launch_metrics && !run.launch_metrics->launches.empty());
    has.steps = has.steps || !context.facts().steps(number).empty();
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      has.launches = has.launches || t.slices.launch[slice] != kNone;
      has.copies = has.copies || t.device_ops.kind[op] == OpKind::memory;
      has.communication = has.communication || t.device_ops.kind[op] == OpKind::communication;
    });
  }
  has.communication_of_any = has.communication || !context.facts().whole().messages().empty() ||
                             !context.facts().whole().collectives_of_hosts().empty();
  if (!has.device_ops) return has;
  has.shapes = !context.costed_work().empty();
  has.pipeline = is_pipeline(context.facts());
  has.replays = !context.lacks_replays();
  has.other_work = !context.has_only_collectives();
  return has;
}

/// Something that a rule needs, and what to say where the profile does not have it.
struct Need {
  bool Contents::*has;
  const char* lacks;
};

constexpr Need kNeedsDeviceOps{&Contents::device_ops, "the profile has no timeline of device work"};
constexpr Need kNeedsReplays{&Contents::replays, "the kernels of graphs that are replayed were not recorded"};
constexpr Need kNeedsHostCalls{&Contents::host_calls, "the profile has no calls of the host"};
constexpr Need kNeedsLaunches{&Contents::launches, "the profile does not say which call launched a device op"};
constexpr Need kNeedsSteps{&Contents::steps, "the profile has no marks of steps"};
constexpr Need kNeedsCopies{&Contents::copies, "the profile has no copies of the devices"};
constexpr Need kNeedsCommunication{&Contents::communication, "the profile has no communication of the devices"};
constexpr Need kNeedsAnyCommunication{&Contents::communication_of_any,
                                      "the profile has no communication of devices or hosts"};
constexpr Need kNeedsShapes{&Contents::shapes,
                            "the profile has no ops with shapes whose cost is known and that take a "
                            "noticeable time (PyTorch: record_shapes=True)"};
constexpr Need kNeedsMemory{&Contents::memory, "the profile has no allocations (PyTorch: profile_memory=True)"};
constexpr Need kNeedsSamples{&Contents::samples, "the profile has no sampled call stacks"};
constexpr Need kNeedsMeasured{&Contents::measured_launches,
                              "the profile has no launches measured one by one (Nsight Compute)"};
constexpr Need kNeedsRanks{&Contents::ranks, "there is one rank only"};
constexpr Need kNeedsPeers{&Contents::peers, "there is one rank with one device only"};
constexpr Need kNeedsClock{&Contents::common_clock, "the clocks of the ranks cannot be compared"};
constexpr Need kNeedsPipeline{&Contents::pipeline, "no ranks send work on to each other"};

constexpr size_t kMostNeeds = 4;
using Needs = std::array<const Need*, kMostNeeds>;

struct Conditions {
  const char* rule;
  Needs needs;
  /// What the rule looks at on the critical path; empty where it is something else.
  std::string_view bound_by = {};
};

/// In the order of docs/diagnosis.md.
constexpr std::array kConditions{
    Conditions{"data_loading", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "data_loading"},
    Conditions{"allocation", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "allocation"},
    Conditions{"module_load", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "module_load"},
    Conditions{"compilation", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "compilation"},
    Conditions{"garbage_collection", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "garbage_collection"},
    Conditions{"lock_contention", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "lock"},
    Conditions{"io", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "io"},
    Conditions{"host_stall", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls}, "host_code"},
    Conditions{
        "launch_bound", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls, &kNeedsLaunches}, "launch_overhead"},
    Conditions{"synchronization", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsHostCalls, &kNeedsLaunches}},
    Conditions{"exposed_communication", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsAnyCommunication}, "communication"},
    Conditions{"exposed_copies", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsCopies}, "memory"},
    Conditions{"small_copies", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsCopies}, "memory"},
    Conditions{"pageable_copies", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsCopies}, "memory"},
    Conditions{"blocking_copies", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsCopies}, "blocking_copy"},
    Conditions{"fragmentation", {&kNeedsDeviceOps, &kNeedsMemory}},
    Conditions{"memory_growth", {&kNeedsMemory, &kNeedsSteps}},
    Conditions{"layout_changes", {&kNeedsDeviceOps, &kNeedsReplays}},
    Conditions{"device_copies", {&kNeedsDeviceOps, &kNeedsReplays}},
    Conditions{"unfused_attention", {&kNeedsDeviceOps, &kNeedsReplays}},
    Conditions{"inefficient_ops", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsShapes}},
    Conditions{"uneven_ops", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsShapes}},
    Conditions{"recompute", {&kNeedsDeviceOps, &kNeedsReplays, &kNeedsLaunches}},
    Conditions{"low_occupancy", {&kNeedsDeviceOps, &kNeedsReplays}},
    Conditions{"tensor_cores_unused", {&kNeedsDeviceOps, &kNeedsReplays}},
    Conditions{"fusable_kernels", {&kNeedsDeviceOps, &kNeedsReplays}, "kernel_gap"},
    Conditions{"straggler", {&kNeedsDeviceOps, &kNeedsPeers, &kNeedsClock}},
    Conditions{"load_imbalance", {&kNeedsDeviceOps, &kNeedsRanks, &kNeedsClock, &kNeedsCommunication}},
    Conditions{"slow_link", {&kNeedsDeviceOps, &kNeedsRanks, &kNeedsCommunication}},
    Conditions{"expert_imbalance", {&kNeedsDeviceOps, &kNeedsRanks}},
    Conditions{"pipeline_bubble", {&kNeedsDeviceOps, &kNeedsRanks, &kNeedsPipeline}},
    Conditions{"stage_imbalance", {&kNeedsDeviceOps, &kNeedsRanks, &kNeedsPipeline}},
    Conditions{"barrier_wait", {&kNeedsSamples}},
    Conditions{"thread_imbalance", {&kNeedsSamples}},
    Conditions{"thread_wait", {&kNeedsSamples}},
    Conditions{"instruction_stalls", {&kNeedsSamples}},
    Conditions{"slow_kernel", {&kNeedsMeasured}},
};

std::string reason_of(RuleContext& context, const Contents& contents, const Conditions& conditions) {
  for (const Need* need : conditions.needs) {
    if (need == nullptr) continue;
    if (!(contents.*need->has)) return need->lacks;
    if (need == &kNeedsReplays && !contents.other_work) return "the profile records collectives alone";
  }
  if (conditions.bound_by.empty()) return "looked for and not found";
  const double share = context.path_share(BoundBy::named(conditions.bound_by));
  if (share == 0) return fmt::format("no {} on the critical path", conditions.bound_by);
  return fmt::format("{} of the critical path is {}", format_percent(100 * share), conditions.bound_by);
}

}  // namespace

std::vector<UnreportedRule> reasons_of_rules(RuleContext& context, const std::vector<Finding>& reported,
                                             const std::vector<Finding>& dropped) {
  const Contents contents = contents_of(context);
  if (!contents.device_ops && !contents.samples && !contents.measured_launches && !contents.memory) return {};
  const auto finding_of = [](const std::vector<Finding>& findings, std::string_view rule) {
    const auto found = std::ranges::find_if(findings, [&](const Finding& one) { return one.rule == rule; });
    return found == findings.end() ? nullptr : &*found;
  };
  std::vector<UnreportedRule> unreported;
  for (const Conditions& conditions : kConditions) {
    if (finding_of(reported, conditions.rule) != nullptr) continue;
    if (const Finding* finding = finding_of(dropped, conditions.rule)) {
      const double share = static_cast<double>(*finding->recoverable_high) /
                           static_cast<double>(std::max<int64_t>(context.measured(), 1));
      unreported.push_back({conditions.rule, fmt::format("potential saving of {} of the time; reported from {} on",
                                                         format_percent(100 * share),
                                                         format_percent(100 * context.thresholds().noticeable))});
    } else {
      unreported.push_back({conditions.rule, reason_of(context, contents, conditions)});
    }
  }
  return unreported;
}

}  // namespace cgpu
