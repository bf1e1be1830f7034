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

/// Of a device op by its class and full name and the framework ops around it, innermost first; of the time that a host
/// spends in an op the name is that op's, and the first of those around. `casts`: whether the innermost of these is
/// known to copy between tensors of unlike types.
WorkNature nature_of(KernelClass kernel_class, std::string_view name, std::span<const std::string_view> ops,
                     bool casts);

}  // namespace cgpu
