#include "comparison/alignment/pairing.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace cgpu {
namespace {

constexpr uint32_t kUnmatched = Pairing::kUnmatched;

MatchKeys like(uint64_t exact, uint64_t name = 0, uint64_t rough = 0) {
  return {exact, name, rough};
}

TEST(Pairing, ExactlyAlikeFirstThenByNameBetweenThem) {
  // The second element has other shapes; the name says that it is the same.
  const Pairing pairing =
      pair_elements(std::vector{like(1, 1), like(2, 7), like(3, 3)}, std::vector{like(1, 1), like(9, 7), like(3, 3)});
  EXPECT_EQ(pairing.of_a, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_TRUE(pairing.replacements.empty());
}

TEST(Pairing, WhatMovedIsTheSame) {
  const Pairing pairing = pair_elements(std::vector{like(1), like(2), like(3)}, std::vector{like(2), like(1), like(3)});
  EXPECT_EQ(pairing.of_a, (std::vector<uint32_t>{1, 0, 2}));
  EXPECT_EQ(pairing.of_b, (std::vector<uint32_t>{1, 0, 2}));
}

TEST(Pairing, OtherNamesOfOneClassInOnePlace) {
  const Pairing pairing = pair_elements(std::vector{like(1, 1, 5), like(2, 2, 6), like(3, 3, 7)},
                                        std::vector{like(1, 1, 5), like(12, 12, 6), like(3, 3, 7)});
  EXPECT_EQ(pairing.of_a, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Pairing, UnlikeCountsOfAClassInAShortStretchAreReplaced) {
  const Pairing pairing = pair_elements(std::vector{like(1), like(2, 2, 6), like(3, 3, 6), like(4)},
                                        std::vector{like(1), like(12, 12, 6), like(4)});
  EXPECT_EQ(pairing.of_a, (std::vector<uint32_t>{0, kUnmatched, kUnmatched, 2}));
  ASSERT_EQ(pairing.replacements.size(), 1u);
  EXPECT_EQ(pairing.replacements[0].a, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(pairing.replacements[0].b, (std::vector<uint32_t>{1}));
}

TEST(Pairing, OnOneSideOnlyIsNoReplacement) {
  const Pairing pairing = pair_elements(std::vector{like(1), like(4)}, std::vector{like(1), like(2), like(4)});
  EXPECT_EQ(pairing.of_b, (std::vector<uint32_t>{0, kUnmatched, 1}));
  EXPECT_TRUE(pairing.replacements.empty());
}

TEST(Pairing, ZeroIsLikeNothing) {
  const Pairing pairing = pair_elements(std::vector{like(1, 0, 0)}, std::vector{like(2, 0, 0)});
  EXPECT_EQ(pairing.of_a, std::vector<uint32_t>{kUnmatched});
  ASSERT_EQ(pairing.replacements.size(), 1u);
}

TEST(Pairing, PartnersAreMutualAndEachElementIsInOnePlace) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    const auto elements = [&] {
      std::vector<MatchKeys> all(random() % 20);
      for (MatchKeys& one : all) {
        one.name = 1 + random() % 6;
        one.exact = 10 * one.name + random() % 3;
        one.rough = random() % 3;
      }
      return all;
    };
    const std::vector<MatchKeys> a = elements();
    const std::vector<MatchKeys> b = elements();
    const Pairing pairing = pair_elements(a, b);
    ASSERT_EQ(pairing.of_a.size(), a.size());
    ASSERT_EQ(pairing.of_b.size(), b.size());
    std::set<uint32_t> replaced_a;
    std::set<uint32_t> replaced_b;
    for (const Pairing::Replacement& one : pairing.replacements) {
      EXPECT_FALSE(one.a.empty() || one.b.empty());
      for (const uint32_t place : one.a) EXPECT_TRUE(replaced_a.insert(place).second);
      for (const uint32_t place : one.b) EXPECT_TRUE(replaced_b.insert(place).second);
    }
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (pairing.of_a[i] == kUnmatched) continue;
      EXPECT_EQ(pairing.of_b[pairing.of_a[i]], i);
      EXPECT_EQ(replaced_a.count(i), 0u);
      const MatchKeys& other = b[pairing.of_a[i]];
      EXPECT_TRUE(a[i].exact == other.exact || a[i].name == other.name ||
                  (a[i].rough != 0 && a[i].rough == other.rough));
    }
    const Pairing mirrored = pair_elements(b, a);
    EXPECT_EQ(pairing.of_a, mirrored.of_b);
    EXPECT_EQ(pairing.of_b, mirrored.of_a);
  }
}

}  // namespace
}  // namespace cgpu
