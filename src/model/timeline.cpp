#include "model/timeline.h"

namespace cgpu {

const char* text_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::framework_op:
      return "framework_op";
    case SliceKind::annotation:
      return "annotation";
    case SliceKind::python_function:
      return "python_function";
    case SliceKind::runtime_call:
      return "runtime_call";
    case SliceKind::driver_call:
      return "driver_call";
    case SliceKind::os_call:
      return "os_call";
    case SliceKind::kernel:
      return "kernel";
    case SliceKind::memcpy:
      return "memcpy";
    case SliceKind::memset:
      return "memset";
    case SliceKind::device_collective:
      return "device_collective";
    case SliceKind::device_annotation:
      return "device_annotation";
    case SliceKind::synchronization:
      return "synchronization";
    case SliceKind::overhead:
      return "overhead";
    case SliceKind::profiler_span:
      return "profiler_span";
    case SliceKind::other:
      return "other";
  }
  return "other";
}

const char* text_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::none:
      return "";
    case CopyKind::HtoD:
      return "HtoD";
    case CopyKind::DtoH:
      return "DtoH";
    case CopyKind::DtoD:
      return "DtoD";
    case CopyKind::PtoP:
      return "PtoP";
    case CopyKind::HtoH:
      return "HtoH";
    case CopyKind::HtoA:
      return "HtoA";
    case CopyKind::AtoH:
      return "AtoH";
    case CopyKind::AtoA:
      return "AtoA";
    case CopyKind::AtoD:
      return "AtoD";
    case CopyKind::DtoA:
      return "DtoA";
    case CopyKind::memset:
      return "Memset";
    case CopyKind::uvm_HtoD:
      return "UVM HtoD";
    case CopyKind::uvm_DtoH:
      return "UVM DtoH";
    case CopyKind::unknown:
      return "unknown";
  }
  return "unknown";
}

const char* text_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::none:
      return "";
    case MemoryKind::pageable:
      return "pageable";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::device:
      return "device";
    case MemoryKind::array:
      return "array";
    case MemoryKind::managed:
      return "managed";
    case MemoryKind::device_static:
      return "device_static";
    case MemoryKind::managed_static:
      return "managed_static";
    case MemoryKind::host:
      return "host";
    case MemoryKind::unknown:
      return "unknown";
  }
  return "unknown";
}

namespace {
template <typename... Columns>
uint64_t bytes_of(const Columns&... columns) {
  return (0 + ... + (columns.size() * sizeof(columns[0])));
}
}  // namespace

SliceKinds::SliceKinds(const std::vector<Category>& categories, const std::vector<uint16_t>& category)
    : category_(category.data()) {
  of_category_.reserve(categories.size());
  for (const Category& named : categories) of_category_.push_back(named.kind);
}

uint64_t Timeline::bytes() const {
  return slices.row_bytes() + device_ops.row_bytes() +
         bytes_of(collectives, synchronizations, memory, counters.track, counters.time, counters.value, instants,
                  links) +
         bytes_of(hints.transfers, hints.external, hints.sequence, hints.flows, hints.handovers, hints.records,
                  hints.launches);
}

}  // namespace cgpu
