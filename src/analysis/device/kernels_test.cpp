#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analysis/common/slices_by_name.h"
#include "analysis/common/statistics.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TestOp of_class(KernelClass kernel_class) {
  return {0, 7, OpKind::compute, kernel_class, kNone};
}

TEST(Kernels, HandComputed) {
  TestRun run;
  run.kernel("gemm", 0, 10, of_class(KernelClass::gemm));
  run.kernel("gemm", 10, 30, of_class(KernelClass::gemm));
  run.kernel("relu", 40, 60, of_class(KernelClass::activation));
  run.memcpy("Memcpy HtoD", 100, 1000, {});
  run.memset("Memset (Device)", 1100, 1000, 4);
  run.implausible(run.kernel("gemm", 0, 1'000'000, of_class(KernelClass::gemm)));
  run.device_op(SliceKind::device_collective, "allreduce", 2100, 100,
                {0, 7, OpKind::communication, KernelClass::collective, kNone});
  const Table table = kernels_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(text_at(table, 0, "name"), "allreduce");
  EXPECT_EQ(text_at(table, 0, "class"), "collective");
  EXPECT_EQ(text_at(table, 1, "name"), "relu");
  EXPECT_DOUBLE_EQ(real_at(table, 1, "pct"), 30.0);
  EXPECT_EQ(text_at(table, 2, "name"), "gemm");
  EXPECT_EQ(text_at(table, 2, "class"), "gemm");
  EXPECT_EQ(integer_at(table, 2, "count"), 2);
  EXPECT_EQ(integer_at(table, 2, "total_ns"), 40);
  EXPECT_EQ(real_at(table, 2, "mean_ns"), 20.0);
  EXPECT_EQ(real_at(table, 2, "median_ns"), 20.0);
  EXPECT_EQ(integer_at(table, 2, "min_ns"), 10);
  EXPECT_EQ(integer_at(table, 2, "max_ns"), 30);
  EXPECT_DOUBLE_EQ(real_at(table, 2, "std_ns"), 14.142135623730951);
  EXPECT_DOUBLE_EQ(real_at(table, 2, "pct"), 20.0);
  EXPECT_EQ(real_at(table, 0, "std_ns"), 0.0);
}

TEST(Kernels, TiesByNameAndNoShareOfNothing) {
  TestRun run;
  run.kernel("b", 0, 0);
  run.kernel("a", 0, 0);
  const Table table = kernels_table(session_of(run), {});
  EXPECT_EQ(text_at(table, 0, "name"), "a");
  EXPECT_EQ(text_at(table, 1, "name"), "b");
  EXPECT_TRUE(absent_at(table, 0, "pct"));
  EXPECT_TRUE(kernels_table(Session{}, {}).empty());
}

TEST(Kernels, RanksAreMergedByNameNotById) {
  TestRun first(0), second(1);
  first.kernel("a", 0, 1);
  first.kernel("b", 0, 10);
  second.kernel("c", 0, 100);
  second.kernel("b", 0, 1000);
  const Table table = kernels_table(session_of(first, second), {});
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, row_of(table, "name", "a"), "total_ns"), 1);
  EXPECT_EQ(integer_at(table, row_of(table, "name", "b"), "total_ns"), 1010);
  EXPECT_EQ(integer_at(table, row_of(table, "name", "c"), "total_ns"), 100);
}

TEST(Kernels, BaseNamesGatherInstancesAndTakeTheClassWithTheMostTime) {
  TestRun run;
  run.kernel("void scale<float>(float*)", 0, 10, of_class(KernelClass::elementwise));
  run.kernel("void scale<double>(double*)", 10, 30, of_class(KernelClass::fused));
  run.kernel("void scale<int>(int*)", 40, 15, of_class(KernelClass::elementwise));
  const Session session = session_of(run);
  EXPECT_EQ(kernels_table(session, {}).row_count(), 3u);
  const Table table = kernels_table(session, TableOptions().set(kNamesOption, {"base"}));
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "name"), "scale");
  EXPECT_EQ(text_at(table, 0, "class"), "fused");
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 55);
}

