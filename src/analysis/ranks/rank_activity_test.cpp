#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial_bytes.h"
#include "analysis/random_run.h"
#include "analysis/ranks/device_activity.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "base/error.h"

namespace cgpu {
namespace {

constexpr std::array kColumns = {"compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"};
const std::vector<NamedKind> kVocabulary = {{SliceKind::runtime_call, "l"}};

TableOptions at_most(int buckets) {
  return TableOptions().set("buckets", {std::to_string(buckets)});
}

TestOp communication() {
  return {0, 20, OpKind::communication, KernelClass::collective, kNone};
}

TEST(RankActivity, BucketsBeginAtMultiplesOfTheirLength) {
  TestRun run(1);
  run.kernel("gemm", 1000, 100);
  run.kernel("all_reduce", 1050, 100, communication());
  run.memset("Memset", 1390, 10, 64);
  const Table table = rank_activity_table(session_of(run), at_most(4));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 4U);  // from 1000 to 1024, 1152, 1280 and 1400 of the run's clock
  const std::vector<std::array<int64_t, 6>> wanted = {
      {0, 24, 24, 0, 0, 0}, {24, 128, 76, 50, 0, 2}, {152, 128, 0, 0, 0, 128}, {280, 120, 0, 0, 10, 110}};
  for (size_t row = 0; row < wanted.size(); ++row) {
    SCOPED_TRACE(row);
    EXPECT_EQ(integer_at(table, row, "rank"), 1);
    EXPECT_EQ(integer_at(table, row, "device"), 0);
    EXPECT_EQ(integer_at(table, row, "start_ns"), wanted[row][0]);
    EXPECT_EQ(integer_at(table, row, "duration_ns"), wanted[row][1]);
    for (size_t column = 0; column < kColumns.size(); ++column) {
      EXPECT_EQ(integer_at(table, row, kColumns[column]), wanted[row][2 + column]) << kColumns[column];
    }
  }
}

TEST(RankActivity, AnyNumberOfBucketsAddsUpToGpuTime) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, kVocabulary, HostShape::nested);
    const Session session = session_of(run);
    const Table whole = gpu_time_table(session);
    for (const int most : {0, 1, 7, 512, 65'536}) {
      const Table table = rank_activity_table(session, at_most(most));
      std::map<int64_t, std::map<std::string, int64_t>> sums;
      std::map<int64_t, int64_t> ends;
      std::map<int64_t, int> rows;
      for (size_t row = 0; row < table.row_count(); ++row) {
        const int64_t device = integer_at(table, row, "device");
        for (const char* column : kColumns) sums[device][column] += integer_at(table, row, column);
        sums[device]["span_ns"] += integer_at(table, row, "duration_ns");
        const int64_t start = integer_at(table, row, "start_ns");
        if (ends.contains(device)) {
          EXPECT_EQ(start, ends[device]);  // without gaps
        }
        ends[device] = start + integer_at(table, row, "duration_ns");
        EXPECT_LE(++rows[device], std::max(most, 1));
      }
      ASSERT_EQ(sums.size(), whole.row_count());
      for (size_t row = 0; row < whole.row_count(); ++row) {
        for (const auto& [column, sum] : sums[integer_at(whole, row, "device")]) {
          EXPECT_EQ(sum, integer_at(whole, row, column)) << column;
        }
      }
    }
  }
}

/// The kinds of the ops that run in each nanosecond of each device, counted in the buckets of the table.
TEST(RankActivity, EqualsCountingNanoseconds) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, kVocabulary, HostShape::nested);
    const Session session = session_of(run);
    const Timeline& timeline = session.runs[0].timeline;
    const int64_t zero = SessionFacts(session).zeros()[0];
    std::map<int64_t, std::map<int64_t, std::array<bool, 3>>> running;  // by device and moment: of each kind
    for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) {
      const SliceIndex slice = timeline.device_ops.slice[op];
      if (!is_plausible(timeline, slice)) continue;
      for (int64_t at = timeline.slices.start[slice]; at < timeline.slices.end(slice); ++at) {
        running[timeline.device_ops.device[op]][at][static_cast<size_t>(timeline.device_ops.kind[op])] = true;
      }
    }
    const Table table = rank_activity_table(session, at_most(8));
    for (size_t row = 0; row < table.row_count(); ++row) {
      std::array<int64_t, 4> counted{};
      const auto& of_device = running[integer_at(table, row, "device")];
      const int64_t begin = integer_at(table, row, "start_ns") + zero;
      for (int64_t at = begin; at < begin + integer_at(table, row, "duration_ns"); ++at) {
        const auto found = of_device.find(at);
        size_t state = 3;
        if (found != of_device.end()) {
          const auto& kinds = found->second;
          state = kinds[static_cast<size_t>(OpKind::compute)]         ? 0
                  : kinds[static_cast<size_t>(OpKind::communication)] ? 1
                                                                      : 2;
        }
        ++counted[state];
      }
      for (size_t column = 0; column < kColumns.size(); ++column) {
        EXPECT_EQ(integer_at(table, row, kColumns[column]), counted[column]) << kColumns[column];
      }
    }
  }
}

