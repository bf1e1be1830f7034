// What JSON that cgpu itself wrote is read back as; that it says the same as the profile is tested by
// tests/read_back_test.py.
#include "readers/trace_event/own_export.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/test_file.h"
#include "readers/reader.h"

namespace cgpu::trace_event {
namespace {

using test::TestFile;
using Texts = std::vector<std::string>;

const std::string kHead =
    R"({"schemaVersion": 1, "cgpu_export": 1, "cgpu_runs": 2, "baseTimeNanoseconds": 1700000000000000000,
"distributedInfo": {"rank": 77}, "deviceProperties": [{"id": 9}], "traceEvents": [
)";

/// The event that begins a run.
std::string mark(int run, int rank) {
  const std::string r = std::to_string(rank);
  return R"({"name": "cgpu_run", "ph": "M", "pid": 0, "tid": 0, "args": {"run":)" + std::to_string(run) +
         R"(,"description":{"rank":)" + r + R"(,"rank_known":true,"world_size":8,"host":"node-)" + r +
         R"(","devices":[{"id":2,"name":"GPU","vendor":"AMD"}],"groups":[{"name":"data","size":2,"ranks":[3,5]}],
"tracks":[{"kind":"thread","process":"1","thread":"2","thread_name":"main","above":["x"]},
{"kind":"stream","process":"0","thread":"stream 7"}],"counters":[{"process":"1","name":"load"}]},
"tracks":[[)" +
         r + R"(1,2,1000],[)" + r + R"(0,"stream 7"]],"counters":[[)" + r + R"(1,"load #2"]],
"categories":{"kernel":"OPENCL"}}})";
}

/// A call that launches a kernel, and what else a run can have; `p`: the beginning of its processes' numbers.
Texts events(const std::string& p) {
  return {
      R"({"ph": "M", "name": "process_name", "pid": )" + p + R"(1, "tid": 2, "args": {"name": "rank 9 python"}})",
      R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": )" + p +
          R"(1, "tid": 2, "ts": 1.000, "dur": 0.010, "args": {"correlation": 4}})",
      R"({"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": )" + p + R"(1, "tid": 2, "ts": 1.000})",
      R"({"ph": "X", "cat": "other", "cgpu_category": "", "name": "a", "pid": )" + p +
          R"(1, "tid": 1000, "ts": 1.005, "dur": 0.020, "cgpu_flags": 4, "cgpu_correlation": 12, "args": {}})",
      R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": )" + p +
          R"(0, "tid": "stream 7", "ts": 1.100, "dur": 0.030, "args": {"correlation": 4, "device": 2, "stream": 7}})",
      R"({"ph": "f", "bp": "e", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": )" + p +
          R"(0, "tid": "stream 7", "ts": 1.100})",
      R"({"ph": "C", "name": "load #2", "pid": )" + p + R"(1, "ts": 1.2, "args": {"value": 1.5}})",
      R"({"ph": "i", "s": "g", "name": "on no track", "ts": 1.3})"};
}

std::string joined(const Texts& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : separator).append(part);
  return text;
}

/// An export of the ranks 5 and 3. `positions`: of the marks; none where empty.
std::string export_of_two(const std::string& separator = ",\n", bool positions = true) {
  Texts parts{mark(0, 5)};
  for (const std::string& event : events("5")) parts.push_back(event);
  const size_t second = kHead.size() + joined(parts, separator).size() + separator.size();
  parts.push_back(mark(1, 3));
  for (const std::string& event : events("3")) parts.push_back(event);
  std::string end = "\n]";
  if (positions)
    end += ", \"cgpu_run_positions\": [" + std::to_string(kHead.size()) + ", " + std::to_string(second) + "]";
  return kHead + joined(parts, separator) + end + "}\n";
}

Session open(const std::string& content, const std::string& ending = ".json") {
  const TestFile file(content, ending);
  return open_inputs({file.path()}, {});
}

