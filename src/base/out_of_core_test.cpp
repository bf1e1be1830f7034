#include "base/out_of_core.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <new>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace cgpu {
namespace {

/// Nothing more in ordinary memory than there is.
class OutOfCore : public ::testing::Test {
 protected:
  OutOfCore() { OutOfCoreMemory::set_in_memory_bytes(0); }
  ~OutOfCore() override { OutOfCoreMemory::set_in_memory_bytes(OutOfCoreMemory::kInMemoryBytes); }
};

TEST(OutOfCoreMemory, IsOrdinaryMemoryUpToALimit) {
  const OutOfCoreMemory::Use before = OutOfCoreMemory::use();
  OutOfCoreMemory::set_in_memory_bytes(before.in_memory + 10'000);
  {
    const OutOfCoreVector<char> small(6'000, 'a');
    EXPECT_EQ(OutOfCoreMemory::use().in_memory, before.in_memory + 6'000);
    EXPECT_EQ(OutOfCoreMemory::use().in_file, before.in_file);
    const OutOfCoreVector<char> large(6'000, 'b');
    EXPECT_EQ(OutOfCoreMemory::use().in_memory, before.in_memory + 6'000);
    EXPECT_EQ(OutOfCoreMemory::use().in_file, before.in_file + 6'000);
    EXPECT_EQ(std::count(large.begin(), large.end(), 'b'), 6'000);
  }
  EXPECT_EQ(OutOfCoreMemory::use().in_memory, before.in_memory);
  EXPECT_EQ(OutOfCoreMemory::use().in_file, before.in_file);
  OutOfCoreMemory::set_in_memory_bytes(OutOfCoreMemory::kInMemoryBytes);
}

/// Vectors that grow, shrink and go at random hold what those of the standard library do.
TEST_F(OutOfCore, VectorsHoldWhatWasPutIn) {
  std::mt19937 random(1);
  std::vector<OutOfCoreVector<uint32_t>> tried(20);
  std::vector<std::vector<uint32_t>> expected(20);
  for (int i = 0; i < 3'000; ++i) {
    const size_t which = random() % tried.size();
    switch (random() % 4) {
      case 0: {
        tried[which].clear();
        tried[which].shrink_to_fit();
        expected[which].clear();
        break;
      }
      case 1: {
        const size_t size = random() % 2 == 0 ? random() % 100 : random() % 400'000;
        tried[which].resize(size, 7);
        expected[which].resize(size, 7);
        break;
      }
      default: {
        for (auto count = random() % 1'000; count > 0; --count) {
          const auto value = static_cast<uint32_t>(random());
          tried[which].push_back(value);
          expected[which].push_back(value);
        }
      }
    }
  }
  EXPECT_GT(OutOfCoreMemory::use().in_file, 1'000'000U);
  for (size_t i = 0; i < tried.size(); ++i) {
    EXPECT_TRUE(std::equal(tried[i].begin(), tried[i].end(), expected[i].begin(), expected[i].end())) << i;
  }
}

TEST_F(OutOfCore, PagesThatWereLetGoComeBack) {
  constexpr size_t kCount = OutOfCoreMemory::kResidentBytes / sizeof(uint64_t) * 3;
  OutOfCoreVector<uint64_t> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), uint64_t{1});
  uint64_t sum = 0;
  for (int i = 0; i < 20; ++i) {  // long enough for pages to be released
    sum = std::accumulate(numbers.begin(), numbers.end(), uint64_t{0});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(sum, uint64_t{kCount} * (kCount + 1) / 2);
}

TEST_F(OutOfCore, SeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<uint64_t> sums(4);
  for (size_t i = 0; i < sums.size(); ++i) {
    threads.emplace_back([&sums, i] {
      for (size_t turn = 0; turn < 200; ++turn) {
        OutOfCoreVector<uint64_t> numbers;
        for (uint64_t n = 0; n < 500; ++n) numbers.push_back(n * (i + 1));
        sums[i] += std::accumulate(numbers.begin(), numbers.end(), uint64_t{0});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 200 * (i + 1) * 499 * 500 / 2);
}

TEST_F(OutOfCore, WithoutRoomOnTheDiskItIsOrdinaryMemory) {
  const OutOfCoreMemory::Use before = OutOfCoreMemory::use();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  {
    const OutOfCoreVector<char> text(5'000'000, 'a');
    EXPECT_EQ(OutOfCoreMemory::use().in_memory, before.in_memory + 5'000'000);
    EXPECT_EQ(OutOfCoreMemory::use().in_file, before.in_file);
    EXPECT_EQ(std::count(text.begin(), text.end(), 'a'), 5'000'000);
  }
  EXPECT_EQ(OutOfCoreMemory::use().in_memory, before.in_memory);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
}

/// A child that lets go of what it has of its parent, and wants memory of its own.
void use_memory_in_child(OutOfCoreVector<uint64_t>& of_parent, uint64_t expected) {
  const bool is_there = std::accumulate(of_parent.begin(), of_parent.end(), uint64_t{0}) == expected;
  of_parent = {};
  const OutOfCoreVector<uint64_t> own(1'000'000, 7);
  ::_exit(is_there && own.back() == 7 ? 0 : 1);
}

TEST_F(OutOfCore, AForkedChildLeavesTheFileToItsParent) {
  for (const size_t count : {size_t{1'000}, size_t{1'000'000}}) {
    OutOfCoreVector<uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), uint64_t{1});
    const uint64_t expected = uint64_t{count} * (count + 1) / 2;
    const pid_t child = ::fork();
    if (child == 0) use_memory_in_child(numbers, expected);
    const OutOfCoreVector<uint64_t> more(1'000'000, 9);  // while the child is at it
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), uint64_t{0}), expected);
    EXPECT_EQ(std::count(more.begin(), more.end(), 9U), 1'000'000);
  }
}

TEST_F(OutOfCore, MoreThanThereCanBeThrows) {
  EXPECT_THROW(OutOfCoreAllocator<uint64_t>().allocate(SIZE_MAX / 8), std::bad_alloc);
}

}  // namespace
}  // namespace cgpu
