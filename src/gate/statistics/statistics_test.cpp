#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "analysis/common/order_statistics.h"
#include "analysis/common/rank_sum.h"
#include "analysis/common/student.h"
#include "gate/statistics/block_bootstrap.h"
#include "gate/statistics/change_points.h"
#include "gate/statistics/drift.h"
#include "gate/statistics/random_numbers.h"
#include "gate/statistics/variance_ratio.h"

namespace cgpu {
namespace {

std::vector<double> random_values(RandomNumbers& random, size_t count, size_t different) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<double>(random.below(different)));
  return values;
}

/// Pairs with b above a, ties half.
double pairs_above(const std::vector<double>& a, const std::vector<double>& b) {
  double u = 0;
  for (const double from : a) {
    for (const double to : b) u += to > from ? 1 : to == from ? 0.5 : 0;
  }
  return u;
}

/// The chances by listing all ways to share the values.
RankSum listed_test(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  RankSum test;
  test.u = pairs_above(a, b);
  double ways = 0;
  double greater = 0;
  double less = 0;
  for (unsigned chosen = 0; chosen < 1U << all.size(); ++chosen) {
    if (static_cast<size_t>(__builtin_popcount(chosen)) != b.size()) continue;
    std::vector<double> left;
    std::vector<double> right;
    for (size_t i = 0; i < all.size(); ++i) (chosen >> i & 1 ? right : left).push_back(all[i]);
    const double u = pairs_above(left, right);
    ++ways;
    greater += u >= test.u ? 1 : 0;
    less += u <= test.u ? 1 : 0;
  }
  test.p_greater = greater / ways;
  test.p_less = less / ways;
  test.p = std::min(1.0, 2 * std::min(test.p_greater, test.p_less));
  return test;
}

TEST(RankSum, IsThatOfAllWaysToShareTheValues) {
  RandomNumbers random(1);
  for (int round = 0; round < 60; ++round) {
    const size_t different = round % 2 == 0 ? 1000 : 4;  // without ties, and with many
    const auto a = random_values(random, 1 + random.below(6), different);
    const auto b = random_values(random, 1 + random.below(6), different);
    const RankSum expected = listed_test(a, b);
    const RankSum test = rank_sum_test(a, b);
    EXPECT_DOUBLE_EQ(test.u, expected.u);
    EXPECT_NEAR(test.p_greater, expected.p_greater, 1e-12);
    EXPECT_NEAR(test.p_less, expected.p_less, 1e-12);
    EXPECT_NEAR(test.p, expected.p, 1e-12);
    EXPECT_NEAR(rank_sum_test(b, a).p_less, test.p_greater, 1e-12);
  }
}

TEST(RankSum, KnownLowestChances) {
  const auto lowest = [](size_t runs) {
    std::vector<double> a(runs);
    std::vector<double> b(runs);
    std::iota(a.begin(), a.end(), 0);
    std::iota(b.begin(), b.end(), 100);
    return rank_sum_test(a, b).p;
  };
  EXPECT_NEAR(lowest(3), 0.1, 1e-12);
  EXPECT_NEAR(lowest(4), 2.0 / 70, 1e-12);
  EXPECT_NEAR(lowest(5), 2.0 / 252, 1e-12);
  EXPECT_NEAR(lowest(7), 2.0 / 3432, 1e-12);
}

TEST(RankSum, TheNormalDistributionTakesOverSmoothly) {
  RandomNumbers random(2);
  for (int round = 0; round < 10; ++round) {
    const auto a = random_values(random, 30, 40);
    auto b = random_values(random, 30, 40);
    const RankSum exact = rank_sum_test(a, b);
    ASSERT_TRUE(exact.exact);
    b.push_back(median_of(a));
    const RankSum normal = rank_sum_test(a, b);
    ASSERT_FALSE(normal.exact);
    EXPECT_NEAR(normal.p_greater, exact.p_greater, 0.04);
  }
}

