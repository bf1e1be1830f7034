#include "analysis/common/false_discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cgpu {
namespace {

TEST(FalseDiscovery, AdjustsAsTheDefinitionSays) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<double> chances;
  for (int i = 0; i < 40; ++i) chances.push_back(share(random));
  const std::vector<double> adjusted = adjusted_chances(chances);
  for (size_t i = 0; i < chances.size(); ++i) {
    double least = 1;
    for (const double limit : chances) {
      if (limit < chances[i]) continue;
      const auto below = std::count_if(chances.begin(), chances.end(), [&](double each) { return each <= limit; });
      least = std::min(least, limit * 40 / static_cast<double>(below));
    }
    EXPECT_NEAR(adjusted[i], least, 1e-12);
  }
}

}  // namespace
}  // namespace cgpu
