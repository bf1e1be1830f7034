#include "tiles/first_window.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cgpu
