// The text of base/secret_rules.txt, compiled into the binary.
#pragma once

#include <string_view>

namespace cgpu {

extern const std::string_view builtin_secret_rules;

}  // namespace cgpu
