#include "analysis/call_tree/folded_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

/// main > step (twice) > Linear_0 > mm > launch > gemm; a thread that waits; an op whose launch is unknown.
TestRun small_run(int64_t rank = 0) {
  TestRun run(rank);
  const SliceIndex main = run.host(kFrame, "train.py(27): main", 0, 1000);
  for (int64_t step = 0; step < 2; ++step) {
    const int64_t at = 100 + 400 * step;
    const SliceIndex mark = run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), at, 300, main);
    const SliceIndex module = run.host(kFrame, "nn.Module: Linear_0", at + 10, 200, mark);
    const SliceIndex op = run.host(kOp, "aten::mm", at + 20, 100, module);
    const SliceIndex call = run.host(kCall, "cudaLaunchKernel", at + 30, 10, op);
    run.kernel("gemm", at + 50, 70 + step, launched_by(call));
  }
  run.host(SliceKind::os_call, "poll", 0, 500, kNone, "2");
  run.kernel("orphan", 990, 5);
  return run;
}

size_t row_named(const Table& table, const std::string& name) {
  return row_of(table, "name", name);
}

double value(const Table& table, const std::string& name, const std::string& column) {
  return real_at(table, row_named(table, name), column);
}

TEST(FoldedTimeline, EqualStacksAreOneNode) {
  TestRun run = small_run();
  const Table table = call_tree_table(session_of(run));
  expect_well_formed(table);
  EXPECT_EQ(table.row_count(), 10u);
  EXPECT_EQ(text_at(table, 0, "name"), "<root>");
  EXPECT_EQ(real_at(table, 0, "device_time.inclusive"), 146);
  EXPECT_EQ(real_at(table, 0, "cpu_time.inclusive"), 1500);
  EXPECT_EQ(value(table, "ProfilerStep", "cpu_time.inclusive"), 600);
  EXPECT_EQ(value(table, "ProfilerStep", "cpu_time.exclusive"), 200);
  EXPECT_EQ(value(table, "ProfilerStep", "count.exclusive"), 2);
  EXPECT_EQ(value(table, "nn.Module: Linear_0", "device_time.inclusive"), 141);
  EXPECT_EQ(value(table, "nn.Module: Linear_0", "device_time.exclusive"), 0);
  EXPECT_EQ(value(table, "gemm", "device_time.exclusive"), 141);
  EXPECT_EQ(value(table, "(launch not in the profile)", "device_time.inclusive"), 5);
  const std::map<std::string, std::string> kinds = {{"train.py(27): main", "frame"},
                                                    {"ProfilerStep", "range"},
                                                    {"nn.Module: Linear_0", "module"},
                                                    {"aten::mm", "op"},
                                                    {"cudaLaunchKernel", "call"},
                                                    {"gemm", "device_op"},
                                                    {"poll", "call"}};
  for (const auto& [name, kind] : kinds) EXPECT_EQ(text_at(table, row_named(table, name), "kind"), kind);
  const size_t main = row_named(table, "train.py(27): main");
  EXPECT_EQ(text_at(table, main, "file"), "train.py");
  EXPECT_EQ(integer_at(table, main, "line"), 27);
}

TEST(FoldedTimeline, TheOtherTablesOfCallTrees) {
  TestRun run = small_run();
  const Session session = session_of(run);
  const Table metrics = metrics_table(session);
  EXPECT_EQ(real_at(metrics, row_named(metrics, "device_time"), "value"), 146);
  const Table path = hot_path_table(session);
  EXPECT_EQ(text_at(path, path.row_count() - 1, "name"), "gemm");
  EXPECT_EQ(integer_at(path, path.row_count() - 1, "depth"), 6);
  const Table by_caller = callers_table(session);
  EXPECT_EQ(text_at(by_caller, row_named(by_caller, "gemm"), "caller"), "cudaLaunchKernel");
  const Table cpu = functions_table(session, TableOptions().set("metric", {"cpu_time"}));
  EXPECT_EQ(value(cpu, "aten::mm", "cpu_time.exclusive"), 180);
}

TEST(FoldedTimeline, ThreadsAndRanksTogetherOrApart) {
  TestRun a = small_run(0);
  TestRun b = small_run(1);
  const Session session = session_of(a, b);
  const Table ranks = call_tree_table(session);
  EXPECT_EQ(ranks.row_count(), 20u);
  const Table threads = call_tree_table(session, TableOptions().set("apart", {"threads"}));
  EXPECT_EQ(threads.row_count(), 24u);
  EXPECT_EQ(value(threads, "thread 2 of process 1", "cpu_time.inclusive"), 500);
  const Table together = call_tree_table(session, TableOptions().set("apart", {"nothing"}));
  EXPECT_EQ(together.row_count(), 10u);
  EXPECT_TRUE(absent_at(together, 0, "rank"));
  EXPECT_EQ(value(together, "gemm", "device_time.inclusive"), 282);
  EXPECT_EQ(value(together, "poll", "count.inclusive"), 2);
}

