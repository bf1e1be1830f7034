// How much larger a quantity is on one side than on the other, and how sure that is. The unit of repetition is a run:
// iterations inside one run share its clocks, its memory layout and its neighbours, and are never pooled.
//
//   runs a side         estimate                          interval
//   4 or more on both   Hodges-Lehmann shift of the logs  95 % or more, of the exact rank-sum test (rank_sum.h)
//   2 or 3 on a side    difference of the means of logs   the noise band between runs: 98 % by Student's t, with a
//   spread
//                                                         of kBetweenRuns at least, whatever so few happen to show
//   1 on a side         the same                          the noise band within runs: 99 % by what block bootstrap says
//   of
//                                                         each run (block_bootstrap.h), kBetweenRuns between runs, and
//                                                         half of what a run drifts
//
// A run alone without iterations has no band.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cgpu {

/// One quantity of the runs of a side, by run.
struct Sample {
  std::vector<double> values;                 // > 0
  std::vector<std::optional<double>> errors;  // relative standard error of each, from within the run
  std::vector<double> drifts;                 // by which share each rises from the begin of its run to the end

  size_t size() const { return values.size(); }
  void add(double value, std::optional<double> error, double drift = 0) {
    values.push_back(value);
    errors.push_back(error);
    drifts.push_back(drift);
  }
};

struct Estimate {
  enum class Method : uint8_t { rank_sum, between_runs, within_runs, none };
  Method method = Method::none;
  double change = 0;  // candidate / baseline - 1
  double low = 0;     // of the interval around it; infinite where there is none
  double high = 0;
  double p_slower = 1;  // chance of such a change or a larger one if there is none
  double p_faster = 1;
  std::optional<double> p_rank;  // two-sided, of the rank-sum test
  std::optional<double> delta;   // Cliff's
  double spread = 0;             // relative standard deviation of single runs, as known
  bool same = false;             // all values are one
};
const char* text_of(Estimate::Method method);

/// Standard deviation between runs of the same program, of its logs, that is assumed for fewer than 4 runs a side.
inline constexpr double kBetweenRuns = 0.01;
/// The same of what an allocator counts, which hardly varies.
inline constexpr double kBetweenRunsOfMemory = 0.001;
inline constexpr size_t kRunsForRanks = 4;

/// Neither side may be empty.
Estimate estimate_change(const Sample& baseline, const Sample& candidate, double between_runs = kBetweenRuns);

}  // namespace cgpu
