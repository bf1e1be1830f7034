#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/idle/idle_causes.h"
#include "analysis/random_run.h"
#include "analysis/session_facts.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "links/window.h"

namespace cgpu {
namespace {

TestOp launched_on(SliceIndex call, int64_t stream = 7) {
  return {0, stream, OpKind::compute, KernelClass::gemm, call};
}

struct ExpectedRow {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  bool operator==(const ExpectedRow&) const = default;
};
std::ostream& operator<<(std::ostream& out, const ExpectedRow& row) {
  return out << row.count << " " << row.total_ns << " " << row.max_ns;
}

/// By device and cause, "cause: culprit" where the table has culprits.
std::map<std::pair<int64_t, std::string>, ExpectedRow> rows_of(const Table& table) {
  std::map<std::pair<int64_t, std::string>, ExpectedRow> rows;
  for (size_t row = 0; row < table.row_count(); ++row) {
    std::string key = text_at(table, row, "cause");
    if (table.name == "idle_hosts") key += ": " + text_at(table, row, "culprit");
    const bool is_new =
        rows.try_emplace({integer_at(table, row, "device"), key},
                         ExpectedRow{integer_at(table, row, "count"), integer_at(table, row, "total_ns"),
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
  EXPECT_EQ(causes_of_gap(run, launched_on(launch)),
            (Causes{{"data_loading", 20}, {"allocation", 10}, {"host_code", 50}, {"launch_overhead", 20}}));
}

TEST(Idle, OverheadOfTheProfilerBeforeAnythingElse) {
  TestRun run;
  run.host(kCall, "cudaStreamSynchronize", 90, 50);
  run.add(SliceKind::overhead, "Activity Buffer Request", 120, 40, run.track(TrackKind::host_thread, "1", "-1"));
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 190, 20);
  EXPECT_EQ(causes_of_gap(run, launched_on(launch)),
            (Causes{{"synchronization", 20}, {"profiler_overhead", 40}, {"host_code", 30}, {"launch_overhead", 10}}));
}

TEST(Idle, ALockGivesWayToWhatIsWaitedFor) {
  TestRun run;
  run.host(SliceKind::annotation, "enumerate(DataLoader)#next", 100, 30);
  run.host(SliceKind::python_function, "<built-in method acquire of _thread.lock object at 0x1>", 105, 20);
  run.host(SliceKind::python_function, "<built-in method acquire of _thread.lock object at 0x2>", 150, 20);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 200, 0);
  EXPECT_EQ(causes_of_gap(run, launched_on(launch)), (Causes{{"data_loading", 30}, {"lock", 20}, {"host_code", 50}}));
}

TEST(Idle, BlockingCopy) {
  TestRun run;
  const SliceIndex copy = run.host(kCall, "cudaMemcpy", 150, 40);
  EXPECT_EQ(causes_of_gap(run, launched_on(copy)),
            (Causes{{"host_code", 50}, {"blocking_copy", 40}, {"launch_overhead", 10}}));
}

TEST(Idle, QueuedWorkWaitedForAnotherStream) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_on(run.host(kCall, "cudaLaunchKernel", 20, 80))),
            (Causes{{"dependency", 100}}));
}

TEST(Idle, QueuedWorkBehindItsOwnStream) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_on(run.host(kCall, "cudaLaunchKernel", 20, 80), 3)),
            (Causes{{"launch_overhead", 100}}));
}

TEST(Idle, LaunchThatReturnsInsideTheGap) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_on(run.host(kCall, "cudaLaunchKernel", 20, 81))),
            (Causes{{"launch_overhead", 100}}));
}

