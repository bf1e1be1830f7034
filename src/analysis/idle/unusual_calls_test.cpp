#include "analysis/idle/unusual_calls.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

/// A thread that launches "k" 200 times, 5 us each.
class LaunchesOfNames : public TestRun {
 public:
  LaunchesOfNames() {
    for (int64_t i = 0; i < 200; ++i) launch("cudaLaunchKernel", 5 * kMicrosecond, "k");
  }
  SliceIndex call(const std::string& name, int64_t duration, const std::string& thread = "1") {
    const SliceIndex call = host(kCall, name, now_, duration, kNone, thread);
    now_ += duration + 10 * kMicrosecond;
    return call;
  }
  SliceIndex launch(const std::string& name, int64_t duration, const std::string& kernel) {
    const SliceIndex launch = call(name, duration);
    TestRun::kernel(kernel, now_, kMicrosecond, {0, 7, OpKind::compute, KernelClass::gemm, launch});
    return launch;
  }
  /// A copy that begins so long before the call returns.
  SliceIndex copy(MemoryKind source, int64_t before_return, int64_t duration = 8 * kMicrosecond,
                  int64_t takes = 2 * kMicrosecond) {
    const SliceIndex launch = call("cudaMemcpyAsync", duration);
    const int64_t end = run.timeline.slices.end(launch);
    memcpy("copy", end - before_return, takes, {CopyKind::HtoD, source, MemoryKind::device, 8},
           {0, 7, OpKind::memory, KernelClass::copy, launch});
    return launch;
  }
  std::map<SliceIndex, IdleCause> unusual(std::vector<Interval> overhead = {}) const {
    std::vector<SliceIndex> calls;
    for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
      if (run.timeline.kind(slice) == kCall) calls.push_back(slice);
    }
    return unusual_calls(run.timeline, calls, IntervalSet(std::move(overhead)));
  }

 private:
  int64_t now_ = 0;
};

using CausesOfCalls = std::map<SliceIndex, IdleCause>;

TEST(UnusualCalls, NoneAmongCallsOfTheUsualLength) {
  LaunchesOfNames run;
  run.launch("cudaLaunchKernel", 49 * kMicrosecond, "first");
  EXPECT_EQ(run.unusual(), CausesOfCalls());
}

TEST(UnusualCalls, TheFirstLaunchOfAKernelLoadsIt) {
  LaunchesOfNames run;
  const SliceIndex first = run.launch("cudaLaunchKernel", 629 * kMillisecond, "first");
  run.launch("cudaLaunchKernel", 60 * kMicrosecond, "first");
  const SliceIndex other = run.launch("cudaLaunchKernel", 60 * kMicrosecond, "other");
  EXPECT_EQ(run.unusual(), (CausesOfCalls{{first, IdleCause::module_load}, {other, IdleCause::module_load}}));
}

TEST(UnusualCalls, AlsoWhereEveryLaunchLoads) {
  TestRun run;
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 0, 629 * kMillisecond);
  run.kernel("k", 700 * kMillisecond, 10, {0, 7, OpKind::compute, KernelClass::gemm, launch});
  EXPECT_EQ(unusual_calls(run.run.timeline, {launch}, {}), (CausesOfCalls{{launch, IdleCause::module_load}}));
}

TEST(UnusualCalls, TheFirstLaunchOfAGraphLoadsNothing) {
  LaunchesOfNames run;
  run.launch("cudaGraphLaunch", 2 * kMillisecond, "first");
  EXPECT_EQ(run.unusual(), CausesOfCalls());
}

TEST(UnusualCalls, WhatTheProfilerDidInsideDoesNotCount) {
  LaunchesOfNames run;
  const SliceIndex first = run.launch("cudaLaunchKernel", 3 * kMillisecond, "first");
  const int64_t start = run.run.timeline.slices.start[first];
  EXPECT_EQ(run.unusual({{start, start + 3 * kMillisecond - 40 * kMicrosecond}}), CausesOfCalls());
}

TEST(UnusualCalls, ACallThatTakesAHundredTimesAsLongWasNotRunning) {
  LaunchesOfNames run;
  const SliceIndex late = run.launch("cudaLaunchKernel", 500 * kMicrosecond, "k");
  run.launch("cudaLaunchKernel", 499 * kMicrosecond, "k");
  EXPECT_EQ(run.unusual(), (CausesOfCalls{{late, IdleCause::not_scheduled}}));
}

TEST(UnusualCalls, TheFirstCallOfANameSetsSomethingUp) {
  LaunchesOfNames run;
  run.call("cudaGetDevice", 30 * kMillisecond);
  for (int i = 0; i < 200; ++i) run.call("cudaGetDevice", kMicrosecond);
  EXPECT_EQ(run.unusual(), CausesOfCalls());
}

TEST(UnusualCalls, WhatHappensTimeAndAgainHasAnotherReason) {
  LaunchesOfNames run;
  for (int i = 0; i < 15; ++i) run.launch("cudaLaunchKernel", 500 * kMicrosecond, "k");
  EXPECT_EQ(run.unusual(), CausesOfCalls());
}

TEST(UnusualCalls, SomethingRecordedInsideExplainsACall) {
  for (const auto& [kind, name] : {std::pair(SliceKind::os_call, "ioctl"), std::pair(kCall, "cudaMalloc")}) {
    LaunchesOfNames run;
    const SliceIndex late = run.launch("cudaLaunchKernel", kMillisecond, "k");
    const int64_t start = run.run.timeline.slices.start[late];
    const SliceIndex driver = run.host(SliceKind::driver_call, "cuLaunchKernel", start + 1, 500'000, late);
    EXPECT_EQ(run.unusual(), (CausesOfCalls{{late, IdleCause::not_scheduled}}));
    run.host(kind, name, start + 2, 400'000, driver);
    EXPECT_FALSE(run.unusual().contains(late)) << name;
  }
}

TEST(UnusualCalls, CopiesOfPageableMemoryHoldTheThread) {
  LaunchesOfNames run;
  const SliceIndex held = run.copy(MemoryKind::pageable, 3 * kMicrosecond);
  run.copy(MemoryKind::pageable, -1);  // the call has staged the data and returned
  run.copy(MemoryKind::pinned, 3 * kMicrosecond);
  EXPECT_EQ(run.unusual(), (CausesOfCalls{{held, IdleCause::blocking_copy}}));
}

TEST(UnusualCalls, CopiesOfUnrecordedMemoryHoldTheThreadThatReturnsAfterThem) {
  LaunchesOfNames run;
  constexpr int64_t kLong = 100 * kMicrosecond;
  const SliceIndex held = run.copy(MemoryKind::unknown, kLong + kMicrosecond, 2 * kLong, kLong);
  run.copy(MemoryKind::unknown, kLong - kMicrosecond, 2 * kLong, kLong);       // the copy goes on
  run.copy(MemoryKind::unknown, 12 * kMicrosecond, kLong, 11 * kMicrosecond);  // may be over by chance
  run.copy(MemoryKind::pinned, kLong + kMicrosecond, 2 * kLong, kLong);
  EXPECT_EQ(run.unusual(), (CausesOfCalls{{held, IdleCause::blocking_copy}}));
}

TEST(UnusualCalls, ACopyThatLastsIsNoReasonToSayTheThreadDidNotRun) {
  LaunchesOfNames run;
  for (int i = 0; i < 200; ++i) run.copy(MemoryKind::pinned, -kMicrosecond);
  run.copy(MemoryKind::pinned, -kMicrosecond, 2 * kMillisecond);
  EXPECT_EQ(run.unusual(), CausesOfCalls());
}

}  // namespace
}  // namespace cgpu
