// Kernel classes: what kind of work a device function does.
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu {

/// kernels/rules.txt explains the classes. Tables list classes of equal time in this order.
enum class KernelClass : uint8_t {
  copy,
  set,
  collective,
  expert_exchange,
  custom_collective,
  kv_cache,
  rope,
  embedding,
  normalization,
  quantization,
  moe_routing,
  moe_gemm,
  attention,
  state_space,
  convolution,
  gemm,
  optimizer,
  softmax_loss,
  activation,
  sort_scan,
  random,
  pooling,
  layout,
  indexing,
  reduction,
  elementwise,
  fused,
  unknown
};
inline constexpr int kKernelClasses = static_cast<int>(KernelClass::unknown) + 1;

/// "gemm", "softmax_loss", ...
std::string_view text_of(KernelClass kernel_class);

}  // namespace cgpu
