// SASS, the machine code of NVIDIA's devices: the names of operations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cgpu::ncu {

/// Size of an instruction of a device; `architecture` 86 is compute capability 8.6.
uint32_t instruction_bytes(uint32_t architecture);

/// "@!P0 BRA": under which predicate an instruction executes, where that is not always, and the name of its operation.
/// Operands and modifiers are not decoded. "" where the operation, or the layout (below 7.0), is not known.
std::string operation_of(uint32_t architecture, std::string_view instruction);

}  // namespace cgpu::ncu