TEST(Shift, IntervalIsWhatTheTestDoesNotRefuse) {
  RandomNumbers random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> a;
    std::vector<double> b;
    for (size_t i = 0; i < 4 + random.below(4); ++i) a.push_back(random.normal());
    for (size_t i = 0; i < 4 + random.below(4); ++i) b.push_back(1 + random.normal());
    const ShiftInterval interval = shift_between(a, b, 0.95);
    ASSERT_GT(interval.coverage, 0.95);
    const auto chance = [&](double shift) {
      std::vector<double> moved = b;
      for (double& each : moved) each -= shift;
      return rank_sum_test(a, moved).p;
    };
    EXPECT_GT(chance(interval.low + 1e-9), 0.05);
    EXPECT_LE(chance(interval.low - 1e-9), 0.05);
    EXPECT_GT(chance(interval.high - 1e-9), 0.05);
    EXPECT_LE(chance(interval.high + 1e-9), 0.05);
    EXPECT_LE(interval.low, interval.shift);
    EXPECT_GE(interval.high, interval.shift);
    const ShiftInterval mirrored = shift_between(b, a, 0.95);
    EXPECT_DOUBLE_EQ(mirrored.shift, -interval.shift);
    EXPECT_DOUBLE_EQ(mirrored.low, -interval.high);
  }
  EXPECT_EQ(shift_between({1, 2, 3}, {4, 5, 6}, 0.95).coverage, 0);
  EXPECT_TRUE(std::isinf(shift_between({1, 2, 3}, {4, 5, 6}, 0.95).low));
}

TEST(CliffsDelta, IsTheShareOfPairs) {
  EXPECT_DOUBLE_EQ(cliffs_delta({1, 2}, {3, 4}), 1);
  EXPECT_DOUBLE_EQ(cliffs_delta({3, 4}, {1, 2}), -1);
  EXPECT_DOUBLE_EQ(cliffs_delta({1, 2, 3}, {2}), 0);
}

TEST(Student, KnownQuantiles) {  // printed in every table of them
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_quantile(0.995, 10), 3.169, 5e-4);
  EXPECT_NEAR(student_quantile(0.05, 30), -1.697, 5e-4);
  EXPECT_NEAR(normal_quantile(0.995), 2.5758, 5e-5);
  EXPECT_EQ(student_quantile(0.5, 1e6), 0);
  EXPECT_EQ(normal_quantile(0), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(student_share(1, 0)));
  for (const double freedom : {1.0, 2.5, 7.0, 300.0}) {
    for (const double t : {-3.0, -0.1, 0.0, 2.0, 4.0}) {
      EXPECT_NEAR(student_share(t, freedom) + student_share(-t, freedom), 1, 1e-12);
      EXPECT_NEAR(student_quantile(student_share(t, freedom), freedom), t, 1e-6);
    }
  }
  EXPECT_NEAR(student_share(1.5, 1), 0.5 + std::atan(1.5) / M_PI, 1e-12);  // Cauchy's distribution
}

TEST(BlockBootstrap, KnowsTheErrorOfIndependentValues) {
  RandomNumbers random(5);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(10 + random.normal());
  EXPECT_NEAR(standard_error(values, Location::mean), 1 / std::sqrt(400.0), 0.02);
  EXPECT_NEAR(standard_error(values, Location::median), 1.2533 / std::sqrt(400.0), 0.025);
  EXPECT_EQ(standard_error(std::vector<double>(20, 3.0), Location::median), 0);
  EXPECT_EQ(standard_error(values, Location::mean), standard_error(values, Location::mean));
}

TEST(BlockBootstrap, MiddlesAreThoseOfDrawnBlocks) {
  const std::vector<double> series = {1, 2, 4, 8, 16};
  EXPECT_EQ(resampled(series, Location::mean, 5, 20), std::vector<double>(20, 6.2));  // one block is all of it, turned
  EXPECT_EQ(resampled(series, Location::median, 5, 20), std::vector<double>(20, 4));
  std::set<double> possible;
  for (size_t a = 0; a < 5; ++a) {
    for (size_t b = 0; b < 5; ++b) {
      possible.insert((series[a] + series[(a + 1) % 5] + series[(a + 2) % 5] + series[b] + series[(b + 1) % 5]) / 5);
    }
  }
  std::set<double> found;
  for (const double mean : resampled(series, Location::mean, 3, 2000)) found.insert(mean);
  EXPECT_EQ(found, possible);
}

