#include "analysis/common/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "analysis/common/order_statistics.h"
#include "analysis/common/student.h"

namespace cgpu {

namespace {

/// Twice the rank of each value among all, ties with the mean of their ranks: whole numbers. In the order of the
/// values.
struct PooledRanks {
  std::vector<double> sorted;
  std::vector<uint32_t> doubled;  // by place in `sorted`
  double ties = 0;                // sum of t^3 - t over groups of t equal values

  explicit PooledRanks(std::vector<double> values) : sorted(std::move(values)) {
    std::sort(sorted.begin(), sorted.end());
    for (size_t first = 0; first < sorted.size();) {
      size_t last = first;
      while (last + 1 < sorted.size() && sorted[last + 1] == sorted[first]) ++last;
      doubled.insert(doubled.end(), last - first + 1, static_cast<uint32_t>(first + last + 2));
      const auto count = static_cast<double>(last - first + 1);
      ties += count * count * count - count;
      first = last + 1;
    }
  }
  uint32_t of(double value) const {
    return doubled[static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin())];
  }
};

/// By sum of doubled ranks, the share of the ways to choose `count` of the values that have it.
std::vector<double> shares_of_sums(const std::vector<uint32_t>& doubled, size_t count) {
  size_t most = 0;
  for (size_t i = doubled.size() - count; i < doubled.size(); ++i) most += doubled[i];
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (size_t seen = 0; seen < doubled.size(); ++seen) {
    const size_t rank = doubled[seen];
    for (size_t chosen = std::min(seen + 1, count); chosen > 0; --chosen) {
      for (size_t sum = rank; sum <= most; ++sum) ways[chosen][sum] += ways[chosen - 1][sum - rank];
    }
  }
  std::vector<double>& shares = ways[count];
  double all = 0;
  for (const double each : shares) all += each;
  for (double& each : shares) each /= all;
  return std::move(shares);
}

/// How many differences lie outside of the interval at either end, at a chance of at most `tail` an end.
size_t outside(size_t a, size_t b, double tail, double& chance) {
  chance = 0;
  if (a + b > kMostExact) {
    const auto pairs = static_cast<double>(a * b);
    const double deviation = std::sqrt(pairs * static_cast<double>(a + b + 1) / 12);
    const double end = pairs / 2 - 0.5 - normal_quantile(1 - tail) * deviation;
    chance = tail;
    return end < 0 ? 0 : static_cast<size_t>(end) + 1;
  }
  std::vector<uint32_t> doubled;
  for (size_t i = 0; i < a + b; ++i) doubled.push_back(static_cast<uint32_t>(2 * (i + 1)));
  const std::vector<double> shares = shares_of_sums(doubled, b);
  const size_t least = b * (b + 1);  // the doubled sum at U = 0
  size_t count = 0;
  for (; least + 2 * count < shares.size(); ++count) {
    const double next = chance + shares[least + 2 * count];
    if (next > tail) break;
    chance = next;
  }
  return count;
}

}  // namespace

RankSum rank_sum_test(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  const PooledRanks ranks(std::move(all));
  size_t sum = 0;
  for (const double value : b) sum += ranks.of(value);
  const double least = static_cast<double>(b.size() * (b.size() + 1)) / 2;
  RankSum test;
  test.u = static_cast<double>(sum) / 2 - least;
  test.exact = a.size() + b.size() <= kMostExact;
  if (test.exact) {
    const std::vector<double> shares = shares_of_sums(ranks.doubled, b.size());
    test.p_greater = test.p_less = 0;
    for (size_t each = 0; each < shares.size(); ++each) {
      if (each >= sum) test.p_greater += shares[each];
      if (each <= sum) test.p_less += shares[each];
    }
  } else {
    const auto n = static_cast<double>(a.size() + b.size());
    const double pairs = static_cast<double>(a.size()) * static_cast<double>(b.size());
    const double deviation = std::sqrt(pairs / 12 * (n + 1 - ranks.ties / (n * (n - 1))));
    const double above = test.u - pairs / 2;
    if (deviation > 0) {
      test.p_greater = 1 - normal_share((above - 0.5) / deviation);
      test.p_less = normal_share((above + 0.5) / deviation);
    }
  }
  test.p = std::min(1.0, 2 * std::min(test.p_greater, test.p_less));
  return test;
}

ShiftInterval shift_between(const std::vector<double>& a, const std::vector<double>& b, double confidence) {
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double from : a) {
    for (const double to : b) differences.push_back(to - from);
  }
  std::sort(differences.begin(), differences.end());
  ShiftInterval interval;
  interval.shift = quantile_of(differences, 0.5);
  double chance = 0;
  const size_t dropped = outside(a.size(), b.size(), (1 - confidence) / 2, chance);
  if (dropped == 0) {
    interval.low = -std::numeric_limits<double>::infinity();
    interval.high = std::numeric_limits<double>::infinity();
    return interval;
  }
  interval.low = differences[dropped - 1];
  interval.high = differences[differences.size() - dropped];
  interval.coverage = 1 - 2 * chance;
  return interval;
}

double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b) {
  int64_t above = 0;
  for (const double from : a) {
    for (const double to : b) above += (to > from ? 1 : 0) - (to < from ? 1 : 0);
  }
  return static_cast<double>(above) / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

}  // namespace cgpu
