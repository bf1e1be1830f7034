// The figures of the runs of a side as samples (estimate.h): one value a run, with its noise from within the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gate/check/estimate.h"
#include "gate/figures/figures.h"
#include "gate/statistics/block_bootstrap.h"

namespace cgpu {

/// A quantity of an iteration, or of a run without iterations.
struct Quantity {
  std::string name;
  std::string about;
  enum class Role : uint8_t {
    decides,   // has a verdict
    may_fail,  // has one where it is a regression for sure; else it passes
    explains,  // has none
  };
  Role role = Role::explains;
  std::function<double(const IterationFigures&)> of_iteration;  // null where only the whole run has it
  std::function<double(const RunFigures&)> of_run;              // null where only iterations have it
  bool typical = false;                                         // of iterations the median, else the mean
};

/// Those of iterations, or, where a run has none, those of whole runs.
std::vector<Quantity> quantities(bool of_iterations);

/// Its series over the steady iterations of a run.
std::vector<double> series_of(const Quantity& quantity, const RunFigures& run);

/// What a series over the iterations of a run says of its own noise.
struct NoiseWithin {
  std::optional<double> error;  // relative standard error of its middle; absent for fewer than kFewestIterations
  double drift = 0;             // by which share it rises from the first to the last, where that is sure
};
/// `middle`: of the series, not 0. O(n^2) in at most 1,024 values.
NoiseWithin noise_within(std::vector<double> series, Location location, double middle);

/// Absent where a run has no value above 0. `with_noise`: also the errors and drifts within the runs, which cost.
std::optional<Sample> sample_of(const Quantity& quantity, const std::vector<const RunFigures*>& runs, bool with_noise);

/// The median of the steady iterations of a run, or its span where it has none. A call tree has neither: 0.
double time_of(const RunFigures& run);

/// The device time an iteration of a name; absent where a run does not have it.
std::optional<Sample> sample_of(const TimeFigures RunFigures::*times, const std::string& name,
                                const std::vector<const RunFigures*>& runs);

/// Peaks of memory; absent where a run has none.
std::optional<Sample> memory_of(const std::vector<const RunFigures*>& runs);

}  // namespace cgpu
