// The JSON that Chakra's simulators take: {"workload_graph": [...]}.
#pragma once

#include <string_view>

#include "readers/common/input.h"

namespace cgpu::chakra {

bool is_workload(std::string_view head);
Run read_workload(const Input& input);

}  // namespace cgpu::chakra
