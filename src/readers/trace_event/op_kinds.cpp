#include "readers/trace_event/op_kinds.h"

#include <algorithm>

namespace cgpu::trace_event {

namespace {

/// The category of slices of this kind to which the trace gives none.
uint16_t category_of_kind(Timeline& timeline, SliceKind kind) {
  std::vector<Category>& all = timeline.categories;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Category& category) {
    return category.kind == kind && category.name == text_of(kind);
  });
  const auto number = static_cast<uint16_t>(found - all.begin());
  if (found == all.end()) all.push_back({text_of(kind), kind});
  return number;
}

}  // namespace

void OpKinds::set_kind(SliceIndex slice, SliceKind kind) {
  const auto [at, added] = categories_.try_emplace(kind, uint16_t{0});
  if (added) at->second = category_of_kind(timeline_, kind);
  timeline_.slices.category[slice] = at->second;
}

void OpKinds::add_op(SliceIndex slice, SliceKind kind, int32_t device, int64_t stream, CopyKind copy) {
  set_kind(slice, kind);
  DeviceOp op;
  op.slice = slice;
  op.device = device;
  op.stream = stream;
  op.copy = kind == SliceKind::memset ? CopyKind::memset : copy;
  if (kind == SliceKind::memset) op.destination = MemoryKind::device;
  if (kind == SliceKind::memcpy && op.copy != CopyKind::none && op.copy != CopyKind::unknown) {
    op.source = op.copy == CopyKind::HtoD || op.copy == CopyKind::HtoH ? MemoryKind::host : MemoryKind::device;
    op.destination = op.copy == CopyKind::DtoH || op.copy == CopyKind::HtoH ? MemoryKind::host : MemoryKind::device;
  }
  timeline_.device_ops.append(op);
}

}  // namespace cgpu::trace_event
