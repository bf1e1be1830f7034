#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/common/buckets.h"
#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "base/error.h"

namespace cgpu {
namespace {

TableOptions buckets(const std::string& count) {
  return TableOptions().set("buckets", {count});
}

TEST(Utilization, BucketsOfEqualLength) {
  TestRun run(1);
  run.kernel("gemm", 1000, 100);
  run.kernel("all_reduce", 1050, 100, {0, 20, OpKind::communication, KernelClass::collective, kNone});
  run.memset("Memset", 1390, 10, 64);
  const Table table = utilization_table(session_of(run), buckets("4"));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 4U);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 0);  // from the start of the session
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(integer_at(table, row, "rank"), 1);
    EXPECT_EQ(integer_at(table, row, "bucket"), static_cast<int64_t>(row));
    EXPECT_EQ(integer_at(table, row, "start_ns"), static_cast<int64_t>(100 * row));
    EXPECT_EQ(integer_at(table, row, "duration_ns"), 100);
  }
  EXPECT_EQ(integer_at(table, 0, "compute_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "comm_ns"), 50);
  EXPECT_EQ(integer_at(table, 0, "exposed_comm_ns"), 0);
  EXPECT_EQ(integer_at(table, 1, "exposed_comm_ns"), 50);
  EXPECT_EQ(integer_at(table, 1, "idle_ns"), 50);
  EXPECT_DOUBLE_EQ(real_at(table, 1, "busy_pct"), 50);
  EXPECT_EQ(integer_at(table, 2, "busy_ns"), 0);
  EXPECT_EQ(integer_at(table, 3, "memory_ns"), 10);
}

TEST(Utilization, OfManyPartsThereAreFewerBucketsUnlessTheyAreAskedFor) {
  EXPECT_EQ(bucket_count({}, 0), 100);
  EXPECT_EQ(bucket_count({}, 2621), 100);
  EXPECT_EQ(bucket_count({}, 5242), 50);
  EXPECT_EQ(bucket_count({}, 1'000'000), 1);
  EXPECT_EQ(bucket_count(buckets("100"), 1'000'000), 100);
  TestRun run;
  for (int64_t stream = 0; stream < 6000; ++stream) {
    run.kernel("gemm", 1000 * stream, 500, {0, stream, OpKind::compute, KernelClass::gemm, kNone});
  }
  const Table table = make_table("stream_utilization", session_of(run));
  expect_well_formed(table);
  EXPECT_EQ(table.row_count(), 6000U * 43);
}

TEST(Utilization, AnyNumberOfBucketsAddsUpToGpuTime) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::runtime_call, "l"}};
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::nested);
    const Session session = session_of(run);
    const Table whole = gpu_time_table(session);
    for (const char* count : {"0", "1", "7", "100", "1000000"}) {
      const Table table = utilization_table(session, buckets(count));
      std::map<int64_t, std::map<std::string, int64_t>> sums;
      std::map<int64_t, int64_t> ends;
      for (size_t row = 0; row < table.row_count(); ++row) {
        const int64_t device = integer_at(table, row, "device");
        for (const char* column :
             {"busy_ns", "compute_ns", "comm_ns", "memory_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"}) {
          sums[device][column] += integer_at(table, row, column);
        }
        sums[device]["span_ns"] += integer_at(table, row, "duration_ns");
        const int64_t start = integer_at(table, row, "start_ns");
        if (ends.contains(device)) {
          EXPECT_EQ(start, ends[device]);  // without gaps
        }
        ends[device] = start + integer_at(table, row, "duration_ns");
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

TEST(Utilization, NoMoreBucketsThanAMillion) {
  TestRun run;
  run.kernel("k", 0, 10);
  const Session session = session_of(run);
  EXPECT_THROW(utilization_table(session, buckets("1000001")), Error);
  EXPECT_THROW(utilization_table(session, buckets("-1")), Error);
}

}  // namespace
}  // namespace cgpu
