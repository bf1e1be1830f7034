// Peak rates of known devices, by the name that profiles give them.
//
// The rates are the makers' published ones: dense (no structured sparsity) and at boost clock, so no program reaches
// them for long. Where a profile states a rate itself (Nsight Systems records the memory bandwidth), the profile is
// right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

struct PeakRate {
  /// "fp64" and "fp32" are the vector units; "fp64_tensor", "fp32_tensor" and all narrower types are the matrix units
  /// with the widest accumulator (Pascal has no matrix units: its "fp16" is the vector rate).
  std::string type;
  double flops = 0;  // operations/s; a multiply-add is two
};

struct DevicePeaks {
  std::string name;                        // "NVIDIA H100 SXM"
  std::optional<double> memory_bandwidth;  // B/s
  std::vector<PeakRate> flops;             // only types whose rate is known
  std::string source;                      // the document that gives the rates, and what to know about them
};

/// Absent where the name does not tell the model, its form (SXM, PCIe, NVL) or its memory and these have different
/// rates, and for a part of a device (MIG). Upper and lower case, separators and the maker's name do not matter.
std::optional<DevicePeaks> find_device_peaks(std::string_view device_name);

}  // namespace cgpu