double sum_of(const Table& table, const std::string& column) {
  double sum = 0;
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (!absent_at(table, row, column)) sum += real_at(table, row, column);
  }
  return sum;
}

TEST(FoldedTimeline, WhatIsPrunedStandsInOneRow) {
  TestRun run = small_run();
  const Session session = session_of(run);
  const Table cheap = call_tree_table(session, TableOptions().set("min-pct", {"10"}));
  EXPECT_EQ(text_at(cheap, cheap.row_count() - 1, "name"), "<pruned>");
  EXPECT_EQ(real_at(cheap, cheap.row_count() - 1, "device_time.inclusive"), 5);
  EXPECT_EQ(real_at(cheap, cheap.row_count() - 1, "cpu_time.inclusive"), 500);
  EXPECT_TRUE(absent_at(cheap, cheap.row_count() - 1, "id"));
  EXPECT_EQ(integer_at(cheap, cheap.row_count() - 1, "parent"), 0);

  const Table focused = call_tree_table(session, TableOptions().set("focus", {"poll"}));
  ASSERT_EQ(focused.row_count(), 3u);
  EXPECT_EQ(value(focused, "<pruned>", "cpu_time.inclusive"), 1000);
  for (const Table* table : {&cheap, &focused}) {
    EXPECT_EQ(sum_of(*table, "device_time.exclusive"), 146);
    EXPECT_EQ(sum_of(*table, "cpu_time.exclusive"), 1500);
  }
}

TEST(FoldedTimeline, WorkFromAQueueIsNotInsideWhatPutItThere) {
  TestRun run;
  const SliceIndex put = run.host(kOp, "Enqueue", 0, 10);
  run.host(kOp, "Dequeue", 50, 100, put, "2");
  const Table table = call_tree_table(session_of(run));
  EXPECT_EQ(value(table, "Enqueue", "cpu_time.inclusive"), 110);
  EXPECT_EQ(value(table, "Enqueue", "cpu_time.exclusive"), 10);
}

TEST(FoldedTimeline, EveryMomentOfAThreadHasOneOwner) {
  TestRun run;
  const SliceIndex outer = run.host(kFrame, "outer", 0, 100);
  run.host(kFrame, "first", 10, 50, outer);   // overlap without one containing the other
  run.host(kFrame, "second", 40, 50, outer);  // has the time from 40 to 60
  const Table table = call_tree_table(session_of(run));
  EXPECT_EQ(value(table, "outer", "cpu_time.inclusive"), 100);
  EXPECT_EQ(value(table, "outer", "cpu_time.exclusive"), 20);
  EXPECT_EQ(value(table, "first", "cpu_time.exclusive"), 30);
  EXPECT_EQ(value(table, "second", "cpu_time.exclusive"), 50);
}

TEST(FoldedTimeline, Laws) {
  const std::vector<NamedKind> vocabulary = {{kOp, "a"},   {kOp, "b"},    {SliceKind::annotation, "a"},
                                             {kCall, "l"}, {kFrame, "f"}, {kFrame, "nn.Module: M_0"}};
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
    const Timeline& timeline = run.run.timeline;
    double device = 0;
    for_each_device_op(timeline,
                       [&](OpIndex, SliceIndex op) { device += static_cast<double>(timeline.slices.duration[op]); });
    // When a thread is in any slice.
    std::map<TrackIndex, std::vector<Interval>> busy;
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!is_host(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
      busy[timeline.slices.track[slice]].push_back({timeline.slices.start[slice], timeline.slices.end(slice)});
    }
    double host = 0;
    for (auto& [thread, times] : busy) host += static_cast<double>(IntervalSet(std::move(times)).length());
    const Session session = session_of(run);
    for (const char* least : {"0", "20", "100"}) {
      const Table table = call_tree_table(session, TableOptions().set("min-pct", {least}));
      if (table.empty()) continue;
      const auto has = [&](const std::string& name) {
        return std::any_of(table.columns.begin(), table.columns.end(),
                           [&](const Column& column) { return column.name == name; });
      };
      if (has("device_time.inclusive")) {
        EXPECT_EQ(sum_of(table, "device_time.exclusive"), device);
        EXPECT_EQ(real_at(table, 0, "device_time.inclusive"), device);
      }
      if (has("cpu_time.inclusive")) {
        EXPECT_EQ(sum_of(table, "cpu_time.exclusive"), real_at(table, 0, "cpu_time.inclusive"));
        EXPECT_EQ(sum_of(table, "cpu_time.exclusive"), host);
      }
    }
  }
}

}  // namespace
}  // namespace cgpu
