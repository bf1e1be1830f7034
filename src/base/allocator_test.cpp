#include "base/allocator.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/threads.h"

namespace cgpu {
namespace {

TEST(Allocator, ThreadsReturnMemoryAtOnceAlsoWhenAnotherAllocatorHandsItOut) {
  std::atomic<int> returned = 0;
  on_threads(8, [&](unsigned) {
    return_freed_memory();
    ++returned;
  });
  EXPECT_EQ(returned, 8);
}

}  // namespace
}  // namespace cgpu
