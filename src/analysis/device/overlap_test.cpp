#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "analysis/device/device_ops.h"
#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TestOp on(int64_t stream, KernelClass kernel_class, int32_t device = 0) {
  return {device, stream, OpKind::compute, kernel_class, kNone};
}

TEST(Overlap, EachPairOnce) {
  TestRun run(3);
  run.kernel("all_reduce", 100, 100, on(20, KernelClass::collective));
  run.kernel("gemm", 50, 80, on(7, KernelClass::gemm));
  run.kernel("gemm", 130, 20, on(7, KernelClass::gemm));
  run.kernel("add", 150, 10, on(7, KernelClass::elementwise));
  run.kernel("add", 200, 10, on(7, KernelClass::elementwise));               // touches
  run.kernel("gemm", 100, 100, on(7, KernelClass::gemm, 1));                 // another device
  run.implausible(run.kernel("gemm", 0, 10'000, on(9, KernelClass::gemm)));  // not to be believed
  const Table table = overlap_table(session_of(run));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(integer_at(table, 0, "rank"), 3);
  EXPECT_EQ(integer_at(table, 0, "stream"), 7);
  EXPECT_EQ(text_at(table, 0, "class"), "gemm");
  EXPECT_EQ(integer_at(table, 0, "other_stream"), 20);
  EXPECT_EQ(text_at(table, 0, "other_class"), "collective");
  EXPECT_EQ(integer_at(table, 0, "overlap_ns"), 50);
  EXPECT_EQ(integer_at(table, 0, "busy_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "other_busy_ns"), 100);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 50);
  EXPECT_EQ(text_at(table, 1, "class"), "elementwise");
  EXPECT_EQ(integer_at(table, 1, "overlap_ns"), 10);
}

using Pair = std::tuple<int64_t, int64_t, std::string, int64_t, std::string>;

/// The definition, by intersecting the times of all pairs.
std::map<Pair, std::tuple<int64_t, int64_t, int64_t>> slow_overlap(const Timeline& timeline) {
  std::map<std::tuple<int64_t, int64_t, int>, std::vector<OpIndex>> lanes;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex) {
    lanes[{timeline.device_ops.device[op], timeline.device_ops.stream[op], static_cast<int>(class_of(timeline, op))}]
        .push_back(op);
  });
  const auto name = [](int number) { return std::string(text_of(static_cast<KernelClass>(number))); };
  std::map<Pair, std::tuple<int64_t, int64_t, int64_t>> pairs;
  for (const auto& [a, ops_of_a] : lanes) {
    for (const auto& [b, ops_of_b] : lanes) {
      if (!(a < b) || std::get<0>(a) != std::get<0>(b)) continue;
      const IntervalSet one = busy_time(timeline, ops_of_a);
      const IntervalSet other = busy_time(timeline, ops_of_b);
      const int64_t together = one.intersect(other).length();
      if (together == 0) continue;
      pairs[{std::get<0>(a), std::get<1>(a), name(std::get<2>(a)), std::get<1>(b), name(std::get<2>(b))}] = {
          together, one.length(), other.length()};
    }
  }
  return pairs;
}

TEST(Overlap, EqualsIntersectingAllPairs) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::runtime_call, "l"}};
  size_t pairs = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::nested);
    const auto expected = slow_overlap(run.run.timeline);
    const Table table = overlap_table(session_of(run));
    ASSERT_EQ(table.row_count(), expected.size());
    pairs += expected.size();
    for (size_t row = 0; row < table.row_count(); ++row) {
      const Pair key{integer_at(table, row, "device"), integer_at(table, row, "stream"), text_at(table, row, "class"),
                     integer_at(table, row, "other_stream"), text_at(table, row, "other_class")};
      ASSERT_TRUE(expected.contains(key));
      const auto& [together, busy, other_busy] = expected.at(key);
      EXPECT_EQ(integer_at(table, row, "overlap_ns"), together);
      EXPECT_EQ(integer_at(table, row, "busy_ns"), busy);
      EXPECT_EQ(integer_at(table, row, "other_busy_ns"), other_busy);
    }
  }
  EXPECT_GT(pairs, 200U);
}

}  // namespace
}  // namespace cgpu
