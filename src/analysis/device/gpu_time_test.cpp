#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TestOp of_kind(OpKind kind, int32_t device = 0, int64_t stream = 7) {
  return {device, stream, kind, {}, kNone};
}

TEST(GpuTime, HandComputed) {
  TestRun run(3);
  run.kernel("compute", 100, 100, of_kind(OpKind::compute));            // 100-200
  run.kernel("comm", 150, 100, of_kind(OpKind::communication, 0, 20));  // 150-250: 50 exposed
  run.memcpy("copy", 190, 80, {});                                      // 190-270: 20 exposed
  run.kernel("compute", 300, 50, of_kind(OpKind::compute));             // idle 270-300
  const Table table = gpu_time_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 3);
  EXPECT_EQ(integer_at(table, 0, "device"), 0);
  EXPECT_EQ(integer_at(table, 0, "span_ns"), 250);
  EXPECT_EQ(integer_at(table, 0, "busy_ns"), 220);
  EXPECT_EQ(integer_at(table, 0, "compute_ns"), 150);
  EXPECT_EQ(integer_at(table, 0, "comm_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "memory_ns"), 80);
  EXPECT_EQ(integer_at(table, 0, "exposed_comm_ns"), 50);
  EXPECT_EQ(integer_at(table, 0, "exposed_memory_ns"), 20);
  EXPECT_EQ(integer_at(table, 0, "idle_ns"), 30);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "busy_pct"), 88.0);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "comm_overlap_pct"), 50.0);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "memory_overlap_pct"), 75.0);
}

TEST(GpuTime, AbsentSharesWhereThereIsNoWhole) {
  TestRun run;
  run.kernel("empty", 100, 0);
  const Table table = gpu_time_table(session_of(run), {});
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "span_ns"), 0);
  EXPECT_TRUE(absent_at(table, 0, "busy_pct"));
  EXPECT_TRUE(absent_at(table, 0, "comm_overlap_pct"));
  EXPECT_TRUE(absent_at(table, 0, "memory_overlap_pct"));
}

TEST(GpuTime, NoDeviceOpsNoRows) {
  TestRun run;
  run.host(SliceKind::framework_op, "aten::mm", 0, 100);
  EXPECT_TRUE(gpu_time_table(session_of(run), {}).empty());
  EXPECT_TRUE(streams_table(Session{}, {}).empty());
}

TEST(GpuTime, ImplausibleDurationsAreLeftOut) {
  TestRun run;
  run.kernel("good", 100, 10);
  run.implausible(run.kernel("bad", 90, 1'000'000'000));
  const Session session = session_of(run);
  const Table table = gpu_time_table(session, {});
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "span_ns"), 10);
  EXPECT_EQ(integer_at(streams_table(session, {}), 0, "count"), 1);
}

TEST(GpuTime, RowsByRankAndDevice) {
  TestRun first(0), second(1);
  first.kernel("k", 0, 5, of_kind(OpKind::compute, 1));
  first.kernel("k", 0, 5, of_kind(OpKind::compute, 0));
  second.kernel("k", 0, 7, of_kind(OpKind::compute, 0));
  const Table table = gpu_time_table(session_of(first, second), {});
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "device"), 0);
  EXPECT_EQ(integer_at(table, 1, "device"), 1);
  EXPECT_EQ(integer_at(table, 2, "rank"), 1);
  EXPECT_EQ(integer_at(table, 2, "busy_ns"), 7);
}

// Every nanosecond of a device by the kinds of what runs in it.
struct OpBorder {
  bool any = false, compute = false, comm = false, memory = false;
};

