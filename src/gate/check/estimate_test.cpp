#include "gate/check/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gate/check/verdict.h"
#include "gate/statistics/random_numbers.h"

namespace cgpu {
namespace {

Sample sample(RandomNumbers& random, size_t runs, double level) {
  Sample made;
  for (size_t run = 0; run < runs; ++run) made.add(level * std::exp(0.03 * random.normal()), 0.02, 0.01);
  return made;
}

Sample times(Sample sample, double factor) {
  for (double& value : sample.values) value *= factor;
  return sample;
}

TEST(Estimate, ExchangedSidesGiveTheMirrorImage) {
  RandomNumbers random(1);
  for (const size_t runs : {1, 2, 3, 4, 6}) {
    const Sample a = sample(random, runs, 100);
    const Sample b = sample(random, runs + runs % 2, 110);
    const Estimate there = estimate_change(a, b);
    const Estimate back = estimate_change(b, a);
    EXPECT_NEAR((1 + there.change) * (1 + back.change), 1, 1e-9) << runs;
    EXPECT_NEAR((1 + there.low) * (1 + back.high), 1, 1e-9) << runs;
    EXPECT_EQ(there.method, back.method);
    EXPECT_NEAR(there.p_slower, back.p_faster, 1e-9) << runs;
    EXPECT_LE(there.low, there.change);
    EXPECT_GE(there.high, there.change);
  }
}

TEST(Estimate, DoesNotDependOnTheUnit) {
  RandomNumbers random(2);
  for (const size_t runs : {1, 3, 5}) {
    const Sample a = sample(random, runs, 100);
    const Sample b = sample(random, runs, 104);
    const Estimate one = estimate_change(a, b);
    const Estimate other = estimate_change(times(a, 1e6), times(b, 1e6));
    EXPECT_NEAR(one.change, other.change, 1e-9);
    EXPECT_NEAR(one.low, other.low, 1e-9);
    const Estimate slower = estimate_change(a, times(b, 1.1));
    EXPECT_NEAR((1 + slower.low) / (1 + one.low), 1.1, 1e-9);
  }
}

TEST(Estimate, MoreNoiseIsAWiderBand) {
  Sample quiet;
  quiet.add(100, 0.001);
  Sample noisy;
  noisy.add(100, 0.05);
  Sample drifting;
  drifting.add(100, 0.001, 0.2);
  Sample unknown;
  unknown.add(100, std::nullopt);
  Sample slower;
  slower.add(103, 0.001);
  const auto width = [&](const Sample& a) {
    const Estimate estimate = estimate_change(a, slower);
    return estimate.high - estimate.low;
  };
  // 1 % between runs is always assumed: 2.58 sqrt(2) 1 % either way.
  EXPECT_NEAR(width(quiet), 2 * 0.0366, 0.004);
  EXPECT_GT(width(noisy), 3 * width(quiet));
  EXPECT_GT(width(drifting), width(quiet) + 0.18);
  EXPECT_EQ(estimate_change(unknown, slower).method, Estimate::Method::none);
  EXPECT_TRUE(std::isinf(estimate_change(unknown, slower).high));
}

TEST(Verdict, TheWholeIntervalHasToLieBeyondTheTolerance) {
  Estimate estimate;
  estimate.method = Estimate::Method::rank_sum;
  estimate.change = 0.08;
  estimate.low = 0.06;
  estimate.high = 0.1;
  EXPECT_EQ(judge(estimate, 100, {0.05, 0}), Verdict::regression);
  EXPECT_EQ(judge(estimate, 100, {0.05, 9}), Verdict::pass);
  EXPECT_EQ(judge(estimate, 100, {0.07, 0}), Verdict::inconclusive);
  EXPECT_EQ(judge(estimate, 100, {0.09, 0}), Verdict::pass);
  estimate.high = 0.5;
  EXPECT_EQ(judge(estimate, 100, {0.09, 0}), Verdict::inconclusive);
  EXPECT_EQ(judge(estimate, 100, {0.09, 0, true}), Verdict::pass);
  estimate.same = true;
  EXPECT_EQ(judge(estimate, 100, {0.05, 0}), Verdict::pass);
  Estimate faster;
  faster.method = Estimate::Method::rank_sum;
  faster.change = -0.08;
  faster.low = -0.1;
  faster.high = -0.02;
  EXPECT_EQ(judge(faster, 100, {0.05, 0}), Verdict::improvement);
  faster.method = Estimate::Method::none;
  EXPECT_EQ(judge(faster, 100, {0.05, 0}), Verdict::pass);
}

TEST(Power, RisesWithTheChangeAndTheRuns) {
  EXPECT_LT(power_of_check(0, 0.01, 5, 5, 0.05, false), 0.01);
  EXPECT_LT(power_of_check(0.05, 0.01, 5, 5, 0.05, false), 0.1);
  EXPECT_GT(power_of_check(0.1, 0.01, 5, 5, 0.05, false), 0.95);
  EXPECT_LE(power_of_check(0.07, 0.01, 4, 4, 0.05, false), power_of_check(0.07, 0.01, 8, 8, 0.05, false));
  EXPECT_GE(power_of_check(0.1, 0.01, 1, 1, 0.05, true), power_of_check(0.1, 0.05, 1, 1, 0.05, true));
}

}  // namespace
}  // namespace cgpu
