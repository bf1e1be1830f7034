#include "analysis/findings/slowed_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/scenarios.h"
#include "analysis/measured_launches/launch_shape.h"
#include "model/argument_reader.h"

namespace cgpu {

namespace {

/// The launches of one kernel on one side of the change.
struct Launches {
  int64_t time = 0;  // ns
  int64_t count = 0;
  std::set<LaunchShape> shapes;  // in the step next to the change
};

/// A kernel by its name, on one device: before the change and after it.
struct ComparedKernel {
  std::array<Launches, 2> sides;
  OpIndex any = 0;

  double mean(size_t side) const {
    return static_cast<double>(sides[side].time) / static_cast<double>(std::max<int64_t>(sides[side].count, 1));
  }
  /// `steps`: how many each side has.
  bool does_the_same(const std::array<size_t, 2>& steps) const {
    constexpr double kEqual = 0.05;  // for launches at the edges of steps
    const auto per_step = [&](size_t side) {
      return static_cast<double>(sides[side].count) / static_cast<double>(steps[side]);
    };
    return sides[0].count > 0 && std::abs(per_step(1) - per_step(0)) <= kEqual * per_step(0) &&
           !sides[0].shapes.empty() && sides[0].shapes == sides[1].shapes;
  }
  bool is_slower() const {
    constexpr double kSlower = 1.03;
    return mean(1) > kSlower * mean(0);
  }
};

using KernelsByName = std::map<StringId, ComparedKernel>;

/// Which side of the change a time is on; none outside of the steps. All on the clock of a run.
class Sides {
 public:
  Sides(std::span<const Period> steps, size_t first, int64_t zero)
      : all_{steps.front().begin + zero, steps.back().end + zero},
        next_{steps[first - 1].begin + zero, steps[first].end + zero},
        change_(steps[first].begin + zero) {}

  std::optional<size_t> of(int64_t time) const {
    if (time < all_.begin || time >= all_.end) return std::nullopt;
    return time >= change_ ? 1 : 0;
  }
  bool is_next_to_change(int64_t time) const { return time >= next_.begin && time < next_.end; }

 private:
  Interval all_;
  Interval next_;
  int64_t change_;
};

template <typename Visit>
void for_each_kernel(const Timeline& t, const Sides& sides, Visit visit) {
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    if (t.device_ops.kind[op] != OpKind::compute) return;
    if (const auto side = sides.of(t.slices.start[slice])) visit(op, slice, *side);
  });
}

std::map<int32_t, KernelsByName> kernels_of_run(const Run& run, const Sides& sides) {
  const Timeline& t = run.timeline;
  std::map<int32_t, KernelsByName> devices;
  std::vector<std::pair<Launches*, uint64_t>> next_to_change;  // and where their arguments are
  for_each_kernel(t, sides, [&](OpIndex op, SliceIndex slice, size_t side) {
    ComparedKernel& kernel = devices[t.device_ops.device[op]][t.slices.name[slice]];
    kernel.any = op;
    Launches& launches = kernel.sides[side];
    launches.time += t.slices.duration[slice];
    ++launches.count;
    if (sides.is_next_to_change(t.slices.start[slice])) next_to_change.emplace_back(&launches, t.slices.source[slice]);
  });
  std::vector<uint64_t> sources;
  for (const auto& [launches, source] : next_to_change) sources.push_back(source);
  ArgumentReader reader(run.arguments.get(), 0, launch_shape_keys());
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    if (const auto shape = launch_shape(arguments)) next_to_change[i].first->shapes.insert(*shape);
  });
  return devices;
}

/// Leaves the slower ones. Returns whether these are most of what the device computes.
bool keep_slower(const Timeline& t, const std::array<size_t, 2>& steps, KernelsByName& kernels) {
  constexpr double kMostOfAll = 0.8;
  constexpr double kMostOfSame = 2.0 / 3;
  int64_t all = 0;
  int64_t same = 0;
  int64_t slower = 0;
  std::set<KernelClass> classes;
  for (auto at = kernels.begin(); at != kernels.end();) {
    const ComparedKernel& kernel = at->second;
    const int64_t before = kernel.sides[0].time;
    all += before;
    const bool does_the_same = kernel.does_the_same(steps);
    if (does_the_same) same += before;
    if (!does_the_same || !kernel.is_slower()) {
      at = kernels.erase(at);
      continue;
    }
    slower += before;
    classes.insert(class_of(t, kernel.any));
    ++at;
  }
  const auto is_most = [](int64_t part, double share, int64_t of_all) {
    return static_cast<double>(part) >= share * static_cast<double>(of_all);
  };
  return is_most(same, kMostOfAll, all) && is_most(slower, kMostOfSame, same) && classes.size() > 1;
}

/// The one with nearly all of the time.
std::string single_of(const std::map<std::string_view, double>& times) {
  constexpr double kNearlyAll = 0.9;
  double all = 0;
  for (const auto& [name, time] : times) all += time;
  const auto most = std::ranges::max_element(times, {}, [](const auto& each) { return each.second; });
  return most != times.end() && most->second >= kNearlyAll * all ? std::string(most->first) : std::string();
}

}  // namespace

std::optional<SlowedKernels> slowed_kernels(const SessionFacts& whole, std::span<const Period> steps, size_t first,
                                            bool at_once) {
  const std::array<size_t, 2> counts{first, steps.size() - first};
  SlowedKernels slowed;
  SliceFactors factors(whole.session().runs.size());
  std::map<std::string_view, double> excess;  // ns, by name
  double as_before = 0;                       // ns since the change
  for (size_t number = 0; number < factors.size(); ++number) {
    const Run& run = whole.run(number);
    const Timeline& t = run.timeline;
    const Sides sides(steps, first, whole.dependencies().zero(number));
    std::map<int32_t, KernelsByName> devices = kernels_of_run(run, sides);
    for (auto& [device, kernels] : devices) {
      const bool is_whole = keep_slower(t, counts, kernels);
      if (!is_whole && !at_once) kernels.clear();
      if (!kernels.empty()) slowed.is_whole_device = slowed.is_whole_device && is_whole;
    }
    if (std::ranges::all_of(devices, [](const auto& each) { return each.second.empty(); })) continue;
    factors[number].assign(t.slices.size(), 1.0F);
    for_each_kernel(t, sides, [&](OpIndex op, SliceIndex slice, size_t side) {
      const KernelsByName& slower = devices[t.device_ops.device[op]];
      const auto kernel = slower.find(t.slices.name[slice]);
      if (side == 0 || kernel == slower.end()) return;
      const double factor = kernel->second.mean(0) / kernel->second.mean(1);
      factors[number][slice] = static_cast<float>(factor);
      const auto time = static_cast<double>(t.slices.duration[slice]);
      excess[t.name(slice)] += time * (1 - factor);
      as_before += time * factor;
    });
  }
  if (as_before <= 0) return std::nullopt;
  double all = 0;
  for (const auto& [name, time] : excess) all += time;
  slowed.factor = 1 + all / as_before;
  slowed.excess = std::llround(all);
  slowed.single = single_of(excess);
  slowed.remedy = scaled(std::move(factors));
  return slowed;
}

}  // namespace cgpu
