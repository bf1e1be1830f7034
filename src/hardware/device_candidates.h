// Which known devices can have run a profile that does not name its device, by what its kernels are called.
//
// Compilers and libraries write what a kernel was compiled for into its name: "ISA942" (Tensile), "gfx942", "sm90"
// (CUTLASS, cuDNN), "ampere" (cuBLAS); others belong to one vendor ("Cijk_", "igemm_fwd_gtc", "nvjet") or to some
// architectures (aiter: CDNA 3 and later). Code for an older architecture of NVIDIA runs on later ones; AMD's does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardware/device_peaks.h"

namespace cgpu {

/// What the names of kernels say of their device.
class DeviceCandidates {
 public:
  /// A kernel of the device. Case matters as libraries write it.
  void add_kernel(std::string_view name);
  /// A fact that the profile has of the device; what cannot be is left aside.
  void add_multiprocessors(int64_t count) { multiprocessors_ = count; }
  /// "8.9", of NVIDIA.
  void add_compute_capability(std::string_view capability);

  /// All that fit, in the order of the table; all known devices where nothing is said.
  std::vector<DevicePeaks> devices() const;
  /// What narrowed them: "gfx942"; empty where nothing did.
  const std::string& evidence() const { return evidence_; }

 private:
  void narrow(std::string_view evidence, std::vector<std::string_view> architectures);
  void at_least(int capability, std::string_view evidence);

  std::vector<std::string> architectures_;  // those that fit, or their first letters ("gfx"); all where empty
  int capability_ = 0;                      // the least of NVIDIA, times ten
  int64_t multiprocessors_ = 0;
  std::string evidence_;
};

}  // namespace cgpu
