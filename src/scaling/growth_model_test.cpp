#include "scaling/growth_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/test_sanitized.h"
#include "gate/statistics/random_numbers.h"

namespace cgpu {
namespace {

struct PlantedLaw {
  const char* name;
  GrowthTerm term;
  double constant;
  double coefficient;

  double value(double size) const { return constant + coefficient * (term.is_constant() ? 0 : term.value(size)); }
};

const PlantedLaw kPlanted[] = {
    {"log", {0, 1, 1}, 5e6, 2e6},       {"linear", {1, 1, 0}, 10e6, 1e6},   {"n log n", {1, 1, 1}, 10e6, 5e5},
    {"constant", {}, 7e6, 0},           {"quadratic", {2, 1, 0}, 3e6, 2e5}, {"root", {1, 2, 0}, 10e6, 4e6},
    {"strong", {-1, 1, 0}, 2e6, 100e6}, {"ring", {-1, 1, 0}, 11e6, -10e6},
};
const std::vector<double> kSizes = {2, 4, 8, 16, 32, 64};

std::vector<Measured> measured(const PlantedLaw& law, const std::vector<double>& sizes, int runs, double noise,
                               RandomNumbers& random) {
  std::vector<Measured> all;
  for (const double size : sizes) {
    for (int run = 0; run < runs; ++run) all.push_back({size, law.value(size) * (1 + noise * random.normal())});
  }
  return all;
}

bool is_allowed(const GrowthModel& model, const GrowthTerm& term) {
  return std::any_of(model.not_rejected.begin(), model.not_rejected.end(),
                     [&](const GrowthLaw& law) { return law.term == term; });
}

TEST(GrowthTerm, TextAndOrder) {
  EXPECT_EQ((GrowthTerm{0, 1, 0}).text(), "1");
  EXPECT_EQ((GrowthTerm{1, 1, 0}).text(), "p");
  EXPECT_EQ((GrowthTerm{1, 2, 0}).text(), "p^0.5");
  EXPECT_EQ((GrowthTerm{2, 3, 2}).text(), "p^(2/3) log2(p)^2");
  EXPECT_EQ((GrowthTerm{-1, 1, 0}).text(), "p^-1");
  EXPECT_EQ((GrowthTerm{0, 1, 1}).text(), "log2(p)");
  EXPECT_EQ((GrowthTerm{1, 1, 1}).value(8), 24);
  EXPECT_EQ((GrowthTerm{3, 2, 0}).value(4), 8);
  EXPECT_LT((GrowthTerm{0, 1, 2}), (GrowthTerm{1, 4, 0}));
  EXPECT_LT((GrowthTerm{1, 1, 0}), (GrowthTerm{1, 1, 1}));
  EXPECT_LT((GrowthTerm{-1, 1, 0}), (GrowthTerm{-1, 2, 0}));
  EXPECT_EQ(growth_terms().size(), 11U * 3 - 1 + 6) << "Extra-P's but the constant, and six that fall";
}

TEST(GrowthModel, LawsWithoutNoiseAreFoundExactly) {
  for (const PlantedLaw& law : kPlanted) {
    RandomNumbers random(1);
    const auto model = fit_growth(measured(law, kSizes, 1, 0, random));
    ASSERT_TRUE(model) << law.name;
    EXPECT_EQ(model->law.term, law.term) << law.name << ": " << model->law.term.text();
    EXPECT_NEAR(model->law.constant, law.constant, 1e-6 * law.constant) << law.name;
    EXPECT_NEAR(model->law.coefficient, law.coefficient, 1e-6 * std::abs(law.coefficient)) << law.name;
    EXPECT_NEAR(model->at(1000).value, law.value(1000), 1e-6 * law.value(1000)) << law.name;
  }
}

// The share of runs whose interval at twice the largest size holds the truth, and whose terms that are not rejected
// hold the planted one: 95 % are meant.
TEST(GrowthModel, PlantedLawsAreFoundWithinTheirIntervals) {
  constexpr int kTrials = kSanitized ? 10 : 200;
  struct Setting {
    std::vector<double> sizes;
    int runs;
    double noise;
    double least;
  };
  const Setting settings[] = {{kSizes, 1, 0.01, 0.93},    {kSizes, 1, 0.05, 0.88},       {kSizes, 5, 0.05, 0.91},
                              {{2, 4, 8}, 5, 0.02, 0.91}, {{1, 2, 4, 8}, 2, 0.02, 0.91}, {{2, 4, 8}, 1, 0.01, 0.95}};
  for (const Setting& setting : settings) {
    for (const PlantedLaw& law : kPlanted) {
      RandomNumbers random(7);
      int inside = 0;
      int allowed = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        const auto model = fit_growth(measured(law, setting.sizes, setting.runs, setting.noise, random));
        ASSERT_TRUE(model);
        const double at = 2 * setting.sizes.back();
        const Predicted predicted = model->at(at);
        EXPECT_LE(predicted.low, predicted.value);
        EXPECT_LE(predicted.value, predicted.high);
        inside += predicted.low <= law.value(at) && law.value(at) <= predicted.high ? 1 : 0;
        allowed += is_allowed(*model, law.term) ? 1 : 0;
      }
      const std::string where = std::string(law.name) + ", sizes " + std::to_string(setting.sizes.size()) + ", runs " +
                                std::to_string(setting.runs) + ", noise " + std::to_string(setting.noise);
      if (kSanitized) continue;  // too few trials for a share
      EXPECT_GE(inside, setting.least * kTrials) << where;
      EXPECT_GE(allowed, setting.least * kTrials) << where;
    }
  }
}

TEST(GrowthModel, NoiseAloneIsConstant) {
  constexpr int kTrials = 300;
  for (const double noise : {0.005, 0.03, 0.2}) {
    RandomNumbers random(3);
    int constant = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto model = fit_growth(measured(kPlanted[3], kSizes, 3, noise, random));
      constant += model->law.term.is_constant() ? 1 : 0;
    }
    EXPECT_GE(constant, 0.93 * kTrials) << noise;
  }
}

