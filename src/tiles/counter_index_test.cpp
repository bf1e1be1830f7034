#include "tiles/counter_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace cgpu {
namespace {

/// Bucket by bucket, nanosecond by nanosecond: the values that hold in it, and the one after it.
std::vector<CounterIndex::Entry> slow(std::vector<CounterIndex::Sample> samples, const TilePlace& place) {
  std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  std::vector<CounterIndex::Entry> entries;
  const double* before = nullptr;
  size_t next = 0;
  while (next < samples.size() && samples[next].time < place.edge(0)) before = &samples[next++].value;
  for (int bucket = 0; bucket < kTileBuckets; ++bucket) {
    const int64_t begin = place.edge(bucket);
    const int64_t end = place.edge(bucket + 1);
    const bool any = next < samples.size() && samples[next].time < end;
    if (!any) {
      if (bucket == 0 && before) entries.push_back({*before, *before, *before, 0});
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    const auto take = [&](double value) {
      least = std::min(least, value);
      most = std::max(most, value);
    };
    if (before && samples[next].time > begin) take(*before);
    for (; next < samples.size() && samples[next].time < end; ++next) {
      take(samples[next].value);
      before = &samples[next].value;
    }
    entries.push_back({least, most, *before, static_cast<uint16_t>(bucket)});
  }
  return entries;
}

TEST(CounterIndex, EqualsTheSlowWay) {
  std::mt19937_64 random(5);
  const auto up_to = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit + 1)); };
  for (int round = 0; round < 300; ++round) {
    std::vector<CounterIndex::Sample> samples;
    for (int64_t i = up_to(400); i > 0; --i) {
      samples.push_back({up_to(20'000) - 3'000, static_cast<double>(up_to(1'000))});
    }
    const TilePlace place{static_cast<int>(up_to(8)), up_to(4) - 1};
    const CounterIndex index(samples);
    const auto fast = index.entries(place);
    const auto expected = slow(samples, place);
    ASSERT_EQ(fast.size(), expected.size()) << "round " << round;
    for (size_t i = 0; i < fast.size(); ++i) {
      EXPECT_EQ(fast[i].bucket, expected[i].bucket);
      EXPECT_EQ(fast[i].minimum, expected[i].minimum);
      EXPECT_EQ(fast[i].maximum, expected[i].maximum);
      EXPECT_EQ(fast[i].last, expected[i].last);
    }
    EXPECT_EQ(index.tile(place).size(), (16 + 26 * fast.size() + 7) / 8 * 8);
  }
}

}  // namespace
}  // namespace cgpu
