#include "base/sort_stably.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

namespace cgpu {
namespace {

TEST(SortStably, EqualsTheStandardLibrary) {
  std::mt19937 random(3);
  for (size_t size = 0; size < 200; ++size) {
    std::vector<std::pair<uint32_t, size_t>> elements;  // a key that others have too, the place before
    for (size_t i = 0; i < size; ++i) elements.emplace_back(random() % (size / 3 + 1), i);
    const auto before = [](const auto& a, const auto& b) { return a.first > b.first; };
    auto expected = elements;
    std::stable_sort(expected.begin(), expected.end(), before);
    sort_stably(elements, before);
    EXPECT_EQ(elements, expected) << size;
  }
}

TEST(SortStably, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> elements;
  for (const int value : {3, 1, 2, 4, 0}) elements.push_back(std::make_unique<int>(value));
  sort_stably(elements, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*elements[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace cgpu