Texts slices_of(const cgpu::Run& run) {
  Texts shown;
  const Timeline& t = run.timeline;
  for (SliceIndex i = 0; i < t.slices.size(); ++i) {
    const Track& track = t.tracks[t.slices.track[i]];
    shown.push_back(std::string(t.name(i)) + " " + std::to_string(t.slices.start[i]) + "+" +
                    std::to_string(t.slices.duration[i]) + " " + track.process + "/" + track.thread + " " +
                    text_of(t.kind(i)));
  }
  return shown;
}

void expect_run(const cgpu::Run& run, int64_t rank) {
  EXPECT_EQ(run.rank, rank);
  EXPECT_TRUE(run.rank_known);
  EXPECT_EQ(run.world_size, 8);
  EXPECT_EQ(run.host, "node-" + std::to_string(rank));
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 1'700'000'000'000'000'000);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].id, 2);
  EXPECT_EQ(run.devices[0].vendor, "AMD");
  ASSERT_EQ(run.groups.size(), 1U);
  EXPECT_EQ(run.groups[0].ranks, (std::vector<int64_t>{3, 5}));
  const Timeline& t = run.timeline;
  EXPECT_EQ(slices_of(run), (Texts{"cudaLaunchKernel 1000+10 1/2 runtime_call", "a 1005+20 1/2 other",
                                   "gemm 1100+30 0/stream 7 kernel"}));
  ASSERT_EQ(t.tracks.size(), 2U);
  EXPECT_EQ(t.tracks[0].process_name, "") << "that of the description, not the one for other readers";
  EXPECT_EQ(t.tracks[0].thread_name, "main");
  EXPECT_EQ(t.tracks[0].above, Texts{"x"});
  EXPECT_EQ(t.tracks[1].kind, TrackKind::device_stream);
  EXPECT_EQ(t.categories[t.slices.category[0]].name, "cuda_runtime");
  EXPECT_EQ(t.categories[t.slices.category[1]].name, "");
  EXPECT_EQ(t.categories[t.slices.category[2]].name, "OPENCL");
  EXPECT_EQ(t.slices.flags[1], kNeverEnded);
  EXPECT_EQ(t.slices.correlation[1], 12);
  ASSERT_EQ(t.device_ops.size(), 1U);
  EXPECT_EQ(t.device_ops.stream[0], 7);
  ASSERT_EQ(t.hints.launches.size(), 1U);
  EXPECT_EQ(t.hints.launches[0].call, 0U);
  EXPECT_EQ(t.hints.launches[0].op, 2U);
  EXPECT_EQ(t.counters.tracks[0].name, "load");
  EXPECT_EQ(t.counters.value, std::vector<double>{1.5});
  ASSERT_EQ(t.instants.size(), 1U);
  EXPECT_EQ(t.instants[0].track, kNone);
  EXPECT_EQ(t.instants[0].scope, InstantScope::global);
  const EventCounts& e = run.events;
  EXPECT_EQ(e.read, e.slices + e.instants + e.counters + e.flows + e.metadata + e.skipped);
  EXPECT_EQ(e.skipped, 0);
  for (const Note& note : run.notes.all()) EXPECT_EQ(note.code, "missing_rank") << note.text;
}

TEST(OwnJsonExport, AnArgumentIsThatOfItsOwnEvent) {
  const std::string call =
      R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 51, "tid": 2, "ts": 1.000, "dur": 0.010,
"args": {"correlation": 4}})";
  const std::string wait =
      R"({"ph": "X", "cat": "cuda_sync", "name": "wait", "pid": 50, "tid": "stream 7", "ts": 2.000, "dur": 0.010,
