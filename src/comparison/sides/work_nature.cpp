#include "comparison/sides/work_nature.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/contains.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

constexpr std::array<std::string_view, 5> kFilling = {"aten::fill_", "aten::zero_", "aten::zeros", "aten::zeros_like",
                                                      "aten::new_zeros"};
constexpr std::array<std::string_view, 3> kConverting = {"aten::to", "aten::_to_copy", "aten::type_as"};
/// Ops that copy only where the order of the elements in memory must change.
constexpr std::array<std::string_view, 10> kRearranging = {
    "aten::contiguous",     "aten::clone",        "aten::reshape", "aten::im2col",        "aten::col2im",
    "aten::transpose_copy", "aten::permute_copy", "aten::flatten", "aten::pixel_shuffle", "aten::channel_shuffle"};
/// In the names of kernels that only rearrange.
constexpr std::array<std::string_view, 8> kRearranges = {"nchwtonhwc", "nhwctonchw", "transpose", "permute",
                                                         "im2col",     "col2im",     "transdata", "nchw_nhwc"};
/// In the names of kernels that copy to another type.
constexpr std::array<std::string_view, 4> kConverts = {"withcast", "float16_copy", "float8_copy", "cast_kernel"};

bool has_part(std::string_view name, std::span<const std::string_view> parts) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

}  // namespace

std::string_view text_of(WorkNature nature) {
  switch (nature) {
    case WorkNature::computes:
      return "";
    case WorkNature::fills:
      return "a memset";
    case WorkNature::copies:
      return "a copy";
    case WorkNature::casts:
      return "a cast";
    case WorkNature::layouts:
      return "a layout change";
  }
  return "";
}

NatureOfName nature_of_name(std::string_view name) {
  return {has_part(base_kernel_name(name), kRearranges), has_part(name, kConverts)};
}

WorkNature nature_of(KernelClass kernel_class, NatureOfName name, std::span<const std::string_view> ops, bool casts) {
  if (kernel_class == KernelClass::set) return WorkNature::fills;
  if (kernel_class == KernelClass::copy) return WorkNature::copies;
  const std::string_view innermost = ops.empty() ? std::string_view() : ops.front();
  const bool moves = kernel_class == KernelClass::layout || kernel_class == KernelClass::convolution ||
                     kernel_class == KernelClass::elementwise || kernel_class == KernelClass::unknown;
  if (moves && name.layouts) return WorkNature::layouts;
  if (contains(kFilling, innermost)) return WorkNature::fills;
  if (contains(kRearranging, innermost)) return WorkNature::layouts;
  const bool copies = innermost == "aten::copy_" || contains(kConverting, innermost);
  if (!copies) return WorkNature::computes;
  if (casts || name.casts) return WorkNature::casts;
  for (const std::string_view op : ops.subspan(1)) {
    if (contains(kRearranging, op)) return WorkNature::layouts;
    if (contains(kConverting, op)) return WorkNature::casts;
  }
  return contains(kConverting, innermost) ? WorkNature::casts : WorkNature::copies;
}

}  // namespace cgpu
