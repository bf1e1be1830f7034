#include "readers/ncu/sass.h"

#include <fmt/format.h>

#include "readers/common/bytes.h"
#include "readers/common/numbered_names.h"

namespace cgpu {

extern const std::string_view builtin_sass;  // sass.txt

namespace ncu {

namespace {

constexpr uint32_t kVolta = 70;  // the first with instructions of 16 bytes
constexpr uint64_t kOperationBits = 0x1FF;
constexpr unsigned kGuardAt = 12;
constexpr uint64_t kAlwaysGuard = 7;

}  // namespace

uint32_t instruction_bytes(uint32_t architecture) {
  return architecture >= kVolta ? 16 : 8;
}

std::string operation_of(uint32_t architecture, std::string_view instruction) {
  if (architecture < kVolta) return {};
  const auto bits = ByteCursor(instruction).take<uint64_t>();
  static const NumberedNames operations(builtin_sass, "sass");
  const std::string_view name = operations.at(bits & kOperationBits);
  if (name.empty()) return {};
  const uint64_t guard = bits >> kGuardAt & 7;
  const bool is_negated = (bits >> (kGuardAt + 3) & 1) != 0;
  if (guard == kAlwaysGuard && !is_negated) return std::string(name);
  // The units that compute one value for a whole warp have predicates of their own.
  const char* kind = name.starts_with('U') ? "UP" : "P";
  const std::string number = guard == kAlwaysGuard ? "T" : std::to_string(guard);
  return fmt::format("@{}{}{} {}", is_negated ? "!" : "", kind, number, name);
}

}  // namespace ncu
}  // namespace cgpu
