#include "base/threads.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace cgpu {
namespace {

TEST(ForEachInParallel, DoesEveryPieceOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{3}, size_t{1000}}) {
      std::vector<std::atomic<int>> done(count);
      for_each_in_parallel(threads, count, [&](size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ForEachInParallel, WithOneThreadKeepsTheOrderAndTheThread) {
  std::vector<size_t> order;
  std::set<std::thread::id> threads;
  for_each_in_parallel(1, 4, [&](size_t i) {
    order.push_back(i);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(ForEachOrThrow, DoesAllAndThrowsWhatTheFirstHasThrown) {
  for (const unsigned threads : {1U, 3U}) {
    std::vector<std::atomic<int>> done(10);
    try {
      for_each_or_throw(threads, done.size(), [&](size_t i) {
        ++done[i];
        if (i == 4 || i == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "4");
    }
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(ThreadCount, IsBounded) {
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(3), 3U);
  EXPECT_EQ(thread_count(100000), 256U);
}

TEST(InBackground, GivesWhatTheTaskReturnsOrThrows) {
  EXPECT_EQ(in_background([] { return 7; }).get(), 7);
  auto fails = in_background([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(fails.get(), std::runtime_error);
}

}  // namespace
}  // namespace cgpu
