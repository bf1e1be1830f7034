#include "kernels/kernel_class.h"

#include <array>

namespace cgpu {

std::string_view text_of(KernelClass kernel_class) {
  static constexpr std::array<std::string_view, kKernelClasses> kTexts = {
      "copy",        "set",       "collective",   "expert_exchange", "custom_collective",
      "kv_cache",    "rope",      "embedding",    "normalization",   "quantization",
      "moe_routing", "moe_gemm",  "attention",    "state_space",     "convolution",
      "gemm",        "optimizer", "softmax_loss", "activation",      "sort_scan",
      "random",      "pooling",   "layout",       "indexing",        "reduction",
      "elementwise", "fused",     "unknown"};
  return kTexts[static_cast<std::size_t>(kernel_class)];
}

}  // namespace cgpu
