// The reader of Nsight Systems reports on reports of our own: each must give what an export of the same content gives,
// and every kind of damage what is whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "base/error.h"
#include "readers/common/test_slices.h"
#include "readers/nsys/report/test_report.h"
#include "readers/nsys/test_export.h"
#include "readers/test_read.h"

namespace cgpu::nsys {
namespace {

using test::accounted;
using test::kProcessA;
using test::kProcessB;
using test::Message;
using test::names_of;
using test::read_file;
using test::TestDatabase;
using test::TestFile;
using test::TestReport;

constexpr auto kThreadA = static_cast<uint64_t>(test::kProcessA + 100);
constexpr auto kThreadB = static_cast<uint64_t>(test::kProcessB + 200);

Message device_work(int64_t start, int64_t end, uint64_t correlation, uint64_t device, uint64_t stream, int64_t process,
                    uint32_t kind, const Message& of_kind) {
  return Message()
      .varint(1, static_cast<uint64_t>(start))
      .varint(2, static_cast<uint64_t>(end))
      .varint(3, correlation)
      .varint(4, device)
      .varint(5, 1)
      .varint(6, stream)
      .varint(8, static_cast<uint64_t>(process))
      .add(kind, of_kind);
}

Message call(int64_t start, int64_t end, uint64_t thread, uint64_t event_class, uint64_t name, uint64_t correlation = 0,
             uint64_t result = 0) {
  return Message()
      .varint(1, static_cast<uint64_t>(start))
      .varint(2, static_cast<uint64_t>(end))
      .varint(3, correlation)
      .varint(6, event_class)
      .varint(7, name)
      .varint(8, result)
      .varint(13, thread);
}

Message range(uint64_t type, int64_t start, int64_t end, uint64_t thread) {
  Message message = Message().varint(1, type).varint(2, static_cast<uint64_t>(start)).varint(9, thread);
  return end < 0 ? message : message.varint(10, static_cast<uint64_t>(end));
}

/// The content of test::add_basics, test::add_rows and kMore.
TestReport content() {
  TestReport report;
  for (const char* text :
       {"[Unknown]", "void gemm<float>(int)", "gemm", "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "poll",
        "aten::mm, seq = 7, op_id = 12", "step", "NCCL", "cudaStreamSynchronize_v3020", "cuLaunchKernel", "main thread",
        "cudaGraphLaunch_v10000", "cudaMemsetAsync_v3020", "CUPTI Buffer flush", "Lazy Function Loading"}) {
    report.text(text);
  }
  report.starts_at(1700000000000000000).host("node7");
  for (const uint64_t gpu : {1, 0}) {
    report.gpu(Message()
                   .varint(1, gpu)
                   .text(2, "NVIDIA H100")
                   .varint(11, 84942979072)
                   .varint(14, 132)
                   .varint(30, 32)
                   .varint(41, 9)
                   .varint(42, 0));
  }
  report.options(Message().add(12, Message().varint(1, 1000)).add(26, Message().varint(42, 1).add(30, Message())));

  report.event(48, 108, call(100, 110, kThreadA, 0, 3, 1)).event(48, 108, call(100, 115, kThreadB, 1, 10, 1));
  const Message kernel =
      Message().varint(1, 1).varint(2, 2).varint(10, 64).varint(11, 1).varint(12, 1).varint(13, 256).varint(21, 32);
  report.event(79, 107, device_work(120, 150, 1, 0, 7, kProcessA, 101, kernel));
  report.event(79, 107, device_work(130, 190, 1, 1, 7, kProcessB, 101, kernel)).end_block();
  report.event(48, 108, call(200, 205, kThreadA, 0, 4, 2));
  report.event(
      80, 107,
      device_work(210, 250, 2, 0, 7, kProcessA, 102, Message().varint(1, 4096).varint(2, 1).varint(4, 0).varint(5, 2)));
  report.event(
      80, 107,
      device_work(260, 270, 3, 0, 7, kProcessA, 102, Message().varint(1, 512).varint(2, 2).varint(4, 2).varint(5, 1)));
  report.event(80, 107, device_work(280, 285, 4, 0, 7, kProcessA, 103, Message().varint(1, 64).varint(4, 2)));

  report.event(59, 102, range(59, 90, 300, kThreadA).varint(12, 7).varint(13, 0));
  report.event(59, 102, range(59, 95, 112, kThreadA).varint(12, 6).varint(13, 0));
  report.event(59, 102, range(59, 99, 101, kThreadA).text(7, "ncclAllReduce").varint(13, 3));
  report.event(60, 102, range(60, 96, 400, kThreadA).text(7, "across").varint(11, kThreadB).varint(13, 0));
  report.event(59, 102, range(59, 150, -1, kThreadA).text(7, "open").varint(13, 0));
  report.event(75, 102, range(75, 80, -1, kThreadA).text(7, "NCCL").varint(13, 3));
  report.event(34, 102, range(34, 160, -1, kThreadA).text(7, "mark").varint(13, 0)).end_block();

  report.event(48, 108, call(20, 30, kThreadA, 27, 5).varint(20, 0).add(15, Message().varint(1, 5)));
  report.event(48, 108, call(40, 41, kThreadA, 31, 5)).event(47, 108, call(44, 44, kThreadA, 32, 5));
  report.event(48, 108, call(50, 60, kThreadA, 3, 14, 0, 1)).event(48, 108, call(500, 510, kThreadA, 103, 15, 0, 7));
  report.event(106, 107, device_work(600, 700, 9, 0, 4294967295, kProcessA, 105, Message().varint(1, 2).varint(3, 2)));
  report.event(48, 108, call(590, 710, kThreadA, 0, 9, 9));
  report.event(130, 107, device_work(800, 900, 77, 0, 7, kProcessA, 107, Message().varint(1, 4)));
  report.event(41, 106, Message().varint(1, 10).varint(3, 2).varint(4, 1).varint(6, kThreadA));
  report.event(41, 106, Message().varint(1, 60).varint(3, 2).varint(4, 0).varint(6, kThreadA));
  const Message frame = Message().varint(1, 2).varint(2, 5);
  const Message caller = Message().varint(1, 1).varint(2, 5);
  report.event(
      31, 104,
      Message().varint(1, 12).varint(11, kThreadA).add(5, Message().varint(2, 900)).add(4, frame).add(4, caller));
  report.event(31, 104, Message().varint(1, 13).varint(11, kThreadA));
  report.event(49, 110, Message().add(1, Message().varint(1, 0)).varint(3, 2).text(4, "Not all events were collected"));
  report.event(27, 113, Message().varint(2, static_cast<uint64_t>(kProcessA)).text(6, "python").text(5, "/bin/python"));
  report.event(27, 113, Message().varint(2, static_cast<uint64_t>(kProcessB)).text(5, "/bin/other"));
  report.event(28, 109, Message().varint(1, 5)).event(47, 108, call(1, 1, kThreadA, 6, 5));
  report.event(48, 108, call(1, 2, kThreadA, 102, 5));
  report.thread(kThreadA, 11);
  return report;
}

const std::string kMore = [] {
  const std::string a = std::to_string(kThreadA);
  const std::string process_a = std::to_string(kProcessA);
  return "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
         "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node7');"
         "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
         "INSERT INTO META_DATA_CAPTURE VALUES ('OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS', '1000'),"
         "('PROCESS_0:CUDA_SKIP_SOME_API_CALLS', 'true'), ('PROCESS_0:ENVIRONMENT_VARIABLE', 'A=b');"
         "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, callchainId INTEGER);"
         "INSERT INTO OSRT_API VALUES (20, 30, " +
         a + ", 5, 1), (40, 41, " + a + ", 5, 0), (44, 44, " + a +
         ", 5, 0);"
         "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
         "INSERT INTO PROFILER_OVERHEAD VALUES (50, 60, " +
         a +
         ", 14);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER,"
         "overheadType INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (500, 510, " +
         a +
         ", 15, 7);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER,"
         "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (600, 700, 0, 4294967295, 9, " +
         process_a +
         ", 2);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (590, 710, 0, " +
         a +
         ", 9, 9, 0);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,"
         "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (800, 900, 0, 7, 77, " +
         process_a +
         ", 4);"
         "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);"
         "INSERT INTO SCHED_EVENTS VALUES (10, 2, 1, " +
         a + "), (60, 2, 0, " + a +
         ");"
         "CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INTEGER, cpuCycles INTEGER, globalTid INTEGER);"
         "INSERT INTO COMPOSITE_EVENTS VALUES (1, 12, 900, " +
         a + "), (2, 13, NULL, " + a +
         ");"
         "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);"
         "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 2, 5, 0), (1, 1, 5, 1);"
         "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
         "INSERT INTO DIAGNOSTIC_EVENT VALUES (0, 2, 'Not all events were collected');"
         "CREATE TABLE PROCESSES (globalPid INTEGER, name TEXT);"
         "INSERT INTO PROCESSES VALUES (" +
         process_a + ", 'python'), (" + std::to_string(kProcessB) +
         ", '/bin/other');"
         "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER); INSERT INTO ThreadNames VALUES (11, " +
         a +
         ");"
         "INSERT INTO StringIds VALUES (0, '[Unknown]');";
}();

Run read_report(const std::string& bytes, const std::string& ending = ".nsys-rep") {
  return read_file(TestFile(bytes, ending).path());
}
std::string refusal(const std::string& bytes) {
  try {
    read_report(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "was read";
}
/// What of a run does not depend on whether it was a report or an export.
std::vector<std::string> lines_of(const Run& run) {
  std::vector<std::string> lines;
  const Timeline& timeline = run.timeline;
  const auto add = [&](const auto&... parts) {
    std::ostringstream line;
    ((line << parts << '|'), ...);
    lines.push_back(line.str());
  };
  add(run.host, run.clock_base, run.clock_is_unix, run.events.read);
  for (const Device& device : run.devices) {
    add(device.id, device.name, device.sm_count.value_or(-1), device.memory_bytes.value_or(-1),
        device.compute_capability);
  }
  for (const Track& track : timeline.tracks) {
    add(track.process, track.thread, track.process_name, track.thread_name, static_cast<int>(track.kind));
  }
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    add(timeline.slices.start[i], timeline.slices.duration[i], timeline.name(i), timeline.slices.track[i],
        timeline.categories[timeline.slices.category[i]].name, static_cast<int>(timeline.kind(i)),
        timeline.slices.correlation[i], timeline.slices.source[i]);
  }
  const DeviceOps& ops = timeline.device_ops;
  for (size_t i = 0; i < ops.size(); ++i) add(ops.slice[i], ops.device[i], ops.stream[i], ops.bytes[i]);
  for (const Synchronization& wait : timeline.synchronizations) {
    add(wait.slice, static_cast<int>(wait.kind), wait.device, wait.stream);
  }
  for (const Instant& instant : timeline.instants) add(instant.time, timeline.names[instant.name], instant.track);
  if (run.call_tree) {
    const CallTree& tree = *run.call_tree;
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      add(tree.names[tree.nodes.name[node]], tree.names[tree.nodes.module[node]], tree.nodes.parent[node]);
    }
    for (const Metric& metric : tree.metrics) {
      for (const double value : metric.value) add(metric.name, value);
    }
  }
  for (const Note& note : run.notes.all()) add(note.code, note.count, note.text, note.damage);
  for (const auto& [key, value] : run.metadata) {
    if (key != "nsys_version") add(key, value);
  }
  return lines;
}

TEST(NsysReport, GivesWhatAnExportOfItGives) {
  TestDatabase database;
  test::add_basics(database);
  test::add_rows(database);
  database.sql(kMore).close();
  const cgpu::Run exported = read_file(database.path());
  const TestFile file(content().bytes(), ".nsys-rep");
  const cgpu::Run report = read_file(file.path());
  EXPECT_EQ(report.format, "nsys-rep");
  EXPECT_EQ(report.format_version, "2025.1.1.110");
  EXPECT_EQ(lines_of(report), lines_of(exported));
  EXPECT_EQ(accounted(report), report.events.read);

  // The arguments of an event are read again.
  const auto argument = [](const cgpu::Run& run, SliceKind kind, const std::string& key) {
    for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
      if (run.timeline.kind(i) != kind) continue;
      for (const Argument& one : run.arguments->arguments(run.timeline.slices.source[i])) {
        if (one.key == key) return one.value;
      }
    }
    return std::string("none");
  };
  for (const cgpu::Run* run : {&report, &exported}) {
    EXPECT_EQ(argument(*run, SliceKind::kernel, "shortName"), "gemm");
    EXPECT_EQ(argument(*run, SliceKind::kernel, "gridX"), "64");
    EXPECT_EQ(argument(*run, SliceKind::memcpy, "copyKind"), "1");
    EXPECT_EQ(argument(*run, SliceKind::os_call, "callchainId"), "1");
  }
}

TEST(NsysReport, TheSessionStartsAtAnEdgeOfClocksToo) {
  TestReport report;
  report.text("[Unknown]");
  report.starts_at_edge(1'000'000, 70, 170).event(48, 108, call(1, 2, kThreadA, 0, 0));
  EXPECT_EQ(read_report(report.bytes()).clock_base, 1'000'100);
}

TEST(NsysReport, DevicesAreThoseThatAProcessSees) {
  TestReport report = content();
  report.cuda_device(5, 0, 100);
  const cgpu::Run run = read_report(report.bytes());
  EXPECT_EQ(run.timeline.device_ops.device[0], 5) << "process 100";
  EXPECT_EQ(run.timeline.device_ops.device[1], 1) << "process 200, which nothing describes";
}

TEST(NsysReport, CompressedAndThroughAPipeItIsTheSame) {
  const std::string bytes = content().bytes();
  const std::vector<std::string> want = lines_of(read_report(bytes));
  const TestFile file(test::gzip(bytes), ".nsys-rep.gz");
  const cgpu::Run run = read_file(file.path());
  EXPECT_EQ(lines_of(run), want);
  EXPECT_FALSE(run.arguments->arguments(run.timeline.slices.source[0]).empty());
}

TEST(NsysReport, BlocksThatAreNotKeptAreReadAgainForEachTableOnAnyNumberOfThreads) {
  constexpr int kBlocks = 24;
  const std::string unread(size_t{3} << 20, 'x');  // 72 MB in all, more than is kept
  TestReport report;
  report.text("[Unknown]");
  std::vector<std::string> calls, kernels;
  for (int i = 0; i < kBlocks; ++i) {
    const std::string name = std::to_string(i);
    const auto number = static_cast<uint64_t>(i + 1);
    report.event(48, 108,
                 call(100 * i, 100 * i + 10, kThreadA, 0, report.text("call " + name), number).text(99, unread));
    calls.push_back("call " + name);
    if (i % 3 != 1) {  // not in every block
      report.event(79, 107,
                   device_work(100 * i + 20, 100 * i + 50, number, 0, 7, kProcessA, 101,
                               Message().varint(1, report.text("kernel " + name)).varint(21, 32)));
      kernels.push_back("kernel " + name);
    }
    report.end_block();
  }
  const TestFile file(report.bytes(), ".nsys-rep");
  for (const unsigned threads : {1U, 2U}) {
    const cgpu::Run run = read_file(file.path(), threads);
    EXPECT_EQ(names_of(run, SliceKind::runtime_call), calls);
    EXPECT_EQ(names_of(run, SliceKind::kernel), kernels);
    const auto last = static_cast<SliceIndex>(run.timeline.slices.size() - 1);
    const auto arguments = run.arguments->arguments(run.timeline.slices.source[last]);
    EXPECT_TRUE(std::any_of(arguments.begin(), arguments.end(),
                            [](const Argument& one) { return one.key == "registersPerThread" && one.value == "32"; }));
  }
}

TEST(NsysReport, WhatIsNotUnderstoodIsCountedByName) {
  TestReport report = content();
  report.event(128, 128, Message().varint(1, 5)).event(128, 128, Message().varint(1, 6));
  report.event(48, 108, call(1, 2, kThreadA, 98, 5)).event(900, 555, Message().varint(1, 6)).raw_record();
  const cgpu::Run run = read_report(report.bytes());
  EXPECT_EQ(run.notes.count("unread_event"), 5);
  const std::vector<std::string> lines = lines_of(run);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("900: 1, PerfEventCountEvent: 2, TraceFunctions (OpenCL event): 1, raw records") !=
           std::string::npos;
  }));
}

