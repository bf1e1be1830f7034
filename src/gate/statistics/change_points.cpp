#include "gate/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "analysis/common/order_statistics.h"
#include "gate/statistics/random_numbers.h"

namespace cgpu {

namespace {

constexpr uint64_t kOrderSeed = 20260102;
constexpr size_t kPermutations = 1999;
constexpr size_t kFewest = 2;  // of a level

/// Ranks of the values, ties with the mean of theirs, around their mean.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  std::vector<double> ranks = mid_ranks(values);
  for (double& rank : ranks) rank -= static_cast<double>(values.size() + 1) / 2;
  return ranks;
}

/// Where the ranks before and behind differ most, and by how much: the sum before, by its deviation but for a factor
/// that is the same for every order.
std::pair<size_t, double> best_split(const std::vector<double>& ranks) {
  std::pair<size_t, double> best{0, 0};
  double sum = 0;
  for (size_t i = 1; i + kFewest <= ranks.size(); ++i) {
    sum += ranks[i - 1];
    if (i < kFewest) continue;
    const double strength = std::abs(sum) / std::sqrt(static_cast<double>(i) * static_cast<double>(ranks.size() - i));
    if (strength > best.second) best = {i, strength};
  }
  return best;
}

void split(const std::vector<double>& series, size_t begin, size_t end, std::vector<ChangePoint>& found) {
  if (end - begin < 2 * kFewest) return;
  std::vector<double> ranks = centred_ranks(
      {series.begin() + static_cast<std::ptrdiff_t>(begin), series.begin() + static_cast<std::ptrdiff_t>(end)});
  const auto [at, strength] = best_split(ranks);
  if (at == 0) return;
  RandomNumbers random(kOrderSeed);
  size_t as_strong = 1;  // the order that it has
  for (size_t permutation = 0; permutation < kPermutations; ++permutation) {
    for (size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random.below(i)]);
    as_strong += best_split(ranks).second >= strength * (1 - 1e-12) ? 1 : 0;
  }
  const double chance = static_cast<double>(as_strong) / static_cast<double>(kPermutations + 1);
  if (chance > kChangeChance) return;
  split(series, begin, begin + at, found);
  found.push_back({begin + at, 0, 0, chance});
  split(series, begin + at, end, found);
}

/// The middle value of a part of the series.
double level_of(const std::vector<double>& series, size_t begin, size_t end) {
  return median_of(
      {series.begin() + static_cast<std::ptrdiff_t>(begin), series.begin() + static_cast<std::ptrdiff_t>(end)});
}

/// The first value of the second of two levels that lie in [begin, end) and meet about `at`: the values are nearest to
/// their levels in the sum. Ranks alone do not say it, where one level has fewer values than the other.
size_t refined(const std::vector<double>& series, size_t begin, size_t at, size_t end) {
  const double before = level_of(series, begin, at);
  const double after = level_of(series, at, end);
  size_t best = at;
  double least = std::numeric_limits<double>::infinity();
  double sum = 0;  // by how much the values so far are farther from the level before than from the one behind
  for (size_t i = begin; i + kFewest < end; ++i) {
    sum += std::abs(series[i] - before) - std::abs(series[i] - after);
    if (i + 1 < begin + kFewest || sum >= least) continue;
    least = sum;
    best = i + 1;
  }
  return best;
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& series) {
  std::vector<ChangePoint> found;
  split(series, 0, series.size(), found);
  const auto begin_of = [&](size_t i) { return i == 0 ? 0 : found[i - 1].at; };
  const auto end_of = [&](size_t i) { return i + 1 == found.size() ? series.size() : found[i + 1].at; };
  for (size_t i = 0; i < found.size(); ++i) found[i].at = refined(series, begin_of(i), found[i].at, end_of(i));
  for (size_t i = 0; i < found.size(); ++i) {
    found[i].before = level_of(series, begin_of(i), found[i].at);
    found[i].after = level_of(series, found[i].at, end_of(i));
  }
  return found;
}

}  // namespace cgpu