"args": {"awaits": "stream", "awaits_stream": 9}})";
  const Session session = open(kHead + joined({mark(0, 5), call, wait}, ",\n") + "\n]}\n");
  ASSERT_FALSE(session.runs.empty());
  const Timeline& t = session.runs.back().timeline;
  ASSERT_EQ(t.synchronizations.size(), 1U);
  EXPECT_EQ(t.synchronizations[0].stream, 9);
  EXPECT_EQ(t.slices.correlation[0], 4);
  EXPECT_EQ(t.slices.correlation[1], kNoCorrelation) << "not that of the call before it";
}

TEST(OwnJsonExport, TransfersOfABatchAreThoseOfOneOp) {
  const std::string kernel =
      R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 50, "tid": "stream 7", "ts": 1.000, "dur": 0.010,
"args": {"device": 2, "stream": 7, "Process Group Name": "0", "dtype": "Float", "transfers": "send to 1: 64, recv from 2: 32"}})";
  const Session session = open(kHead + joined({mark(0, 5), kernel}, ",\n") + "\n]}\n");
  ASSERT_FALSE(session.runs.empty());
  const std::vector<Collective>& all = session.runs.back().timeline.collectives;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].to, 1);
  EXPECT_EQ(all[0].elements_in, 64);
  EXPECT_EQ(all[1].from, 2);
  EXPECT_EQ(all[1].slice, all[0].slice);
  EXPECT_EQ(session.runs.back().timeline.names[all[1].group], "0");
}

TEST(OwnJsonExport, EachRankIsARun) {
  const std::string text = export_of_two();
  for (const std::string& content : {text, test::gzip(text)}) {
    const Session session = open(content);
    ASSERT_EQ(session.runs.size(), 2U);
    expect_run(session.runs[0], 3);
    expect_run(session.runs[1], 5);
    EXPECT_EQ(session.runs[1].input_bytes, content.size()) << "the first of the file counts it";
    EXPECT_EQ(session.runs[0].input_bytes, 0U);
  }
}

TEST(OwnJsonExport, ArgumentsAreThoseOfTheRun) {
  const TestFile file(export_of_two());
  const Session session = open_inputs({file.path()}, {});
  EXPECT_EQ(session.runs.size(), 2U);
  for (const cgpu::Run& run : session.runs) {
    const std::vector<Argument> arguments = run.arguments->arguments(run.timeline.slices.source[0]);
    ASSERT_EQ(arguments.size(), 1U);
    EXPECT_EQ(arguments[0].key, "correlation");
  }
}

TEST(OwnJsonExport, ProgramsThatWriteItAgainMayLayItOutAnew) {
  for (const std::string separator : {",", ", ", " ,\r\n\t"}) {
    const Session session = open(export_of_two(separator, false));
    ASSERT_EQ(session.runs.size(), 2U);
    expect_run(session.runs[0], 3);
    expect_run(session.runs[1], 5);
  }
}

TEST(OwnJsonExport, PositionsThatAreWrongCostNothing) {
  std::string text = export_of_two();
  const size_t at = text.rfind(", ");
  text.insert(at + 2, "1");  // ten times too far and more
  const Session session = open(text);
  ASSERT_EQ(session.runs.size(), 2U);
  expect_run(session.runs[0], 3);
}

TEST(OwnJsonExport, WhatIsCutOffIsSaid) {
  const std::string whole = export_of_two();
  const size_t second = whole.find(mark(1, 3));
  const Session half = open(whole.substr(0, second + 20));
  ASSERT_EQ(half.runs.size(), 2U);
  const cgpu::Run& first = half.runs[0].rank == 5 ? half.runs[0] : half.runs[1];
  expect_run(first, 5);
  const cgpu::Run& second_run = half.runs[0].rank == 5 ? half.runs[1] : half.runs[0];
  EXPECT_EQ(second_run.timeline.slices.size(), 0U);
  EXPECT_EQ(second_run.notes.count("truncated_input"), 1);
  const Session most = open(whole.substr(0, whole.rfind("gemm")));
  ASSERT_EQ(most.runs.size(), 2U);
  EXPECT_EQ(most.runs[0].timeline.slices.size(), 2U);
  EXPECT_EQ(most.runs[0].notes.count("truncated_input"), 1);
  expect_run(most.runs[1], 5);
}

