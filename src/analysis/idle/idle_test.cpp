#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "analysis/idle/idle_causes.h"
#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "links/window.h"

namespace cgpu {
namespace {

constexpr SliceKind kCall = SliceKind::runtime_call;

TestOp launched_by(SliceIndex call, int64_t stream = 7) {
  return {0, stream, OpKind::compute, KernelClass::gemm, call};
}

struct Row {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  bool operator==(const Row&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.count << " " << row.total_ns << " " << row.max_ns;
}

/// By device and cause.
std::map<std::pair<int64_t, std::string>, Row> rows_of(const Table& table) {
  std::map<std::pair<int64_t, std::string>, Row> rows;
  for (size_t row = 0; row < table.row_count(); ++row) {
    const bool is_new = rows.try_emplace({integer_at(table, row, "device"), text_at(table, row, "cause")},
                                         Row{integer_at(table, row, "count"), integer_at(table, row, "total_ns"),
                                             integer_at(table, row, "max_ns")})
                            .second;
    EXPECT_TRUE(is_new);
  }
  return rows;
}

/// The causes of the gap from 100 to `end` between a first op on stream 3 and the waking one.
std::map<std::string, int64_t> causes_of_gap(TestRun& run, TestOp waking, int64_t end = 200) {
  run.kernel("first", 0, 100, {0, 3, OpKind::compute, KernelClass::gemm, kNone});
  run.kernel("waking", end, 10, waking);
  const Table table = idle_table(session_of(run), {});
  expect_well_formed(table);
  std::map<std::string, int64_t> causes;
  for (const auto& [key, row] : rows_of(table)) {
    EXPECT_EQ(row.count, 1);
    EXPECT_EQ(row.max_ns, row.total_ns);
    causes[key.second] = row.total_ns;
  }
  return causes;
}

using Causes = std::map<std::string, int64_t>;

TEST(Idle, HostPhaseGoesToTheInnermostSliceThatNamesACause) {
  TestRun run;
  run.host(SliceKind::annotation, "enumerate(DataLoader)#next", 50, 80);  // 100-130
  run.host(SliceKind::framework_op, "aten::op", 100, 100);                // names none
  run.host(kCall, "cudaMalloc", 110, 10);                                 // inside the loader
  run.host(kCall, "cudaLaunchKernel", 112, 3);                            // names none: still allocation
  run.host(kCall, "cudaDeviceSynchronize", 100, 90, kNone, "another thread");
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 180, 15);
  EXPECT_EQ(causes_of_gap(run, launched_by(launch)),
            (Causes{{"data_loading", 20}, {"allocation", 10}, {"host_code", 50}, {"launch_overhead", 20}}));
}

TEST(Idle, OverheadOfTheProfilerBeforeAnythingElse) {
  TestRun run;
  run.host(kCall, "cudaStreamSynchronize", 90, 50);
  run.add(SliceKind::overhead, "Activity Buffer Request", 120, 40, run.track(TrackKind::host_thread, "1", "-1"));
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 190, 20);
  EXPECT_EQ(causes_of_gap(run, launched_by(launch)),
            (Causes{{"synchronization", 20}, {"profiler_overhead", 40}, {"host_code", 30}, {"launch_overhead", 10}}));
}

TEST(Idle, ALockGivesWayToWhatIsWaitedFor) {
  TestRun run;
  run.host(SliceKind::annotation, "enumerate(DataLoader)#next", 100, 30);
  run.host(SliceKind::python_function, "<built-in method acquire of _thread.lock object at 0x1>", 105, 20);
  run.host(SliceKind::python_function, "<built-in method acquire of _thread.lock object at 0x2>", 150, 20);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 200, 0);
  EXPECT_EQ(causes_of_gap(run, launched_by(launch)), (Causes{{"data_loading", 30}, {"lock", 20}, {"host_code", 50}}));
}

TEST(Idle, BlockingCopy) {
  TestRun run;
  const SliceIndex copy = run.host(kCall, "cudaMemcpy", 150, 40);
  EXPECT_EQ(causes_of_gap(run, launched_by(copy)),
            (Causes{{"host_code", 50}, {"blocking_copy", 40}, {"launch_overhead", 10}}));
}

TEST(Idle, QueuedWorkWaitedForAnotherStream) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_by(run.host(kCall, "cudaLaunchKernel", 20, 80))),
            (Causes{{"dependency", 100}}));
}

