#include "base/partition_point_near.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cgpu {
namespace {

TEST(PartitionPointNear, IsThePartitionPointFromEverywhere) {
  std::mt19937 random(3);
  for (size_t size = 0; size <= 40; ++size) {
    std::vector<int> values(size);
    for (int& value : values) value = static_cast<int>(random() % 30);
    std::sort(values.begin(), values.end());
    for (int wanted = -1; wanted <= 31; ++wanted) {
      const auto is_before = [&](size_t place) { return values[place] < wanted; };
      const auto expected = std::lower_bound(values.begin(), values.end(), wanted) - values.begin();
      for (size_t near = 0; near <= size; ++near) {
        ASSERT_EQ(partition_point_near(0, size, near, is_before), static_cast<size_t>(expected))
            << wanted << " of " << size << " from " << near;
        ASSERT_EQ(partition_point_near(near, size, near, is_before), std::max(near, static_cast<size_t>(expected)));
      }
    }
  }
}

TEST(PartitionPointNear, AsksFewOfThoseFarAway) {
  int asked = 0;
  for (size_t wanted = 1; wanted < 1000; ++wanted) {
    partition_point_near(0, 1'000'000, wanted - 1, [&](size_t place) {
      ++asked;
      return place < wanted;
    });
  }
  EXPECT_LE(asked, 3 * 1000);
}

}  // namespace
}  // namespace cgpu
