#include "base/once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace cgpu {
namespace {

TEST(Once, FindsOnceWhicheverThreadAsks) {
  Once<int> once;
  std::atomic<int> found = 0;
  std::atomic<int> sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { sum += once.get([&] { return ++found; }); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 1);
  EXPECT_EQ(sum, 8);
}

TEST(Once, KnowsWhatWasAskedFor) {
  OnceEach<int, std::string> each;
  EXPECT_EQ(each.known(1), nullptr);
  EXPECT_EQ(each.get(1, [] { return std::string("one"); }), "one");
  ASSERT_NE(each.known(1), nullptr);
  EXPECT_EQ(*each.known(1), "one");
  EXPECT_EQ(each.known(2), nullptr);
  EXPECT_EQ(each.get(1, [] { return std::string("another"); }), "one");
  EXPECT_EQ(each.get(2, [] { return std::string("two"); }), "two");
}

TEST(Once, WhatIsThrownLeavesNone) {
  Once<int> once;
  EXPECT_THROW(once.get([]() -> int { throw std::runtime_error("not yet"); }), std::runtime_error);
  EXPECT_EQ(once.get([] { return 7; }), 7);
  EXPECT_EQ(once.get([] { return 8; }), 7);
}

}  // namespace
}  // namespace cgpu
