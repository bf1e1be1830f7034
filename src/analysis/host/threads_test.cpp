#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/call_tree/test_call_tree.h"
#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "model/processor_time.h"

namespace cgpu {
namespace {

constexpr const char* kThreadParts[] = {"running_ns",    "device_wait_ns",   "lock_wait_ns", "io_wait_ns", "sleep_ns",
                                        "other_wait_ns", "not_scheduled_ns", "call_ns",      "os_call_ns", "op_ns",
                                        "python_ns",     "annotation_ns",    "unknown_ns"};

/// A run whose slices may be of categories with a name.
struct ThreadRun : TestRun {
  void named(std::string_view category, const std::string& name, int64_t start, int64_t duration, TrackIndex track) {
    const SliceIndex slice = add(SliceKind::other, name, start, duration, track);
    std::vector<Category>& categories = run.timeline.categories;
    uint16_t found = 0;
    while (found < categories.size() && categories[found].name != category) ++found;
    if (found == categories.size()) categories.push_back({std::string(category), SliceKind::other});
    run.timeline.slices.category[slice] = found;
  }
  void on_processor(const std::string& thread, int64_t start, int64_t duration) {
    named(kSchedulingCategory, scheduled_name({"1", thread, "worker"}), start, duration,
          track(TrackKind::other, "processors", "processor 0"));
  }
  void sample(const std::string& function, int64_t start, int64_t duration) {
    named(kSampleCategory, function, start, duration, track(TrackKind::host_thread, "1", "9"));
  }
};

void expect_parts_add_up(const Table& table, const std::string& whole) {
  for (size_t row = 0; row < table.row_count(); ++row) {
    int64_t sum = 0;
    for (const char* part : kThreadParts) sum += absent_at(table, row, part) ? 0 : integer_at(table, row, part);
    EXPECT_EQ(sum, integer_at(table, row, whole)) << row;
  }
}

TEST(Threads, EveryMomentGoesToTheInnermostOrTheWait) {
  TestRun run;
  const SliceIndex mark = run.host(SliceKind::annotation, "step", 0, 1000);
  const SliceIndex op = run.host(kOp, "aten::mm", 100, 300, mark);
  run.host(kCall, "cudaLaunchKernel", 150, 50, op);
  const SliceIndex wait = run.host(kCall, "cudaStreamSynchronize", 500, 200, mark);
  run.host(SliceKind::os_call, "poll", 550, 100, wait);  // how it waits for the device
  run.host(SliceKind::os_call, "pthread_mutex_lock", 700, 10, mark);
  run.host(SliceKind::os_call, "read", 710, 20, mark);
  run.host(SliceKind::os_call, "nanosleep", 730, 30, mark);
  run.host(SliceKind::os_call, "waitpid", 760, 40, mark);
  run.host(SliceKind::os_call, "mmap", 800, 5, mark);
  const SliceIndex frame = run.host(kFrame, "threading.py(359): wait", 805, 45, mark);
  run.host(kFrame, "threading.py(280): __enter__", 810, 10, frame);
  run.host(kOp, "aten::add", 1200, 100);
  const Table table = threads_table(session_of(run));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1U);
  expect_parts_add_up(table, "span_ns");
  EXPECT_EQ(integer_at(table, 0, "span_ns"), 1300);
  EXPECT_EQ(integer_at(table, 0, "op_ns"), 350);
  EXPECT_EQ(integer_at(table, 0, "call_ns"), 50);
  EXPECT_EQ(integer_at(table, 0, "device_wait_ns"), 200);
  EXPECT_EQ(integer_at(table, 0, "lock_wait_ns"), 55);
  EXPECT_EQ(integer_at(table, 0, "io_wait_ns"), 20);
  EXPECT_EQ(integer_at(table, 0, "sleep_ns"), 30);
  EXPECT_EQ(integer_at(table, 0, "other_wait_ns"), 40);
  EXPECT_EQ(integer_at(table, 0, "os_call_ns"), 5);
  EXPECT_EQ(integer_at(table, 0, "annotation_ns"), 350);
  EXPECT_EQ(integer_at(table, 0, "unknown_ns"), 200);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "utilization_pct"), 100.0 * 755 / 1300);
  EXPECT_EQ(text_at(table, 0, "evidence"), "calls");
  EXPECT_NE(text_at(table, 0, "unknown_because").find("neither scheduling nor samples"), std::string::npos);
  EXPECT_TRUE(absent_at(table, 0, "on_processor_ns"));
  EXPECT_TRUE(absent_at(table, 0, "running_ns"));  // nothing says whether it ran
  EXPECT_TRUE(absent_at(table, 0, "not_scheduled_ns"));
}

