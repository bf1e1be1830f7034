#include <gtest/gtest.h>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

SliceIndex launch_in(TestRun& run, SliceIndex range, int64_t start) {
  return run.host(SliceKind::runtime_call, "cudaLaunchKernel", start, 10, range);
}

void gemm(TestRun& run, int64_t start, int64_t duration, SliceIndex call) {
  run.kernel("gemm", start, duration, {0, 7, OpKind::compute, KernelClass::gemm, call});
}

TEST(RangeKernels, EachKernelOnceAName) {
  TestRun run(0);
  const SliceIndex outer = run.host(SliceKind::annotation, "block", 0, 1000);
  const SliceIndex inner = run.host(SliceKind::annotation, "block", 100, 500, outer);
  gemm(run, 230, 50, launch_in(run, inner, 210));
  const Table table = range_kernels_table(session_of(run));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "ranges"), 2);
  EXPECT_EQ(integer_at(table, 0, "count"), 1);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 50);
}

TEST(RangeKernels, RanksAreMergedByNameNotById) {
  TestRun first(0), second(1);
  const SliceIndex step = first.host(SliceKind::annotation, "step", 0, 100);
  gemm(first, 200, 30, launch_in(first, step, 10));
  second.host(SliceKind::framework_op, "shifts the name ids", 0, 1);
  const SliceIndex other = second.host(SliceKind::annotation, "other", 0, 100);
  const SliceIndex same = second.host(SliceKind::annotation, "step", 10, 50, other);
  gemm(second, 200, 10, launch_in(second, same, 20));
  const Table table = range_kernels_table(session_of(first, second));
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "range"), "step");
  EXPECT_EQ(text_at(table, 0, "name"), "gemm");
  EXPECT_EQ(integer_at(table, 0, "ranges"), 2);
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 40);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 80.0);
  EXPECT_EQ(text_at(table, 1, "range"), "other");
}

}  // namespace
}  // namespace cgpu
