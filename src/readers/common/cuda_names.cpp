#include "readers/common/cuda_names.h"

#include <algorithm>
#include <array>
#include <map>

namespace cgpu::cuda {

namespace {

struct Label {
  std::string_view text;
  MemoryKind kind;
};
constexpr std::array<Label, 8> kMemory{{{"Pageable", MemoryKind::pageable},
                                        {"Pinned", MemoryKind::pinned},
                                        {"Device", MemoryKind::device},
                                        {"Array", MemoryKind::array},
                                        {"Managed", MemoryKind::managed},
                                        {"Device Static", MemoryKind::device_static},
                                        {"Managed Static", MemoryKind::managed_static},
                                        {"Unknown", MemoryKind::unknown}}};

std::string_view label_of(MemoryKind kind) {
  const auto at = std::find_if(kMemory.begin(), kMemory.end(), [&](const Label& one) { return one.kind == kind; });
  return at == kMemory.end() ? kMemory.back().text : at->text;
}

}  // namespace

std::string name_of_copy(CopyKind copy, MemoryKind source, MemoryKind destination) {
  std::string name = copy == CopyKind::memset ? "Memset (" : std::string("Memcpy ") + text_of(copy) + " (";
  if (copy != CopyKind::memset) name.append(label_of(source)).append(" -> ");
  return name.append(label_of(destination)).append(")");
}

std::optional<MemoryKind> memory_of_label(std::string_view label) {
  const auto at = std::find_if(kMemory.begin(), kMemory.end(), [&](const Label& one) { return one.text == label; });
  return at == kMemory.end() ? std::nullopt : std::optional(at->kind);
}

std::string_view op_of_range(std::string_view name) {
  size_t end = std::string_view::npos;
  for (const std::string_view detail : {", seq = ", ", op_id = ", ", sizes = ["})
    end = std::min(end, name.find(detail));
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

void sum_memory(std::vector<MemoryEvent>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; });
  std::map<int32_t, int64_t> in_use;
  for (MemoryEvent& event : events) {
    int64_t& total = in_use[event.device];
    // What was allocated before the recording is released in it: the total cannot be known below 0.
    total = std::clamp<int64_t>(total + event.bytes, 0, INT64_MAX / 2);
    event.total_allocated = total;
  }
}

}  // namespace cgpu::cuda
