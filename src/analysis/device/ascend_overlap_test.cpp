#include <gtest/gtest.h>

#include <random>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

Table overlap_of(TestRun&& run) {
  run.run.format = "ascend";
  return ascend_overlap_table(session_of(std::move(run)), {});
}

TEST(AscendOverlap, CopiesAreFreeTime) {
  TestRun run;
  run.kernel("k", 100, 100);                                                                // 100-200
  run.device_op(SliceKind::device_collective, "hcom_allReduce_", 150, 150);                 // 150-300: 50 overlapped
  run.memcpy("copy", 0, 1000, {});                                                          // does not count
  run.kernel("k", 400, 50, {0, 7, OpKind::communication, KernelClass::collective, kNone});  // computes nevertheless
  const Table table = overlap_of(std::move(run));
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "computing_ns"), 150);
  EXPECT_EQ(integer_at(table, 0, "communication_ns"), 150);
  EXPECT_EQ(integer_at(table, 0, "not_overlapped_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "overlapped_ns"), 50);
  EXPECT_EQ(integer_at(table, 0, "free_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "profiler_steps"), 0);
  EXPECT_EQ(at(table, 0, "profiler_free_ns"), Cell());
}

TEST(AscendOverlap, TheProfilersStepsAreSummedByDevice) {
  TestRun run;
  run.kernel("k", 0, 10, {0});
  run.kernel("k", 0, 10, {1});
  run.run.step_traces = {{0, "1", 5, 6, 7, 8, 9},
                         {0, "2", 50, {}, 70, 80, 90},
                         {1, "1", 1, 1, 1, 1, INT64_MAX},
                         {1, "2", 1, 1, 1, 1, INT64_MAX}};
  const Table table = overlap_of(std::move(run));
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "profiler_steps"), 2);
  EXPECT_EQ(integer_at(table, 0, "profiler_computing_ns"), 55);
  EXPECT_EQ(integer_at(table, 0, "profiler_communication_ns"), 6);
  EXPECT_EQ(integer_at(table, 1, "profiler_computing_ns"), 2);
}

TEST(AscendOverlap, IsOfAscendProfilesOnly) {
  TestRun run;
  run.kernel("k", 0, 10);
  run.run.format = "kineto";
  EXPECT_TRUE(ascend_overlap_table(session_of(std::move(run)), {}).empty());
}

TEST(AscendOverlap, EqualsMarkingEveryNanosecond) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    TestRun run;
    std::vector<int> marks(400, 0);
    int64_t first = 400;
    int64_t last = 0;
    for (int i = 0; i < 12; ++i) {
      const int64_t start = random() % 300;
      const int64_t length = random() % 60;
      const bool kernel = random() % 2 == 0;
      run.device_op(kernel ? SliceKind::kernel : SliceKind::device_collective, "op", start, length);
      for (int64_t t = start; t < start + length; ++t) marks[t] |= kernel ? 1 : 2;
      first = std::min(first, start);
      last = std::max(last, start + length);
    }
    const auto count = [&](auto wanted) { return std::count_if(marks.begin() + first, marks.begin() + last, wanted); };
    const Table table = overlap_of(std::move(run));
    EXPECT_EQ(integer_at(table, 0, "computing_ns"), count([](int m) { return (m & 1) != 0; }));
    EXPECT_EQ(integer_at(table, 0, "communication_ns"), count([](int m) { return (m & 2) != 0; }));
    EXPECT_EQ(integer_at(table, 0, "not_overlapped_ns"), count([](int m) { return m == 2; }));
    EXPECT_EQ(integer_at(table, 0, "free_ns"), count([](int m) { return m == 0; }));
  }
}

}  // namespace
}  // namespace cgpu
