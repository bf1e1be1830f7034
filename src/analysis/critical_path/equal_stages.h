// By which factor the compute of each stage of a pipeline would change if all stages had the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/session_facts.h"

namespace cgpu {

/// Stages are those of ranks/pipeline_stages.h; of a pipeline in which they are not known each rank is one. A stage has
/// in a step the mean compute of its ranks, and would have the mean of the stages: each op that computes is multiplied
/// by that over its own. O(device ops).
class EqualStages {
 public:
  /// Of a whole session, of ranks that send work on to each other.
  explicit EqualStages(const SessionFacts& whole);
  /// Empty, or why a replay would not tell how long the stages wait for each other then.
  static std::string why_unknown(const SessionFacts& whole);

  /// Multiplies the factors of the device ops of a run, by slice.
  void scale_ops(size_t run, std::vector<float>& factor_of_slice) const;

 private:
  const SessionFacts& facts_;
  std::vector<std::map<int64_t, double>> factors_;  // by run, by number of the step
};

}  // namespace cgpu
