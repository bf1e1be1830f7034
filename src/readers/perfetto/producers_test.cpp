// The reader of Perfetto traces on what different writers put into them: the PyTorch profiler's categories, GPUs,
// events in the old form, the kernel's tracer, facts.
#include <gtest/gtest.h>

#include <map>

#include "readers/perfetto/test_reading.h"

namespace cgpu::perfetto {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using cgpu::test::TestFile;

TEST(PerfettoTrace, ArgumentsTellWhatPyTorchFirstWroteWithoutCategories) {
  TraceWriter trace = with_thread();
  trace.track(process_track(20, 0, "GPU 3")).track(named_track(21, 20, "stream 7"));
  trace.slice(2, 10, 40, "aten::mm", "", {number("External id", 4)});
  trace.slice(2, 12, 14, "cudaLaunchKernel", "", {number("cbid", 211), number("correlation", 9)});
  const auto on_device = [&](uint64_t from, uint64_t to, const char* name) {
    trace.slice(21, from, to, name, "", {number("device", 0), number("stream", 7), number("correlation", 9)});
  };
  on_device(20, 30, "gemm");
  on_device(31, 33, "Memcpy HtoD (Pinned -> Device)");
  trace.slice(21, 34, 35, "step", "", {number("External id", 5)});
  trace.slice(2, 41, 42, "ProfilerStep#1", "", {number("External id", 6)});
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run),
            (Names{"aten::mm 10+30 100/101 framework_op", "cudaLaunchKernel 12+2 100/101 runtime_call",
                   "gemm 20+10 0/stream 7 kernel", "Memcpy HtoD (Pinned -> Device) 31+2 0/stream 7 memcpy",
                   "step 34+1 0/stream 7 device_annotation", "ProfilerStep#1 41+1 100/101 annotation"}));
  EXPECT_EQ(run.timeline.slices.correlation[2], 9);
  EXPECT_EQ(run.timeline.device_ops.copy[1], CopyKind::HtoD);
}

TEST(PerfettoTrace, KnowsKinetosCategoriesAndArguments) {
  TraceWriter trace = with_thread();
  trace.track(process_track(20, 0, "GPU 3")).track(named_track(21, 20, "stream 7"));
  trace.slice(2, 10, 40, "aten::mm", "cpu_op", {number("Sequence number", 4), number("Fwd thread id", 0)});
  trace.slice(2, 12, 14, "cudaLaunchKernel", "cuda_runtime", {number("correlation", 9), number("External id", 2)});
  trace.slice(21, 20, 30, "gemm", "kernel",
              {number("correlation", 9), number("device", 1), number("stream", 8), text("Collective name", "allreduce"),
               number("In msg nelems", 64), text("dtype", "Float"), number("Group size", 2)});
  trace.slice(21, 31, 33, "Memcpy HtoD (Pinned -> Device)", "gpu_memcpy",
              {number("bytes", 4096),
               Message().text(annotation::kName, "args").add(annotation::kDictionary, number("correlation", 11))});
  trace.slice(21, 34, 35, "Memset (Device)", "gpu_memset");
  trace.at(36, event_of(event::kInstant, 2)
                   .text(event::kName, "[memory]")
                   .add(event::kAnnotations, number("Bytes", -512))
                   .add(event::kAnnotations, number("Device Type", 1))
                   .add(event::kAnnotations, number("Device Id", 1))
                   .add(event::kAnnotations, number("Total Allocated", 1024)));
  trace.slice(2, 37, 38, "x", "something else");
  const cgpu::Run run = read(trace);
  const Timeline& t = run.timeline;
  EXPECT_EQ(slices_of(run),
            (Names{"aten::mm 10+30 100/101 framework_op", "cudaLaunchKernel 12+2 100/101 runtime_call",
                   "gemm 20+10 0/stream 7 kernel", "Memcpy HtoD (Pinned -> Device) 31+2 0/stream 7 memcpy",
                   "Memset (Device) 34+1 0/stream 7 memset", "x 37+1 100/101 other"}));
  EXPECT_EQ(t.device_ops.device, (std::vector<int32_t>{1, 3, 3}));
  EXPECT_EQ(t.device_ops.stream, (std::vector<int64_t>{8, 7, 7}));
  EXPECT_EQ(t.device_ops.bytes, (std::vector<int64_t>{-1, 4096, -1}));
  EXPECT_EQ(t.device_ops.copy[1], CopyKind::HtoD);
  EXPECT_EQ(t.device_ops.source[1], MemoryKind::pinned);
  EXPECT_EQ(t.device_ops.copy[2], CopyKind::memset);
  EXPECT_EQ(t.slices.correlation[1], 9);
  EXPECT_EQ(t.slices.correlation[2], 9);
  EXPECT_EQ(t.slices.correlation[3], 11) << "in a dictionary";
  EXPECT_EQ(t.tracks[t.slices.track[2]].kind, TrackKind::device_stream);
  EXPECT_EQ(t.tracks[t.slices.track[0]].kind, TrackKind::host_thread);
  ASSERT_EQ(t.collectives.size(), 1u);
  EXPECT_EQ(t.names[t.collectives[0].name], "allreduce");
  EXPECT_EQ(t.collectives[0].elements_in, 64);
  EXPECT_EQ(t.collectives[0].group_size, 2);
  ASSERT_EQ(t.hints.sequence.size(), 1u);
  EXPECT_EQ(t.hints.sequence[0].number, 4);
  ASSERT_EQ(t.hints.external.size(), 1u);
  ASSERT_EQ(t.memory.size(), 1u);
  EXPECT_EQ(t.memory[0].bytes, -512);
  EXPECT_EQ(t.memory[0].device, 1);
  EXPECT_EQ(t.memory[0].total_allocated, 1024);
  EXPECT_EQ(t.memory[0].total_reserved, -1);
}

