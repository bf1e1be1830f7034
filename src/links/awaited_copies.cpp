#include "links/awaited_copies.h"

namespace cgpu {

bool waits_for_own_copy(const Timeline& timeline, OpIndex copy, SliceIndex call) {
  constexpr int64_t kShortest = 20'000;
  if (call == kNone) return false;
  const DeviceOps& ops = timeline.device_ops;
  if (ops.source[copy] == MemoryKind::pageable || ops.destination[copy] == MemoryKind::pageable) return true;
  const bool reads = ops.copy[copy] == CopyKind::DtoH;
  if (!reads && ops.copy[copy] != CopyKind::HtoD) return false;
  const MemoryKind of_host = reads ? ops.destination[copy] : ops.source[copy];
  const bool is_recorded = of_host != MemoryKind::none && of_host != MemoryKind::unknown && of_host != MemoryKind::host;
  const Slices& slices = timeline.slices;
  const SliceIndex slice = ops.slice[copy];
  return !is_recorded && slices.duration[slice] >= kShortest && slices.end(slice) <= slices.end(call);
}

}  // namespace cgpu
