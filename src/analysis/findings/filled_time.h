// How much of a device its kernels fill with blocks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "model/run.h"

namespace cgpu {

/// By name, of the kernels that take longer than so many ns on average, the share of the multiprocessors that get a
/// block of them: the mean of 32 launches, spread over all of them, since arguments are read from the profile again. 0
/// where it is not known. O(device ops).
std::vector<float> filled_shares(const Run& run, double longer_than);

/// That of one kernel by its name; 1 where it is not known.
double share_of_kernel(const Timeline& timeline, SliceIndex kernel, const std::vector<float>& shares);

/// The time that kernels would take if they filled the whole device: of each moment the sum of the shares of those that
/// run, at most 1.
class FilledTime {
 public:
  /// O(kernels log kernels).
  FilledTime(const Timeline& timeline, const std::vector<OpIndex>& kernels, const std::vector<float>& shares);
  /// ns from one time to another, on the run's clock. O(log kernels).
  double within(int64_t begin, int64_t end) const { return until(end) - until(begin); }

 private:
  double until(int64_t time) const;

  std::vector<std::pair<int64_t, double>> changes_;  // time, and the sum of the shares from then on
  std::vector<double> until_;                        // by change
};

}  // namespace cgpu
