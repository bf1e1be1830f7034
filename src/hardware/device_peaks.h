// Peak rates of known devices, by the name that profiles give them.
//
// The rates are those that the vendors publish: dense (without structured sparsity) and at boost clock, so no program
// sustains them. Beside them are the best rates that have been measured for products of large matrices. Where a
// profile states a rate itself (Nsight Systems records the memory bandwidth), use that instead.
#pragma once

#include <cstdint>
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
  std::string architecture;                // what its kernels are compiled for: "sm_90", "gfx942"; "" of Ascend
  std::optional<int64_t> multiprocessors;  // of the whole device
  std::optional<double> memory_bandwidth;  // B/s
  /// B/s in one direction, of all links to the other devices of its machine together (NVLink, Infinity Fabric); absent
  /// where it has none besides PCI Express, or no source states it.
  std::optional<double> link_bandwidth;
  std::vector<PeakRate> flops;       // only types whose rate is known
  std::vector<PeakRate> achievable;  // the best that was measured for products of large matrices
  std::string source;                // the document that states the rates, with remarks

  /// Of `flops`; absent where it is not known.
  std::optional<double> flops_of(std::string_view type) const;
};

/// The peaks of the device of this name. Absent where the name leaves open which of several variants (form factor,
/// memory size) with different rates it is, and for a partition of a device (MIG). Case, separators and the vendor's
/// name do not matter.
std::optional<DevicePeaks> find_device_peaks(std::string_view device_name);

/// All devices that are known.
std::vector<DevicePeaks> known_devices();

/// The devices that a user may mean by this model: one by the name that a profile or this table gives, else all whose
/// name has all of its words ("H100": the SXM, PCIe and NVL forms).
std::vector<DevicePeaks> find_device_models(std::string_view model);

}  // namespace cgpu
