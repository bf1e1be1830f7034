#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "model/test_arguments.h"

namespace cgpu {
namespace {

class LaunchArguments : public test::MadeArguments {
 public:
  std::map<uint64_t, std::vector<Argument>> of_source;

 protected:
  std::vector<Argument> of(uint64_t source) override { return of_source[source]; }
};

class Launches : public TestRun {
 public:
  explicit Launches(const std::string& capability = "9.0") {
    run.arguments = arguments_;
    run.devices.push_back({0, "NVIDIA H100 80GB HBM3", "NVIDIA", 100, std::nullopt, 32, capability});
  }
  void launch(const std::string& name, int64_t duration, const std::string& grid, const std::string& block,
              const std::string& registers = "32", const std::string& shared = "0", int32_t device = 0) {
    const SliceIndex slice = kernel(name, next_ += 10'000, duration, {device, 7, OpKind::compute, KernelClass::gemm});
    arguments_->of_source[run.timeline.slices.source[slice]] = {{"grid", grid, true},
                                                                {"block", block, true},
                                                                {"registers per thread", registers, true},
                                                                {"shared memory", shared, true}};
  }

 private:
  std::shared_ptr<LaunchArguments> arguments_ = std::make_shared<LaunchArguments>();
  int64_t next_ = 0;
};

TEST(Occupancy, MeansAreWeightedWithTime) {
  Launches run;
  run.launch("gemm", 300, "[50, 1, 1]", "[256, 1, 1]");               // half of the multiprocessors get a block
  run.launch("gemm", 100, "[100, 10, 1]", "[256, 1, 1]");             // 10 blocks each, of which 8 fit
  run.launch("gemm", 999, "[1, 1, 1]", "[256, 1, 1]", "32", "0", 3);  // a device that nothing is known of
  const Table table = occupancy_table(session_of(run));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "known"), 2);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "blocks_per_sm"), (300 * 0.5 + 100 * 10) / 400);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "sm_efficiency_pct"), (300 * 50.0 + 100 * 100.0) / 400);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "theoretical_occupancy_pct"), 100);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "occupancy_pct"), (300 * 0.5 * 256 / 2048 + 100 * 1.0) / 400 * 100);
  EXPECT_EQ(text_at(table, 0, "limited_by"), "grid");
}

TEST(Occupancy, WhatIsNotKnownIsAbsent) {
  Launches other("1.0");
  other.launch("gemm", 300, "[50, 1, 1]", "[256, 1, 1]");
  const Table table = occupancy_table(session_of(other));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "blocks_per_sm"), 0.5);
  for (const char* column : {"occupancy_pct", "theoretical_occupancy_pct", "limited_by", "registers"}) {
    EXPECT_TRUE(absent_at(table, 0, column)) << column;
  }
  Launches odd;
  odd.launch("a", 10, "inf", "[256, 1, 1]");
  odd.launch("b", 10, "[0, 1, 1]", "[256, 1, 1]");
  EXPECT_EQ(occupancy_table(session_of(odd)).row_count(), 0U);
  Launches impossible;
  impossible.launch("a", 10, "[1, 1, 1]", "[4096, 1, 1]");
  impossible.launch("a", 10, "[1, 1, 1]", "[256, 1, 1]", "9223372036854775807", "0");
  impossible.launch("a", 10, "[1, 1, 1]", "[256, 1, 1]", "32", "99999999");
  EXPECT_TRUE(absent_at(occupancy_table(session_of(impossible)), 0, "occupancy_pct"));
}

TEST(Occupancy, NamesOfNsight) {
  TestRun run;
  const auto arguments = std::make_shared<LaunchArguments>();
  run.run.arguments = arguments;
  run.run.devices.push_back({0, "T4", "NVIDIA", 40, std::nullopt, 32, "7.5"});
  const SliceIndex slice = run.kernel("k", 0, 10);
  for (const auto& [key, value] : std::map<std::string, std::string>{{"gridX", "80"},
                                                                     {"gridY", "1"},
                                                                     {"gridZ", "1"},
                                                                     {"blockX", "512"},
                                                                     {"blockY", "1"},
                                                                     {"blockZ", "1"},
                                                                     {"registersPerThread", "32"},
                                                                     {"staticSharedMemory", "16384"},
                                                                     {"dynamicSharedMemory", "16384"}}) {
    arguments->of_source[run.run.timeline.slices.source[slice]].push_back({key, value, true});
  }
  const Table table = occupancy_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(integer_at(table, 0, "shared_bytes"), 32768);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "occupancy_pct"), 100);
  EXPECT_EQ(text_at(table, 0, "limited_by"), "warps");
}

}  // namespace
}  // namespace cgpu