TEST(Idle, AnOpThatBeginsLongAfterItsLaunchWaitsForSomethingElse) {
  for (const int64_t wait : {29'999, 30'000}) {
    const std::string cause = wait < 30'000 ? "launch_overhead" : "dependency";
    TestRun behind_its_stream;
    EXPECT_EQ(causes_of_gap(behind_its_stream,
                            launched_on(behind_its_stream.host(kCall, "cudaLaunchKernel", 20, 80), 3), 100 + wait),
              (Causes{{cause, wait}}));
    TestRun launched_inside;
    launched_inside.host(kCall, "cudaDeviceSynchronize", 1, 9);  // nothing is left from before the recording
    EXPECT_EQ(causes_of_gap(launched_inside, launched_on(launched_inside.host(kCall, "cudaLaunchKernel", 20, 81)),
                            101 + wait),
              (wait < 30'000 ? Causes{{cause, wait + 1}} : Causes{{"launch_overhead", 1}, {cause, wait}}));
  }
}

TEST(Idle, WhatACallOfTheLaunchDoesIsNoLaunchOverhead) {
  TestRun run;
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 100, 90);
  run.host(SliceKind::driver_call, "cuModuleLoadData", 110, 50, launch);
  run.host(SliceKind::annotation, "enumerate(DataLoader)", 0, 195);  // around the launch
  EXPECT_EQ(causes_of_gap(run, launched_on(launch)), (Causes{{"module_load", 50}, {"launch_overhead", 50}}));
}

TEST(Idle, TheDriversOwnWorkIsNotTheProfilers) {
  TestRun run;
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 100, 90);
  const TrackIndex nobody = run.track(TrackKind::host_thread, "-1", "0");
  run.add(SliceKind::overhead, "Lazy Function Loading", 110, 60, nobody);
  run.add(SliceKind::overhead, "Activity Buffer Request", 120, 10, nobody);
  EXPECT_EQ(causes_of_gap(run, launched_on(launch)),
            (Causes{{"module_load", 50}, {"profiler_overhead", 10}, {"launch_overhead", 40}}));
}

TEST(Idle, ToWaitWhereRequestsAreTakenIsToHaveNoWork) {
  TestRun run;
  const char* queue = "vllm/v1/engine/core.py(900): _process_input_queue";
  const SliceIndex taking = run.host(SliceKind::python_function, queue, 100, 60);
  run.host(SliceKind::python_function, "<built-in method acquire of _thread.lock object at 0x1>", 110, 40, taking);
  run.host(SliceKind::python_function, "<built-in method acquire of _thread.lock object at 0x1>", 165, 5);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 200, 0);
  EXPECT_EQ(causes_of_gap(run, launched_on(launch)), (Causes{{"no_work", 40}, {"lock", 5}, {"host_code", 55}}));
}

TEST(Idle, TheFrameInWhichTheMainThreadSitsIsNamedWithItsStack) {
  TestRun run;
  run.kernel("forward", 0, 100, {0, 3, OpKind::compute, KernelClass::gemm, kNone});
  constexpr SliceKind frame = SliceKind::python_function;
  const SliceIndex process = run.host(frame, "image_processing_owlv2.py(428): preprocess", 100, 95);
  const SliceIndex resize = run.host(frame, "image_processing_owlv2.py(311): resize", 110, 80, process);
  const SliceIndex zoom = run.host(frame, "scipy/ndimage/_interpolation.py(691): zoom", 115, 70, resize);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 195, 5);
  run.kernel("next", 200, 10, launched_on(launch));
  const Session session = session_of(run);
  const Table table = idle_hosts_table(session);
  expect_well_formed(table);
  EXPECT_EQ(text_at(table, 0, "cause"), "host_code");
  EXPECT_EQ(text_at(table, 0, "culprit"), "scipy/ndimage/_interpolation.py(691): zoom");
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 70);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 70.0);

  const SessionFacts facts(session);
  std::vector<SliceIndex> stacks;
  facts.idle().for_each_gap(0, {0, 1}, [&](const IdleGap& gap, const std::vector<IdlePart>& parts) {
    int64_t now = gap.time.begin;
    for (const IdlePart& part : parts) {
      EXPECT_EQ(part.time.begin, now);
      now = part.time.end;
      stacks.push_back(part.host);
    }
    EXPECT_EQ(now, gap.time.end);
  });
  EXPECT_EQ(stacks, (std::vector<SliceIndex>{process, resize, zoom, resize, process, launch}));
}

