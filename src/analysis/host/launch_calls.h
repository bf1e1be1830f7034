// Which call launched what.
#pragma once

#include <vector>

#include "analysis/device/device_ops.h"

namespace cgpu {

/// The call that launched a device op; kNone where there is none, or none whose duration can be believed.
inline SliceIndex launch_of(const Timeline& timeline, SliceIndex device_op) {
  const SliceIndex call = timeline.slices.launch[device_op];
  return call != kNone && is_plausible(timeline, call) ? call : kNone;
}

/// A call that launched device ops (a graph launch: many), and the one of them that started first.
struct LaunchingCall {
  SliceIndex call = kNone;
  OpIndex first_op = 0;
};

/// All of them, in file order of the calls. O(n) in the slices.
std::vector<LaunchingCall> launching_calls(const Timeline& timeline);

}  // namespace cgpu
