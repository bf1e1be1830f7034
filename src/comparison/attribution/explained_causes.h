// The causes of a change with their times of one iteration on one device, in the order of presentation, and grouped
// where the sum of several says more than each. O(n log n).
#pragma once

#include <cstdint>
#include <vector>

#include "comparison/comparison.h"

namespace cgpu {

/// A cause with its times of one iteration on one device (of the whole, where there are no iterations).
struct ExplainedCause {
  const Cause* cause = nullptr;
  int64_t a = 0;  // ns
  int64_t b = 0;
  size_t causes = 1;  // that were put together

  int64_t delta() const { return b - a; }
};

/// All causes, those that changed most first. Their times add up to those of the sides. Those of A against B and of B
/// against A are mirror images, to the nanosecond.
std::vector<ExplainedCause> explained_causes(const Comparison& comparison);

/// `causes` with the idle time of each cause summed over its culprits; the culprit that changed most is named. `merged`
/// holds what is new in the result.
std::vector<ExplainedCause> with_idle_by_cause(const std::vector<ExplainedCause>& causes, std::vector<Cause>& merged);

/// `causes` with those together that are the same work under other names: device work of one kernel on A and another on
/// B, and the other way round; and in one op kernels of one class, as many in all on both sides, where some took over
/// from others; and an op that is done in more or fewer pieces, which take as long in all. What is left is what the
/// change of names or pieces cost. `merged` as above.
std::vector<ExplainedCause> with_renamed_work(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                                              std::vector<Cause>& merged);

/// What is left to explain of a change: the sum of `causes`, by kind and class of the device work, as few groups as
/// leave at most `most_left` ns of it; by kind alone where those would be more than a reader reads. A cause that is
/// alone in its group stands for itself. `merged` holds what is new in the result.
std::vector<ExplainedCause> summed_by_kind(const std::vector<ExplainedCause>& causes, int64_t most_left,
                                           std::vector<Cause>& merged);

}  // namespace cgpu