TEST(Threads, SchedulingTellsRunningFromNotScheduled) {
  ThreadRun run;
  run.host(kCall, "cudaDeviceSynchronize", 100, 200, kNone, "7");  // spins until 250, then sleeps
  run.host(kOp, "aten::mm", 0, 90, kNone, "7");                    // before anything was recorded of processors
  run.on_processor("7", 50, 200);
  run.on_processor("7", 400, 100);
  run.on_processor("8", 300, 400);  // a thread without any call
  const Table table = threads_table(session_of(run));
  ASSERT_EQ(table.row_count(), 2U);
  expect_parts_add_up(table, "span_ns");
  EXPECT_EQ(integer_at(table, 0, "span_ns"), 500);
  EXPECT_EQ(integer_at(table, 0, "device_wait_ns"), 200);
  EXPECT_EQ(integer_at(table, 0, "running_ns"), 50 + 100);
  EXPECT_EQ(integer_at(table, 0, "not_scheduled_ns"), 100);  // 300 to 400
  EXPECT_EQ(integer_at(table, 0, "op_ns"), 50);              // not known whether it ran
  EXPECT_EQ(integer_at(table, 0, "on_processor_ns"), 300);
  EXPECT_EQ(integer_at(table, 0, "scheduled_ns"), 450);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "utilization_pct"), 100.0 * 300 / 450);
  EXPECT_EQ(text_at(table, 1, "thread"), "8");
  EXPECT_EQ(text_at(table, 1, "name"), "worker");
  EXPECT_DOUBLE_EQ(real_at(table, 1, "utilization_pct"), 100);
}

TEST(Threads, SamplesGiveAnEstimateWithItsInterval) {
  ThreadRun run;
  for (int64_t i = 0; i < 60; ++i) run.sample(i % 3 == 0 ? "__GI___poll" : "work", i * 10, 10);
  run.sample("work", 600, 400);  // then it was not sampled for long: 15 of it count
  const Table table = threads_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1U);
  expect_parts_add_up(table, "span_ns");
  EXPECT_EQ(integer_at(table, 0, "running_ns"), 400 + 15);
  EXPECT_EQ(integer_at(table, 0, "io_wait_ns"), 200);
  EXPECT_TRUE(absent_at(table, 0, "not_scheduled_ns"));
  EXPECT_EQ(integer_at(table, 0, "unknown_ns"), 385);
  EXPECT_EQ(integer_at(table, 0, "samples"), 41);
  // Wilson's interval of 41 of 100
  EXPECT_NEAR(real_at(table, 0, "utilization_low_pct"), 31.87, 0.01);
  EXPECT_NEAR(real_at(table, 0, "utilization_high_pct"), 50.80, 0.01);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "utilization_pct"), 41.5);
}

/// 300 ns of processor time in the only thread.
class ProcessorTimeOfOneThread : public ProfileValues {
 public:
  std::vector<NodeValue> of_profile(uint32_t, MetricIndex) override { return {{0, 300e-9}}; }
  std::vector<ProfileValue> of_node(NodeIndex, MetricIndex) override { return {{0, 300e-9}}; }
};

TEST(Threads, ProcessorTimeOfTheCallTreeTellsMoreThanGapsBetweenSamples) {
  TestTree tree;
  tree.tree().metrics[0].name = "CPUTIME";
  tree.tree().profiles.push_back({.name = "thread 0", .rank = {}, .thread = 0});
  tree.tree().profile_values = std::make_shared<ProcessorTimeOfOneThread>();
  Session of_tree = tree.session();
  ThreadRun run;
  for (int64_t i = 0; i < 60; ++i) {
    run.named(kSampleCategory, i < 50 ? "work" : "__futex_abstimed_wait_common64", i * 10, 10,
              run.track(TrackKind::host_thread, "process", "thread 0"));
  }
  Session session = session_of(run);
  session.runs[0].call_tree = std::move(of_tree.runs[0].call_tree);
  const Table table = threads_table(session);
  ASSERT_EQ(table.row_count(), 1U);
  expect_parts_add_up(table, "span_ns");
  EXPECT_EQ(integer_at(table, 0, "on_processor_ns"), 300);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "utilization_pct"), 50);
  EXPECT_TRUE(absent_at(table, 0, "utilization_low_pct"));
  EXPECT_EQ(integer_at(table, 0, "running_ns"), 300);  // 6 ns for each of 50 samples
  EXPECT_EQ(integer_at(table, 0, "lock_wait_ns"), 100);
  EXPECT_EQ(integer_at(table, 0, "unknown_ns"), 200);
}