TEST(Idle, IterationsAreNobodysFaultAndAddressesDoNotDivide) {
  TestRun run;
  run.kernel("first", 0, 100, {0, 3, OpKind::compute, KernelClass::gemm, kNone});
  const SliceIndex step = run.host(SliceKind::annotation, "ProfilerStep#12", 90, 300);
  run.host(SliceKind::python_function, "<built-in method f of A object at 0x1>", 110, 20, step);
  run.host(SliceKind::python_function, "<built-in method f of A object at 0x2>", 130, 30, step);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 180, 20, step);
  run.kernel("next", 200, 10, launched_on(launch));
  EXPECT_EQ(rows_of(idle_hosts_table(session_of(run))),
            (std::map<std::pair<int64_t, std::string>, ExpectedRow>{
                {{0, "host_code: <built-in method f of A object>"}, {1, 50, 50}},
                {{0, "host_code: (nothing recorded before <built-in method f of A object>)"}, {1, 10, 10}},
                {{0, "host_code: (nothing recorded before cudaLaunchKernel)"}, {1, 20, 20}},
                {{0, "launch_overhead: cudaLaunchKernel"}, {1, 20, 20}}}));
}

TEST(Idle, WhatAQueuedOpWaitedFor) {
  TestRun run;
  const SliceIndex early = run.host(kCall, "cudaLaunchKernel", 0, 2);
  const SliceIndex awaited = run.kernel("awaited", 10, 90, {0, 3, OpKind::compute, KernelClass::gemm, early});
  const SliceIndex record = run.host(kCall, "cudaEventRecord", 3, 1);
  const SliceIndex told = run.host(kCall, "cudaStreamWaitEvent", 5, 1);
  const TrackIndex stream = run.track(TrackKind::device_stream, "0", "7");
  const SliceIndex order = run.add(SliceKind::synchronization, "Stream Wait Event", 5, 1, stream);
  run.run.timeline.slices.launch[order] = told;
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 8, 2);
  run.kernel("held", 160, 10, launched_on(launch));
  run.run.timeline.synchronizations.push_back(
      {.slice = order, .kind = Synchronization::Kind::stream_order, .device = 0, .stream = 3, .record = record});
  EXPECT_EQ(awaited, 1u);
  EXPECT_EQ(rows_of(idle_hosts_table(session_of(run))),
            (std::map<std::pair<int64_t, std::string>, ExpectedRow>{{{0, "dependency: awaited"}, {1, 60, 60}}}));
}

TEST(Idle, NoLaunchIsUnknown) {
  TestRun run;
  run.host(kCall, "cudaStreamSynchronize", 90, 50);
  EXPECT_EQ(causes_of_gap(run, launched_on(kNone)), (Causes{{"unknown", 100}}));
}

/// Of a first op on its stream that was launched at 1,000 ns, and began so long after.
Causes causes_of_first_op(int64_t after, const std::string& wait, int64_t waited_until, int64_t earlier = 0) {
  TestRun run;
  run.kernel("before", 0, 1000, {0, 3, OpKind::compute, KernelClass::gemm, kNone});
  run.host(kCall, wait, waited_until - 10, 10);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 500 - earlier, 500);
  run.kernel("waking", 1000 + after, 10, launched_on(launch));
  Causes causes;
  for (const auto& [key, row] : rows_of(idle_table(session_of(run), {}))) causes[key.second] = row.total_ns;
  return causes;
}

TEST(Idle, WorkThatWasLaunchedBeforeTheRecording) {
  // The first op of its stream is queued and does not begin: something is still running there.
  EXPECT_EQ(causes_of_first_op(40000, "cudaEventRecord", 100), (Causes{{"profile_edge", 40000}}));
  EXPECT_EQ(causes_of_first_op(40000, "cudaEventSynchronize", 100), (Causes{{"profile_edge", 40000}}));
  EXPECT_EQ(causes_of_first_op(40000, "cudaStreamSynchronize", 90000), (Causes{{"profile_edge", 40000}}));
  // Nothing is where the host had waited until nothing was; and what begins soon need not have waited.
  EXPECT_EQ(causes_of_first_op(40000, "cudaStreamSynchronize", 100), (Causes{{"dependency", 40000}}));
  EXPECT_EQ(causes_of_first_op(40000, "cudaDeviceSynchronize", 100), (Causes{{"dependency", 40000}}));
  EXPECT_EQ(causes_of_first_op(29999, "cudaEventRecord", 100), (Causes{{"dependency", 29999}}));
  // Nor where it was launched while another op ran, for which it may wait.
  EXPECT_EQ(causes_of_first_op(40000, "cudaEventRecord", 100, 1), (Causes{{"dependency", 40000}}));
}

