#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "analysis/host/module_calls.h"
#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

void expect_module_row(const Table& table, const std::string& name, const std::vector<int64_t>& values) {
  const size_t row = row_of(table, "name", name);
  ASSERT_LT(row, table.row_count());
  const std::vector<std::string> columns = {"count", "cpu_total_ns", "device_total_ns", "device_self_ns",
                                            "device_backward_ns"};
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(integer_at(table, row, columns[i]), values[i]) << name << " " << columns[i];
  }
}

TEST(Modules, WhatNamesAModule) {
  const auto module = [](SliceKind kind, const char* name) { return module_of_slice(kind, name); };
  ASSERT_TRUE(module(kFrame, "nn.Module: Linear_3"));
  EXPECT_EQ(module(kFrame, "nn.Module: Linear_3")->name, "Linear_3");
  EXPECT_FALSE(module(kFrame, "nn.Module: Linear_3")->is_path);
  const auto marker = module(SliceKind::annotation, "{'Module': 'model.layers.0.mlp', 'Inputs': [[4, 8]]}");
  ASSERT_TRUE(marker);
  EXPECT_EQ(marker->name, "model.layers.0.mlp");
  EXPECT_TRUE(marker->is_path);
  EXPECT_EQ(module(SliceKind::annotation, "{'Module': \"'top'.lm_head\"}")->name, "'top'.lm_head");
  for (const char* name : {"nn.Module: ", "{'Module': 'cut", "{'Module': ''}", "{'Module': 7}", "nn/modules.py(3): f",
                           "{'Module': 'model.layers.0.mlp', 'Outputs': [[4, 8]]}"}) {
    EXPECT_FALSE(module(SliceKind::annotation, name)) << name;
  }
  EXPECT_FALSE(module(kOp, "nn.Module: Linear_3"));
}

TEST(Modules, PathsTimesAndTheBackwardPass) {
  TestRun run;
  const SliceIndex model = run.host(kFrame, "nn.Module: Model_0", 0, 100);
  const SliceIndex frame = run.host(kFrame, "model.py(7): forward", 1, 98, model);
  const SliceIndex linear = run.host(kFrame, "nn.Module: Linear_0", 10, 40, frame);
  const SliceIndex addmm = run.host(kOp, "aten::addmm", 15, 20, linear);
  const SliceIndex in_linear = run.host(kCall, "cudaLaunchKernel", 20, 5, addmm);
  const SliceIndex in_model = run.host(kCall, "cudaLaunchKernel", 60, 5, frame);
  const SliceIndex backward = run.host(kOp, "AddmmBackward0", 200, 50, kNone, "2");
  const SliceIndex in_backward = run.host(kCall, "cudaLaunchKernel", 210, 5, backward, "2");
  // A recomputed module inside the backward pass is where its forward op was.
  const SliceIndex again = run.host(kFrame, "nn.Module: Act_0", 220, 10, backward, "2");
  const SliceIndex in_again = run.host(kCall, "cudaLaunchKernel", 222, 1, again, "2");
  const SliceIndex outside = run.host(kCall, "cudaLaunchKernel", 300, 5);
  run.kernel("gemm", 30, 1000, launched_by(in_linear));
  run.kernel("add", 1100, 10, launched_by(in_model));
  run.kernel("gemm_dgrad", 1200, 2000, launched_by(in_backward));
  run.kernel("relu", 3300, 7, launched_by(in_again));
  run.kernel("stray", 4000, 3, launched_by(outside));
  run.kernel("orphan", 5000, 4);
  run.run.timeline.links.push_back({Link::Kind::forward_backward, addmm, backward});

  const Table table = modules_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 4u);
  expect_module_row(table, "Model_0", {1, 100, 3017, 10, 2000});
  expect_module_row(table, "Model_0.Linear_0", {1, 40, 3007, 3000, 2000});
  expect_module_row(table, "Model_0.Linear_0.Act_0", {1, 10, 7, 7, 0});
  EXPECT_EQ(text_at(table, 3, "name"), "(no module)");
  EXPECT_EQ(integer_at(table, 3, "device_self_ns"), 7);
  EXPECT_TRUE(absent_at(table, 3, "count"));
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 100.0 * 3017 / 3024);
}

TEST(Modules, AnnotationsNameTheWholePath) {
  TestRun run;
  const SliceIndex model = run.host(SliceKind::annotation, "{'Module': 'model'}", 0, 100);
  const SliceIndex mlp = run.host(SliceKind::annotation, "{'Module': 'model.layers.0.mlp'}", 10, 50, model);
  const SliceIndex same = run.host(SliceKind::annotation, "{'Module': 'model.layers.0.mlp'}", 20, 30, mlp);
  const SliceIndex call = run.host(kCall, "launch", 25, 1, same);
  run.kernel("k", 30, 9, launched_by(call));
  const Table table = modules_table(session_of(run), {});
  expect_module_row(table, "model", {1, 100, 9, 0, 0});
  expect_module_row(table, "model.layers.0.mlp", {2, 50, 9, 9, 0});
}