TEST(Threads, ProcessesAreTheirThreadsTogether) {
  TestRun run(3);
  run.host(kOp, "aten::mm", 0, 60, kNone, "1");
  run.host(kOp, "aten::add", 100, 100, kNone, "2");
  const Table table = processes_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1U);
  expect_parts_add_up(table, "thread_ns");
  EXPECT_EQ(integer_at(table, 0, "rank"), 3);
  EXPECT_EQ(integer_at(table, 0, "threads"), 2);
  EXPECT_EQ(integer_at(table, 0, "span_ns"), 200);
  EXPECT_EQ(integer_at(table, 0, "thread_ns"), 160);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "busy_threads"), 0.8);
}

/// What the parts of a vocabulary are, and the definition of the table moment by moment: of the active slices in the
/// order (start, longer first, file) the wait for a device, else the last that waits, else the last.
struct Meaning {
  NamedKind what;
  const char* part;
};
const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> list = {{{kOp, "aten::mm"}, "op_ns"},
                                            {{SliceKind::annotation, "range"}, "annotation_ns"},
                                            {{kCall, "cudaLaunchKernel"}, "call_ns"},
                                            {{kCall, "cudaDeviceSynchronize"}, "device_wait_ns"},
                                            {{SliceKind::os_call, "poll"}, "io_wait_ns"},
                                            {{SliceKind::os_call, "pthread_mutex_lock"}, "lock_wait_ns"},
                                            {{SliceKind::os_call, "mmap"}, "os_call_ns"},
                                            {{kFrame, "a.py(1): f"}, "python_ns"}};
  return list;
}
std::string part_of(const Timeline& timeline, SliceIndex slice) {
  for (const Meaning& meaning : meanings()) {
    if (meaning.what.name == timeline.name(slice)) return meaning.part;
  }
  return "";
}
std::string part_at(const Timeline& timeline, TrackIndex track, int64_t time) {
  std::vector<SliceIndex> active;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (timeline.slices.track[slice] == track && is_active(timeline, slice, time)) active.push_back(slice);
  }
  if (active.empty()) return "unknown_ns";
  const Slices& slices = timeline.slices;
  std::sort(active.begin(), active.end(), [&](SliceIndex a, SliceIndex b) {
    if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
    return slices.duration[a] != slices.duration[b] ? slices.duration[a] > slices.duration[b] : a < b;
  });
  std::string part = part_of(timeline, active.back());
  for (const SliceIndex slice : active) {
    const std::string outer = part_of(timeline, slice);
    if (outer == "device_wait_ns") return outer;
    if (outer.ends_with("_wait_ns")) part = outer;
  }
  return part;
}

TEST(Threads, EqualsTheDefinitionMomentByMoment) {
  std::vector<NamedKind> vocabulary;
  for (const Meaning& meaning : meanings()) vocabulary.push_back(meaning.what);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Session session = session_of(RandomRun(seed, vocabulary, HostShape::nested));
    const Timeline& timeline = session.runs[0].timeline;
    const Table table = threads_table(session);
    expect_parts_add_up(table, "span_ns");
    for (size_t row = 0; row < table.row_count(); ++row) {
      TrackIndex track = 0;
      while (timeline.tracks[track].kind != TrackKind::host_thread ||
             timeline.tracks[track].thread != text_at(table, row, "thread")) {
        ++track;
      }
      std::map<std::string, int64_t> expected;
      Interval span{INT64_MAX, INT64_MIN};
      for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
        if (timeline.slices.track[slice] != track || !is_plausible(timeline, slice)) continue;
        span = {std::min(span.begin, timeline.slices.start[slice]), std::max(span.end, timeline.slices.end(slice))};
      }
      for (int64_t time = span.begin; time < span.end; ++time) ++expected[part_at(timeline, track, time)];
      for (const char* part : kThreadParts) {
        EXPECT_EQ(absent_at(table, row, part) ? 0 : integer_at(table, row, part), expected[part])
            << seed << " " << part;
      }
    }
  }
}

TEST(Threads, SlicesThatOverlapAddUp) {
  std::vector<NamedKind> vocabulary;
  for (const Meaning& meaning : meanings()) vocabulary.push_back(meaning.what);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Session session = session_of(RandomRun(seed, vocabulary, HostShape::overlapping));
    expect_parts_add_up(threads_table(session), "span_ns");
    expect_parts_add_up(processes_table(session), "thread_ns");
  }
}

TEST(ProcessorTime, NamesOfThreadsAreReadBack) {
  for (const char* name : {"", "a (b), thread 3", "process 4, thread 9"}) {
    const std::string written = scheduled_name({"12", "34", name});
    const auto read = scheduled_thread(written);
    ASSERT_TRUE(read) << written;
    EXPECT_EQ(read->process, "12");
    EXPECT_EQ(read->thread, "34");
    EXPECT_EQ(read->name, name);
  }
  EXPECT_FALSE(scheduled_thread("python"));
}

}  // namespace
}  // namespace cgpu
