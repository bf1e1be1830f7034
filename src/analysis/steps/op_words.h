// Device ops as words, so that what is done again can be recognised although other kernels do it.
#pragma once

#include <cstdint>

#include "base/string_pool.h"
#include "kernels/kernel_class.h"

namespace cgpu {

/// The class: layers choose other kernels for the same work (attention in a window or over all). The name of what has
/// no class that says much.
inline uint32_t word_of_op(KernelClass kernel_class, StringId name) {
  const bool by_name = kernel_class == KernelClass::unknown || kernel_class == KernelClass::fused;
  return by_name ? kKernelClasses + name : static_cast<uint32_t>(kernel_class);
}

/// Whether it comes and goes between words that are the same (copies of results, memory that is cleared).
inline bool is_no_word(KernelClass kernel_class) {
  return kernel_class == KernelClass::copy || kernel_class == KernelClass::set;
}

/// Whether it is the work of the weights of a layer, or of its attention: every layer has some.
inline bool has_work_of_layers(KernelClass kernel_class) {
  return kernel_class == KernelClass::gemm || kernel_class == KernelClass::moe_gemm ||
         kernel_class == KernelClass::attention || kernel_class == KernelClass::convolution ||
         kernel_class == KernelClass::state_space;
}

}  // namespace cgpu