TEST(Idle, OpsWithoutALaunchAtTheEdges) {
  // Before all that is recorded of the host, and after it.
  TestRun before;
  before.host(kCall, "cudaMalloc", 200, 10);
  EXPECT_EQ(causes_of_gap(before, launched_on(kNone)), (Causes{{"profile_edge", 100}}));
  TestRun after;
  after.host(kCall, "cudaMalloc", 90, 10);
  EXPECT_EQ(causes_of_gap(after, launched_on(kNone)), (Causes{{"profile_edge", 100}}));
  // Between them nothing is known.
  TestRun between;
  between.host(kCall, "cudaMalloc", 90, 20);
  EXPECT_EQ(causes_of_gap(between, launched_on(kNone)), (Causes{{"unknown", 100}}));
}

TEST(Idle, LaunchAfterItsOpIsAllHostTime) {
  TestRun run;
  EXPECT_EQ(causes_of_gap(run, launched_on(run.host(kCall, "cudaLaunchKernel", 250, 10))),
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

std::tuple<int64_t, int64_t, SliceIndex> place_of(const Timeline& timeline, SliceIndex slice) {
  return {timeline.slices.start[slice], -timeline.slices.duration[slice], slice};
}

/// Of the slices for which `wanted` holds the innermost; kNone if there is none.
template <typename Wanted>
SliceIndex innermost(const Timeline& timeline, Wanted wanted) {
  SliceIndex found = kNone;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (!wanted(slice)) continue;
    if (found == kNone || place_of(timeline, slice) > place_of(timeline, found)) found = slice;
  }
  return found;
}

struct Why {
  std::string cause;
  std::string culprit;
};

/// Whether nothing of the host is recorded before the gap ends or after it begins.
bool is_at_edge(const Timeline& timeline, int64_t gap_begin, SliceIndex waking) {
  const Slices& slices = timeline.slices;
  bool before = true;
  bool after = true;
  bool host = false;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_host(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    host = true;
    before = before && slices.start[slice] >= slices.start[waking];
    after = after && slices.end(slice) <= gap_begin;
  }
  return host && (before || after);
}

/// The cause and the culprit of one idle nanosecond of the gap, by the definition.
Why slow_why(const Timeline& timeline, const std::vector<OpIndex>& of_device, int64_t time, int64_t gap_begin,
             OpIndex waking) {
  const Slices& slices = timeline.slices;
  const DeviceOps& ops = timeline.device_ops;
  const auto name = [&](SliceIndex slice) { return std::string(timeline.name(slice)); };
  const auto cause = [&](SliceIndex slice) { return cause_named_by(timeline.kind(slice), timeline.name(slice)); };
  const auto named = [&](SliceIndex slice) { return Why{std::string(text_of(*cause(slice))), name(slice)}; };
  const SliceIndex launch = slices.launch[ops.slice[waking]];
  if (launch == kNone || !is_plausible(timeline, launch)) {
    if (is_at_edge(timeline, gap_begin, ops.slice[waking])) return {"profile_edge", "(outside of the recording)"};
    return {"unknown", "(launch not recorded)"};
  }
  if (time >= slices.end(launch)) {
    if (slices.end(launch) > gap_begin) return {"launch_overhead", name(launch)};
    for (const OpIndex op : of_device) {
      if (ops.stream[op] == ops.stream[waking] && slices.end(ops.slice[op]) == gap_begin) {
        return {"launch_overhead", name(launch)};
      }
    }
    return {"dependency", "(what it waited for is not recorded)"};
  }

  const auto of_kind = [&](SliceKind kind, auto wanted) {
    return innermost(timeline, [&](SliceIndex slice) {
      return is_active(timeline, slice, time) && timeline.kind(slice) == kind && wanted(slice);
    });
  };
  const SliceIndex overhead = of_kind(SliceKind::overhead, [&](SliceIndex slice) { return !cause(slice); });
  if (overhead != kNone) return {"profiler_overhead", name(overhead)};
  const SliceIndex driver = of_kind(SliceKind::overhead, [&](SliceIndex slice) { return cause(slice).has_value(); });
  if (driver != kNone) return named(driver);

  const auto of_thread = [&](auto wanted) {
    return innermost(timeline, [&](SliceIndex slice) {
      return is_active(timeline, slice, time) && slices.track[slice] == slices.track[launch] &&
             is_host(timeline.kind(slice)) && wanted(slice);
    });
  };
  const SliceIndex taking = of_thread([&](SliceIndex slice) { return cause(slice) == IdleCause::no_work; });
  SliceIndex by = of_thread([&](SliceIndex slice) {
    return cause(slice) && cause(slice) != IdleCause::no_work && !is_way_of_waiting(*cause(slice));
  });
  const bool by_way = by == kNone;
  if (by_way) by = of_thread([&](SliceIndex slice) { return cause(slice) && is_way_of_waiting(*cause(slice)); });
  if (time >= slices.start[launch] && (by == kNone || place_of(timeline, by) < place_of(timeline, launch))) {
    return {"launch_overhead", name(launch)};
  }
  if (by != kNone && by_way && taking != kNone) return {"no_work", name(by)};
  const std::string said = by == kNone ? "host_code" : named(by).cause;
  if (said != "host_code" && said != "data_loading") return {said, name(by)};
  const SliceIndex inside = of_thread([](SliceIndex) { return true; });
  if (inside != kNone && !name(inside).starts_with("ProfilerStep#")) return {said, name(inside)};
  SliceIndex next = kNone;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (slices.track[slice] != slices.track[launch] || !is_host(timeline.kind(slice)) ||
        !is_plausible(timeline, slice) || slices.start[slice] <= time || name(slice).starts_with("ProfilerStep#")) {
      continue;
    }
    if (next == kNone || place_of(timeline, slice) < place_of(timeline, next)) next = slice;
  }
  return {said, "(nothing recorded before " + name(next) + ")"};
}

