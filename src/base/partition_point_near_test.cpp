#include "base/partition_point_near.h"

#include <gtest/gtest.h>

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
      const auto is_before = [&](int value) { return value < wanted; };
      const auto expected = std::partition_point(values.begin(), values.end(), is_before);
      for (auto near = values.begin();; ++near) {
        ASSERT_EQ(partition_point_near(values.begin(), values.end(), near, is_before) - expected, 0)
            << wanted << " of " << size << " from " << near - values.begin();
        if (near == values.end()) break;
      }
    }
  }
}

TEST(PartitionPointNear, AsksFewOfThoseFarAway) {
  std::vector<int> values(1'000'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  int asked = 0;
  for (int wanted = 1; wanted < 1000; ++wanted) {
    const auto near = values.begin() + wanted - 1;
    partition_point_near(values.begin(), values.end(), near, [&](int value) {
      ++asked;
      return value < wanted;
    });
  }
  EXPECT_LE(asked, 3 * 1000);
}

}  // namespace
}  // namespace cgpu
