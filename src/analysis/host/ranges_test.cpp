#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TestOp unclassed_op(SliceIndex call) {
  return {0, 7, OpKind::compute, KernelClass::unknown, call};
}

TEST(Ranges, DeviceWorkCountsOncePerNameAndOnlyInsideOfItsThread) {
  TestRun run;
  const SliceIndex outer = run.host(SliceKind::annotation, "step", 0, 100);
  const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", 10, 50, outer);
  const SliceIndex inner = run.host(SliceKind::annotation, "step", 20, 30, op);
  const SliceIndex forward = run.host(SliceKind::annotation, "forward", 21, 20, inner);
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 25, 5, forward);
  const SliceIndex late = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 80, 5, outer);
  const SliceIndex elsewhere = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 81, 5, kNone, "2");
  run.kernel("a", 100, 40, unclassed_op(call));
  run.kernel("b", 140, 2, unclassed_op(late));
  run.kernel("c", 150, 1000, unclassed_op(elsewhere));
  run.kernel("d", 151, 1000);
  run.implausible(run.kernel("e", 152, 1'000'000, unclassed_op(call)));
  const Table table = ranges_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "name"), "step");
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 130);
  EXPECT_EQ(real_at(table, 0, "mean_ns"), 65.0);
  EXPECT_EQ(integer_at(table, 0, "device_ops"), 2);
  EXPECT_EQ(integer_at(table, 0, "device_ns"), 42);
  EXPECT_EQ(text_at(table, 1, "name"), "forward");
  EXPECT_EQ(integer_at(table, 1, "device_ops"), 1);
  EXPECT_EQ(integer_at(table, 1, "device_ns"), 40);
}

TEST(Ranges, DeviceAnnotationsAreNone) {
  TestRun run;
  run.add(SliceKind::device_annotation, "step", 0, 100, run.track(TrackKind::device_stream, "0", "7"));
  EXPECT_TRUE(ranges_table(session_of(run), {}).empty());
}

// The slow way: for every name, every op whose launch has an ancestor of that name.
TEST(Ranges, EqualsAskingEveryOpForEveryNameOverRandomRuns) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    std::map<std::string, int64_t> ops, time;
    Session session;
    for (int rank = 0; rank < 2; ++rank) {
      TestRun run(rank);
      std::vector<SliceIndex> host;
      for (int i = 0; i < 40; ++i) {
        const SliceIndex parent = host.empty() || random() % 5 == 0 ? kNone : host[random() % host.size()];
        const bool annotation = random() % 2 == 0;
        const std::string name = "range " + std::to_string(random() % 5);
        host.push_back(run.host(annotation ? SliceKind::annotation : SliceKind::runtime_call, name, i, 1, parent));
        if (annotation) ops[name] += 0;
      }
      for (int i = 0; i < 30; ++i) {
        const SliceIndex call = host[random() % host.size()];
        if (run.run.timeline.kind(call) != SliceKind::runtime_call) continue;
        const auto duration = static_cast<int64_t>(random() % 100);
        std::set<std::string> names;
        for (SliceIndex at = run.run.timeline.slices.parent[call]; at != kNone;
             at = run.run.timeline.slices.parent[at]) {
          if (run.run.timeline.kind(at) == SliceKind::annotation) names.emplace(run.run.timeline.name(at));
        }
        for (const std::string& name : names) {
          ++ops[name];
          time[name] += duration;
        }
        run.kernel("k", 100 + i, duration, unclassed_op(call));
      }
      session.runs.push_back(std::move(run.run));
    }
    const Table table = ranges_table(session, {});
    ASSERT_EQ(table.row_count(), ops.size());
    for (size_t row = 0; row < table.row_count(); ++row) {
      const std::string name = text_at(table, row, "name");
      EXPECT_EQ(integer_at(table, row, "device_ops"), ops[name]);
      EXPECT_EQ(integer_at(table, row, "device_ns"), time[name]);
    }
  }
}

}  // namespace
}  // namespace cgpu
