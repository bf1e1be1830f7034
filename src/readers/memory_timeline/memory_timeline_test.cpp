// Memory timelines alone, and beside the trace that they belong to.
#include "readers/memory_timeline/memory_timeline.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu {
namespace {

using test::read_text;
using test::TestFile;

constexpr const char* kRaw =
    "[[-1, 1, 1000, 0], [1700000000000001000, 2, 500, 4], [1700000000000002000, 3, -500, 4], "
    "[1700000000000002000, 3, 500, 5], [1700000000000003000, 2, 200, 3],\n[1700000000000004000, 4, -500, 5]]";

Session open_files(const std::vector<std::string>& paths) {
  return open_inputs(paths, {1, "", {}});
}
/// (time in the file, bytes, total) of the events.
std::vector<std::array<int64_t, 3>> events_of(const cgpu::Run& run) {
  std::vector<std::array<int64_t, 3>> all;
  for (const MemoryEvent& event : run.timeline.memory) all.push_back({event.time, event.bytes, event.total_allocated});
  return all;
}

/// Samples of one counter as (time, value).
std::vector<std::pair<int64_t, double>> samples_of(const cgpu::Run& run, const std::string& name) {
  std::vector<std::pair<int64_t, double>> all;
  const Counters& counters = run.timeline.counters;
  for (size_t i = 0; i < counters.track.size(); ++i) {
    if (counters.tracks[counters.track[i]].name == name) all.emplace_back(counters.time[i], counters.value[i]);
  }
  return all;
}

TEST(MemoryTimeline, RawRows) {
  const cgpu::Run run = read_text(kRaw);
  EXPECT_EQ(run.format, "torch-memory");
  EXPECT_EQ(run.format_version, "raw timeline");
  EXPECT_TRUE(run.clock_is_unix);
  constexpr int64_t t = 1'700'000'000'000'000'000;
  EXPECT_EQ(events_of(run),
            (std::vector<std::array<int64_t, 3>>{
                {t + 1000, 1000, 1000}, {t + 1000, 500, 1500}, {t + 3000, 200, 1700}, {t + 4000, -500, 1200}}))
      << "a new version is no allocation; what was there before is shown at the first moment";
  EXPECT_EQ(samples_of(run, "bytes of gradient"),
            (std::vector<std::pair<int64_t, double>>{{t + 2000, 500}, {t + 4000, 0}}));
  EXPECT_EQ(samples_of(run, "bytes of activation"),
            (std::vector<std::pair<int64_t, double>>{{t + 1000, 500}, {t + 2000, 0}}));
  EXPECT_EQ(run.events.read, 6);
  EXPECT_EQ(run.events.memory, 6);
}

TEST(MemoryTimeline, Sums) {
  const cgpu::Run run = read_text(
      "[[1700000000000001, 1700000000000002, 1700000000000009],\n"
      "[[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 0, 0, 0, 50, 0, 0, 0], [0, 100, 0, 0, 0, 0, 0, 0, 7]]]");
  EXPECT_EQ(run.format_version, "timeline");
  constexpr int64_t t = 1'700'000'000'000'000'000;
  EXPECT_EQ(events_of(run),
            (std::vector<std::array<int64_t, 3>>{{t + 1000, 100, 100}, {t + 2000, 50, 150}, {t + 9000, -43, 107}}));
  EXPECT_EQ(samples_of(run, "bytes of unknown"), (std::vector<std::pair<int64_t, double>>{{t + 9000, 7}}));
  EXPECT_EQ(run.notes.count("summed_allocations"), 1);
}

TEST(MemoryTimeline, OneRowOrNothingOfInterest) {
  EXPECT_EQ(events_of(read_text("[[5, 2, 64, 7]]")).size(), 1u);
  EXPECT_EQ(events_of(read_text("[ [5,2,64,7] , [ ] , [6, 2, 64, 7]]")).size(), 2u);
  EXPECT_THROW(read_text("[[5, 9, 64, 7]]"), Error) << "no such action";
  EXPECT_THROW(read_text("[[1, 2, 3]]"), Error);
  EXPECT_THROW(read_text("[[\"a\"]]"), Error);
}

TEST(MemoryTimeline, WhatIsNoRowIsCounted) {
  const cgpu::Run run = read_text(
      "[[5, 2, 64, 7], [6, 2, 64], \"x\", [7, 2, \"64\", 7], [8, 7, 64, 7], [9, 2, 64, 8], [10, 4, -64, 7], "
      "[99999999999999999999, 2, 1, 1], {\"a\": 1}, [11, 2, 1.5, 7]]");
  EXPECT_EQ(events_of(run), (std::vector<std::array<int64_t, 3>>{{5, 64, 64}, {10, -64, 0}}));
  EXPECT_EQ(run.events.read, 10);
  EXPECT_EQ(run.events.skipped, 8);
  EXPECT_EQ(run.notes.count("skipped_event"), 8);
  const cgpu::Run huge = read_text("[[5, 2, 9223372036854775807, 7], [6, 2, 9223372036854775807, 7]]");
  EXPECT_GT(huge.notes.count("invalid_number"), 0);
}

TEST(MemoryTimeline, CutAnywhere) {
  const std::string whole = kRaw;
  size_t last = 0;
  for (size_t cut = 1; cut <= 64; ++cut) {
    const std::string text = whole.substr(0, whole.size() * cut / 64);
    try {
      const cgpu::Run run = read_text(text);
      EXPECT_GE(events_of(run).size(), last);
      last = events_of(run).size();
      EXPECT_EQ(run.notes.count("truncated_input"), text.size() == whole.size() ? 0 : 1) << text;
    } catch (const Error&) {
      EXPECT_LT(cut, 20u) << text;
    }
  }
  EXPECT_EQ(last, 4u);
}

// ---------------------------------------------------------------- beside a trace

std::string trace_with_memory(const std::string& rank, const std::string& start, const std::string& more = "") {
  return R"j({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "distributedInfo": {"rank": )j" + rank +
         R"j(}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 3, "tid": 7, "ts": )j" + start +
         R"j(, "dur": 50, "args": {"device": 3, "stream": 7}})j" + more + "]}";
}
std::string allocation(const std::string& time, const std::string& bytes) {
  return R"j(, {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": )j" +
         time + R"j(, "args": {"Bytes": )j" + bytes +
         R"j(, "Device Type": 1, "Device Id": 3, "Total Allocated": 9, "Total Reserved": 10, "Addr": 1}})j";
}

