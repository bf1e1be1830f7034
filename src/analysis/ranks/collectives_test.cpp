#include <gtest/gtest.h>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

struct Record {
  std::string name;
  std::string group;
  std::string type = "Float";
  int64_t in = -1;
  int64_t out = -1;
  int32_t size = -1;
};

SliceIndex collective(TestRun& run, int64_t start, int64_t duration, const Record& record,
                      const std::string& kernel = "ncclDevKernel_Generic(ncclDevComm*)") {
  const SliceIndex slice =
      run.kernel(kernel, start, duration, {0, 20, OpKind::communication, KernelClass::collective, kNone});
  StringPool& names = run.run.timeline.names;
  run.run.timeline.collectives.push_back({slice, names.intern(record.name), names.intern(record.group),
                                          names.intern(record.type), record.in, record.out, record.size, -1});
  return slice;
}

TestRun rank_with_clock(int64_t rank, int64_t base) {
  TestRun run(rank);
  run.run.clock_is_unix = true;
  run.run.clock_base = base;
  return run;
}

TEST(Collectives, InstancesOfTwoRanks) {
  TestRun first = rank_with_clock(0, 1000), second = rank_with_clock(1, 2000);
  const Record record{"allreduce", "dp", "BFloat16", 1000, 1000, 2};
  collective(first, 1500, 100, record);  // 2500-2600, second in time
  collective(first, 1100, 300, record);  // 2100-2400
  collective(second, 150, 250, record);  // 2150-2400: the other began 50 before
  collective(second, 490, 120, record);  // 2490-2610: began 10 before the other
  const Table table = collectives_table(session_of(first, second), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "name"), "allreduce");
  EXPECT_EQ(text_at(table, 0, "group"), "dp");
  EXPECT_EQ(integer_at(table, 0, "ranks"), 2);
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 770);
  EXPECT_EQ(integer_at(table, 0, "bytes"), 4000);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "algo_bandwidth"), 4000.0 / 350);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "bus_bandwidth"), 4000.0 / 350);  // 2 (2 - 1) / 2
  EXPECT_EQ(integer_at(table, 0, "wait_ns"), 60);
}

/// One rank of a group of `size`, with an allreduce of 4,000 bytes that takes 10 ns.
TestRun placed_rank(int64_t rank, const std::string& host, const std::string& device, int32_t size) {
  TestRun run = rank_with_clock(rank, 1000);
  run.run.host = host;
  run.run.devices.push_back({0, device, "", 132, std::nullopt, 32, ""});
  collective(run, 100, 10, {"allreduce", "dp", "BFloat16", 2000, 2000, size});
  return run;
}

TEST(Collectives, ShareOfTheLinkInsideOfAMachine) {
  const std::string h100 = "NVIDIA H100 80GB HBM3";
  const auto of = [](TestRun first, TestRun second) { return collectives_table(session_of(first, second), {}); };
  const Table inside = of(placed_rank(0, "a", h100, 2), placed_rank(1, "a", h100, 2));
  EXPECT_EQ(integer_at(inside, 0, "hosts"), 1);
  EXPECT_DOUBLE_EQ(real_at(inside, 0, "bus_bandwidth"), 400);
  EXPECT_DOUBLE_EQ(real_at(inside, 0, "link_pct"), 100 * 400.0 / 450);
  const Table across = of(placed_rank(0, "a", h100, 2), placed_rank(1, "b", h100, 2));
  EXPECT_EQ(integer_at(across, 0, "hosts"), 2);
  EXPECT_TRUE(absent_at(across, 0, "link_pct"));
  const Table unknown = of(placed_rank(0, "a", h100, 2), placed_rank(1, "", h100, 2));
  EXPECT_TRUE(absent_at(unknown, 0, "hosts"));
  EXPECT_TRUE(absent_at(unknown, 0, "link_pct"));
  const Table partly_seen = of(placed_rank(0, "a", h100, 8), placed_rank(1, "a", h100, 8));
  EXPECT_TRUE(absent_at(partly_seen, 0, "link_pct"));
  const Table mixed = of(placed_rank(0, "a", h100, 2), placed_rank(1, "a", "NVIDIA B200", 2));
  EXPECT_TRUE(absent_at(mixed, 0, "link_pct"));
}

TEST(Collectives, BusFactors) {
  const std::pair<const char*, double> factors[] = {
      {"allreduce", 1.75},    {"_allgather_base", 0.875}, {"reduce_scatter", 0.875},
      {"all_to_allv", 0.875}, {"broadcast", 1},           {"send_recv", 1},
      {"reduce", 1},          {"AllReduce", 1.75},        {"ReduceScatter", 0.875}};
  for (const auto& [name, factor] : factors) {
    TestRun run;
    collective(run, 0, 100, {name, "g", "Byte", 10, 800, 8});
    const Table table = collectives_table(session_of(run), {});
    EXPECT_DOUBLE_EQ(real_at(table, 0, "algo_bandwidth"), 8.0) << name;
    EXPECT_DOUBLE_EQ(real_at(table, 0, "bus_bandwidth"), 8 * factor) << name;
    EXPECT_TRUE(absent_at(table, 0, "wait_ns"));
  }
}

