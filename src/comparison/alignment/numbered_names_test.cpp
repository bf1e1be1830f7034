#include "comparison/alignment/numbered_names.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace cgpu {
namespace {

using Names = std::unordered_set<std::string>;

Session session_of(std::initializer_list<const char*> names) {
  Session session;
  Timeline& timeline = session.runs.emplace_back().timeline;
  timeline.categories.push_back({"range", SliceKind::annotation});
  timeline.tracks.emplace_back();
  int64_t start = 0;
  for (const char* name : names) {
    timeline.slices.append({.start = start++, .duration = 1, .name = timeline.names.intern(name), .track = 0});
  }
  return session;
}

Names names_of(std::initializer_list<const char*> a, std::initializer_list<const char*> b) {
  const Session session_a = session_of(a);
  const Session session_b = session_of(b);
  const Names names = numbered_names({&session_a, &session_b});
  EXPECT_EQ(names, numbered_names({&session_b, &session_a}));
  return names;
}

TEST(NumberedNames, OfTheSameWorkOnBothSides) {
  EXPECT_EQ(names_of({"stage1", "stage2", "other"}, {"stage2", "stage1"}), (Names{"stage1", "stage2"}));
}

TEST(NumberedNames, WhereOneSideLacksSome) {
  EXPECT_EQ(names_of({"stage1", "stage2", "stage3"}, {"stage2", "stage3"}), (Names{"stage1", "stage2", "stage3"}));
  EXPECT_EQ(names_of({"s1", "s2", "s3", "s1", "s2", "s3"}, {"s1", "s2", "s1", "s2"}), (Names{"s1", "s2", "s3"}));
}

TEST(NumberedNames, CountersAreNone) {
  EXPECT_EQ(names_of({"iter_1", "iter_2", "iter_3"}, {"iter_1", "iter_2"}), Names{});
  EXPECT_EQ(names_of({"iter_9", "iter_10"}, {"iter_9", "iter_10", "iter_11"}), Names{});
}

TEST(NumberedNames, NamesOfDifferentRunsAreNone) {
  EXPECT_EQ(names_of({"worker_17", "worker_18"}, {"worker_18", "worker_19"}), Names{});
  EXPECT_EQ(names_of({"gemm_64"}, {"gemm_128"}), Names{});
}

TEST(NumberedNames, OneNameAloneNeedsNone) {
  EXPECT_EQ(names_of({"AddmmBackward0"}, {"AddmmBackward0"}), Names{});
}

}  // namespace
}  // namespace cgpu
