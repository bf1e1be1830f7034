#include "comparison/sides/iteration_spread.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

using Times = std::vector<int64_t>;

const Times kUsual = {177, 178, 176, 177, 179, 175, 178, 176};

/// Of A against B; B against A has to say the same.
Spread spread_of(const Times& a, const Times& b, double least = 0) {
  const std::optional<Spread> spread = spread_between({a, b}, least);
  const std::optional<Spread> mirrored = spread_between({b, a}, least);
  EXPECT_TRUE(spread && mirrored);
  EXPECT_EQ(spread->delta, -mirrored->delta);
  EXPECT_EQ(spread->differs, mirrored->differs);
  EXPECT_EQ(spread->median_differs, mirrored->median_differs);
  EXPECT_EQ(spread->chance <= 0.05, mirrored->chance <= 0.05);
  return *spread;
}

TEST(IterationSpread, AnOutlierHidesTheMeanAndNotTheMedian) {
  const Spread spread = spread_of(kUsual, {123, 124, 122, 123, 125, 121, 124, 900});
  EXPECT_FALSE(spread.differs);
  EXPECT_TRUE(spread.median_differs);
  EXPECT_EQ(spread.median.a, 177);
  EXPECT_EQ(spread.median.b, 123.5);
  EXPECT_GT(spread.delta, 0);  // the mean goes the other way: the change of what takes this time is not certain
  EXPECT_GT(spread.chance, 0.05);
}

TEST(IterationSpread, MediansThatGoWithTheMeanMakeItCertain) {
  const Spread spread = spread_of(kUsual, {123, 124, 122, 123, 125, 121, 124, 400});
  EXPECT_FALSE(spread.differs);
  EXPECT_LT(spread.delta, 0);
  EXPECT_LE(spread.chance, 0.05);
  EXPECT_FALSE(spread_of(kUsual, {123, 124, 122, 123, 125, 121, 124, 400}, 60).median_differs);
}

TEST(IterationSpread, EqualTimesDoNotDiffer) {
  for (const Times& times : {Times{5, 5, 5}, Times{1, 9, 3, 7, 5, 2}}) {
    EXPECT_GT(spread_of(times, times).chance, 0.05);
  }
  EXPECT_FALSE(spread_of({1, 9, 3, 7, 5, 2}, {2, 8, 4, 6, 5, 1}).median_differs);
  EXPECT_FALSE(spread_between({{1, 2}, {1, 2, 3}}).has_value());
}

}  // namespace
}  // namespace cgpu