using Rows = std::map<std::pair<int64_t, std::string>, ExpectedRow>;  // by device and cause, or cause and culprit
struct SlowIdle {
  Rows by_cause, by_culprit;
};

/// Of the ops that have a part in the window.
SlowIdle slow_idle(const Timeline& timeline, Interval window = {INT64_MIN, INT64_MAX}) {
  const Slices& slices = timeline.slices;
  SlowIdle idle;
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
      std::map<std::string, int64_t> causes, culprits;
      for (int64_t time = begin; time < end; ++time) {
        const Why why = slow_why(timeline, ops, time, begin, waking);
        ++causes[why.cause];
        ++culprits[why.cause + ": " + why.culprit];
      }
      for (const auto& [parts, rows] : {std::pair(&causes, &idle.by_cause), std::pair(&culprits, &idle.by_culprit)}) {
        for (const auto& [key, length] : *parts) {
          ExpectedRow& row = (*rows)[{device, key}];
          ++row.count;
          row.total_ns += length;
          row.max_ns = std::max(row.max_ns, length);
        }
      }
      begin = end;
    }
  }
  return idle;
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
                                             {SliceKind::annotation, "ProfilerStep#7"},
                                             {SliceKind::os_call, "read"},
                                             {SliceKind::python_function, "core.py(3): _process_input_queue"},
                                             {SliceKind::framework_op, "compile_fx (dynamo_timed)"},
                                             {SliceKind::overhead, "Lazy Function Loading"},
                                             {SliceKind::overhead, "Buffer Flush"}};
  std::map<std::string, int64_t> seen;
  int64_t explained_outside = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
    const SlowIdle slow = slow_idle(run.run.timeline);
    const Rows& expected = slow.by_cause;
    const auto whole_session = std::make_shared<const Session>(session_of(run));
    const Session& session = *whole_session;
    EXPECT_EQ(rows_of(idle_table(session, {})), expected);
    EXPECT_EQ(rows_of(idle_hosts_table(session, {})), slow.by_culprit);

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
      const SlowIdle of_window = slow_idle(session.runs[0].timeline, window);
      EXPECT_EQ(rows_of(idle_table(cut, {})), of_window.by_cause);
      EXPECT_EQ(rows_of(idle_hosts_table(cut, {})), of_window.by_culprit);
      explained_outside += cut.runs[0].notes.count("launch_outside_window");
    }
  }
  EXPECT_GT(explained_outside, 1000);
  EXPECT_EQ(seen.size(), 16u);  // every cause but not_scheduled and other_rank
  for (const auto& [cause, count] : seen) EXPECT_GT(count, 20) << cause;
}

}  // namespace
}  // namespace cgpu
