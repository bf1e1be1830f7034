// What a trace of cgpu itself is read back as; that it says the same as the profile is tested by
// tests/read_back_test.py.
#include "readers/perfetto/own_export.h"

#include <gtest/gtest.h>

#include "model/export_marks.h"
#include "readers/perfetto/test_reading.h"
#include "readers/reader.h"

namespace cgpu::perfetto::test {
namespace {

using export_marks::FlowKind;
using export_marks::TrackNumber;

Message attribute(std::string_view key, int64_t value) {
  return Message().add(1, Message().text(1, key).varint(2, static_cast<uint64_t>(value)));
}

/// An event of a track by its number, with the interned name and category of this number.
Message event_on(TrackNumber track, event::Type type, uint64_t name = 0) {
  Message made = event_of(type, track.uuid());
  if (name != 0) made.varint(event::kNameIid, name).varint(event::kCategoryIids, name);
  return made;
}

uint64_t arrow(FlowKind kind, uint64_t number) {
  return uint64_t{static_cast<uint8_t>(kind)} << export_marks::kFlowKindShift | number;
}

constexpr std::string_view kDescription =
    R"({"rank": 5, "rank_known": true, "world_size": 8, "unknown": {"a": [1]}, "devices": [{"id": 2, "name": "GPU"}],
        "tracks": [{"kind": "thread", "process": "1", "thread": "2", "thread_name": "main", "above": ["x"]},
                   {"kind": "stream", "process": "0", "thread": "stream 7"}],
        "counters": [{"process": "1", "name": "load"}]})";

/// A call that launches a kernel, in the sequence of one run.
void write_run(TraceWriter& trace, uint32_t run, std::string_view description) {
  trace.sequence(export_marks::sequence_of_run(run)).clear();
  trace.payload(packet::kTraceAttributes,
                Message().add(1, Message().text(1, export_marks::kRunKey).text(3, description)));
  trace.intern(interned::kEventNames, named(1, "cudaLaunchKernel")).intern(interned::kEventNames, named(2, "gemm"));
  trace.intern(interned::kEventCategories, named(1, "cuda_runtime"));
  trace.intern(interned::kEventCategories, named(2, "kernel"));
  trace.intern(interned::kEventCategories, named(3, "OPENCL"));
  const TrackNumber thread{TrackNumber::What::slices, run, 0, 0};
  const TrackNumber stream{TrackNumber::What::slices, run, 1, 3};
  trace.at(100,
           event_on(thread, event::kSliceBegin, 1).raw(fixed64(event::kFlows, arrow(FlowKind::launch, run)).bytes()));
  trace.at(110, event_on(thread, event::kSliceEnd));
  trace.at(120, event_on(stream, event::kSliceBegin, 2)
                    .varint(event::kCategoryIids, 3)
                    .add(event::kAnnotations, number("device", 2))
                    .add(event::kAnnotations, number("stream", 7))
                    .raw(fixed64(event::kTerminatingFlows, arrow(FlowKind::launch, run)).bytes()));
  trace.at(150, event_on(stream, event::kSliceEnd));
  trace.at(1, begin(TrackNumber{}.uuid(), "derived", "cgpu.busy"));
  trace.at(9, end(TrackNumber{}.uuid()));
}

TraceWriter export_of(uint32_t runs) {
  TraceWriter trace;
  trace.sequence(export_marks::kHeaderSequence);
  trace.payload(packet::kTraceAttributes, Message()
                                              .raw(attribute(export_marks::kVersionKey, export_marks::kVersion).bytes())
                                              .raw(attribute(export_marks::kRunsKey, runs).bytes()));
  return trace;
}

TEST(PerfettoOwnExport, SlicesAreWhatTheyWere) {
  TraceWriter trace = export_of(1);
  write_run(trace, 0, kDescription);
  const cgpu::Run run = read(trace);
  EXPECT_EQ(run.rank, 5);
  EXPECT_EQ(run.world_size, 8);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].id, 2);
  EXPECT_EQ(slices_of(run), (Names{"cudaLaunchKernel 100+10 1/2 runtime_call", "gemm 120+30 0/stream 7 kernel"}));
  EXPECT_EQ(run.timeline.tracks[0].above, Names{"x"});
  EXPECT_EQ(run.timeline.categories[run.timeline.slices.category[1]].name, "OPENCL");
  ASSERT_EQ(run.timeline.device_ops.size(), 1U);
  EXPECT_EQ(run.timeline.device_ops.stream[0], 7);
  ASSERT_EQ(run.timeline.hints.launches.size(), 1U);
  EXPECT_EQ(run.timeline.hints.launches[0].op, 1U);
}

TEST(PerfettoOwnExport, EachRankIsARun) {
  TraceWriter trace = export_of(2);
  write_run(trace, 0, R"({"rank": 3, "rank_known": true, "tracks": [{"process": "1"}, {"process": "2"}]})");
  write_run(trace, 1, R"({"rank": 1, "rank_known": true, "tracks": [{"process": "1"}, {"process": "2"}]})");
  const cgpu::test::TestFile file(trace.bytes(), ".pftrace");
  const Session session = open_inputs({file.path()}, {});
  ASSERT_EQ(session.runs.size(), 2U);
  EXPECT_EQ(session.runs[0].rank, 1);
  EXPECT_EQ(session.runs[1].rank, 3);
  for (const cgpu::Run& run : session.runs) EXPECT_EQ(run.timeline.slices.size(), 2U);
}

TEST(PerfettoOwnExport, WhatIsNotDescribedIsLeftOut) {
  TraceWriter trace = export_of(1);
  write_run(trace, 0, R"({"tracks": [{"kind": "thread", "process": "1"}], "counters": [)");  // cut off
  trace.at(200, event_on({TrackNumber::What::counter, 0, 9, 0}, event::kCounter));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(run.timeline.slices.size(), 1U);
  EXPECT_EQ(run.events.skipped, 3) << "beginning and end on a stream, and a sample";
  EXPECT_TRUE(run.timeline.counters.value.empty());
}

TEST(PerfettoOwnExport, MoreRunsThanFitIntoTheFileAreNone) {
  const cgpu::test::TestFile file(export_of(16000).bytes(), ".pftrace");
  EXPECT_EQ(runs_of_export(input_of(file.path())), 0U);
}

}  // namespace
}  // namespace cgpu::perfetto::test