TEST(PerfettoTrace, LeadsFlowsFromLaunchesToKernels) {
  TraceWriter trace = with_thread();
  trace.track(process_track(20, 0, "GPU 0")).track(named_track(21, 20, "stream 7"));
  const Message flow = fixed64(event::kFlows, 77);
  trace.at(1, begin(2, "cudaGraphLaunch", "cuda_runtime").raw(flow.bytes())).at(2, end(2));
  trace.at(5, begin(21, "first", "kernel").raw(flow.bytes())).at(6, end(21));
  trace.at(7, begin(21, "second", "kernel").raw(flow.bytes())).at(8, end(21));
  const cgpu::Run run = read(trace);
  EXPECT_TRUE(run.timeline.links.empty());
  const std::vector<LinkHints::Flow>& hints = run.timeline.hints.flows;
  ASSERT_EQ(hints.size(), 4u);
  EXPECT_EQ(hints[0].id, hints[1].id);
  EXPECT_EQ(hints[2].id, hints[3].id);
  EXPECT_NE(hints[0].id, hints[2].id);
  EXPECT_EQ(hints[0].time, 1);
  EXPECT_EQ(hints[1].time, 5);
  EXPECT_EQ(hints[2].time, 1);
  EXPECT_EQ(hints[3].time, 7);
}