TEST(OwnJsonExport, AnArrowStandsBehindItsSlice) {
  std::string text = export_of_two(",\n", false);
  const std::string end = R"(0, "tid": "stream 7", "ts": 1.100})";
  text.replace(text.find(end), end.size(), R"(0, "tid": "stream 7", "ts": 1.101})");
  const Session session = open(text);
  const cgpu::Run& run = session.runs[1];
  EXPECT_TRUE(run.timeline.hints.launches.empty());
  EXPECT_EQ(run.notes.count("unmatched_flow"), 2) << "the end, and the beginning that is left alone";
  EXPECT_EQ(run.events.skipped, 1);
}

TEST(OwnJsonExport, ARunMayBeEmpty) {
  std::string text = kHead + mark(0, 5) + ",\n" + mark(1, 3) + "\n]}";
  const Session session = open(text);
  ASSERT_EQ(session.runs.size(), 2U);
  for (const cgpu::Run& run : session.runs) {
    EXPECT_EQ(run.timeline.slices.size(), 0U);
    EXPECT_EQ(run.timeline.tracks.size(), 2U);
    for (const Note& note : run.notes.all()) EXPECT_EQ(note.code, "missing_rank") << note.text;
  }
}

TEST(OwnJsonExport, WhatOthersAddIsKept) {
  std::string text = export_of_two(",\n", false);
  const std::string added = R"({"ph": "B", "name": "added", "pid": 51, "tid": 2, "ts": 0.5},
{"ph": "E", "name": "added", "pid": 51, "tid": 2, "ts": 0.6}, {"ph": "X", "name": "new", "cat": "cpu_op", "pid": 8,
"tid": 9, "ts": 3, "dur": 1}, )";
  text.insert(text.find(R"({"ph": "X", "cat": "cuda_runtime")"), added);
  const Session session = open(text);
  const cgpu::Run& run = session.runs[1];
  EXPECT_EQ(slices_of(run), (Texts{"added 500+100 1/2 other", "new 3000+1000 8/9 framework_op",
                                   "cudaLaunchKernel 1000+10 1/2 runtime_call", "a 1005+20 1/2 other",
                                   "gemm 1100+30 0/stream 7 kernel"}));
  EXPECT_EQ(run.timeline.tracks[2].kind, TrackKind::host_thread);
  ASSERT_EQ(run.timeline.hints.launches.size(), 1U);
  EXPECT_EQ(run.timeline.hints.launches[0].call, 2U);
  EXPECT_EQ(run.timeline.hints.launches[0].op, 4U);
  EXPECT_EQ(run.timeline.slices.correlation[3], 12);
}

TEST(OwnJsonExport, OtherTracesAreNone) {
  const std::string text = R"({"schemaVersion": 1, "traceEvents": [)" + mark(0, 5) + ", " + joined(events("5"), ",") +
                           R"(], "cgpu_export": 1, "cgpu_runs": 2})";
  const Session session = open(text);
  ASSERT_EQ(session.runs.size(), 1U);
  EXPECT_EQ(session.runs[0].rank, 0);
  EXPECT_EQ(session.runs[0].timeline.tracks[0].process, "51");
  EXPECT_EQ(session.runs[0].timeline.categories[session.runs[0].timeline.slices.category[2]].name, "kernel");
}

TEST(OwnJsonExport, MoreRunsThanFitIntoTheFileAreNone) {
  std::string text = kHead;
  text.replace(text.find("\"cgpu_runs\": 2"), 14, "\"cgpu_runs\": 16000");
  EXPECT_EQ(open(text + mark(0, 5) + ", " + joined(events("5"), ",") + "]}").runs.size(), 1U);
}

}  // namespace
}  // namespace cgpu::trace_event
