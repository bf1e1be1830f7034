// Waiting between ranks: tables `stragglers` and `clocks`, and the cause `other_rank` of `idle`.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "analysis/ranks/lateness.h"
#include "analysis/session_facts.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr TestOp kCommunication{0, 20, OpKind::communication, KernelClass::collective, kNone};

TestRun unix_rank(int64_t rank, int64_t base = 0) {
  TestRun run(rank);
  run.run.clock_is_unix = true;
  run.run.clock_base = base;
  return run;
}
void all_reduce(TestRun& run, int64_t start, int64_t end, TestOp op = kCommunication) {
  run.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", start, end - start, op);
}
size_t row_of_rank(const Table& table, int64_t rank) {
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (integer_at(table, row, "rank") == rank) return row;
  }
  ADD_FAILURE() << table.name << " has no rank " << rank;
  return 0;
}

TEST(Stragglers, WhoCameLastAndWhatItCost) {
  TestRun a = unix_rank(0), b = unix_rank(1, 1000), c = unix_rank(2);
  all_reduce(a, 2000, 2100), all_reduce(b, 1040, 1100), all_reduce(c, 2010, 2100);  // b: 40 + 30
  all_reduce(a, 3000, 3100), all_reduce(b, 2090, 2100), all_reduce(c, 3050, 3100);  // b: 90 + 40
  all_reduce(a, 4020, 4100), all_reduce(b, 3000, 3100), all_reduce(c, 4020, 4100);  // a, before c: 20
  const Session session = session_of(a, b, c);
  const Table table = stragglers_table(session, {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 1);
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "last"), 2);
  EXPECT_EQ(integer_at(table, 0, "caused_ns"), 200);
  EXPECT_EQ(integer_at(table, 0, "wait_ns"), 20);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 100.0 * 200 / 220);
  EXPECT_EQ(integer_at(table, row_of_rank(table, 0), "caused_ns"), 20);
  EXPECT_EQ(integer_at(table, row_of_rank(table, 0), "wait_ns"), 130);
  EXPECT_EQ(integer_at(table, row_of_rank(table, 2), "last"), 0);
  EXPECT_EQ(integer_at(table, row_of_rank(table, 2), "wait_ns"), 70);
  EXPECT_EQ(integer_at(collectives_table(session, {}), 0, "wait_ns"), 220);
}

TEST(Stragglers, CollectivesOneAfterAnotherWithTheSameLastMemberAreOneDelay) {
  TestRun a = unix_rank(0), b = unix_rank(1);
  for (const auto& [start_a, start_b] :
       {std::pair{0, 100}, {1000, 1100}, {2000, 2001}, {3001, 3000}, {4000, 4100}, {5100, 5000}}) {
    all_reduce(a, start_a, start_a + 500), all_reduce(b, start_b, start_b + 500);
  }
  const Session session = session_of(a, b);
  const SessionFacts facts(session);
  const auto members = lateness_of_members(session, facts.collectives());
  EXPECT_DOUBLE_EQ(members.at({1, 0}).squares, 300.0 * 300) << "not ended by 1 ns of waiting";
  EXPECT_DOUBLE_EQ(members.at({0, 0}).squares, 100.0 * 100);
}

TEST(Stragglers, ChanceOfAShare) {
  EXPECT_NEAR(chance_of_share(1, 4, 1, 3), 4 * std::pow(0.25, 3), 1e-12);
  EXPECT_NEAR(chance_of_share(2, 8, 0.9, 8), 28 * (8 * std::pow(0.25, 7) * 0.75 + std::pow(0.25, 8)), 1e-12);
  EXPECT_GT(chance_of_share(4, 8, 0.8, 16), 0.5) << "half of the ranks cause 13 of 16 delays, one choice or another";
  EXPECT_LT(chance_of_share(2, 8, 0.95, 16), 1e-6);
  EXPECT_EQ(chance_of_share(2, 2, 0.9, 40), 1);
}

TEST(Stragglers, AllWaitingIsCausedBySomebody) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int64_t> late(0, 900);
  TestRun a = unix_rank(0), b = unix_rank(1), c = unix_rank(2);
  for (int64_t i = 0; i < 200; ++i) {
    all_reduce(a, 1000 * i + late(random), 1000 * i + 950);
    if (i >= 30) all_reduce(b, 1000 * i + late(random), 1000 * i + 951);
    if (i < 150) all_reduce(c, 1000 * i + late(random), 1000 * i + 949);
  }
  const Session session = session_of(a, b, c);
  const Table table = stragglers_table(session, {});
  int64_t caused = 0, waited = 0;
  for (size_t row = 0; row < table.row_count(); ++row) {
    caused += integer_at(table, row, "caused_ns");
    waited += integer_at(table, row, "wait_ns");
  }
  EXPECT_GT(caused, 0);
  EXPECT_EQ(caused, waited);
  EXPECT_EQ(caused, integer_at(collectives_table(session, {}), 0, "wait_ns"));
  EXPECT_EQ(integer_at(collectives_table(session, {}), 0, "count"), 200);
}

