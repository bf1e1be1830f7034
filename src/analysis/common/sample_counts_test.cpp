#include "analysis/common/sample_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cgpu {
namespace {

/// Chance of b or what is as unlikely or more, of n fair coins: by listing.
double chance_of(int b, int n) {
  const auto one = [&](int k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
  };
  double sum = 0;
  for (int k = 0; k <= n; ++k) sum += one(k) <= one(b) * (1 + 1e-9) ? one(k) : 0;
  return sum;
}

TEST(SampleCounts, WhatIsNotTheSameIsUnlikelyByChance) {
  for (int n = 1; n <= 80; ++n) {
    for (int b = 0; b <= n; ++b) {
      const double chance = chance_of(b, n);
      EXPECT_EQ(may_be_same(n - b, b), may_be_same(b, n - b));
      const bool same = may_be_same(n - b, b);
      EXPECT_TRUE(same || chance < 0.055) << b << " of " << n;
      EXPECT_TRUE(!same || chance >= 0.03) << b << " of " << n;
    }
  }
  EXPECT_TRUE(may_be_same(0, 0));
  EXPECT_TRUE(may_be_same(0, 5)) << "one in 16 of such pairs is as uneven";
  EXPECT_FALSE(may_be_same(0, 6));
}

TEST(SampleCounts, BoundsOfAAgainstBAreThoseOfBAgainstA) {
  for (const auto& [a, b] : {std::pair(3.0, 8.0), {100.0, 120.0}, {1e9, 1.001e9}}) {
    const RatioBounds there = *ratio_of_counts(a, b);
    const RatioBounds back = *ratio_of_counts(b, a);
    EXPECT_NEAR(there.low, 1 / *back.high, 1e-9 * there.low);
    EXPECT_NEAR(*there.high, 1 / back.low, 1e-9 * *there.high);
    EXPECT_LT(there.low, b / a);
    EXPECT_GT(*there.high, b / a);
  }
  EXPECT_FALSE(ratio_of_counts(0, 4)->high.has_value());
  EXPECT_EQ(ratio_of_counts(4, 0)->low, 0);
  EXPECT_FALSE(ratio_of_counts(0, 0).has_value());
}

TEST(SampleCounts, IntervalsCoverTheTrueRatioAsOftenAsTheySay) {
  std::mt19937 random(7);
  constexpr int kTrials = 20'000;
  for (const double rate : {2.0, 10.0, 200.0}) {
    for (const double ratio : {1.0, 1.5}) {
      std::poisson_distribution<int> of_a(rate);
      std::poisson_distribution<int> of_b(rate * ratio);
      int covered = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        const auto bounds = ratio_of_counts(of_a(random), of_b(random));
        covered += !bounds || (bounds->low <= ratio && (!bounds->high || *bounds->high >= ratio)) ? 1 : 0;
      }
      EXPECT_GT(covered, 0.95 * kTrials) << "rate " << rate << ", ratio " << ratio;
    }
  }
}

TEST(SampleCounts, SharesCoverTheTrueShareAsOftenAsTheySay) {
  std::mt19937 random(11);
  constexpr int kTrials = 20'000;
  for (const int samples : {20, 400}) {
    for (const double share : {0.02, 0.3, 0.9}) {
      std::binomial_distribution<int> of_frame(samples, share);
      int covered = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        const ShareBounds bounds = *share_of_counts(of_frame(random), samples);
        covered += bounds.low <= share && share <= bounds.high ? 1 : 0;
      }
      EXPECT_GT(covered, 0.95 * kTrials) << samples << " samples, share " << share;
    }
  }
}

TEST(SampleCounts, SharesOfKAndOfTheRestMirrorEachOther) {
  for (const double k : {0.0, 0.3, 1.0, 7.5, 19.0, 20.0}) {
    const ShareBounds bounds = *share_of_counts(k, 20);
    const ShareBounds rest = *share_of_counts(20 - k, 20);
    EXPECT_NEAR(bounds.low, 1 - rest.high, 1e-12) << k;
    EXPECT_LE(bounds.low, k / 20);
    EXPECT_GE(bounds.high, k / 20);
  }
  EXPECT_EQ(share_of_counts(0, 20)->low, 0);
  EXPECT_EQ(share_of_counts(20, 20)->high, 1);
  EXPECT_FALSE(share_of_counts(0, 0).has_value());
}

}  // namespace
}  // namespace cgpu
