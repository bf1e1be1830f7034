#include "scaling/growth_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "analysis/common/student.h"
#include "gate/check/estimate.h"
#include "gate/statistics/variance_ratio.h"

namespace cgpu {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kCoefficients = 2;
constexpr double kTie = 1.1;  // of cross-validated errors that are as good as equal
/// What the term adds from the smallest size to the largest, as a share of the largest value: below this it is none.
constexpr double kLeastContribution = 5e-4;

/// Sizes with the values of a term at them.
struct TermSizes {
  const std::vector<MeasuredSize>& sizes;
  std::vector<double> terms;

  TermSizes(const GrowthTerm& term, const std::vector<MeasuredSize>& of) : sizes(of) {
    for (const MeasuredSize& size : sizes) terms.push_back(term.value(size.size));
  }
};

double value_of(const GrowthLaw& law, double term) {
  return law.constant + law.coefficient * term;
}

GrowthLaw least_squares(const GrowthTerm& term, const TermSizes& of, const std::vector<double>& weights) {
  GrowthLaw law{.term = term};
  double sum = 0;
  double sum_of_term = 0;
  for (size_t i = 0; i < of.sizes.size(); ++i) {
    law.weight += weights[i];
    sum += weights[i] * of.sizes[i].mean;
    sum_of_term += weights[i] * of.terms[i];
  }
  const double mean = sum / law.weight;
  law.constant = mean;
  if (term.is_constant()) return law;
  law.mean_term = sum_of_term / law.weight;
  double products = 0;
  for (size_t i = 0; i < of.sizes.size(); ++i) {
    const double from_mean = of.terms[i] - law.mean_term;
    law.squares_of_term += weights[i] * from_mean * from_mean;
    products += weights[i] * from_mean * (of.sizes[i].mean - mean);
  }
  law.coefficient = products / law.squares_of_term;
  law.constant = mean - law.coefficient * law.mean_term;
  return law;
}

bool is_positive(const GrowthLaw& law, const TermSizes& of) {
  return std::all_of(of.terms.begin(), of.terms.end(), [&](double term) { return value_of(law, term) > 0; });
}

GrowthLaw fitted(const GrowthTerm& term, const std::vector<MeasuredSize>& sizes) {
  constexpr int kMostReweightings = 20;
  constexpr double kConverged = 1e-12;
  const TermSizes of(term, sizes);
  std::vector<double> weights;
  for (const MeasuredSize& size : sizes) weights.push_back(size.runs / (size.mean * size.mean));
  GrowthLaw law = least_squares(term, of, weights);
  bool changed = true;
  for (int i = 0; i < kMostReweightings && changed && is_positive(law, of); ++i) {
    changed = false;
    for (size_t each = 0; each < sizes.size(); ++each) {
      const double value = value_of(law, of.terms[each]);
      const double weight = sizes[each].runs / (value * value);
      changed = changed || std::abs(weight - weights[each]) > kConverged * weight;
      weights[each] = weight;
    }
    law = least_squares(term, of, weights);
  }
  return law;
}

bool contributes(const GrowthLaw& law, const TermSizes& of) {
  const auto [least, most] = std::minmax_element(of.terms.begin(), of.terms.end());
  const double largest = std::max(value_of(law, *least), value_of(law, *most));
  return std::abs(law.coefficient) * (*most - *least) >= kLeastContribution * largest;
}

/// Absent where it is no law that something can follow, or the constant in other words.
std::optional<GrowthLaw> possible_law(const GrowthTerm& term, const std::vector<MeasuredSize>& sizes) {
  GrowthLaw law = fitted(term, sizes);
  const TermSizes of(term, sizes);
  if (!is_positive(law, of) || (term.is_growing() && law.coefficient <= 0)) return std::nullopt;
  if (!term.is_constant() && !contributes(law, of)) return std::nullopt;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const double ratio = std::log(sizes[i].mean / value_of(law, of.terms[i]));
    law.squares += sizes[i].runs * ratio * ratio;
  }
  return law;
}

double cross_validated_smape_pct(const GrowthTerm& term, const std::vector<MeasuredSize>& sizes) {
  double sum = 0;
  for (const MeasuredSize& left_out : sizes) {
    std::vector<MeasuredSize> others;
    for (const MeasuredSize& size : sizes) {
      if (size.size != left_out.size) others.push_back(size);
    }
    const double value = fitted(term, others).value(left_out.size);
    sum += 2 * std::abs(value - left_out.mean) / (std::abs(value) + left_out.mean);
  }
  return 100 * sum / static_cast<double>(sizes.size());
}

std::vector<GrowthLaw> possible_laws(const std::vector<MeasuredSize>& sizes) {
  std::vector<GrowthLaw> laws = {*possible_law(GrowthTerm(), sizes)};
  for (const GrowthTerm& term : growth_terms()) {
    if (const auto law = possible_law(term, sizes)) laws.push_back(*law);
  }
  return laws;
}

struct Noise {
  double deviation = 0;  // relative, of a run
  double freedom = 0;
};

