// The shortest times of launches and successions of device ops, as the profile itself shows them: what an op needs to
// begin when nothing else delays it. The 5th percentile rather than the shortest, which is often an error of clocks.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

class LeastTimes {
 public:
  /// `otherwise`: the default where the profile has no case at all.
  explicit LeastTimes(int64_t otherwise) : all_(otherwise) {}
  /// Collects `time` (ns) as one case of a key; negative times are no cases.
  void add(uint32_t key, int64_t time);
  /// Call once, after the last `add`. O(cases).
  void finish();
  /// The 5th percentile of the key's cases; of a key with fewer than 20 cases, that of all cases.
  int64_t of(uint32_t key) const;

 private:
  std::vector<std::vector<int64_t>> cases_;  // by key
  std::vector<int64_t> by_key_;              // kAbsent where the key has too few cases
  int64_t all_;
};

}  // namespace cgpu
