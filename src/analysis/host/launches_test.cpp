#include <gtest/gtest.h>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TEST(Launches, DelaysFromTheEndOfTheCallToTheFirstOp) {
  TestRun run;
  const auto call = [&](const char* name, int64_t start, int64_t duration) {
    return run.host(SliceKind::runtime_call, name, start, duration);
  };
  const SliceIndex late = call("cudaLaunchKernel", 0, 10);
  const SliceIndex early = call("cudaLaunchKernel", 20, 20);
  const SliceIndex far = call("cudaLaunchKernel", 50, 30);
  call("cudaLaunchKernel", 100, 99);  // launched nothing in the profile
  const SliceIndex graph = call("cudaGraphLaunch", 300, 100);
  call("cudaMalloc", 500, 10);  // never launches: no row
  run.kernel("k", 15, 1, launched_by(late));
  run.kernel("k", 30, 1, launched_by(early));  // before the call returns
  run.kernel("k", 1080, 1, launched_by(far));
  run.kernel("second", 480, 1, launched_by(graph));
  run.kernel("first", 450, 1, launched_by(graph));
  run.kernel("orphan", 460, 1);

  const Table table = launches_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "name"), "cudaLaunchKernel");
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "cpu_mean_ns"), 20.0);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "delay_mean_ns"), (5.0 + 0 + 1000) / 3);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "delay_median_ns"), 5.0);
  EXPECT_EQ(integer_at(table, 0, "delay_max_ns"), 1000);
  EXPECT_EQ(integer_at(table, 0, "unlinked"), 1);
  EXPECT_EQ(text_at(table, 1, "name"), "cudaGraphLaunch");
  EXPECT_EQ(integer_at(table, 1, "count"), 1);
  EXPECT_EQ(integer_at(table, 1, "delay_max_ns"), 50);
  EXPECT_EQ(integer_at(table, 1, "unlinked"), 0);
}

TEST(Launches, RunsAreMergedAndImplausibleSlicesLeftOut) {
  TestRun a(0);
  TestRun b(1);
  a.host(SliceKind::framework_op, "shifts the name ids", 0, 1);
  a.kernel("k", 30, 1, launched_by(a.host(SliceKind::runtime_call, "launch", 0, 10)));
  b.kernel("k", 50, 1, launched_by(b.host(SliceKind::driver_call, "launch", 0, 20)));
  const SliceIndex bad_op = b.host(SliceKind::driver_call, "launch", 100, 20);
  b.implausible(b.kernel("k", 200, 1'000'000, launched_by(bad_op)));
  const SliceIndex bad_call = b.host(SliceKind::driver_call, "launch", 200, 1'000'000);
  b.implausible(bad_call);
  b.kernel("k", 300, 1, launched_by(bad_call));
  const Table table = launches_table(session_of(a, b), {});
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "cpu_mean_ns"), 15.0);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "delay_mean_ns"), 25.0);
  EXPECT_EQ(integer_at(table, 0, "unlinked"), 1);
}

}  // namespace
}  // namespace cgpu
