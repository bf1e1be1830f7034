// Calls that launch device ops, and what they launched.
#pragma once

#include <vector>

#include "analysis/device/device_ops.h"

namespace cgpu {

/// A call that launched device ops (a graph launch launches many), and the one of them that started first.
struct LaunchingCall {
  SliceIndex call = kNone;
  OpIndex first_op = 0;
};

/// All launching calls of a run, in file order. O(n) in the slices, 4 bytes a slice meanwhile.
std::vector<LaunchingCall> launching_calls(const Timeline& timeline);

/// The thread that touches the managed memory of a device, as far as a profile tells: the one that launches most of its
/// `ops`. kNone where no pages migrate, or nothing has a launch. O(n).
TrackIndex thread_of_migrations(const Timeline& timeline, const std::vector<OpIndex>& ops);

}  // namespace cgpu
