#include "base/sequence_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/test_sanitized.h"

namespace cgpu {
namespace {

using Sequence = std::vector<uint64_t>;

/// The slow way: a table of all beginnings.
size_t longest(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<size_t>> length(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1 : std::max(length[i - 1][j], length[i][j - 1]);
    }
  }
  return length[a.size()][b.size()];
}

void expect_common(const Sequence& a, const Sequence& b, const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_LT(pairs[i].first, a.size());
    ASSERT_LT(pairs[i].second, b.size());
    EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
    if (i == 0) continue;
    EXPECT_LT(pairs[i - 1].first, pairs[i].first);
    EXPECT_LT(pairs[i - 1].second, pairs[i].second);
  }
}

Sequence random_sequence(std::mt19937& random, size_t most, uint64_t letters) {
  Sequence sequence(random() % (most + 1));
  for (uint64_t& element : sequence) element = random() % letters;
  return sequence;
}

TEST(SequenceDifference, AsLongAsTheSlowWayFinds) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const uint64_t letters = 1 + random() % 6;
    const Sequence a = random_sequence(random, 24, letters);
    const Sequence b = random_sequence(random, 24, letters);
    const auto pairs = common_subsequence(a, b);
    expect_common(a, b, pairs);
    ASSERT_EQ(pairs.size(), longest(a, b));
  }
}

TEST(SequenceDifference, OfLongAlikeSequencesToo) {
  std::mt19937 random(2);
  for (int round = 0; round < 6; ++round) {
    Sequence a(1500);
    for (uint64_t& element : a) element = random() % 40;
    Sequence b = a;
    for (int change = 0; change < 60; ++change) {
      const size_t place = random() % b.size();
      if (random() % 2 == 0) {
        b.erase(b.begin() + static_cast<std::ptrdiff_t>(place));
      } else {
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(place), random() % 50);
      }
    }
    const auto pairs = common_subsequence(a, b);
    expect_common(a, b, pairs);
    ASSERT_EQ(pairs.size(), longest(a, b));
  }
}

TEST(SequenceDifference, UnlikeSequencesTakeBoundedTime) {
  std::mt19937 random(3);
  Sequence a(60'000);
  Sequence b(60'000);
  for (uint64_t& element : a) element = random() % 5000;
  for (uint64_t& element : b) element = random() % 5000;
  const auto pairs = common_subsequence(a, b);  // the quadratic way would take many seconds
  expect_common(a, b, pairs);
  EXPECT_GT(pairs.size(), 100u);
}

TEST(SequenceDifference, ManyUnlikeSequencesSpendNoMoreThanTheirBudget) {
  std::mt19937 random(4);
  for (const size_t size : {500u, 3000u, 100'000u}) {
    SearchBudget budget;
    int64_t elements = 0;
    for (size_t round = 0; round * size < (kSanitized ? 100'000 : 400'000); ++round) {
      Sequence a(size);
      Sequence b(size);
      for (uint64_t& element : a) element = random() % 400;
      for (uint64_t& element : b) element = random() % 400;
      expect_common(a, b, common_subsequence(a, b, budget));
      elements += static_cast<int64_t>(2 * size);
    }
    // Beyond its budget a search of kFewestEdits takes no more than that many steps for an element.
    const int64_t granted = kStepsAtFirst + kStepsPerElement * elements;
    EXPECT_LT(granted - budget.steps, granted + static_cast<int64_t>(kFewestEdits) * elements) << size;
  }
}

TEST(SequenceDifference, WithoutAnythingInCommon) {
  EXPECT_TRUE(common_subsequence(Sequence{}, Sequence{}).empty());
  EXPECT_TRUE(common_subsequence(Sequence{1, 2}, Sequence{}).empty());
  EXPECT_TRUE(common_subsequence(Sequence{1, 2}, Sequence{3, 4, 5}).empty());
}

}  // namespace
}  // namespace cgpu
