// `kernels --by rank,step,op,...`: a row for each name and each value of what they are grouped by.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/common/statistics.h"
#include "analysis/partial.h"
#include "analysis/table_options.h"
#include "kernels/kernel_class.h"

namespace cgpu {

/// The kernels of one row of table `kernels`.
struct KernelsOfName {
  DurationStatistics durations;
  // Kernels of one base name may be of different classes; the row is given the one with the most time. An op weighs
  // its ns and one more, so that ops without length count too.
  std::array<int64_t, kKernelClasses> weight{};

  void add(int64_t duration, size_t kernel_class) {
    durations.add(duration);
    weight[kernel_class] += duration + 1;
  }
  KernelClass kernel_class() const {
    return static_cast<KernelClass>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  }
  void combine(KernelsOfName&& other) {
    durations.combine(std::move(other.durations));
    for (size_t i = 0; i < weight.size(); ++i) weight[i] += other.weight[i];
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(durations, weight);
  }
};

/// What kernels are grouped by: any of rank, device, stream, step, op, module, range.
TableOption kernel_groups_option();

/// The table with a column in front of the others for each of these, in the order in which they were given. The rows of
/// a name add up to its row without groups. O(n log r) for n device ops and r rows of a run.
std::unique_ptr<Partial> fold_kernels_by_group(const Analysis& kernels, const TableOptions& options);

}  // namespace cgpu
