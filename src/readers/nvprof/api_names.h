// The names of CUDA's calls by the numbers that CUPTI gives them (cbid): nvprof's databases hold the numbers only.
// Source: the enumerations of CUPTI 11.8; a number never changes its meaning, newer versions add some.
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu::nvprof {

enum class Api : uint8_t { runtime, driver };

/// "cudaLaunchKernel", without version and kind of default stream; "" for a number that is not known.
std::string_view api_name(Api api, int64_t number);

}  // namespace cgpu::nvprof
