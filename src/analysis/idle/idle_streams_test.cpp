#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TEST(IdleStreams, Categories) {
  TestRun run(2);
  const auto launch = [&](int64_t start) { return run.host(SliceKind::runtime_call, "launch", start, 10); };
  const auto op = [&](int64_t start, int64_t duration, SliceIndex call) {
    run.kernel("k", start, duration, {1, 7, OpKind::compute, KernelClass::gemm, call});
  };
  op(0, 100, launch(-50));
  op(150, 50, launch(101));           // launched after the end before it: host_wait 50
  op(210, 90, launch(200));           // launched at that end: kernel_wait 10
  op(250, 10, launch(220));           // inside the one before: no gap
  op(300, 10, launch(280));           // right after the longest one: no gap
  op(310 + 29'999, 1, launch(5));     // kernel_wait 29,999
  op(30'310 + 30'000, 1, kNone);      // no launch, not short: other
  op(60'311 + 40'000, 0, launch(9));  // other
  const Table table = idle_streams_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 2);
  EXPECT_EQ(integer_at(table, 0, "device"), 1);
  EXPECT_EQ(integer_at(table, 0, "stream"), 7);
  EXPECT_EQ(text_at(table, 0, "category"), "host_wait");
  EXPECT_EQ(integer_at(table, 0, "count"), 1);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 50);
  EXPECT_EQ(text_at(table, 1, "category"), "kernel_wait");
  EXPECT_EQ(integer_at(table, 1, "count"), 2);
  EXPECT_EQ(integer_at(table, 1, "total_ns"), 30'009);
  EXPECT_EQ(text_at(table, 2, "category"), "other");
  EXPECT_EQ(integer_at(table, 2, "count"), 2);
  EXPECT_EQ(integer_at(table, 2, "total_ns"), 70'000);
  EXPECT_DOUBLE_EQ(real_at(table, 2, "pct"), 100.0 * 70'000 / 100'059);
}

/// The definition, by looking at all pairs of ops. The times are stretched, so that gaps of 30 us occur.
TEST(IdleStreams, EqualsBruteForce) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::runtime_call, "launch"}};
  constexpr int64_t kStretch = 1000;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::overlapping);
    Timeline& timeline = run.run.timeline;
    Slices& slices = timeline.slices;
    for (int64_t& start : slices.start) start *= kStretch;
    for (int64_t& duration : slices.duration) duration *= kStretch;
    const DeviceOps& ops = timeline.device_ops;

    std::map<std::tuple<int32_t, int64_t, std::string>, std::pair<int64_t, int64_t>> expected;
    for (OpIndex op = 0; op < ops.size(); ++op) {
      const SliceIndex slice = ops.slice[op];
      if (!is_plausible(timeline, slice)) continue;
      int64_t end = INT64_MIN;
      for (OpIndex other = 0; other < ops.size(); ++other) {
        const SliceIndex before = ops.slice[other];
        const bool is_before = std::pair(slices.start[before], other) < std::pair(slices.start[slice], op);
        const bool same_stream = ops.device[other] == ops.device[op] && ops.stream[other] == ops.stream[op];
        if (is_before && same_stream && is_plausible(timeline, before)) end = std::max(end, slices.end(before));
      }
      if (end == INT64_MIN || end >= slices.start[slice]) continue;
      const SliceIndex call = slices.launch[slice];
      const int64_t gap = slices.start[slice] - end;
      const bool launched_late = call != kNone && is_plausible(timeline, call) && slices.start[call] > end;
      const char* category = launched_late ? "host_wait" : gap < 30'000 ? "kernel_wait" : "other";
      auto& [count, total] = expected[{ops.device[op], ops.stream[op], category}];
      ++count;
      total += gap;
    }

    const Table table = idle_streams_table(session_of(run), {});
    ASSERT_EQ(table.row_count(), expected.size());
    for (size_t row = 0; row < table.row_count(); ++row) {
      const auto found = expected.find({static_cast<int32_t>(integer_at(table, row, "device")),
                                        integer_at(table, row, "stream"), text_at(table, row, "category")});
      ASSERT_NE(found, expected.end());
      EXPECT_EQ(integer_at(table, row, "count"), found->second.first);
      EXPECT_EQ(integer_at(table, row, "total_ns"), found->second.second);
    }
  }
}

}  // namespace
}  // namespace cgpu