TEST(Idle, QueuedWorkBehindItsOwnStream) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_by(run.host(kCall, "cudaLaunchKernel", 20, 80), 3)),
            (Causes{{"launch_overhead", 100}}));
}

TEST(Idle, LaunchThatReturnsInsideTheGap) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_by(run.host(kCall, "cudaLaunchKernel", 20, 81))),
            (Causes{{"launch_overhead", 100}}));
}

TEST(Idle, AnOpThatBeginsLongAfterItsLaunchWaitsForSomethingElse) {
  for (const int64_t wait : {29'999, 30'000}) {
    const std::string cause = wait < 30'000 ? "launch_overhead" : "dependency";
    TestRun behind_its_stream;
    EXPECT_EQ(causes_of_gap(behind_its_stream,
                            launched_by(behind_its_stream.host(kCall, "cudaLaunchKernel", 20, 80), 3), 100 + wait),
              (Causes{{cause, wait}}));
    TestRun launched_inside;
    EXPECT_EQ(causes_of_gap(launched_inside, launched_by(launched_inside.host(kCall, "cudaLaunchKernel", 20, 81)),
                            101 + wait),
              (wait < 30'000 ? Causes{{cause, wait + 1}} : Causes{{"launch_overhead", 1}, {cause, wait}}));
  }
}

TEST(Idle, NoLaunchIsUnknown) {
  TestRun run;
  run.host(kCall, "cudaStreamSynchronize", 90, 50);
  EXPECT_EQ(causes_of_gap(run, launched_by(kNone)), (Causes{{"unknown", 100}}));
}

TEST(Idle, LaunchAfterItsOpIsAllHostTime) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_by(run.host(kCall, "cudaLaunchKernel", 250, 10))),
            (Causes{{"host_code", 100}}));
}

TEST(Idle, CountsGapsAndKeepsTheLongest) {
  TestRun run(1);
  for (const int64_t start : {0, 20, 50, 50, 100}) run.kernel("k", start, 10, {4, 7, OpKind::compute, {}, kNone});
  const Table table = idle_table(session_of(run), {});
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 1);
  EXPECT_EQ(integer_at(table, 0, "device"), 4);
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 70);
  EXPECT_EQ(integer_at(table, 0, "max_ns"), 40);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 100.0);
}

/// The cause of one idle nanosecond of the gap, by the definition.
std::string slow_cause(const Timeline& timeline, const std::vector<OpIndex>& of_device, int64_t time, int64_t gap_begin,
                       OpIndex waking) {
  const Slices& slices = timeline.slices;
  const DeviceOps& ops = timeline.device_ops;
  const SliceIndex launch = slices.launch[ops.slice[waking]];
  if (launch == kNone || !is_plausible(timeline, launch)) return "unknown";
  if (time >= slices.end(launch)) {
    if (slices.end(launch) > gap_begin) return "launch_overhead";
    for (const OpIndex op : of_device) {
      if (ops.stream[op] == ops.stream[waking] && slices.end(ops.slice[op]) == gap_begin) return "launch_overhead";
    }
    return "dependency";
  }
  if (time >= slices.start[launch]) return timeline.name(launch) == "cudaMemcpy" ? "blocking_copy" : "launch_overhead";

  bool locked = false;
  SliceIndex innermost = kNone;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_active(timeline, slice, time)) continue;
    if (timeline.kind(slice) == SliceKind::overhead) return "profiler_overhead";
    if (slices.track[slice] != slices.track[launch]) continue;
    const auto cause = cause_named_by(timeline.kind(slice), timeline.name(slice));
    if (!cause) continue;
    if (*cause == IdleCause::lock) {
      locked = true;
      continue;
    }
    const auto depth = [&](SliceIndex i) { return std::tuple(slices.start[i], -slices.duration[i], i); };
    if (innermost == kNone || depth(slice) > depth(innermost)) innermost = slice;
  }
  if (innermost != kNone) {
    return std::string(text_of(*cause_named_by(timeline.kind(innermost), timeline.name(innermost))));
  }
  return locked ? "lock" : "host_code";
}