TEST(PerfettoTrace, ReadsWhatGpusRan) {
  TraceWriter trace = with_thread();
  trace.clear();
  trace.intern(interned::kGpuSpecifications, named(1, "Stream 7"));
  trace.intern(interned::kGpuSpecifications, named(2, "Kernel"));
  trace.intern(interned::kGpuSpecifications, named(3, "Memcpy HtoD"));
  trace.intern(interned::kComputeKernels, named(4, "_Z4gemmPf").text(3, "gemm(float*)"));
  trace.intern(interned::kComputeArgNames, named(5, "registers"));
  trace.at(10, begin(2, "launch it", "app").add(event::kGpuCorrelation, Message().varint(1, 501).varint(1, 502)));
  trace.at(12, end(2));
  const auto stage_at = [&](uint64_t time, const Message& message) {
    trace.packet(Message().varint(packet::kTimestamp, time).add(packet::kGpuRenderStageEvent, message));
  };
  const Message on_queue = Message().varint(stage::kGpu, 2).varint(stage::kQueueIid, 1);
  const Message dimensions = Message().varint(1, 8).varint(2, 1).varint(3, 1);
  stage_at(20, Message(on_queue)
                   .varint(stage::kEventId, 501)
                   .varint(stage::kDuration, 5)
                   .varint(stage::kStageIid, 2)
                   .varint(stage::kKernelIid, 4)
                   .add(stage::kExtraData, Message().text(1, "note").text(2, "fast"))
                   .add(stage::kLaunch, Message()
                                            .add(1, dimensions)
                                            .add(2, Message().varint(1, 256))
                                            .add(3, Message().varint(1, 5).varint(4, 32))));
  stage_at(30, Message(on_queue)
                   .varint(stage::kEventId, 502)
                   .varint(stage::kDuration, 7)
                   .varint(stage::kStageIid, 3)
                   .add(stage::kExtraData, Message().text(1, "bytes").text(2, "64")));
  stage_at(40, Message(on_queue).varint(stage::kEventId, 503).varint(stage::kDuration, 1).text(stage::kName, "render"));
  trace.payload(
      packet::kGpuInfo,
      Message().add(1, Message().text(1, "H100").text(2, "NVIDIA").add(6, Message().text(1, "numSms").text(2, "132"))));
  trace.packet(
      Message()
          .varint(packet::kTimestamp, 50)
          .add(packet::kGpuCounterEvent, Message()
                                             .add(1, Message().add(1, Message().varint(1, 9).text(2, "active")))
                                             .add(2, Message().varint(1, 9).real(3, 0.5))
                                             .varint(3, 2)));
  const TestFile file(trace.bytes(), ".pftrace");
  const cgpu::Run run = read_trace(input_of(file.path()), {});
  check_laws(run);
  const Timeline& t = run.timeline;
  EXPECT_EQ(slices_of(run), (Names{"launch it 10+2 100/101 runtime_call", "gemm(float*) 20+5 GPU 2/Stream 7 kernel",
                                   "Memcpy HtoD 30+7 GPU 2/Stream 7 memcpy", "render 40+1 GPU 2/Stream 7 kernel"}));
  EXPECT_EQ(t.device_ops.device, (std::vector<int32_t>{2, 2, 2}));
  EXPECT_EQ(t.device_ops.stream, (std::vector<int64_t>{7, 7, 7}));
  EXPECT_EQ(t.device_ops.bytes, (std::vector<int64_t>{-1, 64, -1}));
  EXPECT_EQ(t.slices.correlation[0], 501);
  EXPECT_EQ(t.slices.correlation[1], 501);
  EXPECT_EQ(t.slices.correlation[2], 501) << "the call submitted both";
  EXPECT_EQ(t.slices.correlation[3], kNoCorrelation);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].name, "H100");
  EXPECT_EQ(run.devices[0].sm_count, 132);
  EXPECT_EQ(t.counters.value, (std::vector<double>{0.5}));
  EXPECT_EQ(t.counters.tracks[0].process, "GPU 2");
  EXPECT_EQ(t.counters.tracks[0].name, "active");
  EXPECT_EQ(
      arguments_of(run, 1),
      (std::map<std::string, std::string>{
          {"note", "fast"}, {"grid", "json [8, 1, 1]"}, {"block", "json [256, 1, 1]"}, {"registers", "json 32"}}));
}

