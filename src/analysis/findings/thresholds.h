// From when on something is worth pointing at. Each threshold with its reason.
#pragma once

#include <cstdint>

namespace cgpu::thresholds {

/// Share of the steps' time that a finding must be able to give back. Below it, noise between two runs hides the gain
/// (docs/performance.md: medians of one program differ by 1 to 3 %).
inline constexpr double kNoticeable = 0.03;
/// Share from which on a finding is critical: more than the gain of a new release of most libraries.
inline constexpr double kCritical = 0.20;
/// Host time between two calls that is at least so long is a stall of its own; shorter, it belongs to launching ops one
/// by one. Practitioners look at gaps from 1 ms on (nsys-ai, recipes of Nsight Systems).
inline constexpr int64_t kHostStall = 1'000'000;
/// A copy below this size takes longer to begin than to run: 64 KiB at 25 GB/s take 2.6 us, as long as a launch.
inline constexpr double kSmallCopy = 64.0 * 1024;
/// What a small copy costs at most by itself: a call, the start of the copy, the return. Where each costs more, it is
/// something else that waits for it.
inline constexpr int64_t kSmallCopyCost = 30'000;
inline constexpr int64_t kManyCopies = 100;
/// Ops shorter than that are dominated by their launch (a launch takes 2 to 10 us of a host thread).
inline constexpr double kShortKernel = 10'000;
inline constexpr int64_t kManyKernels = 100;
/// A device that computes for so much of its time is well used: what is left lies in its kernels.
inline constexpr double kComputes = 0.7;
/// A rank that causes so much of all waiting in collectives is late, not just unlucky: with equal ranks each would
/// cause its share.
inline constexpr double kStraggler = 0.5;
/// Ranks whose compute times differ by more than that have unequal work: the spread of equal devices is a few percent.
inline constexpr double kUnequalWork = 1.15;
/// Share of device ops whose launch is not in the profile from which on conclusions about the host are doubtful.
inline constexpr double kOrphans = 0.10;
/// Share of the time of a sampled profile that is worth a line.
inline constexpr double kSampledShare = 0.05;

}  // namespace cgpu::thresholds
