// Whether one run had more to do than the other: a shorter time is no gain where less work was done.
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// Of what both sides do: FLOPs where shapes tell them, else bytes that must move, else how often device ops run; and
/// the compute time that each takes, where they are known of half of it or more. "" where that is the same within 3 %,
/// or cannot be compared. Costs Comparison::work_of_ops.
std::string work_words(const Comparison& comparison);

}  // namespace cgpu
