// Gives slices of a Chrome trace the kinds that its categories do not say.
#pragma once

#include <cstdint>
#include <map>

#include "model/timeline.h"

namespace cgpu::trace_event {

class OpKinds {
 public:
  explicit OpKinds(Timeline& timeline) : timeline_(timeline) {}

  void set_kind(SliceIndex slice, SliceKind kind);
  /// The same, and makes it a device op. In the order of the slices.
  void add_op(SliceIndex slice, SliceKind kind, int32_t device, int64_t stream, CopyKind copy);

 private:
  Timeline& timeline_;
  std::map<SliceKind, uint16_t> categories_;
};

}  // namespace cgpu::trace_event