TEST(PerfettoTrace, JoinsVulkanSubmissions) {
  TraceWriter trace;
  trace.packet(Message()
                   .varint(packet::kTimestamp, 10)
                   .add(packet::kVulkanApiEvent,
                        Message().add(2, Message().varint(1, 3).varint(2, 5).varint(3, 6).varint(6, 44))));
  trace.packet(
      Message()
          .varint(packet::kTimestamp, 20)
          .add(packet::kGpuRenderStageEvent,
               Message().varint(stage::kEventId, 1).varint(stage::kDuration, 5).varint(stage::kSubmission, 44)));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run),
            (Names{"vkQueueSubmit 10+3 5/6 runtime_call", "gpu_render_stage 20+5 GPU 0/queue 0 kernel"}));
  EXPECT_EQ(run.timeline.slices.correlation[0], 44);
  EXPECT_EQ(run.timeline.slices.correlation[1], 44);
}

TEST(PerfettoTrace, ReadsLegacyEvents) {
  TraceWriter trace;
  trace.payload(packet::kThreadDescriptor,
                Message().varint(1, 5).varint(2, 6).varint(6, 1000).text(5, "legacy thread"));
  const auto add = [&](char phase, const char* name, int64_t delta_us, Message more = Message()) {
    trace.payload(packet::kTrackEvent,
                  Message()
                      .varint(event::kTimeDelta, static_cast<uint64_t>(delta_us))
                      .text(event::kName, name)
                      .text(event::kCategories, "cat")
                      .add(event::kLegacy, more.varint(legacy::kPhase, static_cast<uint64_t>(phase))));
  };
  add('B', "outer", 1);
  add('X', "complete", 1, Message().varint(legacy::kDuration, 3));
  add('E', "", 8);
  add('b', "request", 0, Message().varint(legacy::kGlobalId, 1));
  add('b', "request", 1, Message().varint(legacy::kGlobalId, 2));
  add('e', "request", 1, Message().varint(legacy::kGlobalId, 1));
  add('e', "request", 3, Message().varint(legacy::kGlobalId, 2));
  add('i', "mark", 0);
  add('s', "flow", 0, Message().varint(legacy::kUnscopedId, 3));
  add('N', "object", 0);
  trace.payload(packet::kTrackEvent, Message()
                                         .text(event::kName, "process_name")
                                         .add(event::kAnnotations, text("name", "the process"))
                                         .add(event::kLegacy, Message().varint(legacy::kPhase, 'M')));
  trace.payload(packet::kTrackEvent, Message()
                                         .varint(event::kTimeDelta, 1)
                                         .text(event::kName, "count")
                                         .add(event::kAnnotations, number("value", 12))
                                         .add(event::kLegacy, Message().varint(legacy::kPhase, 'C')));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run),
            (Names{"outer 1001000+9000 5/6 annotation", "complete 1002000+3000 5/6 annotation",
                   "request 1010000+2000 5/request annotation", "request 1011000+4000 5/request annotation"}));
  EXPECT_EQ(run.timeline.tracks[0].thread_name, "legacy thread");
  EXPECT_EQ(run.timeline.tracks[0].process_name, "the process");
  EXPECT_EQ(run.events.instants, 1);
  EXPECT_EQ(run.events.flows, 1);
  EXPECT_EQ(run.events.skipped, 1);
  EXPECT_EQ(run.timeline.counters.value, (std::vector<double>{12}));
}

