#include "tiles/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cgpu {
namespace {

TEST(LaneLayout, EqualsTryingTheLanesOneAfterAnother) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
    const uint32_t longest = 1 + below(60);  // with short ones no lane is taken for long
    const uint32_t deepest = 1 + below(round % 10 == 0 ? 40 : 4);
    LaneLayout layout;
    std::vector<int64_t> ends;
    int64_t start = -100;
    for (int slice = 0; slice < 200; ++slice) {
      start += below(10);
      const int64_t end = start + below(longest);
      const uint32_t from = below(deepest);
      uint32_t lane = from;
      while (lane < ends.size() && ends[lane] > start) ++lane;
      ends.resize(std::max<size_t>(ends.size(), lane + 1), INT64_MIN);
      ends[lane] = end;
      ASSERT_EQ(layout.place(start, end, from), lane) << "round " << round << ", slice " << slice;
    }
    EXPECT_EQ(layout.lanes(), ends.size());
  }
}

}  // namespace
}  // namespace cgpu
