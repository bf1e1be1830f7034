#include "comparison/alignment/time_map.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <tuple>

namespace cgpu {
namespace {

TEST(TimeMap, IsLinearBetweenPointsAndKeepsTheDistanceOutside) {
  const TimeMap map({{100, 1000, 0}, {200, 1400, 0}, {300, 1500, 0}});
  EXPECT_EQ(map.to_b(150), 1200);
  EXPECT_EQ(map.to_a(1450), 250);
  EXPECT_EQ(map.to_b(50), 950);
  EXPECT_EQ(map.to_b(310), 1510);
}

TEST(TimeMap, WhatLeadsBackwardIsAResidual) {
  const TimeMap map({{0, 0, 0}, {10, 100, 0}, {20, 50, 0}, {30, 300, 0}, {40, 400, 0}});
  ASSERT_EQ(map.points().size(), 4u);
  const int64_t left_out = map.points()[1].a == 10 ? 20 : 10;
  const int64_t b = left_out == 20 ? 50 : 100;
  EXPECT_EQ(map.points()[1].residual, std::abs(map.to_b(left_out) - b));
  EXPECT_EQ(map.points().back().residual, 0);
}

TEST(TimeMap, RisesBothWaysWhateverThePairs) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::vector<TimePoint> pairs(random() % 30);
    for (TimePoint& pair : pairs) {
      pair = {static_cast<int64_t>(random() % 100), static_cast<int64_t>(random() % 100), 0};
    }
    const TimeMap map(pairs);
    for (size_t i = 1; i < map.points().size(); ++i) {
      EXPECT_LT(map.points()[i - 1].a, map.points()[i].a);
      EXPECT_LT(map.points()[i - 1].b, map.points()[i].b);
    }
    for (const TimePoint& point : map.points()) {
      EXPECT_EQ(map.to_b(point.a), point.b);
      EXPECT_EQ(map.to_a(point.b), point.a);
    }
    for (int64_t time = -10; time < 110; ++time) EXPECT_LE(map.to_b(time), map.to_b(time + 1));
  }
}

TEST(TimeMap, SaysHowFarOffATimeMayBe) {
  const TimeMap map({{100, 1000, 0}, {150, 1300, 7}, {200, 1400, 0}});
  const auto in_b = [&](int64_t a) {
    const MappedTime mapped = map.in_b(a);
    return std::tuple(mapped.time, mapped.low, mapped.high);
  };
  EXPECT_EQ(in_b(100), std::tuple(1000, 1000, 1000)) << "a point is exact";
  EXPECT_EQ(in_b(125), std::tuple(1150, 1000 - 7, 1300 + 7)) << "between points anything between them";
  EXPECT_EQ(in_b(90), std::tuple(990, std::nullopt, 1000));
  EXPECT_EQ(in_b(210), std::tuple(1410, 1400, std::nullopt));
  const TimeMap crossing({{0, 0, 0}, {10, 100, 0}, {20, 50, 0}, {30, 300, 0}});
  EXPECT_GT(crossing.in_b(15).residual, 0);
  EXPECT_LE(*crossing.in_b(15).low, 50);
  EXPECT_GE(*crossing.in_b(15).high, 100);
}

TEST(TimeMap, WithoutPairsIsTheSameTime) {
  EXPECT_EQ(TimeMap(std::vector<TimePoint>{}).to_b(7), 7);
}

}  // namespace
}  // namespace cgpu