TEST(PerfettoTrace, ReadsTheKernelsTracer) {
  const auto event_at = [](uint64_t time, uint64_t thread, uint32_t field, const Message& content) {
    return Message().varint(1, time).varint(2, thread).add(field, content);
  };
  const auto mark = [&](uint64_t time, uint64_t thread, const char* content) {
    return event_at(time, thread, 3, Message().text(2, content));
  };
  const auto to = [&](uint64_t time, uint64_t thread, const char* name) {
    return event_at(time, 0, 4, Message().text(5, name).varint(6, thread));
  };
  TraceWriter trace;
  trace.payload(packet::kProcessTree, Message()
                                          .add(1, Message().varint(1, 50).text(3, "/usr/bin/app --token=x"))
                                          .add(2, Message().varint(1, 51).varint(3, 50).text(2, "render")));
  trace.payload(packet::kFtraceEvents, Message()
                                           .varint(1, 2)
                                           .add(2, to(10, 51, "render"))
                                           .add(2, mark(11, 51, "B|50|draw\n"))
                                           .add(2, mark(13, 51, "E|50\n"))
                                           .add(2, to(14, 0, "swapper"))
                                           .add(2, to(16, 51, "render"))
                                           .add(2, mark(17, 51, "C|50|depth|7\n"))
                                           .add(2, mark(18, 51, "S|50|fetch|3\n"))
                                           .add(2, mark(19, 51, "F|50|fetch|3\n"))
                                           .add(2, mark(19, 51, "N|50|lane|hello\n"))
                                           .add(2, mark(19, 51, "no mark"))
                                           .add(2, event_at(20, 51, 17, Message()))
                                           .varint(3, 1));
  trace.payload(packet::kFtraceEvents, Message().varint(1, 3).add(4, Message()
                                                                         .text(1, std::string("\x64\x05\x05", 3))
                                                                         .text(3, std::string("\x33\x00\x33", 3))
                                                                         .text(5, "render")
                                                                         .text(5, "idle")
                                                                         .text(6, std::string("\x00\x01\x00", 3))));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"draw 11+2 50/51 annotation", "render 10+4 scheduling/CPU 2 other",
                                   "fetch 18+1 50/fetch annotation", "render 100+5 scheduling/CPU 3 other"}));
  EXPECT_EQ(run.timeline.tracks[0].process_name, "app");
  EXPECT_EQ(run.timeline.tracks[0].thread_name, "render");
  EXPECT_EQ(run.timeline.counters.value, (std::vector<double>{7}));
  EXPECT_EQ(run.events.instants, 1);
  EXPECT_EQ(run.events.skipped, 2);
  EXPECT_EQ(run.notes.count("lost_events"), 1);
}

TEST(PerfettoTrace, KnowsNoDurationOfMarksWithoutEnds) {
  const auto mark = [](uint64_t time, const char* content) {
    return Message().varint(1, time).varint(2, 51).add(3, Message().text(2, content));
  };
  TraceWriter trace;
  trace.payload(packet::kFtraceEvents, Message().add(2, mark(10, "B|50|a")).add(2, mark(20, "B|50|b")));
  trace.payload(packet::kFtraceEvents, Message().add(2, mark(90, "C|50|depth|7")));
  EXPECT_EQ(slices_of(read(trace)), (Names{"a 10+0 50/51 annotation", "b 20+0 50/51 annotation"}));
  trace.payload(packet::kFtraceEvents, Message().add(2, mark(30, "E|50")));
  EXPECT_EQ(slices_of(read(trace)), (Names{"a 10+20 50/51 annotation", "b 20+10 50/51 annotation"}));
}

TEST(PerfettoTrace, TakesFactsOfTheWholeTrace) {
  const auto attribute = [](const char* key, const Message& value) {
    return Message().add(1, Message().text(1, key).raw(value.bytes()));
  };
  TraceWriter trace = with_thread();
  trace.payload(packet::kTraceAttributes, attribute("rank", Message().varint(2, 3)));
  trace.payload(packet::kTraceAttributes, attribute("world_size", Message().varint(2, 8)));
  trace.payload(packet::kTraceAttributes, attribute("host", Message().text(3, "node7")));
  trace.payload(packet::kTraceAttributes, attribute("api_key", Message().text(3, "secret")));
  trace.payload(packet::kTraceAttributes, attribute("model", Message().text(3, "resnet")));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(run.rank, 3);
  EXPECT_TRUE(run.rank_known);
  EXPECT_EQ(run.world_size, 8);
  EXPECT_EQ(run.host, "node7");
  EXPECT_EQ(run.metadata, (std::vector<std::pair<std::string, std::string>>{{"model", "resnet"}}));
  EXPECT_EQ(run.notes.count("credentials_present"), 1);
}

}  // namespace
}  // namespace cgpu::perfetto
