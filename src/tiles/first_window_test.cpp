#include "tiles/first_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

/// `count` slices of 1 us, 2 us apart, from `zero` on, and one at each of `strays`.
Session session_with(int count, int64_t zero, const std::vector<int64_t>& strays) {
  TestRun run;
  for (int i = 0; i < count; ++i) run.host(SliceKind::framework_op, "op", zero + i * 2000, 1000);
  for (const int64_t stray : strays) run.host(SliceKind::framework_op, "stray", stray, 5000);
  return session_of(std::move(run));
}

TEST(FirstWindow, LeavesOutStrays) {
  const auto window = first_window(session_with(5000, 100, {3600 * kSecond}), {100}, 3600 * kSecond);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->begin, 0);
  EXPECT_EQ(window->end, 4999 * 2000 + 1000);
  const auto late = first_window(session_with(5000, 3600 * kSecond, {0, 7}), {0}, 3601 * kSecond);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->begin, 3600 * kSecond);
}

TEST(FirstWindow, ShowsAllWhereStraysAreManyOrNear) {
  EXPECT_FALSE(first_window(session_with(5000, 0, {}), {0}, 10'000'000));
  EXPECT_FALSE(first_window(session_with(5000, 0, {20'000'000}), {0}, 20'005'000));
  std::vector<int64_t> many;
  for (int i = 0; i < 40; ++i) many.push_back(3600 * kSecond + i);
  EXPECT_FALSE(first_window(session_with(5000, 0, many), {0}, 3601 * kSecond));
  EXPECT_FALSE(first_window(session_with(3, 0, {3600 * kSecond}), {0}, 3601 * kSecond));
  EXPECT_FALSE(first_window(Session(), {}, 1));
}

TEST(FirstWindow, EventsWithoutDurationDoNotStretchIt) {
  Session session = session_with(1000, 0, {});  // 2 ms
  Timeline& timeline = session.runs[0].timeline;
  timeline.instants = {{3'000'000, 0, kNone, InstantScope::global}};
  const auto window = first_window(session, {0}, 3'000'000);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->begin, 0);
  EXPECT_EQ(window->end, 999 * 2000 + 1000);
  timeline.memory.push_back({.time = 2'990'000});  // it is to be seen
  EXPECT_FALSE(first_window(session, {0}, 3'000'000));
  timeline.memory.clear();
  timeline.instants = {{2'050'000, 0, kNone, InstantScope::global}};
  EXPECT_FALSE(first_window(session, {0}, 2'050'000));
}

/// A run of slices of 1 us that begin at these times, in this order in the file.
Session session_of_starts(const std::vector<int64_t>& starts) {
  TestRun run;
  for (const int64_t start : starts) run.host(SliceKind::framework_op, "op", start, 1000);
  return session_of(std::move(run));
}

TEST(FirstWindow, DoesNotDependOnTheOrderOfTheFile) {
  std::mt19937_64 random(3);
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    const int64_t span = 1000 * kSecond;
    const int64_t first = below(span / 2);
    const int64_t width = 1 + below(round % 2 == 0 ? kSecond / 2 : span / 2);
    std::vector<int64_t> starts;
    for (int64_t i = 20 + below(3000); i > 0; --i) starts.push_back(first + below(width));
    for (int64_t i = below(5); i > 0; --i) starts.push_back(below(span));
    std::sort(starts.begin(), starts.end());
    const auto expected = first_window(session_of_starts(starts), {0}, span);
    found += expected ? 1 : 0;
    for (int order = 0; order < 3; ++order) {
      std::shuffle(starts.begin(), starts.end(), random);
      EXPECT_EQ(first_window(session_of_starts(starts), {0}, span), expected) << "round " << round;
    }
  }
  EXPECT_GT(found, 20);
  EXPECT_LT(found, 180);
}

}  // namespace
}  // namespace cgpu
