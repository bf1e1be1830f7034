#include "analysis/op_shapes/costed_work.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/device/device_ops.h"
#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/costed_ops.h"

namespace cgpu {

namespace {

/// By device op: whether it computes, and nothing else computes beside it on its device for more than a tenth of it.
std::vector<bool> computing_alone(const Timeline& t) {
  constexpr int64_t kPartBesideOthers = 10;
  std::vector<bool> alone(t.device_ops.size());
  for (auto& [device, all] : ops_by_device(t)) {
    std::vector<OpIndex> ops;
    for (const OpIndex op : all) {
      if (t.device_ops.kind[op] == OpKind::compute) ops.push_back(op);
    }
    const auto start = [&](OpIndex op) { return t.slices.start[t.device_ops.slice[op]]; };
    const auto end = [&](OpIndex op) { return t.slices.end(t.device_ops.slice[op]); };
    std::stable_sort(ops.begin(), ops.end(), [&](OpIndex a, OpIndex b) { return start(a) < start(b); });
    int64_t ended = INT64_MIN;  // the last of those before
    for (size_t i = 0; i < ops.size(); ++i) {
      int64_t beside = ended > start(ops[i]) ? std::min(ended, end(ops[i])) - start(ops[i]) : 0;
      if (i + 1 < ops.size()) beside += std::max<int64_t>(end(ops[i]) - start(ops[i + 1]), 0);
      alone[ops[i]] = beside * kPartBesideOthers <= end(ops[i]) - start(ops[i]);
      ended = std::max(ended, end(ops[i]));
    }
  }
  return alone;
}

/// Leaves the launched work whose innermost op with a formula is of a name that takes so much time, and returns by
/// slice which ops with a formula are around it.
std::vector<bool> choose_ops(const Timeline& t, const SliceForest& forest, int64_t least_ns,
                             std::vector<LaunchedWork>& launched) {
  const std::vector<bool> has_formula = have_cost_formula(t.names);
  const auto innermost = [&](SliceIndex call) {
    SliceIndex op = forest.above(call);
    while (op != kNone && !has_formula[t.slices.name[op]]) op = forest.above(op);
    return op;
  };
  std::vector<int64_t> time(t.names.size());
  for (const LaunchedWork& work : launched) {
    if (const SliceIndex op = innermost(work.call); op != kNone) time[t.slices.name[op]] += work.duration;
  }
  std::erase_if(launched, [&](const LaunchedWork& work) {
    const SliceIndex op = innermost(work.call);
    return op == kNone || time[t.slices.name[op]] < least_ns;
  });
  std::vector<bool> chosen(t.slices.size());
  for (const LaunchedWork& work : launched) {
    for (SliceIndex op = innermost(work.call); op != kNone && !chosen[op]; op = forest.above(op)) {
      if (has_formula[t.slices.name[op]]) chosen[op] = true;
    }
  }
  return chosen;
}

/// One op, in one replay.
struct WorkOfOp {
  int64_t ns = 0;
  bool alone = true;
  std::vector<OpIndex> device_ops;
};

class CostedWorks {
 public:
  explicit CostedWorks(const SessionFacts& facts) : facts_(facts) {}

  void add(size_t run, const Run& of_device_ops, const std::vector<bool>& alone, const Run& profile,
           std::vector<LaunchedWork> launched, int64_t least_ns) {
    const SliceForest forest = op_forest(profile.timeline);
    const std::vector<bool> chosen = choose_ops(profile.timeline, forest, least_ns, launched);
    if (launched.empty()) return;
    std::optional<OpGroups> of_chosen;
    const OpGroups* groups = facts_.known_op_groups(profile);
    if (groups == nullptr) groups = &of_chosen.emplace(group_ops(profile, &chosen));
    const CostedOps ops = find_costed_ops(*groups, forest, launched, [](const OpGroups::Group& group) {
      return group.cost.flops.has_value() || group.cost.bytes.has_value();
    });
    std::map<std::pair<SliceIndex, uint32_t>, WorkOfOp> instances;
    for (size_t i = 0; i < launched.size(); ++i) {
      const SliceIndex op = ops.of_work[i];
      if (op == kNone || !ops.counts[op]) continue;
      WorkOfOp& instance = instances[{op, launched[i].replay}];
      instance.ns += launched[i].duration;
      instance.alone = instance.alone && alone[launched[i].place];
      instance.device_ops.push_back(launched[i].place);
    }
    for (const auto& [place, instance] : instances) {
      if (!instance.alone || instance.ns == 0) continue;
      const OpGroups::Group& group = groups->groups[groups->of_slice[place.first]];
      add_instance(run, of_device_ops.timeline, profile, group, place.first, instance);
    }
  }

  std::vector<CostedWork> finished() {
    std::vector<CostedWork> works;
    for (auto& [key, one] : works_) {
      std::ranges::sort(one.durations);
      one.work.median_ns = one.durations[one.durations.size() / 2];
      one.work.lower_quartile_ns = one.durations[(one.durations.size() - 1) / 4];
      works.push_back(std::move(one.work));
    }
    return works;
  }

 private:
  struct Summed {
    CostedWork work;
    int64_t longest = 0;  // of the kernel
    std::vector<int64_t> durations;
  };

  void add_instance(size_t run, const Timeline& t, const Run& profile, const OpGroups::Group& group, SliceIndex op,
                    const WorkOfOp& instance) {
    Summed& sum = works_[group.key];
    CostedWork& work = sum.work;
    if (work.ops == 0) {
      work.key = group.key;
      work.cost = group.cost;
      work.profile = &profile;
      work.example = op;
    }
    ++work.ops;
    work.ns += instance.ns;
    work.kernels += static_cast<int64_t>(instance.device_ops.size());
    sum.durations.push_back(instance.ns);
    for (const OpIndex device_op : instance.device_ops) {
      const SliceIndex slice = t.device_ops.slice[device_op];
      work.device_ops.emplace_back(run, slice);
      if (t.slices.duration[slice] <= sum.longest) continue;
      sum.longest = t.slices.duration[slice];
      work.kernel = t.name(slice);
      work.kernel_class = class_of(t, device_op);
    }
  }

  const SessionFacts& facts_;
  std::map<OpKey, Summed> works_;
};

}  // namespace

std::vector<CostedWork> find_costed_work(const SessionFacts& facts, double share) {
  const Session& session = facts.session();
  CostedWorks works(facts);
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const Run& run = session.runs[number];
    const Timeline& t = run.timeline;
    int64_t all = 0;
    for_each_device_op(t, [&](OpIndex, SliceIndex slice) { all += t.slices.duration[slice]; });
    if (all == 0) continue;
    const std::vector<bool> alone = computing_alone(t);
    const auto least_ns = static_cast<int64_t>(share * static_cast<double>(all));
    for_each_launching_profile(
        session, run, [](OpIndex op, SliceIndex) { return std::optional<uint32_t>(op); },
        [&](const Run& profile, const std::vector<LaunchedWork>& launched) {
          works.add(number, run, alone, profile, launched, least_ns);
        });
  }
  return works.finished();
}

}  // namespace cgpu