/// Of the ops that have a part in the window.
std::map<std::pair<int64_t, std::string>, Row> slow_idle(const Timeline& timeline,
                                                         Interval window = {INT64_MIN, INT64_MAX}) {
  const Slices& slices = timeline.slices;
  std::map<std::pair<int64_t, std::string>, Row> rows;
  for (auto& group : ops_by_device(timeline)) {
    const int64_t device = group.first;
    std::vector<OpIndex>& ops = group.second;
    std::erase_if(ops, [&](OpIndex op) {
      const SliceIndex slice = timeline.device_ops.slice[op];
      const bool before =
          slices.duration[slice] == 0 ? slices.start[slice] < window.begin : slices.end(slice) <= window.begin;
      return before || slices.start[slice] >= window.end;
    });
    if (ops.empty()) continue;
    const auto busy = [&](int64_t time) {
      return std::any_of(ops.begin(), ops.end(),
                         [&](OpIndex op) { return is_active(timeline, timeline.device_ops.slice[op], time); });
    };
    const Interval covered = span_of(timeline, ops);
    const Interval span{std::max(covered.begin, window.begin), std::min(covered.end, window.end)};
    for (int64_t begin = span.begin; begin < span.end;) {
      int64_t end = begin;
      while (end < span.end && !busy(end)) ++end;
      if (end == begin) {
        ++begin;
        continue;
      }
      const OpIndex waking = *std::find_if(
          ops.begin(), ops.end(), [&](OpIndex op) { return slices.start[timeline.device_ops.slice[op]] == end; });
      std::map<std::string, int64_t> parts;
      for (int64_t time = begin; time < end; ++time) ++parts[slow_cause(timeline, ops, time, begin, waking)];
      for (const auto& [cause, length] : parts) {
        Row& row = rows[{device, cause}];
        ++row.count;
        row.total_ns += length;
        row.max_ns = std::max(row.max_ns, length);
      }
      begin = end;
    }
  }
  return rows;
}

TEST(Idle, EqualsBruteForceAndAddsUpToTheIdleTime) {
  const std::vector<NamedKind> vocabulary = {{kCall, "cudaLaunchKernel"},
                                             {kCall, "cudaLaunchKernel"},
                                             {kCall, "cudaMemcpy"},
                                             {kCall, "cudaMalloc"},
                                             {kCall, "cudaStreamSynchronize"},
                                             {SliceKind::annotation, "enumerate(DataLoader)#next"},
                                             {SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::framework_op, "cudaMalloc"},  // one name, two kinds
                                             {SliceKind::python_function, "f.py(1): f"},
                                             {SliceKind::annotation, "gc:1"},
                                             {SliceKind::annotation, "pthread_mutex_lock"},
                                             {SliceKind::overhead, "Buffer Flush"}};
  std::map<std::string, int64_t> seen;
  int64_t explained_outside = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
    const auto expected = slow_idle(run.run.timeline);
    const auto whole_session = std::make_shared<const Session>(session_of(run));
    const Session& session = *whole_session;
    const Table table = idle_table(session, {});
    EXPECT_EQ(rows_of(table), expected);

    const Table whole = gpu_time_table(session, {});
    for (size_t row = 0; row < whole.row_count(); ++row) {
      int64_t sum = 0;
      for (const auto& [key, part] : expected) {
        if (key.first == integer_at(whole, row, "device")) sum += part.total_ns;
      }
      EXPECT_EQ(sum, integer_at(whole, row, "idle_ns"));
    }
    for (const auto& [key, part] : expected) seen[key.second] += part.count;

    // Of a part, also of the device alone: what explains its gaps may lie outside.
    const int64_t begin = run.up_to(200);
    const Interval window{begin, begin + run.up_to(200)};
    const auto device_only = [](TrackIndex, SliceKind kind) { return is_device_op(kind); };
    for (const bool all_tracks : {true, false}) {
      Part part;
      part.window = window;
      if (!all_tracks) part.takes = device_only;
      const Session cut = cut_out(whole_session, {part});
      EXPECT_EQ(rows_of(idle_table(cut, {})), slow_idle(session.runs[0].timeline, window));
      explained_outside += cut.runs[0].notes.count("launch_outside_window");
    }
  }
  EXPECT_GT(explained_outside, 1000);
  EXPECT_EQ(seen.size(), 11u);  // every cause but module_load and other_rank
  for (const auto& [cause, count] : seen) EXPECT_GT(count, 20) << cause;
}

}  // namespace
}  // namespace cgpu
