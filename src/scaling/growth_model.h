// A law of growth, fitted to what was measured at several sizes: value = c0 + c1 p^a log2(p)^b (growth_term.h).
//
// Fit: least squares with weights of 1 over the square of what the law gives, found by reweighting: the noise of times
// is proportional to them (the quasi-likelihood of a constant coefficient of variation: McCullagh and Nelder,
// "Generalized linear models", 1989). A term that grows has c1 > 0, every term adds 0.05 % at least over the sizes, as
// in Extra-P, and no law is 0 or less where it was measured.
//
// Noise, as a relative deviation of one run: what the best law leaves in logarithms, over sizes - 2 degrees of freedom,
// together with how repetitions of a size differ where that explains it (lack-of-fit test at 5 %; Draper and Smith,
// "Applied regression analysis", 1998). At least kBetweenRuns (gate/check/estimate.h), whatever so few happen to show,
// which then counts for kFreedomOfLeast degrees of freedom.
//
// Choice: laws that the data reject are left out: those whose squares exceed the smallest ones by more than
// 2 F(2, freedom) noise^2 at 95 %, the region of the two exponents by likelihood. The constant is taken where it is
// left. Else one that grows, where one is left, rather than one that levels off. Among these leave-one-size-out cross
// validation decides, by the symmetric mean absolute percentage error (SMAPE) as Extra-P does; within a tenth of the
// best the law of fewer factors is taken.
//
// Interval of what is predicted: from the lowest lower bound to the highest upper one, at 95 % by Student's t, of all
// laws that are not rejected. So it knows that the exponents are not known, and becomes wide where laws part.
//
// O(terms x sizes^2).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scaling/growth_term.h"

namespace cgpu {

/// A run: its size, 1 or more, and what was measured, 0 or more.
struct Measured {
  double size = 1;
  double value = 0;
  auto operator<=>(const Measured& other) const = default;
};

/// The mean over the runs of a size.
struct MeasuredSize {
  double size = 1;
  double mean = 0;
  double runs = 0;
};
/// In order.
std::vector<MeasuredSize> means_by_size(std::vector<Measured> runs);

struct Predicted {
  double value = 0;
  double low = 0;  // 95 %; not below 0
  double high = 0;
};

/// One term with its coefficients, as fitted.
struct GrowthLaw {
  GrowthTerm term;
  double constant = 0;     // c0
  double coefficient = 0;  // c1
  double squares = 0;      // of the logarithms of measured over what it gives, summed over the runs
  double smape_pct = 0;    // by cross validation
  // The weighted sums that the error of a prediction follows from.
  double weight = 0;
  double mean_term = 0;
  double squares_of_term = 0;

  double value(double size) const { return constant + (coefficient == 0 ? 0 : coefficient * term.value(size)); }
  /// The variance of value() where that of a run is the square of its mean.
  double variance(double size) const;
};

struct GrowthModel {
  GrowthLaw law;                        // the chosen one
  std::vector<GrowthLaw> not_rejected;  // all that the data allow, by how fast they grow
  double noise = 0;                     // relative standard deviation of one run
  double freedom = 0;                   // degrees of freedom that it is known by
  size_t sizes = 0;                     // that were fitted

  /// The mean of many runs of a size.
  Predicted at(double size) const { return predicted(size, 0); }
  /// The mean of so many new runs of a size, with their own noise.
  Predicted of_runs(double size, double runs) const { return predicted(size, 1 / runs); }

 private:
  Predicted predicted(double size, double noise_share) const;
};

/// Two points fit any law.
inline constexpr size_t kFewestSizes = 3;
inline constexpr double kFreedomOfLeast = 4;

/// Sizes whose mean is 0 are left out: what is not there follows no law. Absent where fewer than kFewestSizes remain.
std::optional<GrowthModel> fit_growth(const std::vector<Measured>& runs);

}  // namespace cgpu
