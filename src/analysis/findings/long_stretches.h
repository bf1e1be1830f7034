// From when on host code between two calls that launch or wait is a stall of its own.
#pragma once

#include "analysis/session_facts.h"

namespace cgpu {

/// ns from which on a stretch of host code between two calls that launch or wait is long: `at_most`, or less where the
/// host usually goes from call to call at once and stops seldom: where of the time in shorter stretches four fifths are
/// in those that take 20 times as long as half of all do, and 200 us. These are long then. O(n log n) in the calls.
double long_stretch(const SessionFacts& facts, double at_most);

}  // namespace cgpu
