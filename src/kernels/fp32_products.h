// How a kernel multiplies matrices of 32-bit floats: on the vector units, or rounded to TF32 on the matrix units.
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu {

enum class Fp32Products : uint8_t { unknown, vector_units, tf32 };

/// By the names that cuBLAS, cuDNN and CUTLASS give ("gemm_f32f32_tf32f32_f32": the types of both inputs, of what is
/// multiplied, of the sum and of the output).
Fp32Products fp32_products_of(std::string_view kernel);

}  // namespace cgpu
