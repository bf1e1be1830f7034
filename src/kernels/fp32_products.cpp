#include "kernels/fp32_products.h"

#include "base/contains.h"

namespace cgpu {

Fp32Products fp32_products_of(std::string_view kernel) {
  if (contains(kernel, "tf32")) return Fp32Products::tf32;
  if (contains(kernel, "tensorop")) return Fp32Products::unknown;
  for (const std::string_view vector : {"sgemm", "scudnn", "volta_dgemm", "gemm_f32f32_f32f32_f32"}) {
    if (contains(kernel, vector)) return Fp32Products::vector_units;
  }
  return Fp32Products::unknown;
}

}  // namespace cgpu
