// The text of kernels/rules.txt, compiled into the binary.
#pragma once

#include <string_view>

namespace cgpu {

extern const std::string_view builtin_kernel_rules;

}  // namespace cgpu
