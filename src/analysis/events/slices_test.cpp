// Table `slices`.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analysis/events/event_table.h"
#include "analysis/events/slice_ops.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "model/test_arguments.h"

namespace cgpu {
namespace {

class FixedSliceArguments : public test::MadeArguments {
  std::vector<Argument> of(uint64_t source) override {
    return {{"source", std::to_string(source), true}, {"say \"hi\"", "back\\slash\n"}, {"dims", "[[2, 3], []]", true}};
  }
};

TEST(Slices, InOrderOfStart) {
  TestRun run(2);
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1020, 5);
  const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", 1010, 50);
  const SliceIndex range = run.host(SliceKind::annotation, "forward", 1000, 100);
  run.run.timeline.slices.parent[call] = op;
  run.run.timeline.slices.parent[op] = range;
  run.run.timeline.slices.correlation[call] = 77;
  const SliceIndex kernel = run.kernel("gemm", 1200, 40, {1, 20, OpKind::compute, KernelClass::gemm, call});
  run.implausible(kernel);
  const Table table = slices_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 4u);
  EXPECT_EQ(text_at(table, 0, "name"), "forward");
  EXPECT_EQ(integer_at(table, 0, "rank"), 2);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 0);
  EXPECT_EQ(integer_at(table, 0, "depth"), 0);
  EXPECT_EQ(text_at(table, 0, "kind"), "annotation");
  EXPECT_EQ(text_at(table, 1, "name"), "aten::mm");
  EXPECT_EQ(integer_at(table, 1, "depth"), 1);
  EXPECT_TRUE(absent_at(table, 1, "correlation"));
  EXPECT_TRUE(absent_at(table, 1, "device"));
  EXPECT_EQ(text_at(table, 2, "name"), "cudaLaunchKernel");
  EXPECT_EQ(integer_at(table, 2, "depth"), 2);
  EXPECT_EQ(integer_at(table, 2, "correlation"), 77);
  EXPECT_TRUE(absent_at(table, 2, "remark"));
  EXPECT_EQ(integer_at(table, 3, "start_ns"), 200);
  EXPECT_EQ(integer_at(table, 3, "duration_ns"), 40);
  EXPECT_EQ(integer_at(table, 3, "device"), 1);
  EXPECT_EQ(integer_at(table, 3, "stream"), 20);
  EXPECT_EQ(text_at(table, 3, "thread"), "20");
  EXPECT_TRUE(absent_at(table, 3, "depth"));
  EXPECT_FALSE(absent_at(table, 3, "remark"));
}

TEST(Slices, ArgumentsOnlyWhenAskedFor) {
  TestRun run;
  run.kernel("k", 0, 1);
  run.run.timeline.slices.source[0] = 42;
  run.run.arguments = std::make_shared<FixedSliceArguments>();
  const Session session = session_of(run);
  EXPECT_ANY_THROW(slices_table(session, {}).column("args"));
  EXPECT_EQ(text_at(slices_table(session, TableOptions().set("args", {""})), 0, "args"),
            R"({"source": 42, "say \"hi\"": "back\\slash\n", "dims": [[2, 3], []]})");
}

TEST(Slices, ArgumentsOfSeveralRunsInAnyOrder) {
  Session session = session_of(TestRun(0), TestRun(1), TestRun(2));
  for (size_t run = 0; run < 3; ++run) {
    TestRun made(static_cast<int64_t>(run));
    for (int64_t i = 0; i < 40; ++i) made.host(SliceKind::annotation, "range", 1000 - 7 * i % 41, 1);
    session.runs[run] = std::move(made.run);
    for (SliceIndex i = 0; i < 40; ++i) session.runs[run].timeline.slices.source[i] = 100 * run + 11 * i % 43;
    if (run != 1) session.runs[run].arguments = std::make_shared<FixedSliceArguments>();
  }
  const SessionFacts facts(session);
  const Analysis& analysis = find_analysis("slices");
  const auto events = analysis.events(analysis, facts, TableOptions().set("args", {""}));
  std::vector<uint32_t> rows(120);
  for (uint32_t i = 0; i < 120; ++i) rows[i] = 37 * i % 120;
  const size_t column = analysis.columns.size();
  const ColumnValues values = events->values(column, rows);
  for (uint32_t i = 0; i < 120; ++i) {
    const ColumnValues alone = events->values(column, std::span(rows).subspan(i, 1));
    EXPECT_EQ(values.cell(i), alone.cell(0));
    EXPECT_EQ(values.is_absent(i), rows[i] / 40 == 1);
  }
}

TEST(Slices, DeviceOpsInAnyOrder) {
  TestRun run;
  for (int64_t i = 0; i < 30; ++i) {
    if (i % 3 == 0) {
      run.host(SliceKind::runtime_call, "call", i, 1);
    } else {
      run.kernel("kernel", i, 1, {static_cast<int32_t>(i), 100 + i, OpKind::compute, KernelClass::gemm, kNone});
    }
  }
  for (const bool shuffled : {false, true}) {
    DeviceOps& ops = run.run.timeline.device_ops;
    if (shuffled) {
      std::vector<uint32_t> backwards(ops.size());
      std::iota(backwards.rbegin(), backwards.rend(), 0);
      DeviceOps turned;
      turned.append_from(ops, backwards);
      ops = std::move(turned);
    }
    const SliceOps of_slices(ops);
    std::mt19937 random(5);
    SliceOps::Search search;
    for (int round = 0; round < 1000; ++round) {
      const auto slice = static_cast<SliceIndex>(random() % 30);
      const uint32_t op = of_slices.op_of(slice, search);
      if (slice % 3 == 0) {
        EXPECT_EQ(op, kNone);
      } else {
        EXPECT_EQ(ops.slice[op], slice);
      }
    }
  }
}

}  // namespace
}  // namespace cgpu
