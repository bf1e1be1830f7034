#include "readers/common/kineto_categories.h"

#include <algorithm>
#include <array>
#include <optional>

#include "readers/common/cuda_names.h"

namespace cgpu::kineto {

namespace {

struct KnownCategory {
  std::string_view name;
  SliceKind kind;
};

constexpr std::array kCategories{
    // Since 2022; the capitalised names are those of 2021 and before.
    KnownCategory{"cpu_op", SliceKind::framework_op},
    KnownCategory{"Operator", SliceKind::framework_op},
    KnownCategory{"user_annotation", SliceKind::annotation},
    KnownCategory{"python_function", SliceKind::python_function},
    KnownCategory{"cuda_runtime", SliceKind::runtime_call},
    KnownCategory{"Runtime", SliceKind::runtime_call},
    KnownCategory{"mtia_runtime", SliceKind::runtime_call},
    KnownCategory{"glow_runtime", SliceKind::runtime_call},
    KnownCategory{"xpu_runtime", SliceKind::runtime_call},
    KnownCategory{"privateuse1_runtime", SliceKind::runtime_call},
    KnownCategory{"cuda_driver", SliceKind::driver_call},
    KnownCategory{"xpu_driver", SliceKind::driver_call},
    KnownCategory{"privateuse1_driver", SliceKind::driver_call},
    KnownCategory{"kernel", SliceKind::kernel},
    KnownCategory{"Kernel", SliceKind::kernel},
    KnownCategory{"hpu_op", SliceKind::kernel},
    KnownCategory{"mtia_ccp_events", SliceKind::kernel},
    KnownCategory{"gpu_memcpy", SliceKind::memcpy},
    KnownCategory{"Memcpy", SliceKind::memcpy},
    KnownCategory{"gpu_memset", SliceKind::memset},
    KnownCategory{"Memset", SliceKind::memset},
    KnownCategory{"collective_comm", SliceKind::device_collective},
    KnownCategory{"gpu_user_annotation", SliceKind::device_annotation},
    KnownCategory{"cuda_sync", SliceKind::synchronization},
    KnownCategory{"xpu_sync", SliceKind::synchronization},
    KnownCategory{"cuda_event", SliceKind::synchronization},
    KnownCategory{"overhead", SliceKind::overhead},
    KnownCategory{"Trace", SliceKind::profiler_span},
    KnownCategory{"cuda_profiler_range", SliceKind::other},
    KnownCategory{"xpu_scope_profiler", SliceKind::other},
    KnownCategory{"external_correlation", SliceKind::other},
    KnownCategory{"mtia_insight", SliceKind::other},
};

/// In 2021 iterations, data loading and optimizer steps were written as operators.
bool is_range_written_as_operator(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)") || name.starts_with("Optimizer.") ||
         name.starts_with("ProfilerStep#");
}

std::optional<CopyKind> copy_kind_of(std::string_view text) {
  for (int i = static_cast<int>(CopyKind::HtoD); i <= static_cast<int>(CopyKind::DtoA); ++i) {
    if (text.find(text_of(static_cast<CopyKind>(i))) != std::string_view::npos) return static_cast<CopyKind>(i);
  }
  return std::nullopt;
}

MemoryKind memory_kind_of(std::string_view text) {
  return text == "Host" ? MemoryKind::host : cuda::memory_of_label(text).value_or(MemoryKind::unknown);
}

}  // namespace

SliceKind kind_of_category(std::string_view category) {
  const auto found = std::find_if(kCategories.begin(), kCategories.end(),
                                  [&](const KnownCategory& known) { return known.name == category; });
  return found == kCategories.end() ? SliceKind::other : found->kind;
}

SliceKind kind_of(SliceKind of_category, std::string_view category, std::string_view name) {
  if (of_category == SliceKind::framework_op && category == "Operator" && is_range_written_as_operator(name)) {
    return SliceKind::annotation;
  }
  if (of_category == SliceKind::kernel) {
    if (name == "<gpu sync>" || name == "<no activity>") return SliceKind::synchronization;
    if (category == "mtia_ccp_events" && name.starts_with("dma")) return SliceKind::memcpy;
  }
  return of_category;
}

std::optional<Synchronization::Kind> kind_of_synchronization(std::string_view name) {
  if (name == "Stream Sync") return Synchronization::Kind::host_stream;
  if (name == "Context Sync") return Synchronization::Kind::host_device;
  if (name == "Event Sync") return Synchronization::Kind::host_event;
  if (name == "Stream Wait Event") return Synchronization::Kind::stream_order;
  return std::nullopt;
}

Transfer transfer_of(SliceKind kind, std::string_view name) {
  Transfer transfer;
  if (kind != SliceKind::memcpy && kind != SliceKind::memset) return transfer;
  const size_t open = name.rfind('(');
  const size_t close = name.rfind(')');
  const std::string_view inside = open != std::string_view::npos && close != std::string_view::npos && open < close
                                      ? name.substr(open + 1, close - open - 1)
                                      : std::string_view();
  if (kind == SliceKind::memset) {
    transfer.kind = CopyKind::memset;
    transfer.destination = memory_kind_of(inside);
  } else {
    transfer.kind = copy_kind_of(name).value_or(CopyKind::unknown);
    const size_t arrow = inside.find(" -> ");
    const bool both = arrow != std::string_view::npos;
    transfer.source = both ? memory_kind_of(inside.substr(0, arrow)) : MemoryKind::unknown;
    transfer.destination = both ? memory_kind_of(inside.substr(arrow + 4)) : MemoryKind::unknown;
  }
  return transfer;
}

Transfer transfer_of_direction(std::string_view direction) {
  if (direction == "HOST_TO_DEVICE") return {CopyKind::HtoD, MemoryKind::host, MemoryKind::device};
  if (direction == "DEVICE_TO_HOST") return {CopyKind::DtoH, MemoryKind::device, MemoryKind::host};
  if (direction == "DEVICE_TO_DEVICE") return {CopyKind::DtoD, MemoryKind::device, MemoryKind::device};
  return {CopyKind::unknown, MemoryKind::unknown, MemoryKind::unknown};
}

}  // namespace cgpu::kineto
