#include "analysis/idle/stopped_ops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

/// A thread with ops that take 10 us, in which a launch of 5 us begins after 2 us.
class OpsThatLaunch : public TestRun {
 public:
  explicit OpsThatLaunch(int count = 200, const std::string& name = "aten::mul") {
    for (int i = 0; i < count; ++i) op(name, 0);
  }
  /// Nothing happens for `stopped` ns between the begin and the launch.
  SliceIndex op(const std::string& name, int64_t stopped, bool launches = true) {
    const SliceIndex op = host(SliceKind::framework_op, name, now_, 10 * kMicrosecond + stopped);
    const int64_t launch = now_ + 2 * kMicrosecond + stopped;
    const SliceIndex call = host(kCall, launches ? "cudaLaunchKernel" : "cudaGetDevice", launch, 5 * kMicrosecond, op);
    if (launches) kernel("k", launch + 6 * kMicrosecond, kMicrosecond, {.launch = call});
    now_ += 12 * kMicrosecond + stopped;
    return op;
  }
  std::vector<StoppedOp> stopped() const {
    std::vector<SliceIndex> ops;
    for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
      if (run.timeline.kind(slice) == SliceKind::framework_op) ops.push_back(slice);
    }
    return stopped_ops(run.timeline, ops);
  }

 private:
  int64_t now_ = 0;
};

TEST(StoppedOps, AreRareAndAHundredTimesAsLong) {
  OpsThatLaunch run;
  const SliceIndex slow = run.op("aten::mul", 5 * kMillisecond);
  run.op("aten::mul", 900 * kMicrosecond);  // less than a hundred times 10 us
  const std::vector<StoppedOp> found = run.stopped();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].op, slow);
  EXPECT_EQ(found[0].time.end - found[0].time.begin, 5 * kMillisecond + 2 * kMicrosecond);
}

TEST(StoppedOps, NotTheFirstNorFrequentOnesNorThoseThatComputeOnTheHostOrCommunicate) {
  OpsThatLaunch first;
  first.op("aten::conv2d", 5 * kMillisecond);  // loads
  for (int i = 0; i < 200; ++i) first.op("aten::conv2d", 0);
  EXPECT_TRUE(first.stopped().empty());

  OpsThatLaunch frequent;
  for (int i = 0; i < 15; ++i) frequent.op("aten::mul", 5 * kMillisecond);
  EXPECT_TRUE(frequent.stopped().empty());

  OpsThatLaunch on_host;
  on_host.op("aten::mul", 5 * kMillisecond, false);
  EXPECT_TRUE(on_host.stopped().empty());

  OpsThatLaunch communicates(200, "c10d::allreduce_");
  communicates.op("c10d::allreduce_", 5 * kMillisecond);
  EXPECT_TRUE(communicates.stopped().empty());
}

TEST(StoppedOps, NotThoseInWhichSomethingElseIsRecorded) {
  OpsThatLaunch run;
  const int64_t start = 201 * 12 * kMicrosecond;
  const SliceIndex outer = run.host(SliceKind::framework_op, "aten::mul", start, 5 * kMillisecond);
  const SliceIndex call = run.host(kCall, "cudaMalloc", start, 4900 * kMicrosecond, outer);
  run.kernel("k", start + 5 * kMillisecond, kMicrosecond, {.launch = call});
  EXPECT_TRUE(run.stopped().empty());
}

TEST(StoppedOps, AreACauseOfIdleTime) {
  OpsThatLaunch run;
  run.op("aten::mul", 5 * kMillisecond);
  const Table idle = make_table(find_analysis("idle"), SessionFacts(session_of(run)));
  EXPECT_EQ(integer_at(idle, row_of(idle, "cause", "not_scheduled"), "total_ns"), 5 * kMillisecond + 2 * kMicrosecond);
}

}  // namespace
}  // namespace cgpu
