#include "hardware/multiprocessors.h"

#include <algorithm>
#include <array>

namespace cgpu {

namespace {

struct LimitsOfVersion {
  std::string_view version;
  MultiprocessorLimits limits;
};

constexpr int64_t kKilo = 1024;
constexpr int64_t kRegisters = 64 * kKilo;

constexpr std::array kVersions = {
    LimitsOfVersion{"6.0", {64, 32, kRegisters, 64 * kKilo, 256, 0}},
    LimitsOfVersion{"6.1", {64, 32, kRegisters, 96 * kKilo, 256, 0}},
    LimitsOfVersion{"7.0", {64, 32, kRegisters, 96 * kKilo, 256, 0}},
    LimitsOfVersion{"7.5", {32, 16, kRegisters, 64 * kKilo, 256, 0}},
    LimitsOfVersion{"8.0", {64, 32, kRegisters, 164 * kKilo, 128, kKilo}},
    LimitsOfVersion{"8.6", {48, 16, kRegisters, 100 * kKilo, 128, kKilo}},
    LimitsOfVersion{"8.7", {48, 16, kRegisters, 164 * kKilo, 128, kKilo}},
    LimitsOfVersion{"8.9", {48, 24, kRegisters, 100 * kKilo, 128, kKilo}},
    LimitsOfVersion{"9.0", {64, 32, kRegisters, 228 * kKilo, 128, kKilo}},
    LimitsOfVersion{"10.0", {64, 32, kRegisters, 228 * kKilo, 128, kKilo}},
    LimitsOfVersion{"12.0", {48, 24, kRegisters, 100 * kKilo, 128, kKilo}},
};

constexpr int64_t kRegisterUnit = 256;
constexpr int64_t kWarpUnit = 4;

int64_t rounded_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<MultiprocessorLimits> multiprocessor_limits(std::string_view compute_capability) {
  for (const LimitsOfVersion& known : kVersions) {
    if (known.version == compute_capability) return known.limits;
  }
  return std::nullopt;
}

ResidentBlocks resident_blocks(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
  ResidentBlocks least{limits.blocks, "blocks"};
  const auto limit = [&](int64_t blocks, std::string_view by) {
    if (blocks < least.blocks) least = {blocks, by};
  };
  const int64_t warps = std::max<int64_t>(1, warps_of_block(needs.threads));
  limit(limits.warps / warps, "warps");
  if (needs.registers > 0) {
    const int64_t of_warp = rounded_up(needs.registers * kThreadsOfWarp, kRegisterUnit);
    const int64_t warps_with_registers = limits.registers / of_warp / kWarpUnit * kWarpUnit;
    limit(warps_with_registers / warps, "registers");
  }
  const int64_t shared = rounded_up(needs.shared_bytes + limits.shared_bytes_of_system, limits.shared_unit);
  if (shared > 0) limit(limits.shared_bytes / shared, "shared memory");
  return least;
}

}  // namespace cgpu
