#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

const std::vector<std::string> kParts = {"kernel_ns",  "memcpy_ns",     "memset_ns", "communication_ns",
                                         "runtime_ns", "dataloader_ns", "cpu_ns",    "other_ns"};

TestOp launched_as(SliceIndex call, OpKind kind = OpKind::compute) {
  return {0, 7, kind, KernelClass::gemm, call};
}

std::vector<int64_t> parts_of(const Table& table, size_t row) {
  std::vector<int64_t> parts;
  for (const std::string& part : kParts) parts.push_back(integer_at(table, row, part));
  return parts;
}

TEST(Steps, EveryMomentGoesToTheFirstActivity) {
  TestRun run(5);
  run.host(SliceKind::framework_op, "before all", 900, 1);  // the session's zero
  run.host(SliceKind::annotation, "ProfilerStep#12", 1000, 800);
  run.host(SliceKind::python_function, "train.py(1): main", 1000, 800);
  run.host(SliceKind::annotation, "enumerate(DataLoader)#_Iter.__next__", 1050, 100);                 // 1050-1150
  run.host(SliceKind::framework_op, "aten::op", 1100, 200);                                           // cpu 1150-1300
  const SliceIndex call = run.host(SliceKind::driver_call, "cuLaunchKernel", 1250, 100, kNone, "2");  // runtime
  run.kernel("collective", 1340, 100, launched_as(call, OpKind::communication));  // 1350-1440 minus below
  run.memset("memset", 1400, 100, 8, launched_as(call));
  run.memcpy("memcpy", 1450, 100, {}, launched_as(call));
  run.kernel("kernel", 1500, 400, launched_as(call));  // past the mark's end: the step ends at 1900
  run.kernel("copy kernel", 1930, 10, {0, 7, OpKind::memory, KernelClass::copy, kNone});
  const Table table = steps_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 5);
  EXPECT_EQ(integer_at(table, 0, "step"), 12);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "duration_ns"), 900);
  EXPECT_EQ(parts_of(table, 0), (std::vector<int64_t>{400, 50, 50, 60, 90, 100, 100, 50}));
  EXPECT_EQ(integer_at(table, 0, "complete"), 1);
}

/// The numbers and marks of the steps of a run with these ranges, one after another unless they begin with a blank:
/// then inside the one before.
std::vector<std::string> steps_of(const std::vector<std::string>& ranges) {
  TestRun run;
  run.host(SliceKind::framework_op, "before all", 0, 1);
  int64_t now = 0;
  int64_t inside = 0;
  for (const std::string& name : ranges) {
    if (name.starts_with(' ')) {
      run.host(SliceKind::annotation, name.substr(1), now + 10 * ++inside, 10);
    } else {
      inside = 0;
      run.host(SliceKind::annotation, name, now += 100, 100);
    }
  }
  std::vector<std::string> steps;
  const Table table = steps_table(session_of(run), {});
  for (size_t row = 0; row < table.row_count(); ++row) {
    steps.push_back(std::to_string(integer_at(table, row, "step")) + ": " + text_at(table, row, "mark"));
  }
  return steps;
}

using Names = std::vector<std::string>;

TEST(Steps, RangesThatCount) {
  EXPECT_EQ(steps_of({"Setup", "Step 0 to 10", " IO 10", "Step 10 to 20", " IO 20"}),
            (Names{"0: Step 0 to 10", "10: Step 10 to 20"}));
  EXPECT_EQ(steps_of({"iteration 12", "iteration 13"}), (Names{"12: iteration 12", "13: iteration 13"}));
  EXPECT_EQ(steps_of({"train_step_3", "train_step_4"}), (Names{"3: train_step_3", "4: train_step_4"}));
  EXPECT_EQ(steps_of({"[Executor] _forward_step 8: 1 ctx reqs, 3 gen reqs",
                      "[Executor] _forward_step 9: 0 ctx reqs, 4 gen reqs"})
                .size(),
            2u);
  // Steps before batches before epochs; steps that count from 0 again in each epoch are no series.
  EXPECT_EQ(steps_of({"batch 1", " step 7", "batch 2", " step 8"}), (Names{"7: step 7", "8: step 8"}));
  EXPECT_EQ(steps_of({"epoch 1", " batch 0", " batch 1", "epoch 2", " batch 0", " batch 1"}),
            (Names{"1: epoch 1", "2: epoch 2"}));
}

