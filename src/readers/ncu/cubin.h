// NVIDIA's machine code as a report has it: an object file (ELF) with the functions, and, where the compiler was asked
// for them (-lineinfo, -G), the lines of the source and the text of the PTX.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/launch_metrics.h"

namespace cgpu::ncu {

/// The machine code of one function of the object file: its instructions, where they are from, and the text of the PTX,
/// which is added to `measured.ptx`. `address` is where the function was loaded; 0: where the object file says.
/// Empty `instructions`: the object file does not have the function, or is damaged before it.
DeviceCode read_function(std::string_view object_file, std::string_view function, uint64_t address,
                         LaunchMetrics& measured);

}  // namespace cgpu::ncu
