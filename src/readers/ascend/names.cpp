#include "readers/ascend/names.h"

#include <array>
#include <cctype>
#include <utility>

#include "base/contains.h"

namespace cgpu::ascend {

namespace {

std::string lower_letters(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c))) letters += static_cast<char>(std::tolower(c));
  }
  return letters;
}

}  // namespace

bool is_range(std::string_view op) {
  return op.starts_with("ProfilerStep#") || op.starts_with("enumerate(DataLoader)") || op.starts_with("Optimizer.");
}

bool is_communication_name(std::string_view name) {
  return name.starts_with("hcom_") || name.starts_with("Hccl") || name.starts_with("lccl");
}

std::string collective_name(std::string_view name) {
  // As the other readers write them.
  static constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {{"reducescatter", "reduce_scatter"},
                                                                                 {"batchsendrecv", "send_recv"}};
  for (const std::string_view prefix : {"hcom_", "Hccl", "lccl"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const std::string letters = lower_letters(name.substr(0, name.find('_')));
  for (const auto& [written, spelling] : kSpellings) {
    if (letters == written) return std::string(spelling);
  }
  return letters;
}

std::string group_digits(std::string_view op) {
  const size_t at = op.find("__");
  if (at == std::string_view::npos) return "";
  op.remove_prefix(at + 2);
  return std::string(op.substr(0, op.find_first_not_of("0123456789")));
}

std::string group_id(std::string_view group_name) {
  constexpr uint32_t kFirstBase = 29;
  constexpr uint32_t kSecondBase = 131;
  uint32_t high = 0;
  uint32_t low = 0;
  for (const char c : group_name) {
    high = high * kFirstBase + static_cast<unsigned char>(c);
    low = low * kSecondBase + static_cast<unsigned char>(c);
  }
  return std::to_string(uint64_t{high} << 32 | low);
}

bool schedules_communication(std::string_view name) {
  return name.ends_with("AicpuKernel") || name.ends_with("AivKernel");
}

SliceKind kind_of_task(std::string_view type, std::string_view name) {
  static constexpr std::array<std::string_view, 5> kComputing{"DSA_SQE", "DSA", "AIC", "AIV", "AICPU"};
  static constexpr std::array<std::string_view, 4> kUntold{"", "N/A", "Other", "UNKNOWN"};
  const auto is = [&](std::string_view prefix) { return name.starts_with(prefix) || type.starts_with(prefix); };
  if (is("MEMCPY") || is("PCIE_DMA") || name.starts_with("memcpy")) return SliceKind::memcpy;
  if (is("MEMSET")) return SliceKind::memset;
  if (is("EVENT_") || is("Notify") || is("NOTIFY") || is("STREAM_WAIT")) return SliceKind::synchronization;
  if (is("PROFILING_") || is("PLACE_HOLDER") || schedules_communication(name)) return SliceKind::other;
  if (type.starts_with("AI_") || type.starts_with("MIX_") || type.starts_with("KERNEL_") ||
      contains(kComputing, type)) {
    return SliceKind::kernel;
  }
  return contains(kUntold, type) ? SliceKind::kernel : SliceKind::other;
}

std::optional<Synchronization::Kind> kind_of_event_task(std::string_view type, std::string_view name) {
  const auto is = [&](std::string_view prefix) { return name.starts_with(prefix) || type.starts_with(prefix); };
  if (is("EVENT_WAIT") || is("STREAM_WAIT")) return Synchronization::Kind::stream_wait;
  return is("EVENT_RECORD") ? std::optional(Synchronization::Kind::event_record) : std::nullopt;
}

CopyKind copy_kind_of(std::string_view operation) {
  const std::string letters = lower_letters(operation);
  const auto is = [&](std::string_view part) { return letters.find(part) != std::string::npos; };
  if (is("hosttodevice")) return CopyKind::HtoD;
  if (is("devicetohost")) return CopyKind::DtoH;
  if (is("devicetodevice")) return CopyKind::DtoD;
  if (is("hosttohost")) return CopyKind::HtoH;
  return CopyKind::unknown;
}

MemoryKind source_of(CopyKind kind) {
  if (kind == CopyKind::HtoD || kind == CopyKind::HtoH) return MemoryKind::host;
  return kind == CopyKind::DtoH || kind == CopyKind::DtoD ? MemoryKind::device : MemoryKind::unknown;
}

MemoryKind destination_of(CopyKind kind) {
  if (kind == CopyKind::DtoH || kind == CopyKind::HtoH) return MemoryKind::host;
  return kind == CopyKind::HtoD || kind == CopyKind::DtoD ? MemoryKind::device : MemoryKind::unknown;
}

}  // namespace cgpu::ascend
