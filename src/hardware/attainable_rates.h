// What good programs reach of the peak rates of a device, to judge kernels by.
//
// Of products of matrices it is the best that was measured on the model (DevicePeaks::achievable), for types that were
// not measured the same share of their peak. Where nothing was measured it is a stated share of the peak. Of a device
// that is only known to be one of several it is the least of theirs, which every one of them reaches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/device_peaks.h"

namespace cgpu {

/// Copies reach 80 to 93 % of the peak of the memory: 4.3 of 5.3 TB/s on an MI300X (AMD, BabelStream), 1.7 to 1.8 of
/// 2.04 on an A100, 3.0 of 3.35 on an H100 SXM.
inline constexpr double kAttainableMemory = 0.8;
/// Of arithmetic where nothing was measured: products of fp32 on the vector units of an H100 reach 75 % and more.
inline constexpr double kAttainableFlops = 0.7;
/// Of what products of matrices reach, attention reaches 80 % forward and 65 % backward: FlashAttention-3 740 and 560,
/// FlashAttention-2 225 and 190 TFLOP/s where products reach 794 (H100 SXM) and 271 (A100 SXM).
inline constexpr double kAttentionForward = 0.8;
inline constexpr double kAttentionBackward = 0.65;
/// What a kernel takes, however little it does: elementwise kernels on a few KB take 1 to 3 us on an H100 or MI300X.
inline constexpr double kShortestKernelNs = 2000;

struct AttainableRates {
  std::optional<double> memory;  // B/s
  std::vector<PeakRate> flops;   // of types as PeakRate has them
  std::optional<int64_t> multiprocessors;

  /// Absent where it is not known.
  std::optional<double> flops_of(std::string_view type) const;
};

AttainableRates attainable_rates(const DevicePeaks& peaks);
/// The least of several devices; a type counts where one of them has it.
AttainableRates least_attainable_rates(const std::vector<DevicePeaks>& devices);

}  // namespace cgpu