/// A rank that ran 64 times as long makes the buckets of all others longer, whichever comes first.
TEST(RankActivity, AllDevicesHaveBucketsOfOneLength) {
  for (const bool long_first : {false, true}) {
    TestRun ranks[] = {TestRun(0), TestRun(1)};
    for (int64_t rank : {0, 1}) {
      ranks[rank].run.clock_is_unix = true;
      const int64_t times = (rank == 0) == long_first ? 64 : 1;
      for (int64_t i = 0; i < 256 * times; ++i) ranks[rank].kernel("k", 10 * i, 5);
    }
    const Table table = rank_activity_table(session_of(ranks[0], ranks[1]));
    std::map<int64_t, size_t> rows;
    for (size_t row = 0; row < table.row_count(); ++row) {
      ++rows[integer_at(table, row, "rank")];
      EXPECT_LE(integer_at(table, row, "duration_ns"), 512);
    }
    EXPECT_EQ(rows[long_first ? 0 : 1], 320U);  // 163,835 ns
    EXPECT_EQ(rows[long_first ? 1 : 0], 5U);    // 2,555 ns
  }
}

/// Ranks that count from 1970 have buckets with the same bounds, whatever the times in their profiles are counted from.
TEST(RankActivity, RanksOfOneClockHaveTheSameBuckets) {
  TestRun ranks[] = {TestRun(0), TestRun(1)};
  for (int64_t rank : {0, 1}) {
    ranks[rank].run.clock_is_unix = true;
    ranks[rank].run.clock_base = 1'700'000'000'000'000'000 - 777 * rank;
    for (int64_t i = 0; i < 1000; ++i) ranks[rank].kernel("k", 10 * i + 777 * rank, 5);
  }
  const Table table = rank_activity_table(session_of(ranks[0], ranks[1]));
  const size_t rows = table.row_count() / 2;
  EXPECT_GT(rows, 256U);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 1; column < table.columns.size(); ++column) {
      EXPECT_EQ(table.cell(row, column), table.cell(rows + row, column)) << table.columns[column].name;
    }
  }
}

TEST(RankActivity, ImpossibleBytesAreRefused) {
  const auto load = [](int64_t end, std::vector<int64_t> compute, unsigned length_log2) {
    MessageWriter message;
    const std::vector<int64_t> nothing(compute.size(), 0);
    message.each(1, [&](size_t) {  // runs
      message(uint32_t{0});
      message.one([&] {
        message.each(1, [&](size_t) {  // devices
          message.one([&] {
            message(int32_t{0}, int64_t{0}, end, int64_t{0}, length_log2, std::vector{compute, nothing, nothing});
          });
        });
      });
    });
    const Analysis& analysis = find_analysis("rank_activity");
    MessageReader reader(message.bytes(), "bytes");
    analysis.fold(analysis, {})->load(reader);
  };
  EXPECT_NO_THROW(load(10, {4, 2}, 3));
  EXPECT_THROW(load(10, {4, 3}, 3), Error);  // more than the bucket is long
  EXPECT_THROW(load(10, {-1, 2}, 3), Error);
  EXPECT_THROW(load(10, {4}, 3), Error);  // buckets are missing
  EXPECT_THROW(load(10, {4, 2}, 63), Error);
  EXPECT_THROW(load(-10, {0}, 3), Error);
}

TEST(RankActivity, NoMoreBucketsThanAllowed) {
  TestRun run;
  run.kernel("k", 0, 10);
  const Session session = session_of(run);
  EXPECT_THROW(rank_activity_table(session, TableOptions().set("buckets", {"65537"})), Error);
  EXPECT_THROW(rank_activity_table(session, TableOptions().set("buckets", {"-1"})), Error);
}

}  // namespace
}  // namespace cgpu