TEST(GrowthModel, ANewRunIsWithinItsInterval) {
  constexpr int kTrials = 300;
  RandomNumbers random(5);
  int inside = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto model = fit_growth(measured(kPlanted[1], kSizes, 2, 0.05, random));
    const double value = kPlanted[1].value(128) * (1 + 0.05 * random.normal());
    const Predicted predicted = model->of_runs(128, 1);
    inside += predicted.low <= value && value <= predicted.high ? 1 : 0;
    EXPECT_LE(predicted.low, model->at(128).low) << "its own noise comes on top";
    EXPECT_GE(predicted.high, model->at(128).high);
  }
  EXPECT_GE(inside, 0.93 * kTrials);
}

// Laws, over random runs.
TEST(GrowthModel, ScaledValuesHaveTheScaledModel) {
  RandomNumbers random(11);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Measured> runs = measured(kPlanted[random.below(std::size(kPlanted))], kSizes, 2, 0.05, random);
    const auto model = fit_growth(runs);
    const double factor = std::ldexp(1, static_cast<int>(random.below(40)) - 20);  // exact in binary
    for (Measured& run : runs) run.value *= factor;
    const auto scaled = fit_growth(runs);
    EXPECT_EQ(scaled->law.term, model->law.term);
    EXPECT_DOUBLE_EQ(scaled->law.constant, factor * model->law.constant);
    EXPECT_DOUBLE_EQ(scaled->law.coefficient, factor * model->law.coefficient);
    EXPECT_DOUBLE_EQ(scaled->noise, model->noise);
    EXPECT_DOUBLE_EQ(scaled->at(200).low, factor * model->at(200).low);
    EXPECT_DOUBLE_EQ(scaled->at(200).high, factor * model->at(200).high);
  }
}

TEST(GrowthModel, TheOrderOfRunsDoesNotMatter) {
  RandomNumbers random(13);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Measured> runs = measured(kPlanted[random.below(std::size(kPlanted))], kSizes, 3, 0.1, random);
    const auto model = fit_growth(runs);
    for (size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[random.below(i)]);
    const auto again = fit_growth(runs);
    EXPECT_EQ(again->law.term, model->law.term);
    EXPECT_EQ(again->law.constant, model->law.constant);
    EXPECT_EQ(again->at(128).low, model->at(128).low);
    EXPECT_EQ(again->at(128).high, model->at(128).high);
  }
}

TEST(GrowthModel, MoreRunsNarrowTheInterval) {
  RandomNumbers random(17);
  const auto width = [&](int runs) {
    double sum = 0;
    for (int trial = 0; trial < 50; ++trial) {
      const Predicted predicted = fit_growth(measured(kPlanted[1], kSizes, runs, 0.05, random))->at(128);
      sum += predicted.high - predicted.low;
    }
    return sum;
  };
  EXPECT_LT(width(10), width(1) / 2);
}

TEST(GrowthModel, WhatIsNotThereFollowsNoLaw) {
  EXPECT_FALSE(fit_growth({{2, 5}, {4, 6}, {4, 7}})) << "two points fit any law";
  EXPECT_FALSE(fit_growth({{1, 0}, {2, 5}, {4, 6}})) << "at one size it is not there";
  const auto model = fit_growth({{1, 0}, {2, 2e6}, {4, 4e6}, {8, 8e6}, {16, 16e6}});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->sizes, 4U);
  EXPECT_EQ(model->law.term.text(), "p");
  EXPECT_FALSE(fit_growth({}));
}

TEST(GrowthModel, ValuesThatAreAllEqual) {
  const auto model = fit_growth({{2, 5}, {4, 5}, {8, 5}});
  EXPECT_TRUE(model->law.term.is_constant());
  EXPECT_DOUBLE_EQ(model->law.constant, 5);
  EXPECT_LT(model->law.squares, 1e-25);
}

}  // namespace
}  // namespace cgpu