TEST(Steps, RangesOfAServersEngine) {
  EXPECT_EQ(steps_of({"execute_context_1(512)_generation_0(0)", "idle", "execute_context_0(0)_generation_1(1)"}),
            (Names{"0: execute_context_1(512)_generation_0(0)", "1: execute_context_0(0)_generation_1(1)"}));
  EXPECT_EQ(steps_of({"step[EXTEND bs=1 toks=15360]", " execute_15360_context_1(sq1)_generation_0(sq0)"}),
            (Names{"0: step[EXTEND bs=1 toks=15360]"}));
}

TEST(Steps, RangesThatDoNotMarkThem) {
  EXPECT_EQ(steps_of({"step 1"}), Names());  // one is no series
  EXPECT_EQ(steps_of({"step 2", "step 1"}), Names());
  EXPECT_EQ(steps_of({"Compute 1", "Compute 2"}), Names());
  EXPECT_EQ(steps_of({"## copy_batch_to_gpu 1 ##", "## copy_batch_to_gpu 2 ##"}), Names());
  EXPECT_EQ(steps_of({"Optimizer.step#SGD.step", "Optimizer.step#SGD.step"}), Names());
  EXPECT_EQ(steps_of({"forward step 1", "forward step 2"}), Names());
  EXPECT_EQ(steps_of({"step 1", " step 2", "step 3"}), Names());  // inside each other
  // Those of the framework's profiler go before all.
  EXPECT_EQ(steps_of({"ProfilerStep#5", " step 1", "ProfilerStep#6", " step 2"}),
            (Names{"5: ProfilerStep#5", "6: ProfilerStep#6"}));
}

TEST(Steps, MarksAreNoActivityOfTheirSteps) {
  TestRun run;
  run.host(SliceKind::annotation, "step 1", 0, 100);
  run.host(SliceKind::framework_op, "aten::op", 10, 30);
  run.host(SliceKind::annotation, "step 2", 100, 100);
  const Table table = steps_table(session_of(run), {});
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(parts_of(table, 0), (std::vector<int64_t>{0, 0, 0, 0, 0, 0, 30, 70}));
}

TEST(Steps, WidenedStepPushesTheNextOne) {
  TestRun run;
  for (int step = 0; step < 3; ++step) {
    run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), 100 * step, 100);
    const int launches = step == 2 ? 3 : 5;
    for (int i = 0; i < launches; ++i) {
      const SliceIndex call = run.host(SliceKind::runtime_call, "launch", 100 * step + 10 * i, 5);
      run.kernel("k", 100 * step + 10 * i + 90, 20, launched_as(call));  // ends up to 50 ns after the mark
    }
  }
  const Table table = steps_table(session_of(run), {});
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 0);
  EXPECT_EQ(integer_at(table, 0, "duration_ns"), 150);
  EXPECT_EQ(integer_at(table, 1, "start_ns"), 150);
  EXPECT_EQ(integer_at(table, 1, "duration_ns"), 100);
  EXPECT_EQ(integer_at(table, 2, "start_ns"), 250);
  EXPECT_EQ(integer_at(table, 2, "duration_ns"), 80);
  EXPECT_EQ(integer_at(table, 1, "complete"), 1);
  EXPECT_EQ(integer_at(table, 2, "complete"), 0);  // 3 of 5
}

TEST(Steps, EightyPercentIsComplete) {
  TestRun run;
  for (int step = 0; step < 2; ++step) {
    run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), 100 * step, 100);
    for (int i = 0; i < 5 - step; ++i) {
      run.kernel("k", 100 * step + i, 1, launched_as(run.host(SliceKind::runtime_call, "launch", 100 * step + i, 1)));
    }
  }
  EXPECT_EQ(integer_at(steps_table(session_of(run), {}), 1, "complete"), 1);
}

TEST(Steps, OnlyNumberedMarksOfTheHost) {
  TestRun run;
  run.host(SliceKind::annotation, "ProfilerStep#", 0, 10);
  run.host(SliceKind::annotation, "ProfilerStep#1a", 0, 10);
  run.host(SliceKind::annotation, "my ProfilerStep#1", 0, 10);
  run.host(SliceKind::python_function, "ProfilerStep#1", 0, 10);
  run.add(SliceKind::device_annotation, "ProfilerStep#1", 0, 10, run.track(TrackKind::device_stream, "0", "7"));
  run.implausible(run.host(SliceKind::annotation, "ProfilerStep#2", 0, 10));
  EXPECT_TRUE(steps_table(session_of(run), {}).empty());
}