TEST(Collectives, UnknownBytesAndGroupSizesAreAbsent) {
  TestRun run;
  collective(run, 0, 100, {"allreduce", "no elements", "Float", -1, -1, 8});
  collective(run, 200, 100, {"allreduce", "no type", "Opaque", 5, 5, 8});
  collective(run, 400, 100, {"allreduce", "no size", "Float", 5, 5, -1});
  collective(run, 600, 100, {"allreduce", "sizes differ", "Float", 5, 5, 4});
  collective(run, 700, 100, {"allreduce", "sizes differ", "Float", 5, 5, 8});
  collective(run, 800, 100, {"allreduce", "some say", "Float", 25, 25, 8});
  collective(run, 900, 900, {"allreduce", "some say", "Float", -1, -1, 8});
  const Table table = collectives_table(session_of(run), {});
  for (const char* group : {"no elements", "no type"}) {
    const size_t row = row_of(table, "group", group);
    EXPECT_TRUE(absent_at(table, row, "bytes"));
    EXPECT_TRUE(absent_at(table, row, "algo_bandwidth"));
    EXPECT_TRUE(absent_at(table, row, "bus_bandwidth"));
  }
  for (const char* group : {"no size", "sizes differ"}) {
    const size_t row = row_of(table, "group", group);
    EXPECT_DOUBLE_EQ(real_at(table, row, "algo_bandwidth"), 0.2);
    EXPECT_TRUE(absent_at(table, row, "bus_bandwidth"));
  }
  EXPECT_DOUBLE_EQ(real_at(table, row_of(table, "group", "some say"), "algo_bandwidth"), 1.0);
}

TEST(Collectives, NamesFromKernelsWhereNoneIsRecorded) {
  TestRun run;
  const TestOp communication{0, 20, OpKind::communication, KernelClass::collective, kNone};
  run.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", 0, 9, communication);
  run.kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", 0, 8,
             communication);
  run.kernel("ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", 0, 7, communication);
  run.kernel("void vllm::cross_device_reduce_1stage<float, 8>(float*)", 0, 6, communication);
  run.kernel("compute AllReduce", 0, 5);
  run.implausible(run.kernel("ncclDevKernel_Broadcast(x*)", 0, 1000, communication));
  const Table table = collectives_table(session_of(run), {});
  ASSERT_EQ(table.row_count(), 4u);
  EXPECT_EQ(text_at(table, 0, "name"), "allreduce");
  EXPECT_EQ(text_at(table, 1, "name"), "reduce_scatter");
  EXPECT_EQ(text_at(table, 2, "name"), "reduce");
  EXPECT_EQ(text_at(table, 3, "name"), "vllm::cross_device_reduce_1stage");
  for (size_t row = 0; row < 4; ++row) EXPECT_TRUE(absent_at(table, row, "group"));
}

TEST(Collectives, RanksWithUnequalCountsKeepEveryOp) {
  TestRun first = rank_with_clock(0, 0), second = rank_with_clock(1, 0);
  const Record record{"broadcast", "g", "Float", 1, 1, 2};
  for (int64_t i = 0; i < 3; ++i) collective(first, 100 * i, 10, record);
  collective(second, 5, 10, record);
  const Table table = collectives_table(session_of(first, second), {});
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 40);
  EXPECT_EQ(integer_at(table, 0, "bytes"), 12);
  EXPECT_EQ(integer_at(table, 0, "wait_ns"), 5);
}

TEST(Collectives, NoWaitBetweenClocksWithoutACommonZero) {
  TestRun first(0), second(1);
  const Record record{"broadcast", "g", "Float", 1, 1, 2};
  collective(first, 0, 10, record);
  collective(second, 5, 10, record);
  const Table table = collectives_table(session_of(first, second), {});
  EXPECT_EQ(integer_at(table, 0, "ranks"), 2);
  EXPECT_TRUE(absent_at(table, 0, "wait_ns"));
}

TEST(ExposedCollectives, EachMomentBelongsToWhatBeganFirst) {
  TestRun run(3);
  collective(run, 100, 100, {"allreduce", "dp"});  // 100-200
  collective(run, 150, 150, {"allgather", "tp"});  // 150-300: its own from 200
  collective(run, 160, 20, {"broadcast", "tp"});   // inside of both: nothing
  collective(run, 400, 50, {"allreduce", "dp"});   // hidden
  collective(run, 600, 10, {"allreduce", "dp"});
  run.kernel("gemm", 0, 120);    // to 120
  run.kernel("gemm", 250, 20);   // 250-270
  run.kernel("gemm", 390, 100);  // 390-490
  const Session session = session_of(std::move(run));
  const Table table = exposed_collectives_table(session);
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(integer_at(table, 0, "rank"), 3);
  EXPECT_EQ(text_at(table, 0, "name"), "allreduce");
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 160);
  EXPECT_EQ(integer_at(table, 0, "exposed_ns"), 80 + 10);
  EXPECT_EQ(integer_at(table, 0, "max_ns"), 80);
  EXPECT_EQ(text_at(table, 1, "name"), "allgather");
  EXPECT_EQ(integer_at(table, 1, "exposed_ns"), 50 + 30);
  EXPECT_EQ(text_at(table, 2, "name"), "broadcast");
  EXPECT_EQ(integer_at(table, 2, "exposed_ns"), 0);
  const Table time = gpu_time_table(session);
  EXPECT_EQ(integer_at(time, 0, "exposed_comm_ns"), 90 + 80);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct") + real_at(table, 1, "pct"), 100.0);
}

}  // namespace
}  // namespace cgpu
