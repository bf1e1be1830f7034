// Tables of single events and of what they add up to.
#include <gtest/gtest.h>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "model/test_arguments.h"

namespace cgpu {
namespace {

/// A range with a range in it, two launches, a copy and a kernel without a launch.
TestRun small_traced_run() {
  TestRun run(2);
  const SliceIndex outer = run.host(SliceKind::annotation, "step", 100, 900);
  const SliceIndex inner = run.host(SliceKind::annotation, "forward", 200, 300, outer);
  const SliceIndex first = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 210, 10, inner);
  const SliceIndex second = run.host(SliceKind::runtime_call, "cudaMemcpyAsync", 600, 20, outer);
  run.kernel("gemm", 230, 50, {1, 7, OpKind::compute, KernelClass::gemm, first});
  run.memcpy("Memcpy HtoD", 610, 40, {CopyKind::HtoD, MemoryKind::pinned, MemoryKind::device, 400},
             {1, 7, OpKind::memory, KernelClass::copy, second});
  run.kernel("gemm", 700, 70);
  return run;
}

TEST(DeviceOps, ByCategoryAndName) {
  TestRun run = small_traced_run();
  const Session session = session_of(run);
  const Table table = device_ops_table(session, {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "category"), "kernel");
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 120);
  EXPECT_EQ(text_at(table, 1, "category"), "memory");
  EXPECT_DOUBLE_EQ(real_at(table, 1, "pct"), 25);
  const Table all = activities_table(session, {});
  expect_well_formed(all);
  EXPECT_EQ(all.row_count(), 4u);
  EXPECT_EQ(integer_at(all, row_of(all, "name", "cudaMemcpyAsync"), "total_ns"), 20);
  EXPECT_DOUBLE_EQ(real_at(all, row_of(all, "name", "gemm"), "pct"), 100.0 * 120 / 190);
}

TEST(ApiTrace, CallsInOrderOfTime) {
  TestRun run = small_traced_run();
  run.host(SliceKind::driver_call, "cuInit", 5, 1);
  const Table table = api_trace_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(text_at(table, 0, "name"), "cuInit");
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 0) << "the first start of the profile";
  EXPECT_EQ(integer_at(table, 2, "start_ns"), 595);
  EXPECT_EQ(integer_at(table, 2, "duration_ns"), 20);
}

TEST(DeviceTrace, OpsInOrderOfTime) {
  TestRun run = small_traced_run();
  const Table table = device_trace_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 130);
  EXPECT_TRUE(absent_at(table, 0, "bytes"));
  EXPECT_EQ(integer_at(table, 1, "bytes"), 400);
  EXPECT_DOUBLE_EQ(real_at(table, 1, "bandwidth"), 10);
  EXPECT_EQ(text_at(table, 1, "src_memory"), "pinned");
}

TEST(LaunchTrace, FromTheCallToTheEndOfTheOp) {
  TestRun run = small_traced_run();
  const Table table = launch_trace_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "queue_ns"), 10);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 70);
  EXPECT_TRUE(absent_at(table, 1, "queue_ns")) << "began before the call returned";
  EXPECT_EQ(integer_at(table, 1, "total_ns"), 50);
  EXPECT_EQ(text_at(table, 1, "call"), "cudaMemcpyAsync");
}

TEST(RangeTrace, NestingAndDeviceWork) {
  TestRun run = small_traced_run();
  const Table table = range_trace_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "name"), "step");
  EXPECT_EQ(integer_at(table, 0, "children"), 1);
  EXPECT_EQ(integer_at(table, 0, "child_ns"), 300);
  EXPECT_EQ(integer_at(table, 0, "self_ns"), 600);
  EXPECT_EQ(integer_at(table, 0, "device_ops"), 2);
  EXPECT_EQ(integer_at(table, 0, "device_start_ns"), 130);
  EXPECT_EQ(integer_at(table, 0, "device_ns"), 420);
  EXPECT_EQ(integer_at(table, 1, "depth"), 1);
  EXPECT_EQ(integer_at(table, 1, "device_ops"), 1);
}

class FixedArguments : public test::MadeArguments {
  std::vector<Argument> of(uint64_t source) override {
    if (source == 0) return {{"grid", "[4, 2, 1]", true}, {"block", "[256, 1, 1]", true}};
    if (source == 1)
      return {{"gridX", "4", true},  {"gridY", "2", true},  {"gridZ", "1", true},   {"blockX", "256", true},
              {"blockY", "1", true}, {"blockZ", "1", true}, {"gridlock", "9", true}};
    return {};
  }
};

TEST(KernelGrids, HoweverTheProfileWritesThem) {
  TestRun run(0);
  for (const uint64_t source : {0, 1, 2}) {
    const SliceIndex slice = run.kernel("gemm", 100 * static_cast<int64_t>(source), 10);
    run.run.timeline.slices.source[slice] = source;
  }
  run.run.arguments = std::make_shared<FixedArguments>();
  const Table table = kernel_grids_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "grid"), "4 x 2 x 1");
  EXPECT_EQ(text_at(table, 0, "block"), "256 x 1 x 1");
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_TRUE(absent_at(table, 1, "grid"));
}

TEST(EventTraces, AddUpToTheOtherTables) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::annotation, "step"},
                                             {SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::runtime_call, "cudaLaunchKernel"}};
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomRun run(seed, vocabulary, HostShape::nested);
    const Session session = session_of(run);
    const auto total = [&](const Table& table, const std::string& column) {
      int64_t sum = 0;
      for (size_t row = 0; row < table.row_count(); ++row) sum += integer_at(table, row, column);
      return sum;
    };
    EXPECT_EQ(total(api_trace_table(session, {}), "duration_ns"), total(api_table(session, {}), "total_ns"));
    EXPECT_EQ(total(device_trace_table(session, {}), "duration_ns"),
              total(kernel_classes_table(session, {}), "total_ns"));
    EXPECT_EQ(total(device_ops_table(session, {}), "total_ns"), total(kernel_classes_table(session, {}), "total_ns"));
    EXPECT_EQ(total(activities_table(session, {}), "total_ns"),
              total(device_ops_table(session, {}), "total_ns") + total(api_table(session, {}), "total_ns"));
    EXPECT_EQ(total(range_trace_table(session, {}), "duration_ns"), total(ranges_table(session, {}), "total_ns"));
    EXPECT_EQ(static_cast<int64_t>(range_trace_table(session, {}).row_count()),
              total(ranges_table(session, {}), "count"));
  }
}

}  // namespace
}  // namespace cgpu
