#include "analysis/findings/slowed_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
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

/// Steps of which grids and blocks are read: the first and the last one before the change, and since then.
constexpr size_t kSamples = 4;

/// How often each occurs.
using ShapeCounts = std::map<LaunchShape, int64_t>;

/// Whether two numbers of launches are the same, but for some at the edges of steps.
bool are_alike(double a, double b) {
  constexpr double kEdges = 0.05;
  return std::abs(a - b) <= kEdges * std::max(a, b);
}

bool are_alike(const ShapeCounts& a, const ShapeCounts& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.first == other.first && are_alike(static_cast<double>(one.second), static_cast<double>(other.second));
  });
}

/// Whether what a kernel of this class does is not in its grid: how long a context is, how many tokens an expert gets.
bool depends_on_data(KernelClass one) {
  switch (one) {
    case KernelClass::kv_cache:
    case KernelClass::embedding:
    case KernelClass::moe_routing:
    case KernelClass::moe_gemm:
    case KernelClass::attention:
    case KernelClass::state_space:
    case KernelClass::sort_scan:
    case KernelClass::indexing:
      return true;
    default:
      return false;
  }
}

/// A kernel by its name, on one device: before the change [0] and since then [1].
struct ComparedKernel {
  std::array<int64_t, 2> time{};  // ns
  std::array<int64_t, 2> count{};
  std::array<ShapeCounts, kSamples> shapes;
  OpIndex any = 0;

  double mean(size_t side) const {
    return static_cast<double>(time[side]) / static_cast<double>(std::max<int64_t>(count[side], 1));
  }
  /// `steps`: how many each side has.
  bool is_launched_as_often(const std::array<size_t, 2>& steps) const {
    const auto per_step = [&](size_t side) {
      return static_cast<double>(count[side]) / static_cast<double>(steps[side]);
    };
    return count[0] > 0 && are_alike(per_step(0), per_step(1));
  }
  bool has_shapes() const {
    return std::ranges::none_of(shapes, [](const ShapeCounts& one) { return one.empty(); });
  }
  bool keeps_shapes() const {
    return std::ranges::all_of(shapes, [&](const ShapeCounts& one) { return are_alike(shapes[0], one); });
  }
  bool is_slower() const {
    constexpr double kSlower = 1.03;
    return mean(1) > kSlower * mean(0);
  }
};

using KernelsByName = std::map<StringId, ComparedKernel>;

/// Where a time is among the steps. All on the clock of a run.
class Sides {
 public:
  Sides(std::span<const Period> steps, size_t first, int64_t zero)
      : all_{steps.front().begin + zero, steps.back().end + zero}, change_(steps[first].begin + zero) {
    const std::array<size_t, kSamples> sampled{0, first - 1, first, steps.size() - 1};
    for (size_t i = 0; i < kSamples; ++i) {
      samples_[i] = {steps[sampled[i]].begin + zero, steps[sampled[i]].end + zero};
    }
  }

  /// 0 before the change, 1 since then; none outside of the steps.
  std::optional<size_t> of(int64_t time) const {
    if (time < all_.begin || time >= all_.end) return std::nullopt;
    return time >= change_ ? 1 : 0;
  }
  std::optional<size_t> sample_of(int64_t time) const {
    for (size_t i = 0; i < kSamples; ++i) {
      if (time >= samples_[i].begin && time < samples_[i].end) return i;
    }
    return std::nullopt;
  }

 private:
  Interval all_;
  int64_t change_;
  std::array<Interval, kSamples> samples_;
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
  std::vector<ShapeCounts*> sampled;  // where the shape of a launch is counted
  std::vector<uint64_t> sources;      // where its arguments are
  for_each_kernel(t, sides, [&](OpIndex op, SliceIndex slice, size_t side) {
    ComparedKernel& kernel = devices[t.device_ops.device[op]][t.slices.name[slice]];
    kernel.any = op;
    kernel.time[side] += t.slices.duration[slice];
    ++kernel.count[side];
    const auto sample = sides.sample_of(t.slices.start[slice]);
    if (!sample) return;
    sampled.push_back(&kernel.shapes[*sample]);
    sources.push_back(t.slices.source[slice]);
  });
  ArgumentReader reader(run.arguments.get(), 0, launch_shape_keys());
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    if (const auto shape = launch_shape(arguments)) ++(*sampled[i])[*shape];
  });
  return devices;
}

/// Leaves the slower ones (SlowedKernels). Returns whether these are most of what the device computes.
bool keep_slower(const Timeline& t, const std::array<size_t, 2>& steps, KernelsByName& kernels) {
  constexpr double kFewOfAll = 0.03;
  constexpr double kMostOfAll = 0.8;
  constexpr double kMostOfSame = 2.0 / 3;
  int64_t all = 0;
  int64_t resized = 0;
  int64_t same = 0;
  int64_t slower = 0;
  std::set<KernelClass> classes;
  std::vector<StringId> of_data;  // of the slower ones, those whose work their grid does not say
  for (auto at = kernels.begin(); at != kernels.end();) {
    const ComparedKernel& kernel = at->second;
    const int64_t before = kernel.time[0];
    all += before;
    const bool is_comparable = kernel.is_launched_as_often(steps) && kernel.has_shapes();
    const bool is_same = is_comparable && kernel.keeps_shapes();
    if (is_comparable && !is_same) resized += before;
    if (is_same) same += before;
    if (!is_same || !kernel.is_slower()) {
      at = kernels.erase(at);
      continue;
    }
    slower += before;
    const KernelClass of_kernel = class_of(t, kernel.any);
    if (depends_on_data(of_kernel)) {
      of_data.push_back(at->first);
    } else {
      classes.insert(of_kernel);
    }
    ++at;
  }
  const auto is_part = [](int64_t part, double share, int64_t of_all) {
    return static_cast<double>(part) >= share * static_cast<double>(of_all);
  };
  if (is_part(resized, kFewOfAll, all)) {
    kernels.clear();
    return false;
  }
  if (is_part(same, kMostOfAll, all) && is_part(slower, kMostOfSame, same) && classes.size() > 1) return true;
  for (const StringId name : of_data) kernels.erase(name);
  return false;
}

/// The one with nearly all of the time, which is `all`.
std::string single_of(const std::map<std::string_view, double>& times, double all) {
  constexpr double kNearlyAll = 0.9;
  const auto most = std::ranges::max_element(times, {}, [](const auto& each) { return each.second; });
  return most != times.end() && most->second >= kNearlyAll * all ? std::string(most->first) : std::string();
}

}  // namespace

std::optional<SlowedKernels> slowed_kernels(const SessionFacts& whole, std::span<const size_t> runs,
                                            std::span<const Period> steps, size_t first, bool at_once) {
  const std::array<size_t, 2> counts{first, steps.size() - first};
  SlowedKernels slowed;
  SliceFactors factors(whole.session().runs.size());
  std::map<std::string_view, double> excess;  // ns, by name
  double as_before = 0;                       // ns since the change
  for (const size_t number : runs) {
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
  slowed.single = single_of(excess, all);
  slowed.remedy = scaled(std::move(factors));
  return slowed;
}

}  // namespace cgpu