TEST(Kernels, EqualsGatheringByTextOverRandomRuns) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::map<std::string, std::vector<int64_t>> kernels;
    std::map<std::string, std::vector<int64_t>> calls;
    Session session;
    for (int rank = 0; rank < 3; ++rank) {
      TestRun run(rank);
      for (int i = 0; i < 60; ++i) {
        const std::string name = "name " + std::to_string(random() % 12);
        const auto duration = static_cast<int64_t>(random() % 1000);
        switch (random() % 4) {
          case 0:
            run.host(SliceKind::framework_op, name, 0, duration);
            break;
          case 1:
            run.host(random() % 2 == 0 ? SliceKind::runtime_call : SliceKind::driver_call, name, 0, duration);
            calls[name].push_back(duration);
            break;
          default:
            run.kernel(name, 0, duration);
            kernels[name].push_back(duration);
        }
      }
      session.runs.push_back(std::move(run.run));
    }
    const auto expect_equal = [](const Table& table, const std::map<std::string, std::vector<int64_t>>& oracle) {
      ASSERT_EQ(table.row_count(), oracle.size());
      double share = 0;
      int64_t previous = INT64_MAX;
      for (size_t row = 0; row < table.row_count(); ++row) {
        const std::vector<int64_t>& durations = oracle.at(text_at(table, row, "name"));
        int64_t total = 0;
        for (const int64_t duration : durations) total += duration;
        EXPECT_EQ(integer_at(table, row, "count"), static_cast<int64_t>(durations.size()));
        EXPECT_EQ(integer_at(table, row, "total_ns"), total);
        EXPECT_EQ(real_at(table, row, "median_ns"), median(durations));
        EXPECT_LE(total, previous);
        previous = total;
        share += real_at(table, row, "pct");
      }
      EXPECT_NEAR(share, 100.0, 1e-9);
    };
    expect_equal(kernels_table(session, {}), kernels);
    expect_equal(api_table(session, {}), calls);
  }
}

TEST(KernelClasses, CopiesAndMemsetsBelongAndTiesAreInTheOrderOfClasses) {
  TestRun run;
  run.kernel("softmax", 0, 25, of_class(KernelClass::softmax_loss));
  run.kernel("gemm a", 0, 20, of_class(KernelClass::gemm));
  run.kernel("gemm b", 0, 5, of_class(KernelClass::gemm));
  run.device_op(SliceKind::memcpy, "Memcpy DtoD", 0, 40, of_class(KernelClass::unknown));
  run.device_op(SliceKind::memset, "Memset", 0, 10, of_class(KernelClass::unknown));
  run.implausible(run.kernel("softmax", 0, 1000, of_class(KernelClass::softmax_loss)));
  const Table table = kernel_classes_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 4u);
  EXPECT_EQ(text_at(table, 0, "class"), "copy");
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 40.0);
  EXPECT_EQ(text_at(table, 1, "class"), "gemm");
  EXPECT_EQ(integer_at(table, 1, "count"), 2);
  EXPECT_EQ(integer_at(table, 1, "total_ns"), 25);
  EXPECT_EQ(text_at(table, 2, "class"), "softmax_loss");
  EXPECT_EQ(text_at(table, 3, "class"), "set");
}

TEST(Api, CallsOfBothLayersAndNothingElse) {
  TestRun run;
  run.host(SliceKind::runtime_call, "cudaLaunchKernel", 0, 4);
  run.host(SliceKind::runtime_call, "cudaLaunchKernel", 10, 6);
  run.host(SliceKind::driver_call, "cuLaunchKernel", 20, 30);
  run.host(SliceKind::framework_op, "aten::mm", 0, 100);
  run.implausible(run.host(SliceKind::runtime_call, "cudaLaunchKernel", 10, 1'000'000));
  const Table table = api_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "name"), "cuLaunchKernel");
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 75.0);
  EXPECT_EQ(text_at(table, 1, "name"), "cudaLaunchKernel");
  EXPECT_EQ(integer_at(table, 1, "count"), 2);
  EXPECT_EQ(integer_at(table, 1, "total_ns"), 10);
  EXPECT_EQ(real_at(table, 1, "median_ns"), 5.0);
}

}  // namespace
}  // namespace cgpu
