#include "comparison/words/uniform_change_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison/attribution/changed_rank.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/words/device_words.h"
#include "comparison/words/quantity_words.h"
#include "links/device_ops.h"

namespace cgpu {

namespace {

bool is_compute(const Cause& cause) {
  const std::optional<Place>& longest = cause.longest.a ? cause.longest.a : cause.longest.b;
  return longest && kind_of(longest->kernel_class) == OpKind::compute;
}

/// Work of both sides.
struct Kernel {
  double factor = 1;  // of the time of each
  int64_t time = 0;   // ns in A
};

struct ComputeTime {
  std::vector<Kernel> of_both;                // done equally often on both sides
  int64_t all = 0;                            // of A, ns
  PerSide<std::vector<int64_t>> by_run = {};  // ns
};

ComputeTime compute_time(const Comparison& comparison) {
  constexpr double kEqual = 0.01;
  ComputeTime compute;
  for (const Side side : kSides) compute.by_run[side].resize(comparison.facts(side).session().runs.size());
  for (const Cause& cause : comparison.causes()) {
    if (cause.kind == CauseKind::idle || cause.kind == CauseKind::waiting || !is_compute(cause)) continue;
    const auto duration = [&](Side side) { return cause.time[side] + cause.hidden[side]; };
    compute.all += duration(Side::a);
    for (const Side side : kSides) {
      for (size_t run = 0; run < cause.by_run[side].size(); ++run) compute.by_run[side][run] += cause.by_run[side][run];
    }
    if (cause.kind != CauseKind::op || duration(Side::a) <= 0) continue;
    const double count_a = per_device_iteration(comparison, Side::a, cause.count.a);
    const double count_b = per_device_iteration(comparison, Side::b, cause.count.b);
    if (std::abs(count_b - count_a) > kEqual * count_a) continue;
    compute.of_both.push_back({per_device_iteration(comparison, Side::b, duration(Side::b)) /
                                   per_device_iteration(comparison, Side::a, duration(Side::a)),
                               duration(Side::a)});
  }
  return compute;
}

}  // namespace

std::string uniform_change_words(const Comparison& comparison) {
  constexpr double kNearlyAll = 0.9;
  constexpr double kLeastChange = 0.01;
  constexpr double kAlike = 0.25;  // of the change, by how much kernels differ from it at most
  constexpr size_t kFewest = 4;
  if (comparison.host(Side::a) != nullptr || comparison.host(Side::b) != nullptr) return {};
  if (models_of(comparison, Side::a).only() != models_of(comparison, Side::b).only()) return {};
  ComputeTime compute = compute_time(comparison);
  std::vector<Kernel>& kernels = compute.of_both;
  if (kernels.empty()) return {};
  std::ranges::sort(kernels, {}, &Kernel::factor);
  int64_t paired = 0;
  for (const Kernel& kernel : kernels) paired += kernel.time;
  double usual = 1;  // the median, weighted by time
  int64_t below = 0;
  for (const Kernel& kernel : kernels) {
    usual = kernel.factor;
    if (2 * (below += kernel.time) >= paired) break;
  }
  if (std::abs(usual - 1) < kLeastChange) return {};
  int64_t alike = 0;
  size_t count = 0;
  for (const Kernel& kernel : kernels) {
    if (std::abs(kernel.factor - usual) > kAlike * std::abs(usual - 1)) continue;
    alike += kernel.time;
    ++count;
  }
  const double share = static_cast<double>(alike) / static_cast<double>(compute.all);
  if (count < kFewest || share < kNearlyAll) return {};
  const bool shapes_known = comparison.work_of_ops(Side::a) && comparison.work_of_ops(Side::b);
  const std::optional<size_t> group = changed_rank(comparison, compute.by_run);
  if (group) {
    usual = time_of_rank(comparison, compute.by_run, Side::b, *group) /
            time_of_rank(comparison, compute.by_run, Side::a, *group);
  }
  return fmt::format(
      "{:.0f} % of the compute time{} changed by the same factor ({}), as with {} clocks of {} device{}.\n",
      100 * share, group ? fmt::format(" of rank {}", rank_of(comparison, *group)) : "", ratio_words(1, usual),
      usual > 1 ? "lower" : "higher", group ? "its" : "the",
      shapes_known ? "" : " or other inputs, whose shapes are not known");
}

}  // namespace cgpu