TEST(Modules, WithoutModulesTheTableIsEmpty) {
  TestRun run;
  const SliceIndex call = run.host(kCall, "launch", 25, 1);
  run.kernel("k", 30, 9, launched_by(call));
  EXPECT_TRUE(modules_table(session_of(run), {}).empty());
}

TEST(Modules, DepthIsBounded) {
  TestRun run;
  constexpr int64_t kDepth = 50'000;
  SliceIndex parent = kNone;
  for (int64_t i = 0; i < kDepth; ++i) {
    parent = run.host(kFrame, "nn.Module: M_" + std::to_string(i % 7), i, 2 * (kDepth - i), parent);
  }
  const SliceIndex call = run.host(kCall, "launch", kDepth, 0, parent);
  run.kernel("k", kDepth, 5, launched_by(call));
  const Table table = modules_table(session_of(run), {});
  EXPECT_EQ(table.row_count(), size_t{ModuleCalls::kDeepest});
  int64_t self = 0;
  int64_t count = 0;
  for (size_t row = 0; row < table.row_count(); ++row) {
    self += integer_at(table, row, "device_self_ns");
    count += integer_at(table, row, "count");
  }
  EXPECT_EQ(self, 5);
  EXPECT_EQ(count, kDepth);
}

/// The definition, by looking at all pairs of slices.
std::map<std::string, std::vector<int64_t>> slow_modules(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  const auto is_module = [&](SliceIndex slice) {
    return is_plausible(timeline, slice) && timeline.kind(slice) == kFrame &&
           timeline.name(slice).starts_with("nn.Module: ");
  };
  const auto around = [&](SliceIndex inner) {  // innermost last
    std::vector<SliceIndex> modules;
    for (SliceIndex outer = 0; outer < slices.size(); ++outer) {
      if (is_module(outer) && encloses(timeline, outer, inner)) modules.push_back(outer);
    }
    std::sort(modules.begin(), modules.end(), [&](SliceIndex a, SliceIndex b) { return encloses(timeline, a, b); });
    return modules;
  };
  const auto path_of = [&](std::vector<SliceIndex> modules, size_t depth) {
    std::string path;
    for (size_t i = 0; i <= depth; ++i) {
      path += (i > 0 ? "." : "") + std::string(timeline.name(modules[i]).substr(std::string("nn.Module: ").size()));
    }
    return path;
  };
  std::map<std::string, std::vector<int64_t>> rows;
  const auto row = [&](const std::string& path) -> std::vector<int64_t>& {
    auto& values = rows[path];
    values.resize(5);
    return values;
  };
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_module(slice)) continue;
    std::vector<SliceIndex> modules = around(slice);
    modules.push_back(slice);
    ++row(path_of(modules, modules.size() - 1))[0];
    row(path_of(modules, modules.size() - 1))[1] += slices.duration[slice];
  }
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = slices.launch[op];
    if (call == kNone || !is_plausible(timeline, call)) return;
    const std::vector<SliceIndex> modules = around(call);
    for (size_t i = 0; i < modules.size(); ++i) row(path_of(modules, i))[2] += slices.duration[op];
    if (!modules.empty()) row(path_of(modules, modules.size() - 1))[3] += slices.duration[op];
  });
  return rows;
}

TEST(Modules, EqualsBruteForceAndConservesDeviceTime) {
  const std::vector<NamedKind> vocabulary = {
      {kFrame, "nn.Module: A_0"}, {kFrame, "nn.Module: B_1"}, {kOp, "op"}, {kCall, "l"}, {kFrame, "f"},
      {kOp, "nn.Module: C"}};
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::nested);
    const auto expected = slow_modules(run.run.timeline);
    int64_t all = 0;
    for_each_device_op(run.run.timeline, [&](OpIndex, SliceIndex op) { all += run.run.timeline.slices.duration[op]; });
    const Table table = modules_table(session_of(run), {});
    int64_t sum = 0;
    size_t modules = 0;
    for (size_t i = 0; i < table.row_count(); ++i) {
      sum += integer_at(table, i, "device_self_ns");
      modules += text_at(table, i, "name") == "(no module)" ? 0 : 1;
    }
    EXPECT_EQ(modules, expected.size());
    if (!expected.empty()) {
      EXPECT_EQ(sum, all);
    }
    for (const auto& [name, values] : expected) expect_module_row(table, name, values);
  }
}

}  // namespace
}  // namespace cgpu
