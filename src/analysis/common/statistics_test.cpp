#include "analysis/common/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cgpu {
namespace {

TEST(Statistics, OneValueHasNoDeviation) {
  DurationStatistics one;
  one.add(42);
  EXPECT_EQ(one.count(), 1);
  EXPECT_EQ(one.total(), 42);
  EXPECT_EQ(one.mean(), 42.0);
  EXPECT_EQ(one.median(), 42.0);
  EXPECT_EQ(one.min(), 42);
  EXPECT_EQ(one.max(), 42);
  EXPECT_EQ(one.deviation(), 0.0);
}

TEST(Statistics, HandComputed) {
  DurationStatistics values;
  for (const int64_t value : {9, 2, 4, 4, 5, 4, 7, 5}) values.add(value);
  EXPECT_EQ(values.total(), 40);
  EXPECT_EQ(values.mean(), 5.0);
  EXPECT_EQ(values.median(), 4.5);  // 2 4 4 4 | 5 5 7 9
  EXPECT_EQ(values.min(), 2);
  EXPECT_EQ(values.max(), 9);
  EXPECT_DOUBLE_EQ(values.deviation(), std::sqrt(32.0 / 7.0));
}

TEST(Statistics, LargeValuesThatHardlyDiffer) {
  constexpr int64_t kBase = 1'000'000'000'000;
  EXPECT_EQ(sample_deviation({kBase, kBase + 2}), std::sqrt(2.0));
  EXPECT_EQ(median({kBase + 3, kBase}), static_cast<double>(kBase) + 1.5);
  EXPECT_EQ(mean({kBase, kBase + 1}), static_cast<double>(kBase) + 0.5);
}

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<int64_t> sorted = {10, 20, 40, 80};
  EXPECT_EQ(quantile_of_sorted(sorted, 0), 10.0);
  EXPECT_EQ(quantile_of_sorted(sorted, 0.25), 17.5);
  EXPECT_EQ(quantile_of_sorted(sorted, 0.5), 30.0);
  EXPECT_EQ(quantile_of_sorted(sorted, 0.75), 50.0);
  EXPECT_EQ(quantile_of_sorted(sorted, 1), 80.0);
  EXPECT_EQ(quantile_of_sorted({-3}, 0.25), -3.0);
  EXPECT_EQ(quantile_of_sorted({-3, -1}, 0.5), -2.0);
  EXPECT_EQ(quantile_of_sorted({}, 0.5), 0.0);
}

TEST(Statistics, MedianIsTheMiddleQuantile) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> values(1 + random() % 30);
    for (int64_t& value : values) value = static_cast<int64_t>(random() % 50);
    const double by_selection = median(values);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(by_selection, quantile_of_sorted(values, 0.5));
  }
}

DurationStatistics through_bytes(const DurationStatistics& statistics, bool written_reduced, bool read_reduced) {
  MessageWriter writer(written_reduced);
  writer(statistics);
  MessageReader reader(writer.bytes(), "a test", read_reduced);
  DurationStatistics read;
  reader(read);
  return read;
}

TEST(DurationHistogram, AllButTheMedianIsThatOfTheValues) {
  std::mt19937_64 random(3);
  for (const double spread : {0.0, 0.01, 0.5, 3.0}) {
    std::lognormal_distribution<double> durations(std::log(20000.0), spread);
    for (const int count : {1, 2, 7, 3000}) {
      DurationStatistics exact;
      DurationStatistics parts[3];
      for (int i = 0; i < count; ++i) {
        const auto duration = static_cast<int64_t>(durations(random));
        exact.add(duration);
        parts[random() % 3].add(duration);
      }
      // One keeps its values, one was written without them, one is read so; combined in both orders.
      for (const bool backwards : {false, true}) {
        DurationStatistics all;
        for (int i = 0; i < 3; ++i) {
          const int part = backwards ? 2 - i : i;
          all.combine(through_bytes(parts[part], part == 1, part == 2));
        }
        all = through_bytes(all, false, false);
        EXPECT_EQ(all.count(), exact.count());
        EXPECT_EQ(all.total(), exact.total());
        EXPECT_EQ(all.min(), exact.min());
        EXPECT_EQ(all.max(), exact.max());
        EXPECT_DOUBLE_EQ(all.mean(), exact.mean());
        EXPECT_NEAR(all.deviation(), exact.deviation(), 1e-6 * exact.mean());
        EXPECT_NEAR(all.median(), exact.median(), 0.008 * exact.median() + 0.5);
      }
    }
  }
}

TEST(DurationHistogram, SmallOnesAreExactAndWhatDoesNotAddUpIsRefused) {
  DurationStatistics small;
  for (const int64_t value : {0, 1, 63, 64, 100, 127}) small.add(value);
  EXPECT_EQ(through_bytes(small, true, false).median(), 63.5);
  EXPECT_EQ(through_bytes(DurationStatistics(), true, false).count(), 0);
  MessageWriter writer(true);
  writer(small);
  size_t refused = 0;
  for (size_t at = 1; at < writer.bytes().size(); ++at) {
    std::string changed = writer.bytes();
    changed[at] = static_cast<char>(changed[at] ^ 1);
    DurationStatistics read;
    try {
      MessageReader reader(changed, "a test");
      reader(read);
      EXPECT_GE(read.max(), read.min());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 5U);
}

TEST(DurationHistogram, ValuesThatAMessageHasBesideOneDoNotCount) {
  DurationHistogram histogram;
  histogram.add(7);
  MessageWriter writer;
  writer.one([&] { writer(std::vector<int64_t>{5}, INT64_MAX, std::optional(histogram)); });
  DurationStatistics read;
  MessageReader(writer.bytes(), "a test")(read);
  EXPECT_EQ(read.total(), 7);
  EXPECT_EQ(read.count(), 1);
}

}  // namespace
}  // namespace cgpu