TEST(BlockBootstrap, BlocksAreAsLongAsTheSeriesRemembers) {
  RandomNumbers random(6);
  std::vector<double> independent;
  std::vector<double> remembering;
  double last = 0;
  for (int i = 0; i < 500; ++i) {
    independent.push_back(random.normal());
    remembering.push_back(last = 0.9 * last + random.normal());
  }
  EXPECT_GT(block_length(remembering), 15U);
  // The mean of such a series is sqrt((1 + 0.9) / (1 - 0.9)) = 4.4 times as uncertain as that of independent values.
  EXPECT_GT(standard_error(remembering, Location::mean), 3 * std::sqrt(squares_around_mean(remembering) / 500 / 500));
  EXPECT_EQ(block_length({1, 2, 3, 4, 5}), 1U);
}

TEST(Drift, IsSeenAndMeasured) {
  RandomNumbers random(7);
  std::vector<double> steady;
  std::vector<double> drifting;
  for (int i = 0; i < 100; ++i) {
    steady.push_back(10 + random.normal());
    drifting.push_back(steady.back() + 0.05 * i);
  }
  EXPECT_GT(drift_of(steady).p, kDriftChance);
  EXPECT_LT(drift_of(drifting).p, 1e-6);
  EXPECT_NEAR(drift_of(drifting).end, 0.05 * 99, 1);
  EXPECT_EQ(drift_of(std::vector<double>(10, 1.0)).p, 1);
}

// Tables of Fisher's distribution: F(2, 4) at 95 % is 6.9443, F(3, 10) 3.7083.
TEST(VarianceRatio, SharesAndQuantiles) {
  EXPECT_NEAR(variance_ratio_share(6.944272, 2, 4), 0.95, 1e-6);
  EXPECT_NEAR(variance_ratio_share(3.708265, 3, 10), 0.95, 1e-6);
  EXPECT_EQ(variance_ratio_share(0, 2, 4), 0);
  EXPECT_EQ(variance_ratio_share(std::numeric_limits<double>::infinity(), 2, 4), 1);
  for (const double freedom : {1.0, 3.0, 4.0, 30.0}) {
    EXPECT_NEAR(variance_ratio_share(variance_ratio_quantile_of_two(0.95, freedom), 2, freedom), 0.95, 1e-9);
  }
}

TEST(ChangePoints, AreWhereTheLevelChanges) {
  RandomNumbers random(8);
  std::vector<double> series;
  for (int i = 0; i < 60; ++i) series.push_back((i < 20 ? 10 : i < 45 ? 11 : 10.4) * (1 + 0.01 * random.normal()));
  series[7] = 30;  // an outlier is no change
  const std::vector<ChangePoint> points = change_points(series);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at, 20U);
  EXPECT_EQ(points[1].at, 45U);
  EXPECT_NEAR(points[0].before, 10, 0.1);
  EXPECT_NEAR(points[0].after, 11, 0.1);
  EXPECT_NEAR(points[1].after, 10.4, 0.1);
}

TEST(ChangePoints, ASmallLevelBeginsWhereItBegins) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomNumbers random(seed);
    std::vector<double> series;
    for (int i = 0; i < 100; ++i) series.push_back((i < 37 ? 10 : i < 71 ? 10.5 : 11) * (1 + 0.005 * random.normal()));
    std::set<size_t> begins;
    for (const ChangePoint& point : change_points(series)) begins.insert(point.at);
    EXPECT_TRUE(begins.contains(37) && begins.contains(71)) << seed;
  }
}

TEST(ChangePoints, FewInSeriesWithoutAny) {
  RandomNumbers random(9);
  int found = 0;
  constexpr int kSeries = 200;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> series;
    for (int run = 0; run < 20; ++run) series.push_back(std::exp(0.1 * random.normal()));
    found += change_points(series).empty() ? 0 : 1;
  }
  EXPECT_LE(found, 6);  // 2 are expected
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points({1, 2, 3}).empty());
  EXPECT_EQ(change_points({1, 1, 1, 1, 1, 2, 2, 2, 2, 2}).size(), 1U);
  EXPECT_TRUE(change_points({1, 1, 1, 1, 2, 2, 2, 2}).empty());  // cannot be sure of so few
}

}  // namespace
}  // namespace cgpu
