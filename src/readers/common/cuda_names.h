// How what CUPTI recorded is named in profiles of any tool, so that they can be compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace cgpu::cuda {

/// As PyTorch's profiler names a copy or memset: "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
std::string name_of_copy(CopyKind copy, MemoryKind source, MemoryKind destination);
/// The memory that a label of these names: "Device Static"; empty where it is none.
std::optional<MemoryKind> memory_of_label(std::string_view label);

/// The framework op that a range is, "" for other ranges. PyTorch's emit_nvtx writes them as
/// "aten::mm, seq = 12, op_id = 7, sizes = [[2, 3]]".
std::string_view op_of_range(std::string_view name);

/// Sorts allocations (and releases, of negative size) by time and sums up what is in use after each, a device apart.
void sum_memory(std::vector<MemoryEvent>& events);

}  // namespace cgpu::cuda