TEST(GpuTime, EqualsCountingNanoseconds) {
  constexpr int64_t kEnd = 400;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    TestRun run;
    std::vector<OpBorder> moments(kEnd);
    int64_t first = kEnd, last = 0;
    const int ops = 1 + static_cast<int>(random() % 25);
    for (int i = 0; i < ops; ++i) {
      const auto start = static_cast<int64_t>(random() % (kEnd - 40));
      const auto duration = static_cast<int64_t>(random() % 40);
      const auto kind = static_cast<OpKind>(random() % 3);
      run.kernel("k", start, duration, of_kind(kind, 0, static_cast<int64_t>(random() % 3)));
      first = std::min(first, start);
      last = std::max(last, start + duration);
      for (int64_t t = start; t < start + duration; ++t) {
        OpBorder& moment = moments[static_cast<size_t>(t)];
        moment.any = true;
        (kind == OpKind::compute ? moment.compute : kind == OpKind::communication ? moment.comm : moment.memory) = true;
      }
    }
    const auto count = [&](auto holds) { return std::count_if(moments.begin(), moments.end(), holds); };
    const Session session = session_of(run);
    const Table table = gpu_time_table(session, {});
    ASSERT_EQ(table.row_count(), 1u);
    const auto cell = [&](const char* column) { return integer_at(table, 0, column); };
    EXPECT_EQ(cell("span_ns"), last - first);
    EXPECT_EQ(cell("busy_ns"), count([](const OpBorder& m) { return m.any; }));
    EXPECT_EQ(cell("compute_ns"), count([](const OpBorder& m) { return m.compute; }));
    EXPECT_EQ(cell("comm_ns"), count([](const OpBorder& m) { return m.comm; }));
    EXPECT_EQ(cell("memory_ns"), count([](const OpBorder& m) { return m.memory; }));
    EXPECT_EQ(cell("exposed_comm_ns"), count([](const OpBorder& m) { return m.comm && !m.compute; }));
    EXPECT_EQ(cell("exposed_memory_ns"), count([](const OpBorder& m) { return m.memory && !m.comm && !m.compute; }));
    EXPECT_EQ(cell("compute_ns") + cell("exposed_comm_ns") + cell("exposed_memory_ns") + cell("idle_ns"),
              cell("span_ns"));

    const Table streams = streams_table(session, {});
    int64_t counted = 0;
    for (size_t row = 0; row < streams.row_count(); ++row) {
      counted += integer_at(streams, row, "count");
      EXPECT_LE(integer_at(streams, row, "busy_ns"), cell("span_ns"));
      EXPECT_LE(integer_at(streams, row, "busy_ns"),
                integer_at(streams, row, "last_ns") - integer_at(streams, row, "first_ns"));
    }
    EXPECT_EQ(counted, ops);
  }
}

TEST(Streams, HandComputed) {
  TestRun run;
  run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1000, 10);
  run.kernel("a", 1100, 50, of_kind(OpKind::compute, 0, 7));
  run.kernel("b", 1130, 50, of_kind(OpKind::compute, 0, 7));
  run.kernel("c", 1105, 5, of_kind(OpKind::compute, 0, 20));
  const Table table = streams_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "stream"), 7);
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_EQ(integer_at(table, 0, "busy_ns"), 80);
  EXPECT_EQ(integer_at(table, 0, "first_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "last_ns"), 180);
  EXPECT_EQ(integer_at(table, 1, "stream"), 20);
  EXPECT_EQ(integer_at(table, 1, "busy_ns"), 5);
}

TEST(Streams, TimesOfRanksShareOneZeroWhereTheirClocksDo) {
  TestRun first(0), second(1);
  for (TestRun* run : {&first, &second}) run->run.clock_is_unix = true;
  first.run.clock_base = 5000;
  second.run.clock_base = 6000;
  first.kernel("k", 10, 5);   // 5010
  second.kernel("k", 20, 5);  // 6020
  const Table shared = streams_table(session_of(first, second), {});
  EXPECT_EQ(integer_at(shared, 0, "first_ns"), 0);
  EXPECT_EQ(integer_at(shared, 1, "first_ns"), 1010);

  TestRun third(0), fourth(1);
  third.kernel("k", 10, 5);
  fourth.kernel("k", 20, 5);
  const Table own = streams_table(session_of(third, fourth), {});
  EXPECT_EQ(integer_at(own, 0, "first_ns"), 0);
  EXPECT_EQ(integer_at(own, 1, "first_ns"), 0);
}

}  // namespace
}  // namespace cgpu
