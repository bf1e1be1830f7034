// The options of `cgpu check` (gate/check_arguments.h) that other verbs take, too.
#pragma once

#include "cli/command_line.h"
#include "gate/check_arguments.h"

namespace cgpu {

void add_check_options(Verb verb, CheckArguments& arguments);

}  // namespace cgpu
