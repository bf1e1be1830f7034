#include "comparison/precision_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"

namespace cgpu {

namespace {

/// The type that has most FLOPs of products, convolutions and attention; "" where none has nearly all.
std::string type_of_products(const Comparison& comparison, Side side) {
  constexpr double kNearlyAll = 0.9;
  const std::optional<OpWork>& work = comparison.work_of_ops(side);
  if (!work || work->matrix_flops_by_type.empty()) return {};
  double all = 0;
  std::pair<double, std::string> most;
  for (const auto& [type, flops] : work->matrix_flops_by_type) {
    all += flops;
    most = std::max(most, {flops, type});
  }
  return most.first >= kNearlyAll * all ? most.second : std::string();
}

/// The share of the time of kernels that multiply matrices in those whose names say TF32; absent without such kernels.
std::optional<double> share_of_tf32(const Comparison& comparison, Side side) {
  int64_t all = 0;
  int64_t tf32 = 0;
  for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
    const Timeline& timeline = comparison.facts(side).run(run).timeline;
    std::vector<bool> says(timeline.names.size());
    for (StringId name = 0; name < says.size(); ++name) {
      says[name] = timeline.names[name].find("tf32") != std::string_view::npos;
    }
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      if (class_of(timeline, op) != KernelClass::gemm) return;
      all += timeline.slices.duration[slice];
      if (says[timeline.slices.name[slice]]) tf32 += timeline.slices.duration[slice];
    });
  }
  return all == 0 ? std::nullopt : std::optional(static_cast<double>(tf32) / static_cast<double>(all));
}

}  // namespace

std::string precision_words(const Comparison& comparison) {
  constexpr std::string_view kSingle = "fp32";
  const OfSides<std::string> type{type_of_products(comparison, Side::a), type_of_products(comparison, Side::b)};
  if (type.a.empty() || type.b.empty()) return {};
  if (type.a != type.b) return fmt::format("Matrices are multiplied in {} in B, in {} in A.\n", type.b, type.a);
  const std::optional<double> a = share_of_tf32(comparison, Side::a);
  const std::optional<double> b = share_of_tf32(comparison, Side::b);
  constexpr double kMuch = 0.5;
  if (type.a != kSingle || !a || !b || (*a >= kMuch) == (*b >= kMuch)) return {};
  return fmt::format(
      "Matrices of fp32 are multiplied by kernels of TF32 for {:.0f} % of their time in B, {:.0f} % in A.\n", 100 * *b,
      100 * *a);
}

}  // namespace cgpu
