// Work that computes nothing: what fills, copies, converts or only rearranges memory. Where one of two runs alone has
// such work, it is named as what it is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/kernel_class.h"

namespace cgpu {

enum class WorkNature : uint8_t {
  computes,  // or is not known
  fills,
  copies,
  casts,    // to another type of elements
  layouts,  // to another order of elements
};
inline constexpr int kWorkNatures = static_cast<int>(WorkNature::layouts) + 1;

/// "a memset", "a copy", "a cast", "a layout change"; "" for what computes.
std::string_view text_of(WorkNature nature);

/// What the full name of a device op says, wherever it ran.
struct NatureOfName {
  bool layouts = false;
  bool casts = false;
};
NatureOfName nature_of_name(std::string_view name);

/// Of a device op by its class, what its name says and the framework ops around it, innermost first. `casts`: whether
/// the innermost of these is known to copy between tensors of unlike types.
WorkNature nature_of(KernelClass kernel_class, NatureOfName name, std::span<const std::string_view> ops, bool casts);

}  // namespace cgpu
