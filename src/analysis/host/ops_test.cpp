#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

void expect_row(const Table& table, const std::string& name, const std::vector<int64_t>& values) {
  const size_t row = row_of(table, "name", name);
  ASSERT_LT(row, table.row_count());
  const std::vector<std::string> columns = {"count", "cpu_total_ns", "cpu_self_ns", "device_total_ns",
                                            "device_self_ns"};
  for (size_t i = 0; i < columns.size(); ++i) EXPECT_EQ(integer_at(table, row, columns[i]), values[i]) << name;
}

TEST(Ops, NestedOpsAndWhatTheyLaunch) {
  TestRun run;
  const SliceIndex linear = run.host(kOp, "aten::linear", 0, 100);
  const SliceIndex range = run.host(SliceKind::annotation, "range", 10, 80, linear);
  const SliceIndex frame = run.host(SliceKind::python_function, "f.py(1): f", 15, 70, range);
  const SliceIndex addmm = run.host(kOp, "aten::addmm", 20, 50, frame);
  const SliceIndex inside = run.host(kCall, "cudaLaunchKernel", 30, 10, addmm);
  const SliceIndex outside = run.host(kCall, "cudaLaunchKernel", 75, 5, range);
  const SliceIndex nowhere = run.host(kCall, "cudaLaunchKernel", 200, 5);
  run.kernel("gemm", 50, 1000, launched_by(inside));
  run.kernel("gemm", 1060, 100, launched_by(inside));  // a graph: one call, two ops
  run.kernel("bias", 1200, 10, launched_by(outside));
  run.kernel("stray", 1300, 1, launched_by(nowhere));
  run.kernel("orphan", 1400, 1);

  const Table table = ops_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  expect_row(table, "aten::linear", {1, 100, 50, 1110, 10});  // the range and the frame are looked through
  expect_row(table, "aten::addmm", {1, 50, 50, 1100, 1100});
  EXPECT_EQ(text_at(table, 0, "name"), "aten::linear");  // most time first
}

TEST(Ops, RecursionCountsOnce) {
  TestRun run;
  const SliceIndex outer = run.host(kOp, "copy_", 0, 100);
  const SliceIndex between = run.host(kOp, "to", 10, 80, outer);
  const SliceIndex inner = run.host(kOp, "copy_", 20, 60, between);
  const SliceIndex call = run.host(kCall, "launch", 30, 10, inner);
  run.host(kOp, "copy_", 200, 7);
  run.kernel("k", 50, 1000, launched_by(call));
  const Table table = ops_table(session_of(run), {});
  expect_row(table, "copy_", {3, 107, 20 + 60 + 7, 1000, 1000});
  expect_row(table, "to", {1, 80, 20, 1000, 0});
}

TEST(Ops, RunsWithTheirOwnNamesAreMergedByText) {
  TestRun a(0);
  TestRun b(1);
  a.host(kOp, "first", 0, 10);
  a.host(kOp, "both", 20, 10);
  b.host(kOp, "both", 0, 5);
  b.implausible(b.host(kOp, "both", 10, 1'000'000));
  const Table table = ops_table(session_of(a, b), {});
  ASSERT_EQ(table.row_count(), 2u);
  expect_row(table, "both", {2, 15, 15, 0, 0});
  EXPECT_TRUE(ops_table(Session{}, {}).empty());
}

TEST(Ops, DepthCostsNothing) {
  TestRun run;
  constexpr int64_t kDepth = 200'000;
  SliceIndex parent = kNone;
  for (int64_t i = 0; i < kDepth; ++i) parent = run.host(kOp, i % 2 == 0 ? "even" : "odd", i, 2 * (kDepth - i), parent);
  const SliceIndex call = run.host(kCall, "launch", kDepth, 0, parent);
  for (int i = 0; i < 1000; ++i) run.kernel("k", kDepth + i, 1, launched_by(call));
  const Table table = ops_table(session_of(run), {});
  expect_row(table, "even", {kDepth / 2, 2 * kDepth, kDepth, 1000, 0});
  expect_row(table, "odd", {kDepth / 2, 2 * kDepth - 2, kDepth, 1000, 1000});
}

/// The definition, by looking at all pairs of slices.
std::map<std::string, std::vector<int64_t>> slow_ops(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  const auto ops_around = [&](SliceIndex inner) {
    std::vector<SliceIndex> around;
    for (SliceIndex outer = 0; outer < slices.size(); ++outer) {
      if (timeline.kind(outer) == kOp && is_plausible(timeline, outer) && encloses(timeline, outer, inner)) {
        around.push_back(outer);
      }
    }
    std::sort(around.begin(), around.end(),
              [&](SliceIndex a, SliceIndex b) { return encloses(timeline, a, b); });  // innermost last
    return around;
  };
  std::map<std::string, std::vector<int64_t>> rows;
  const auto row_of_op = [&](SliceIndex op) -> std::vector<int64_t>& {
    auto& row = rows[std::string(timeline.name(op))];
    row.resize(5);
    return row;
  };
  for (SliceIndex op = 0; op < slices.size(); ++op) {
    if (timeline.kind(op) != kOp || !is_plausible(timeline, op)) continue;
    const std::vector<SliceIndex> around = ops_around(op);
    ++row_of_op(op)[0];
    if (std::none_of(around.begin(), around.end(),
                     [&](SliceIndex outer) { return slices.name[outer] == slices.name[op]; })) {
      row_of_op(op)[1] += slices.duration[op];
    }
    row_of_op(op)[2] += slices.duration[op];
    if (!around.empty()) row_of_op(around.back())[2] -= slices.duration[op];
  }
  for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
    const SliceIndex call = slices.launch[slice];
    if (call == kNone || !is_plausible(timeline, call)) return;
    const std::vector<SliceIndex> around = ops_around(call);
    std::set<std::string_view> names;
    for (const SliceIndex op : around) {
      if (names.insert(timeline.name(op)).second) row_of_op(op)[3] += slices.duration[slice];
    }
    if (!around.empty()) row_of_op(around.back())[4] += slices.duration[slice];
  });
  return rows;
}

TEST(Ops, EqualsBruteForce) {
  const std::vector<NamedKind> vocabulary = {{kOp, "a"},   {kOp, "b"},
                                             {kOp, "c"},   {SliceKind::annotation, "a"},
                                             {kCall, "l"}, {SliceKind::python_function, "f"}};
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::nested);
    const auto expected = slow_ops(run.run.timeline);
    const Table table = ops_table(session_of(run), {});
    ASSERT_EQ(table.row_count(), expected.size());
    for (const auto& [name, values] : expected) expect_row(table, name, values);
  }
}

}  // namespace
}  // namespace cgpu
