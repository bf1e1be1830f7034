#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TEST(Queue, LengthAfterEachEvent) {
  TestRun run(4);
  const auto launch = [&](int64_t start, int64_t op_start, int64_t stream = 7) {
    const SliceIndex call = run.host(SliceKind::runtime_call, "launch", start, 1);
    run.kernel("k", op_start, 5, {0, stream, OpKind::compute, KernelClass::gemm, call});
    return call;
  };
  launch(0, 30);
  launch(10, 40);
  launch(30, 60);  // +1 before -1 at 30: lengths 1 2 3 2 1 0
  const SliceIndex graph = launch(100, 120, 20);
  run.kernel("of the graph", 130, 5,
             {0, 7, OpKind::compute, KernelClass::gemm, graph});  // not the first: counts nothing
  const Table table = queue_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 4);
  EXPECT_EQ(integer_at(table, 0, "device"), 0);
  EXPECT_EQ(integer_at(table, 0, "stream"), 7);
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "mean"), 1.5);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "std"), std::sqrt((2.25 + 2 * 0.25 + 2 * 0.25 + 2.25) / 5));
  EXPECT_EQ(integer_at(table, 0, "min"), 0);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "p25"), 1.0);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "median"), 1.5);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "p75"), 2.0);
  EXPECT_EQ(integer_at(table, 0, "max"), 3);
  EXPECT_EQ(integer_at(table, 0, "waiting_ns"), 60);
  EXPECT_EQ(integer_at(table, 0, "full_ns"), 0);
  EXPECT_EQ(integer_at(table, 1, "stream"), 20);
  EXPECT_EQ(integer_at(table, 1, "count"), 1);
  EXPECT_EQ(integer_at(table, 1, "max"), 1);
}

TEST(Queue, FullFromSoManyLaunchesOn) {
  TestRun run;
  constexpr int64_t kLaunches = 1030;
  for (int64_t i = 0; i < kLaunches; ++i) {
    const SliceIndex call = run.host(SliceKind::runtime_call, "launch", 10 * i, 1);
    run.kernel("k", 20000 + 10 * i, 5, {0, 7, OpKind::compute, KernelClass::gemm, call});
  }
  const Table table = queue_table(session_of(run), {});
  EXPECT_EQ(integer_at(table, 0, "max"), kLaunches);
  EXPECT_EQ(integer_at(table, 0, "waiting_ns"), 20000 + 10 * (kLaunches - 1));
  // From the 1,024th launch until the seventh op begins, which leaves 1,023.
  EXPECT_EQ(integer_at(table, 0, "full_ns"), 20000 + 10 * 6 - 10 * 1023);
}

/// The definition, by counting launches and starts at each event anew.
TEST(Queue, EqualsBruteForce) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::runtime_call, "launch"}, {SliceKind::framework_op, "op"}};
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::overlapping);
    const Timeline& timeline = run.run.timeline;
    const Slices& slices = timeline.slices;

    std::map<SliceIndex, std::pair<int64_t, OpIndex>> first_op;  // of a call: start and number
    for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) {
      const SliceIndex slice = timeline.device_ops.slice[op];
      const SliceIndex call = slices.launch[slice];
      if (call == kNone || !is_plausible(timeline, slice) || !is_plausible(timeline, call)) continue;
      const auto [found, added] = first_op.try_emplace(call, slices.start[slice], op);
      if (!added) found->second = std::min(found->second, {slices.start[slice], op});
    }
    std::map<StreamId, std::pair<std::multiset<int64_t>, std::multiset<int64_t>>> launched_and_begun;
    for (const auto& [call, first] : first_op) {
      auto& [launched, begun] =
          launched_and_begun[{timeline.device_ops.device[first.second], timeline.device_ops.stream[first.second]}];
      launched.insert(slices.start[call]);
      begun.insert(first.first);
    }

    const Table table = queue_table(session_of(run), {});
    ASSERT_EQ(table.row_count(), launched_and_begun.size());
    size_t row = 0;
    for (const auto& [stream, events] : launched_and_begun) {
      const auto& [launched, begun] = events;
      std::vector<int64_t> lengths;
      const auto until = [](const std::multiset<int64_t>& times, int64_t time) {
        return std::distance(times.begin(), times.upper_bound(time));
      };
      const auto before = [](const std::multiset<int64_t>& times, int64_t time) {
        return std::distance(times.begin(), times.lower_bound(time));
      };
      for (auto at = launched.begin(); at != launched.end(); ++at) {
        lengths.push_back(std::distance(launched.begin(), at) + 1 - before(begun, *at));
      }
      for (auto at = begun.begin(); at != begun.end(); ++at) {
        lengths.push_back(until(launched, *at) - std::distance(begun.begin(), at) - 1);
      }
      int64_t sum = 0;
      for (const int64_t length : lengths) sum += length;
      EXPECT_EQ(integer_at(table, row, "stream"), stream.stream);
      EXPECT_EQ(integer_at(table, row, "count"), static_cast<int64_t>(launched.size()));
      EXPECT_NEAR(real_at(table, row, "mean"), static_cast<double>(sum) / static_cast<double>(lengths.size()), 1e-12);
      EXPECT_EQ(integer_at(table, row, "min"), *std::min_element(lengths.begin(), lengths.end()));
      EXPECT_EQ(integer_at(table, row, "max"), *std::max_element(lengths.begin(), lengths.end()));
      ++row;
    }
  }
}

}  // namespace
}  // namespace cgpu
