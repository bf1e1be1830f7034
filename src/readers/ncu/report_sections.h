// The sections that a report describes: which metrics Nsight Compute shows where, and under which labels.
#pragma once

#include <string_view>
#include <unordered_set>

#include "model/launch_metrics.h"

namespace cgpu::ncu {

/// A section from its message. `metrics`: the names of all metrics of the report, by which its charts are found.
LaunchSection read_section(std::string_view message, const std::unordered_set<StringId>& metrics, StringPool& names);

}  // namespace cgpu::ncu
