#include "base/sort_runs.h"

#include <gtest/gtest.h>

#include <random>

namespace cgpu {
namespace {

TEST(SortRuns, EqualsStdSortForAnyNumberOfRuns) {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    std::vector<int> values;
    const auto runs = random() % (round % 10 == 0 ? 200 : 12);
    for (size_t run = 0; run < runs; ++run) {
      const size_t begin = values.size();
      for (auto i = random() % 20; i > 0; --i) values.push_back(static_cast<int>(random() % 50));
      std::sort(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end());
    }
    std::vector<int> expected = values;
    std::sort(expected.begin(), expected.end());
    sort_runs(values);
    EXPECT_EQ(values, expected) << "round " << round;
  }
}

TEST(SortRuns, TakesAnOrder) {
  std::vector<int> values{1, 2, 3, 0, 9, 4};
  sort_runs(values, std::greater<int>());
  EXPECT_EQ(values, (std::vector<int>{9, 4, 3, 2, 1, 0}));
}

}  // namespace
}  // namespace cgpu
