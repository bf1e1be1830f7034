// All-to-alls that the profile does not name as such.
#pragma once

#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// NCCL's kernels of all-to-alls are called as those of sends and receives are (SendRecv). Tells which of them were
/// launched within something that is called an all-to-all ("nccl:all_to_all", "c10d::alltoall_base_").
class Alltoalls {
 public:
  /// The timeline must outlive it.
  explicit Alltoalls(const Timeline& timeline) : timeline_(timeline) {}

  /// Whether this device op is such a kernel. O(depth); names are looked at when first needed.
  bool contain(SliceIndex op);

 private:
  const Timeline& timeline_;
  std::vector<bool> is_transfer_;  // by name
  std::vector<bool> is_alltoall_;
};

}  // namespace cgpu