TEST(MemoryTimeline, JoinsTheTraceInWhoseTimeItLies) {
  const TestFile timeline(kRaw), during(trace_with_memory("0", "0"));
  const Session session = open_files({timeline.path(), during.path()});
  ASSERT_EQ(session.runs.size(), 1u);
  const cgpu::Run& run = session.runs[0];
  EXPECT_EQ(run.format, "kineto");
  EXPECT_EQ(run.timeline.memory.size(), 4u);
  for (const MemoryEvent& event : run.timeline.memory) {
    EXPECT_EQ(event.device, 3) << "the only device of the trace";
    EXPECT_LT(event.time, 10'000) << "on the clock of the trace";
  }
  EXPECT_EQ(samples_of(run, "bytes of parameter").size(), 1u);
  EXPECT_EQ(run.events.memory, 6);
}

TEST(MemoryTimeline, OfSeveralTracesTheOneWhoseAllocationsItRepeats) {
  const TestFile timeline(kRaw), other(trace_with_memory("0", "0", allocation("1", "777"))),
      own(trace_with_memory("1", "0", allocation("1", "500") + allocation("3", "200")));
  const Session session = open_files({timeline.path(), other.path(), own.path()});
  ASSERT_EQ(session.runs.size(), 2u);
  EXPECT_TRUE(samples_of(session.runs[0], "bytes of parameter").empty());
  EXPECT_EQ(samples_of(session.runs[1], "bytes of parameter").size(), 1u);
  EXPECT_EQ(session.runs[1].timeline.memory.size(), 2u) << "the trace's own events say more and are kept";
  EXPECT_EQ(session.runs[1].timeline.memory[0].total_reserved, 10);
}

TEST(MemoryTimeline, FitsNoneOrSeveral) {
  const TestFile timeline(kRaw), later(trace_with_memory("0", "5000000")), a(trace_with_memory("0", "0")),
      b(trace_with_memory("1", "0"));
  for (const auto& paths :
       {std::vector<std::string>{timeline.path(), later.path()}, {timeline.path(), a.path(), b.path()}}) {
    const Session session = open_files(paths);
    EXPECT_EQ(session.runs.size(), paths.size());
    int64_t notes = 0;
    for (const cgpu::Run& run : session.runs) notes += run.notes.count("unmatched_companion");
    EXPECT_EQ(notes, 1);
  }
}

TEST(MemoryTimeline, OfEqualTracesTheOneOfItsRank) {
  const TestFile zero(kRaw, "-rank0.json"), one(kRaw, "-rank1.json"), a(trace_with_memory("0", "0")),
      b(trace_with_memory("1", "0"));
  const Session session = open_files({one.path(), zero.path(), a.path(), b.path()});
  ASSERT_EQ(session.runs.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(session.runs[i].timeline.memory.size(), 4u);
    EXPECT_EQ(session.runs[i].metadata.back().second, i == 0 ? zero.path() : one.path());
  }
}

}  // namespace
}  // namespace cgpu
