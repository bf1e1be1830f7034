// The verdict on a change. This is the only place that decides.
//
//   regression    the whole interval lies above the tolerance, and the change is larger than the floor
//   inconclusive  the change is above the tolerance and the floor, but the interval reaches below the tolerance; or the
//                 interval is so wide that a change of several times the tolerance could hide in it
//   improvement   the whole interval lies below none, and the change is larger than the floor
//   pass          everything else
#pragma once

#include <cstdint>

#include "gate/check/estimate.h"

namespace cgpu {

enum class Verdict : uint8_t { pass, improvement, inconclusive, regression };
const char* text_of(Verdict verdict);

struct Limits {
  double tolerance = 0.05;  // relative
  double floor = 0;         // in the unit of the quantity: what is smaller does not matter
  bool may_hide = false;    // whether something could hide in a wide interval without being called inconclusive
};

/// An interval that reaches this many tolerances up shows nothing.
inline constexpr double kWideInterval = 4;

/// Rate of false discoveries among the parts of a run that are judged together.
inline constexpr double kDiscoveryRate = 0.01;

/// `baseline`: the middle value of that side. Values of 0 or less never get here.
Verdict judge(const Estimate& estimate, double baseline, const Limits& limits);

/// The power of the check: the share of pairs of samples that are judged a regression where the candidate is slower by
/// `change` and single runs vary by the relative standard deviation `spread`, for these numbers of runs. From 400
/// simulated pairs, always the same. `from_within`: the noise within each run is known.
double power_of_check(double change, double spread, size_t baseline_runs, size_t candidate_runs, double tolerance,
                      bool from_within);

}  // namespace cgpu
