// How much of a metric one sample stands for, where all stand for as much: what makes numbers of samples of values.
//
// HPCToolkit stores a sampled event as the number of its samples times the period, and the period only of instructions
// sampled on a device (GSAMP:PER). Events that perf or PAPI count at a fixed period have values that are multiples of
// it: their greatest common divisor is the period or a multiple of it, so that there are at least as many samples as it
// says. Where perf adapts the period, values have no common divisor to speak of. CPUTIME and REALTIME are the time that
// has really passed between samples: of these the number cannot be determined. O(values).
#pragma once

#include "model/call_tree.h"

namespace cgpu::hpctoolkit {

/// Fills Metric::sample_value of the metrics of a tree that has its values.
void find_sample_values(CallTree& tree);

}  // namespace cgpu::hpctoolkit
