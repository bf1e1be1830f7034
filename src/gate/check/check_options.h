// The options of `cgpu check` as they are asked for, from their words.
#pragma once

#include "gate/check/check.h"
#include "gate/check_arguments.h"

namespace cgpu {

/// Throws Error.
CheckOptions options_of(const CheckArguments& arguments);

}  // namespace cgpu
