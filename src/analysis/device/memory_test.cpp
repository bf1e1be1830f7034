#include <gtest/gtest.h>

#include "analysis/device/memory_levels.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "base/error.h"

namespace cgpu {
namespace {

/// A run with two steps. `addr` 1 stays from the first step on, 2 is released in the second, 3 comes and goes.
TestRun run_of_two_steps() {
  TestRun run(2);
  const SliceIndex first = run.host(SliceKind::annotation, "ProfilerStep#4", 100, 100);
  const SliceIndex linear = run.host(kOp, "aten::linear", 110, 50, first);
  const SliceIndex empty = run.host(kOp, "aten::empty", 115, 10, linear);
  const SliceIndex frame = run.host(kFrame, "model.py(7): forward", 116, 8, empty);
  run.host(kFrame, "<built-in method empty of type object at 0x7f>", 117, 6, frame);
  const SliceIndex second = run.host(SliceKind::annotation, "ProfilerStep#5", 200, 100);
  run.host(kOp, "aten::relu", 210, 40, second);
  const TrackIndex thread = run.run.timeline.slices.track[first];
  // time, bytes, allocated in all, reserved, device, address, thread
  run.run.timeline.memory = {{120, 1000, 5000, 8000, 0, 1, thread}, {130, 500, 5500, 8000, 0, 2, thread},
                             {215, 300, 5800, 9000, 0, 3, thread},  {240, -300, 5500, 9000, 0, 3, thread},
                             {260, -500, 5000, 9000, 0, 2, thread}, {270, 64, -1, -1, -1, 9, thread}};
  return run;
}

TEST(MemorySteps, PeakGrowthAndRequests) {
  const Table table = memory_steps_table(session_of(run_of_two_steps()));
  ASSERT_EQ(table.row_count(), 4U);  // two steps of a device and of the host
  EXPECT_TRUE(absent_at(table, 0, "peak_allocated_bytes"));
  EXPECT_EQ(integer_at(table, 0, "growth_bytes"), 0);
  EXPECT_EQ(integer_at(table, 1, "step"), 4);
  EXPECT_EQ(integer_at(table, 1, "device"), 0);
  EXPECT_EQ(integer_at(table, 1, "allocated_bytes"), 4000);
  EXPECT_EQ(integer_at(table, 1, "peak_allocated_bytes"), 5500);
  EXPECT_EQ(integer_at(table, 1, "peak_reserved_bytes"), 8000);
  EXPECT_EQ(integer_at(table, 1, "growth_bytes"), 1500);
  EXPECT_EQ(integer_at(table, 1, "allocations"), 2);
  EXPECT_EQ(integer_at(table, 1, "requested_bytes"), 1500);
  EXPECT_EQ(integer_at(table, 2, "growth_bytes"), 64);
  EXPECT_EQ(integer_at(table, 3, "step"), 5);
  EXPECT_EQ(integer_at(table, 3, "allocated_bytes"), 5500);
  EXPECT_EQ(integer_at(table, 3, "peak_allocated_bytes"), 5800);
  EXPECT_EQ(integer_at(table, 3, "peak_reserved_bytes"), 9000);
  EXPECT_EQ(integer_at(table, 3, "growth_bytes"), -500);
}

TEST(MemoryOverTime, BucketsHaveLeastMostAndGrowth) {
  const Table table =
      memory_over_time_table(session_of(run_of_two_steps()), TableOptions().set("buckets", {"3"}));  // of 151 ns
  ASSERT_EQ(table.row_count(), 6U);
  EXPECT_EQ(integer_at(table, 3, "device"), 0);
  EXPECT_EQ(integer_at(table, 3, "least_allocated_bytes"), 4000);
  EXPECT_EQ(integer_at(table, 3, "peak_allocated_bytes"), 5500);
  EXPECT_EQ(integer_at(table, 4, "least_allocated_bytes"), 5500);
  EXPECT_EQ(integer_at(table, 4, "peak_allocated_bytes"), 5800);
  EXPECT_EQ(integer_at(table, 5, "least_allocated_bytes"), 5000);
  EXPECT_EQ(integer_at(table, 5, "peak_allocated_bytes"), 5800);
  EXPECT_EQ(integer_at(table, 5, "growth_bytes"), 1000);
  EXPECT_EQ(integer_at(table, 2, "growth_bytes"), 64);
  EXPECT_TRUE(absent_at(table, 2, "peak_allocated_bytes"));
}

TEST(MemoryAtPeak, NamesWhoAsked) {
  const Session session = session_of(run_of_two_steps());
  const Table ops = memory_at_peak_table(session);
  ASSERT_EQ(ops.row_count(), 4U);
  EXPECT_EQ(text_at(ops, 0, "name"), "(no op)");  // of the host
  EXPECT_EQ(integer_at(ops, 0, "bytes"), 64);
  EXPECT_EQ(integer_at(ops, 1, "rank"), 2);
  EXPECT_EQ(integer_at(ops, 1, "time_ns"), 115);  // from the first slice
  EXPECT_EQ(text_at(ops, 1, "name"), "aten::linear");
  EXPECT_EQ(integer_at(ops, 1, "allocations"), 2);
  EXPECT_EQ(integer_at(ops, 1, "bytes"), 1500);
  EXPECT_EQ(integer_at(ops, 1, "largest_bytes"), 1000);
  EXPECT_EQ(text_at(ops, 2, "name"), "aten::relu");
  EXPECT_EQ(text_at(ops, 3, "name"), "(allocated before the recording)");
  EXPECT_TRUE(absent_at(ops, 3, "allocations"));
  EXPECT_EQ(integer_at(ops, 3, "bytes"), 4000);
  EXPECT_EQ(integer_at(ops, 1, "bytes") + integer_at(ops, 2, "bytes") + integer_at(ops, 3, "bytes"), 5800);

  const Table frames = memory_at_peak_table(session, TableOptions().set("by", {"frame"}));
  EXPECT_EQ(integer_at(frames, row_of(frames, "name", "model.py(7): forward"), "bytes"), 1000);
  const Table modules = memory_at_peak_table(session, TableOptions().set("by", {"module"}));
  EXPECT_EQ(text_at(modules, 1, "name"), "(no module)");
  EXPECT_EQ(integer_at(modules, 1, "bytes"), 1800);
  EXPECT_EQ(integer_at(modules, 2, "bytes"), 4000);  // what was there before comes last
}

TEST(MemoryAtPeak, AnAddressThatIsGivenOutAgainCountsOnce) {
  TestRun run;
  run.host(kOp, "aten::mm", 0, 10);
  run.run.timeline.memory = {{1, 100, 100, -1, 0, 7, 0}, {2, 300, 300, -1, 0, 7, 0}};
  const Table table = memory_at_peak_table(session_of(std::move(run)));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(integer_at(table, 0, "bytes"), 300);
  EXPECT_EQ(integer_at(table, 0, "allocations"), 1);
}

TEST(MemoryAtPeak, WithoutAddressesThereAreNoRows) {
  TestRun run;
  run.run.timeline.memory = {{1, 100, 100, -1, 0}};
  EXPECT_TRUE(memory_at_peak_table(session_of(std::move(run))).empty());
}

TEST(MemoryAtPeak, WhereReleasesAreMissingAllThatIsKnownIsTheWhole) {
  TestRun run;
  run.run.timeline.memory = {{1, 100, 100, -1, 0, 1}, {2, 150, 150, -1, 0, 2}};
  const Table table = memory_at_peak_table(session_of(std::move(run)));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(integer_at(table, 0, "bytes"), 250);
  EXPECT_EQ(real_at(table, 0, "pct"), 100.0);
}

}  // namespace
}  // namespace cgpu