/// The definition for one nanosecond: index into kParts.
size_t slow_part(const Timeline& timeline, int64_t time) {
  size_t part = kParts.size() - 1;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (!is_active(timeline, slice, time)) continue;
    const std::string name(timeline.name(slice));
    size_t candidate = kParts.size() - 1;
    switch (timeline.kind(slice)) {
      case SliceKind::kernel: {
        const auto& ops = timeline.device_ops;
        const auto op = std::find(ops.slice.begin(), ops.slice.end(), slice) - ops.slice.begin();
        const auto kernel_class = static_cast<KernelClass>(ops.kernel_class[op]);
        candidate = ops.kind[op] == OpKind::compute         ? 0
                    : ops.kind[op] == OpKind::communication ? 3
                    : kernel_class == KernelClass::copy     ? 1
                                                            : 2;
        break;
      }
      case SliceKind::memcpy:
        candidate = 1;
        break;
      case SliceKind::memset:
        candidate = 2;
        break;
      case SliceKind::runtime_call:
      case SliceKind::driver_call:
        candidate = 4;
        break;
      case SliceKind::annotation:
      case SliceKind::framework_op:
        if (name.rfind("enumerate(DataLoader)", 0) == 0) {
          candidate = 5;
        } else if (name.rfind("ProfilerStep#", 0) != 0) {
          candidate = 6;
        }
        break;
      default:
        break;
    }
    part = std::min(part, candidate);
  }
  return part;
}

struct SlowStep {
  int64_t mark_start, mark_end, start, end, device_ops;
  SliceIndex mark;
};

std::vector<SlowStep> slow_steps(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<SlowStep> steps;
  for (SliceIndex mark = 0; mark < slices.size(); ++mark) {
    if (timeline.kind(mark) != SliceKind::annotation || !is_plausible(timeline, mark)) continue;
    if (timeline.name(mark).rfind("ProfilerStep#", 0) == 0) {
      steps.push_back({slices.start[mark], slices.end(mark), 0, 0, 0, mark});
    }
  }
  std::sort(steps.begin(), steps.end(), [](const SlowStep& a, const SlowStep& b) {
    return std::pair(a.mark_start, a.mark) < std::pair(b.mark_start, b.mark);
  });
  int64_t end = INT64_MIN;
  for (SlowStep& step : steps) {
    step.start = std::max(step.mark_start, end);
    step.end = std::max(step.mark_end, step.start);
    for (const SliceIndex op : timeline.device_ops.slice) {
      const SliceIndex call = slices.launch[op];
      if (call == kNone || !is_plausible(timeline, op) || !is_plausible(timeline, call)) continue;
      if (slices.start[call] < step.mark_start || slices.start[call] >= step.mark_end) continue;
      ++step.device_ops;
      step.end = std::max(step.end, slices.end(op));
    }
    end = step.end;
  }
  return steps;
}

TEST(Steps, EqualsBruteForce) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::annotation, "ProfilerStep#1"},
                                             {SliceKind::annotation, "ProfilerStep#2"},
                                             {SliceKind::annotation, "enumerate(DataLoader)#next"},
                                             {SliceKind::framework_op, "enumerate(DataLoader)#next"},
                                             {SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::annotation, "range"},
                                             {SliceKind::python_function, "f"},
                                             {SliceKind::runtime_call, "cudaLaunchKernel"},
                                             {SliceKind::driver_call, "cuLaunchKernel"}};
  size_t steps_seen = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
    const Timeline& timeline = run.run.timeline;
    const std::vector<SlowStep> steps = slow_steps(timeline);
    std::vector<std::vector<int64_t>> parts;
    for (const SlowStep& step : steps) {
      parts.emplace_back(kParts.size());
      for (int64_t time = step.start; time < step.end; ++time) ++parts.back()[slow_part(timeline, time)];
    }
    int64_t zero = INT64_MAX;
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (is_plausible(timeline, slice)) zero = std::min(zero, timeline.slices.start[slice]);
    }

    const Table table = steps_table(session_of(run), {});
    ASSERT_EQ(table.row_count(), steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(integer_at(table, i, "start_ns"), steps[i].start - zero);
      EXPECT_EQ(integer_at(table, i, "duration_ns"), steps[i].end - steps[i].start);
      EXPECT_EQ(parts_of(table, i), parts[i]);
      const bool cut = i > 0 && i + 1 == steps.size() &&
                       static_cast<double>(steps[i].device_ops) < 0.8 * static_cast<double>(steps[i - 1].device_ops);
      EXPECT_EQ(integer_at(table, i, "complete"), cut ? 0 : 1);
    }
    steps_seen += steps.size();
  }
  EXPECT_GT(steps_seen, 1000u);
}

}  // namespace
}  // namespace cgpu
