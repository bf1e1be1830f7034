#include "readers/nvprof/api_names.h"

#include "readers/common/numbered_names.h"

namespace cgpu {

extern const std::string_view builtin_cuda_calls;  // api_names.txt

namespace nvprof {

std::string_view api_name(Api api, int64_t number) {
  static const NumberedNames runtime(builtin_cuda_calls, "runtime");
  static const NumberedNames driver(builtin_cuda_calls, "driver");
  if (number < 0) return {};
  return (api == Api::runtime ? runtime : driver).at(static_cast<uint64_t>(number));
}

}  // namespace nvprof
}  // namespace cgpu