/// `squares`: what the best law leaves. `squares_within`: of runs around the mean of their size, relative to it.
Noise noise_of(double squares, size_t sizes, double squares_within, size_t runs) {
  constexpr double kNoLackOfFit = 0.95;
  const double freedom = static_cast<double>(sizes) - kCoefficients;
  double variance = squares / freedom;
  Noise noise{0, freedom};
  if (const auto freedom_within = static_cast<double>(runs - sizes); freedom_within > 0) {
    const double ratio = variance * freedom_within / squares_within;  // infinite, or no number, where none differ
    if (squares_within > 0 && variance_ratio_share(ratio, freedom, freedom_within) < kNoLackOfFit) {
      noise.freedom = freedom + freedom_within;
      variance = (squares + squares_within) / noise.freedom;
    }
  }
  noise.deviation = std::sqrt(variance);
  if (noise.deviation < kBetweenRuns) noise = {kBetweenRuns, std::max(noise.freedom, kFreedomOfLeast)};
  return noise;
}

/// `laws`: one or more, none of them rejected.
GrowthLaw chosen_law(std::vector<GrowthLaw> laws) {
  const auto constant =
      std::find_if(laws.begin(), laws.end(), [](const GrowthLaw& law) { return law.term.is_constant(); });
  if (constant != laws.end()) return *constant;
  const auto is_growing = [](const GrowthLaw& law) { return law.term.is_growing(); };
  if (std::any_of(laws.begin(), laws.end(), is_growing)) std::erase_if(laws, std::not_fn(is_growing));
  const auto by_error = [](const GrowthLaw& a, const GrowthLaw& b) { return a.smape_pct < b.smape_pct; };
  const double least = std::min_element(laws.begin(), laws.end(), by_error)->smape_pct;
  std::erase_if(laws, [&](const GrowthLaw& law) { return law.smape_pct > kTie * least; });
  return *std::min_element(laws.begin(), laws.end(), [](const GrowthLaw& a, const GrowthLaw& b) {
    return std::pair(a.term.factors(), a.smape_pct) < std::pair(b.term.factors(), b.smape_pct);
  });
}

}  // namespace

std::vector<MeasuredSize> means_by_size(std::vector<Measured> runs) {
  std::sort(runs.begin(), runs.end());  // so that sums do not depend on the order in which runs were given
  std::vector<MeasuredSize> sizes;
  for (const Measured& run : runs) {
    if (sizes.empty() || sizes.back().size != run.size) sizes.push_back({run.size, 0, 0});
    sizes.back().mean += run.value;
    ++sizes.back().runs;
  }
  for (MeasuredSize& size : sizes) size.mean /= size.runs;
  return sizes;
}

double GrowthLaw::variance(double size) const {
  if (term.is_constant()) return 1 / weight;
  const double from_mean = term.value(size) - mean_term;
  return 1 / weight + from_mean * from_mean / squares_of_term;
}

Predicted GrowthModel::predicted(double size, double noise_share) const {
  Predicted all{law.value(size), std::numeric_limits<double>::infinity(), 0};
  const double quantile = student_quantile((1 + kConfidence) / 2, freedom);
  for (const GrowthLaw& each : not_rejected) {
    const double value = each.value(size);
    const double half = quantile * noise * std::sqrt(each.variance(size) + noise_share * value * value);
    all.low = std::min(all.low, value - half);
    all.high = std::max(all.high, value + half);
  }
  all.low = std::max(all.low, 0.0);
  return all;
}

std::optional<GrowthModel> fit_growth(const std::vector<Measured>& runs) {
  std::vector<MeasuredSize> sizes = means_by_size(runs);
  std::erase_if(sizes, [](const MeasuredSize& size) { return !(size.mean > 0); });
  if (sizes.size() < kFewestSizes) return std::nullopt;

  std::vector<Measured> ordered = runs;
  std::sort(ordered.begin(), ordered.end());
  double squares_within = 0;
  size_t fitted_runs = 0;
  for (const Measured& run : ordered) {
    const auto size =
        std::find_if(sizes.begin(), sizes.end(), [&](const MeasuredSize& each) { return each.size == run.size; });
    if (size == sizes.end()) continue;
    const double difference = run.value / size->mean - 1;
    squares_within += difference * difference;
    ++fitted_runs;
  }

  std::vector<GrowthLaw> laws = possible_laws(sizes);
  const auto by_squares = [](const GrowthLaw& a, const GrowthLaw& b) { return a.squares < b.squares; };
  const double least = std::min_element(laws.begin(), laws.end(), by_squares)->squares;
  const Noise noise = noise_of(least, sizes.size(), squares_within, fitted_runs);
  const double most =
      least + 2 * variance_ratio_quantile_of_two(kConfidence, noise.freedom) * noise.deviation * noise.deviation;
  std::erase_if(laws, [&](const GrowthLaw& law) { return law.squares > most; });
  for (GrowthLaw& law : laws) law.smape_pct = cross_validated_smape_pct(law.term, sizes);
  std::ranges::stable_sort(laws, [](const GrowthLaw& a, const GrowthLaw& b) { return a.term < b.term; });

  GrowthModel model;
  model.law = chosen_law(laws);
  model.not_rejected = std::move(laws);
  model.noise = noise.deviation;
  model.freedom = noise.freedom;
  model.sizes = sizes.size();
  return model;
}

}  // namespace cgpu
