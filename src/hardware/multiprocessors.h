// How many blocks of a kernel a multiprocessor of NVIDIA holds at a time, by its compute capability.
//
// The limits are those of the CUDA C++ Programming Guide (technical specifications by compute capability), the rules of
// allocation those of the occupancy calculator: registers come in units of 256 to a warp, warps in fours, shared memory
// in units of 128 bytes (256 before 8.0); the system takes 1 KB of it a block from 8.0 on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cgpu {

struct MultiprocessorLimits {
  int64_t warps = 0;
  int64_t blocks = 0;
  int64_t registers = 0;
  int64_t shared_bytes = 0;            // at the largest carve-out
  int64_t shared_unit = 128;           // bytes
  int64_t shared_bytes_of_system = 0;  // a block
};

/// Absent for versions that are not listed ("9.0", "" and the like for others).
std::optional<MultiprocessorLimits> multiprocessor_limits(std::string_view compute_capability);

/// What a block of a kernel takes.
struct BlockNeeds {
  int64_t threads = 0;
  int64_t registers = 0;     // a thread
  int64_t shared_bytes = 0;  // static and dynamic
};

struct ResidentBlocks {
  int64_t blocks = 0;           // at a time; 0 where not even one fits
  std::string_view limited_by;  // "blocks", "warps", "registers" or "shared memory"
};
ResidentBlocks resident_blocks(const MultiprocessorLimits& limits, const BlockNeeds& needs);

inline constexpr int64_t kThreadsOfWarp = 32;
inline int64_t warps_of_block(int64_t threads) {
  return (threads + kThreadsOfWarp - 1) / kThreadsOfWarp;
}

}  // namespace cgpu
