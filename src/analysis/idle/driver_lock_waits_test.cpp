#include "analysis/idle/driver_lock_waits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

/// Threads that launch; a launch takes 5 us by itself.
class LaunchingThreads : public TestRun {
 public:
  void launch(const std::string& thread, int64_t start, int64_t duration, const std::string& process = "1") {
    const SliceIndex call = add(kCall, "cudaLaunchKernel", start * kMicrosecond, duration * kMicrosecond,
                                track(TrackKind::host_thread, process, thread));
    kernel("k", (start + duration + 1) * kMicrosecond, kMicrosecond, {.launch = call});
  }
  /// Launches of `thread` and "b" that begin together, then of each alone; `together`: ns that these take.
  void pairs(int count, int64_t together_a, int64_t together_b) {
    for (int i = 0; i < count; ++i) {
      launch("a", 1000 * i, together_a);
      launch("b", 1000 * i + 1, together_b);
      launch("a", 1000 * i + 300, 5);
      launch("b", 1000 * i + 600, 5);
    }
  }
  std::vector<DriverLockWait> waits() const {
    std::vector<SliceIndex> calls;
    for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
      if (run.timeline.kind(slice) == kCall) calls.push_back(slice);
    }
    return driver_lock_waits(run.timeline, calls);
  }
};

TEST(DriverLockWaits, AreWhatOverlappingLaunchesTakeLonger) {
  LaunchingThreads run;
  run.pairs(50, 40, 60);
  const std::vector<DriverLockWait> waits = run.waits();
  ASSERT_EQ(waits.size(), 100U);
  EXPECT_EQ(waits[0].time.begin, 0);
  EXPECT_EQ(waits[0].time.end, 35 * kMicrosecond);  // 40 less the usual 5
  EXPECT_EQ(waits[1].time.end, 56 * kMicrosecond);
}

TEST(DriverLockWaits, NeedTwoThreadsThatWait) {
  LaunchingThreads slightly;  // as threads that share a core
  slightly.pairs(50, 9, 9);
  EXPECT_TRUE(slightly.waits().empty());
  LaunchingThreads one;  // has long launches for another reason; those of the other thread take as long as ever
  one.pairs(50, 60, 5);
  EXPECT_TRUE(one.waits().empty());
  LaunchingThreads few;
  few.pairs(19, 40, 60);
  EXPECT_TRUE(few.waits().empty());
}

TEST(DriverLockWaits, ProcessesHaveLocksOfTheirOwn) {
  LaunchingThreads run;
  for (int i = 0; i < 50; ++i) {
    run.launch("a", 1000 * i, 40, "1");
    run.launch("b", 1000 * i, 40, "2");
    run.launch("a", 1000 * i + 300, 5, "1");
    run.launch("b", 1000 * i + 300, 5, "2");
  }
  EXPECT_TRUE(run.waits().empty());
}

TEST(DriverLockWaits, AreACauseOfIdleTime) {
  LaunchingThreads run;
  run.pairs(50, 205, 205);
  const Session session = session_of(run);
  const Table idle = make_table(find_analysis("idle"), SessionFacts(session));
  EXPECT_GT(integer_at(idle, row_of(idle, "cause", "lock"), "total_ns"), 50 * 150 * kMicrosecond);
  const Table findings = make_table(find_analysis("findings"), SessionFacts(session));
  const size_t finding = row_of(findings, "rule", "lock_contention");
  EXPECT_NE(text_at(findings, finding, "title").find("a lock of the driver"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