TEST(Stragglers, DevicesOfOneProcessMeetToo) {
  TestRun run(0);
  TestOp second = kCommunication;
  second.device = 1;
  all_reduce(run, 100, 200), all_reduce(run, 130, 200, second);
  const Session session = session_of(run);
  const Table table = stragglers_table(session, {});
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "device"), 1);
  EXPECT_EQ(integer_at(table, 0, "caused_ns"), 30);
  const Table collectives = collectives_table(session, {});
  EXPECT_EQ(integer_at(collectives, 0, "ranks"), 2);
  EXPECT_EQ(integer_at(collectives, 0, "count"), 1);
  EXPECT_EQ(integer_at(collectives, 0, "wait_ns"), 30);
}

TEST(Stragglers, NothingBetweenClocksThatCannotBeCompared) {
  TestRun a(0), b(1);
  all_reduce(a, 0, 10), all_reduce(b, 5, 10);
  EXPECT_TRUE(stragglers_table(session_of(a, b), {}).empty());
}

TEST(Clocks, ATableOfWhatWasDone) {
  TestRun a = unix_rank(0), b = unix_rank(1);
  a.run.clock.method = RunClock::Method::reference;
  b.run.clock.method = RunClock::Method::aligned;
  b.run.clock.offset = -500;
  b.run.clock.residual = 12;
  b.run.clock.pairs = 34;
  b.run.host = "there";
  const Table table = clocks_table(session_of(a, b), {});
  expect_well_formed(table);
  EXPECT_TRUE(absent_at(table, 0, "residual_ns"));
  EXPECT_TRUE(absent_at(table, 0, "host"));
  EXPECT_EQ(text_at(table, 1, "method"), "aligned");
  EXPECT_EQ(integer_at(table, 1, "offset_ns"), -500);
  EXPECT_EQ(integer_at(table, 1, "residual_ns"), 12);
  EXPECT_EQ(integer_at(table, 1, "pairs"), 34);
}

/// Two kernels with a gap from 100 to 400, in which the thread is in a collective of the host from 150 to 350.
TestRun rank_with_gap(int64_t rank, int64_t begin, const std::string& name) {
  TestRun run = unix_rank(rank);
  run.kernel("first", 0, 100);
  const SliceIndex outer = run.host(SliceKind::annotation, name, begin, 350 - begin);
  run.host(SliceKind::os_call, "poll", begin + 1, 348 - begin, outer);
  const SliceIndex launch = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 380, 20);
  run.kernel("second", 400, 10, {0, 7, OpKind::compute, KernelClass::gemm, launch});
  return run;
}
int64_t idle_ns(const Table& table, int64_t rank, const std::string& cause) {
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (integer_at(table, row, "rank") == rank && text_at(table, row, "cause") == cause) {
      return integer_at(table, row, "total_ns");
    }
  }
  return 0;
}

/// Of rank 0.
std::string culprit_of(const Table& table, const std::string& cause) {
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (integer_at(table, row, "rank") == 0 && text_at(table, row, "cause") == cause) {
      return text_at(table, row, "culprit");
    }
  }
  return "";
}

TEST(Idle, WaitingInACollectiveOfTheHostUntilTheLastRankHasCome) {
  for (const char* name : {"MPI_Allreduce", "MPI_Barrier", "gloo:all_reduce"}) {
    TestRun early = rank_with_gap(0, 150, name), late = rank_with_gap(1, 290, name);
    const Session session = session_of(early, late);
    const Table table = idle_table(session, {});
    EXPECT_EQ(idle_ns(table, 0, "other_rank"), 140) << name;
    EXPECT_EQ(idle_ns(table, 0, "host_code"), 81) << name << ": 100-150, 349-380";
    EXPECT_EQ(idle_ns(table, 0, "io"), 59) << name << ": 290-349";
    const Table hosts = idle_hosts_table(session, {});
    EXPECT_EQ(culprit_of(hosts, "other_rank"), name);
    EXPECT_EQ(culprit_of(hosts, "io"), "poll");
    EXPECT_EQ(idle_ns(table, 0, "launch_overhead"), 20);
    EXPECT_EQ(idle_ns(table, 1, "other_rank"), 0);
  }
}

TEST(Idle, NoOtherRankWhereNobodyWaitsForOne) {
  for (const char* name : {"MPI_Iallreduce", "MPI_Send", "MPI_Bcast", "nccl:all_reduce"}) {
    TestRun early = rank_with_gap(0, 150, name), late = rank_with_gap(1, 290, name);
    EXPECT_EQ(idle_ns(idle_table(session_of(early, late), {}), 0, "other_rank"), 0) << name;
  }
  TestRun alone = rank_with_gap(0, 150, "MPI_Barrier");
  EXPECT_EQ(idle_ns(idle_table(session_of(alone), {}), 0, "other_rank"), 0);
}

TEST(Idle, ACallInsideTheCollectiveSaysMoreThanTheCollective) {
  TestRun early = rank_with_gap(0, 150, "MPI_Allreduce"), late = rank_with_gap(1, 290, "MPI_Allreduce");
  early.host(SliceKind::runtime_call, "cudaMemcpy", 200, 50, 1);
  const Table table = idle_table(session_of(early, late), {});
  EXPECT_EQ(idle_ns(table, 0, "blocking_copy"), 50);
  EXPECT_EQ(idle_ns(table, 0, "other_rank"), 90);
}

}  // namespace
}  // namespace cgpu
