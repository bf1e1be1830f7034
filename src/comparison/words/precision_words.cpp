#include "comparison/words/precision_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/op_shapes/op_groups.h"

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

std::string_view words_of(std::string_view type) {
  return type == kTf32 ? "TF32" : type;
}

}  // namespace

std::string precision_words(const Comparison& comparison) {
  const std::string a = type_of_products(comparison, Side::a);
  const std::string b = type_of_products(comparison, Side::b);
  const auto is_single = [](std::string_view type) {
    return type == kFp32 || type == kFp32OnVectorUnits || type == kTf32;
  };
  // How 32-bit floats are multiplied is only reported where both sides record it.
  const bool open = (a == kFp32 && is_single(b)) || (b == kFp32 && is_single(a));
  if (a.empty() || b.empty() || a == b || open) return {};
  return fmt::format("Precision of matrix products: {} -> {}.\n", words_of(a), words_of(b));
}

}  // namespace cgpu