TEST(NsysReport, ProfilerOverheadHasATypeFromTheVersionOnWhoseExportsHaveIt) {
  for (const auto& [version, key] : {std::pair{"2025.1.3.140", "returnValue"}, {"2025.6.1.190", "overheadType"}}) {
    const TestFile file(content().version(version).bytes(), ".nsys-rep");
    const cgpu::Run run = read_file(file.path());
    EXPECT_EQ(run.format_version, version);
    std::vector<std::string> keys;
    for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
      if (run.timeline.kind(i) != SliceKind::overhead) continue;
      for (const Argument& one : run.arguments->arguments(run.timeline.slices.source[i])) keys.push_back(one.key);
    }
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 1) << version;
  }
}

TEST(NsysReport, TheEnvironmentStaysInIt) {
  const cgpu::Run run = read_report(content().bytes());
  EXPECT_EQ(run.notes.count("credentials_present"), 1);
  for (const std::string& line : lines_of(run)) EXPECT_EQ(line.find("s3cr3t"), std::string::npos) << line;
}

TEST(NsysReport, ACutFileGivesWhatIsWhole) {
  const std::string bytes = content().bytes();
  const cgpu::Run whole = read_report(bytes);
  size_t before = 0;
  bool was_read = false;
  for (size_t size = 60; size < bytes.size(); size += 7) {
    const TestFile file(bytes.substr(0, size), ".nsys-rep");
    try {
      const cgpu::Run run = read_file(file.path());
      was_read = true;
      EXPECT_GE(run.notes.count("truncated_input"), 1) << size;
      EXPECT_EQ(accounted(run), run.events.read);
      EXPECT_GE(run.timeline.slices.size(), before);
      before = run.timeline.slices.size();
    } catch (const Error& error) {
      EXPECT_FALSE(was_read) << size << ": " << error.what();
    }
  }
  EXPECT_EQ(before, whole.timeline.slices.size()) << "where only the directory is missing, all is there";
  const cgpu::Run without_directory = read_report(bytes.substr(0, bytes.size() - 20));
  EXPECT_EQ(names_of(without_directory, SliceKind::kernel), names_of(whole, SliceKind::kernel));
}

TEST(NsysReport, ADamagedBlockIsLeftOutAndCounted) {
  const std::string bytes = content().bytes();
  const cgpu::Run whole = read_report(bytes);
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    for (int flips = 0; flips < 3; ++flips) damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    const TestFile file(damaged, ".nsys-rep");
    try {
      const cgpu::Run run = read_file(file.path(), static_cast<unsigned>(i % 2 + 1));
      EXPECT_EQ(accounted(run), run.events.read);
      EXPECT_LE(run.timeline.slices.size(), 2 * whole.timeline.slices.size());
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(file.path()), std::string::npos) << error.what();
    }
  }
}

TEST(NsysReport, WhatCannotBeReadIsSaid) {
  EXPECT_NE(refusal("NVIDIA Tegra Profiler Report 2025@5@1@121v0.\n\x0b").find("ends before its first event"),
            std::string::npos);
  EXPECT_NE(refusal("NVIDIA Tegra Profiler Report ").find("header that cgpu does not know"), std::string::npos);
  TestReport other = content();
  EXPECT_NE(refusal(other.compression("zstd").bytes()).find("compressed with \"zstd\""), std::string::npos);
}

}  // namespace
}  // namespace cgpu::nsys
