// The reader of Nsight Systems exports on databases of our own: what versions lack or changed, and every kind of
// damage.
#include "readers/nsys/nsys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <tuple>

#include "base/error.h"
#include "model/processor_time.h"
#include "readers/common/test_slices.h"
#include "readers/nsys/test_export.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu {
namespace {

using test::accounted;
using test::add_call;
using test::add_kernel;
using test::kProcessA;
using test::kProcessB;
using test::names_of;
using test::read_file;
using test::row;
using test::slices_of;
using test::TestDatabase;
using test::TestFile;

/// Reads a built export; `change` may alter it first.
cgpu::Run read_export(const std::string& change = "", bool rows = true) {
  TestDatabase database;
  test::add_basics(database);
  if (rows) test::add_rows(database);
  database.sql(change).close();
  return read_file(database.path());
}

using Names = std::vector<std::string>;

TEST(NsysReader, EveryTableBecomesWhatItMeans) {
  const cgpu::Run run = read_export();
  EXPECT_EQ(run.format, "nsys-sqlite");
  EXPECT_EQ(run.format_version, "3.25.0");
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 1700000000000000000);
  ASSERT_EQ(run.devices.size(), 2u);
  EXPECT_EQ(run.devices[0].id, 0);
  EXPECT_EQ(run.devices[1].sm_count, 132);
  EXPECT_EQ(run.devices[1].compute_capability, "9.0");

  EXPECT_EQ(names_of(run, SliceKind::runtime_call), (Names{"cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020"}));
  EXPECT_EQ(names_of(run, SliceKind::driver_call), (Names{"cuLaunchKernel"}));
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"void gemm<float>(int)", "void gemm<float>(int)"}));
  EXPECT_EQ(names_of(run, SliceKind::memcpy),
            (Names{"Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)"}));
  EXPECT_EQ(names_of(run, SliceKind::memset), (Names{"Memset (Device)"}));
  EXPECT_EQ(names_of(run, SliceKind::annotation), (Names{"step", "ncclAllReduce", "across", "open"}));
  EXPECT_EQ(names_of(run, SliceKind::framework_op), (Names{"aten::mm"})) << "PyTorch's numbers are no part of the name";
  EXPECT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.events.read, 15);
  EXPECT_EQ(accounted(run), run.events.read);

  const DeviceOps& ops = run.timeline.device_ops;
  EXPECT_EQ(ops.device, (std::vector<int32_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(ops.bytes, (std::vector<int64_t>{-1, -1, 4096, 512, 64}));
  EXPECT_EQ(ops.copy[2], CopyKind::HtoD);
  EXPECT_EQ(ops.source[2], MemoryKind::pageable);
  EXPECT_EQ(ops.destination[3], MemoryKind::pinned);
  EXPECT_EQ(ops.copy[4], CopyKind::memset);
  EXPECT_EQ(ops.destination[4], MemoryKind::device);
}

TEST(NsysReader, CorrelationIdsOfTwoProcessesAreTwoKeys) {
  const cgpu::Run run = read_export();
  const Slices& s = run.timeline.slices;
  const auto kernels = slices_of(run, SliceKind::kernel);
  const SliceIndex call_a = slices_of(run, SliceKind::runtime_call)[0];
  const SliceIndex call_b = slices_of(run, SliceKind::driver_call)[0];
  EXPECT_EQ(s.correlation[kernels[0]], s.correlation[call_a]);
  EXPECT_EQ(s.correlation[kernels[1]], s.correlation[call_b]);
  EXPECT_NE(s.correlation[call_a], s.correlation[call_b]);
  EXPECT_EQ(run.timeline.tracks[s.track[call_a]].process, "100");
  EXPECT_EQ(run.timeline.tracks[s.track[call_b]].thread, "200");
}

TEST(NsysReader, RangesKnowTheirDomainAndTheirThread) {
  const cgpu::Run run = read_export();
  const Timeline& t = run.timeline;
  const auto ranges = slices_of(run, SliceKind::annotation);
  EXPECT_EQ(t.categories[t.slices.category[ranges[0]]].name, "NVTX");
  EXPECT_EQ(t.categories[t.slices.category[ranges[1]]].name, "NVTX NCCL") << "named by a later row";
  EXPECT_EQ(t.tracks[t.slices.track[ranges[2]]].thread, "ranges across threads");
  EXPECT_EQ(t.slices.end(ranges[3]), 400) << "a range that never ended lasts to the last end of a call or range";
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
}

TEST(NsysReader, DomainsOfOneNameStayApart) {
  const std::string thread = std::to_string(test::kProcessA + 100);
  const cgpu::Run run = read_export(
      "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (1, 75, 'library', " + thread +
      ", 8), (2, 75, 'library', " + thread +
      ", 9); INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (10, 20, 59, 'a', " +
      thread + ", 8), (30, 40, 59, 'a', " + thread + ", 9)");
  std::vector<uint16_t> of_library;
  for (const SliceIndex slice : slices_of(run, SliceKind::annotation)) {
    const uint16_t category = run.timeline.slices.category[slice];
    if (run.timeline.categories[category].name == "NVTX library") of_library.push_back(category);
  }
  ASSERT_EQ(of_library.size(), 2U);
  EXPECT_NE(of_library[0], of_library[1]);
}

TEST(NsysReader, WithoutProcessesAllIsOneProcess) {
  const cgpu::Run run = read_export(
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN globalPid TO unknown;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 0, 77, 3, 0)");
  EXPECT_EQ(run.notes.count("missing_process"), 1);
  const auto calls = slices_of(run, SliceKind::runtime_call);
  EXPECT_EQ(run.timeline.slices.correlation[calls.back()], 77);
}

TEST(NsysReader, ColumnsInAnyOrderOrMissing) {
  const cgpu::Run run = read_export(
      "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (shortName TEXT, end INTEGER, "
      "start INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('plain', 20, 10);"
      "DROP TABLE NVTX_EVENTS; CREATE TABLE NVTX_EVENTS (text TEXT, end INTEGER, start INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES ('r', 5, 3); DROP TABLE TARGET_INFO_GPU; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY;"
      "DROP TABLE TARGET_INFO_SESSION_START_TIME");
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"plain"}));
  EXPECT_EQ(names_of(run, SliceKind::annotation), (Names{"r"}));
  EXPECT_FALSE(run.clock_is_unix);
  EXPECT_EQ(accounted(run), run.events.read);
}

TEST(NsysReader, OldFilesNameTheirMetadataTheOtherWayRound) {
  const cgpu::Run run = read_export("ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA");
  EXPECT_EQ(run.format_version, "3.25.0");
}

TEST(NsysReader, EnumerationsOfTheFileWinOverKnownCodes) {
  const cgpu::Run run = read_export(
      "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER, name TEXT, label TEXT);"
      "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, '', 'Unknown'), (1, '', 'Pageable'), (2, '', 'Pinned');");
  EXPECT_EQ(run.timeline.device_ops.source[2], MemoryKind::unknown);
  EXPECT_EQ(run.timeline.device_ops.destination[2], MemoryKind::pinned);
}

TEST(NsysReader, ProcessesCountTheGpusThatTheySee) {
  const cgpu::Run run = read_export(
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 100), (5, 1, 200)");
  EXPECT_EQ(run.timeline.device_ops.device, (std::vector<int32_t>{3, 5, 3, 3, 3}));
}

TEST(NsysReader, OldFilesSayOrdinalsOnceForTheMachine) {
  const std::string columns =
      "ALTER TABLE TARGET_INFO_GPU ADD COLUMN cuDevice INTEGER; UPDATE TARGET_INFO_GPU SET cuDevice = 1 - id;";
  EXPECT_EQ(read_export(columns).timeline.device_ops.device, (std::vector<int32_t>{1, 0, 1, 1, 1}));
  EXPECT_EQ(read_export(columns + "UPDATE TARGET_INFO_GPU SET cuDevice = 0;").timeline.device_ops.device,
            (std::vector<int32_t>{0, 1, 0, 0, 0}))
      << "of two machines";
}

const std::string kGraphs =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ";

TEST(NsysReader, AGraphIsADeviceOpOnlyWhereItsKernelsWereNotRecorded) {
  const cgpu::Run run = read_export(kGraphs + row({500, 600, 0, 7, 9, kProcessA, 4, 5}) + "," +
                                    row({120, 150, 0, 7, 1, kProcessA, 6, 7}));
  EXPECT_EQ(names_of(run, SliceKind::kernel).back(), "CUDA graph 4");
  EXPECT_EQ(names_of(run, SliceKind::device_annotation), (Names{"CUDA graph 6"}));
  EXPECT_EQ(run.timeline.device_ops.size(), 6u);
  EXPECT_EQ(run.notes.count("hidden_graph_kernels"), 1);
}

TEST(NsysReader, WaitsAreNamedByTheirCall) {
  TestDatabase database;
  test::add_basics(database);
  add_call(database, 10, 90, kProcessA + 1, 5, 9);
  database
      .sql(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, streamId "
          "INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES " +
          row({12, 88, 0, 7, 5, kProcessA, 2}) + "," + row({12, 88, 0, 7, 6, kProcessA, 2}))
      .close();
  const cgpu::Run run = read_file(database.path());
  EXPECT_EQ(names_of(run, SliceKind::synchronization), (Names{"Stream Synchronize", "Synchronization"}));
  EXPECT_EQ(run.timeline.device_ops.size(), 0u);
}

TEST(NsysReader, WhatIsSaidOfWaits) {
  TestDatabase database;
  test::add_basics(database);
  database.sql("INSERT INTO StringIds VALUES (50, 'cudaEventSynchronize_v3020'), (51, 'cudaDeviceSynchronize_v3020')");
  add_call(database, 10, 90, kProcessA + 1, 5, 9);
  add_call(database, 100, 110, kProcessA + 1, 6, 50);
  add_call(database, 120, 130, kProcessA + 1, 7, 51);
  database
      .sql(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, streamId "
          "INTEGER, correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
          "eventSyncId INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES " +
          row({12, 88, 0, 7, 5, kProcessA, 0}) + "," + row({101, 109, 0, 4294967295, 6, kProcessA, 77}) + "," +
          row({121, 129, 0, 4294967295, 7, kProcessA, 0}) + "; INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES " +
          row({13, 3, kProcessA, 77}) + "," + row({14, 4, kProcessB, 77}))
      .close();
  using Kind = Synchronization::Kind;
  const cgpu::Run run = read_file(database.path());
  const std::vector<Synchronization>& said = run.timeline.synchronizations;
  ASSERT_EQ(said.size(), 3u);
  const std::vector<Kind> kinds{Kind::host_stream, Kind::host_event, Kind::host_device};
  const std::vector<int64_t> streams{7, 13, -1};
  for (size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(said[i].kind, kinds[i]);
    EXPECT_EQ(said[i].stream, streams[i]);
    EXPECT_EQ(said[i].device, 0);
  }
  ASSERT_EQ(run.timeline.hints.records.size(), 1u);
  EXPECT_EQ(run.timeline.hints.records[0].synchronization, 1u);
  EXPECT_EQ(run.timeline.hints.records[0].correlation, 3);
}

TEST(NsysReader, AWaitForAnEventIsForTheDeviceThatRecordsIt) {
  TestDatabase database;
  test::add_basics(database);
  add_call(database, 10, 90, kProcessA + 1, 5, 9);
  add_kernel(database, 20, 80, kProcessA, 4, 1);
  database
      .sql(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId "
          "INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER);"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
          "correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES " +
          row({12, 88, 0, 2, 7, 5, kProcessA, 77}) + "," + row({12, 88, 0, 2, 7, 5, kProcessA, 78}) +
          "; INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES " + row({0, 1, 13, 3, kProcessA, 77}) + "," +
          row({3, 2, 14, 4, kProcessA, 78}))
      .close();
  const cgpu::Run run = read_file(database.path());
  const std::vector<Synchronization>& waits = run.timeline.synchronizations;
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].device, 1);  // of the kernels of context 1
  EXPECT_EQ(waits[0].stream, 13);
  EXPECT_EQ(waits[1].device, 3);  // context 2 has none
}

TEST(NsysReader, AWaitIsOnTheDeviceOfItsContext) {
  TestDatabase database;
  test::add_basics(database);
  add_call(database, 10, 90, kProcessA + 1, 5, 9);
  add_kernel(database, 20, 80, kProcessA, 4, 1);
  database
      .sql(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId "
          "INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES " +
          row({12, 88, 0, 1, 7, 5, kProcessA}) + "," + row({12, 88, 0, 2, 7, 5, kProcessA}))
      .close();
  const cgpu::Run run = read_file(database.path());
  const std::vector<Synchronization>& waits = run.timeline.synchronizations;
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].device, 1);  // of the kernels of context 1
  EXPECT_EQ(waits[1].device, 0);  // context 2 has none
  const auto track_of = [&](SliceIndex slice) { return run.timeline.slices.track[slice]; };
  EXPECT_EQ(track_of(waits[0].slice), track_of(run.timeline.device_ops.slice[0]));
}

TEST(NsysReader, OnlyTheProfilersOwnOverheadIsItsOverhead) {
  const std::string thread = std::to_string(kProcessA + 1);
  const cgpu::Run run = read_export(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, "
      "overheadType INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (1, 2, " +
          thread + ", 14, 3), (3, 4, " + thread +
          ", 15, 7); CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
          "INSERT INTO OSRT_API VALUES (5, 9, " +
          thread + ", 5), (10, 11, " + thread +
          ", 99); INSERT INTO StringIds VALUES (99, 'OS runtime libraries profiling started')",
      false);
  EXPECT_EQ(names_of(run, SliceKind::overhead),
            (Names{"OS runtime libraries profiling started", "CUPTI Buffer flush"}));
  EXPECT_EQ(names_of(run, SliceKind::other), (Names{"Lazy Function Loading"}));
  EXPECT_EQ(names_of(run, SliceKind::os_call), (Names{"poll"}));
}

TEST(NsysReader, CallsRecordedAgainForTheirBacktraceCountOnce) {
  TestDatabase database;
  test::add_basics(database);
  add_call(database, 10, 20, kProcessA + 1, 5, 3, 0);
  add_call(database, 9, 21, kProcessA + 1, 5, 3, 67);
  database.close();
  const cgpu::Run run = read_file(database.path());
  EXPECT_EQ(slices_of(run, SliceKind::runtime_call).size(), 1u);
  EXPECT_EQ(slices_of(run, SliceKind::other).size(), 1u);
}

TEST(NsysReader, DeviceMemoryAddsUpInOrderOfTime) {
  const std::string process = std::to_string(kProcessA);
  const cgpu::Run run = read_export(
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER, "
      "memKind INTEGER, memoryOperationType INTEGER); INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (30, " +
          process + ", 0, 100, 2, 1), (10, " + process + ", 0, 100, 2, 0), (20, " + process + ", 0, 50, 2, 0), (5, " +
          process + ", 0, 7, 1, 0), (NULL, 0, 0, 1, 2, 0)",
      false);
  const std::vector<MemoryEvent>& events = run.timeline.memory;
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].device, -1) << "pinned memory is the host's";
  EXPECT_EQ(events[1].total_allocated, 100);
  EXPECT_EQ(events[2].total_allocated, 150);
  EXPECT_EQ(events[3].bytes, -100);
  EXPECT_EQ(events[3].total_allocated, 50);
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
  EXPECT_EQ(accounted(run), run.events.read);
}

TEST(NsysReader, GpuCountersHaveTheNamesOfTheirMetrics) {
  const cgpu::Run run = read_export(
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (257, 3, 'SMs Active [Throughput %]');"
      "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);"
      "INSERT INTO GPU_METRICS VALUES (10, 257, 3, 50), (20, 257, 3, 75), (20, 257, 4, 1)",
      false);
  const Counters& counters = run.timeline.counters;
  ASSERT_EQ(counters.tracks.size(), 2u);
  EXPECT_EQ(counters.tracks[0].name, "SMs Active [Throughput %]");
  EXPECT_EQ(counters.tracks[0].process, "GPU 1");
  EXPECT_EQ(counters.value, (std::vector<double>{50, 75, 1}));
}

TEST(NsysReader, SamplesBecomeACallTree) {
  const cgpu::Run run = read_export(
      "INSERT INTO StringIds VALUES (50, 'main'), (51, 'work'), (52, 'leaf'), (53, '/bin/program');"
      "CREATE TABLE COMPOSITE_EVENTS (id INTEGER, start INTEGER, cpuCycles INTEGER);"
      "INSERT INTO COMPOSITE_EVENTS VALUES (1, 10, 100), (2, 20, 100), (1, 30, 200), (9, 40, 100);"
      "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 50, 53, 2), (2, 51, 53, 0), (1, 52, 53, 0), (1, 51, 53, 1), "
      "(2, 50, 53, 1), (3, 50, 53, 0)",
      false);
  ASSERT_TRUE(run.call_tree);
  const CallTree& tree = *run.call_tree;
  Names names;
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) names.push_back(tree.name_of(node));
  EXPECT_EQ(names, (Names{"<root>", "main", "work", "leaf"}));
  EXPECT_EQ(tree.nodes.parent, (std::vector<NodeIndex>{kNoNode, 0, 1, 2}));
  EXPECT_EQ(tree.metrics[0].value, (std::vector<double>{4, 3, 3, 2})) << "the sample without frames is the root's";
  EXPECT_EQ(tree.metrics[1].value, (std::vector<double>{500, 400, 400, 300}));
}

TEST(NsysReader, SamplesOfAThreadAreATrackBesideIt) {
  const cgpu::Run run = read_export(
      "INSERT INTO StringIds VALUES (50, 'main'), (51, 'work'), (52, '0x7f00'), (53, '/lib/libm.so.6'), "
      "(54, '[Broken backtraces]');"
      "CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INTEGER, cpuCycles INTEGER, globalTid INTEGER);"
      "INSERT INTO COMPOSITE_EVENTS VALUES " +
          row({1, 3000, 1, kProcessA + 7}) + "," + row({2, 1000, 1, kProcessA + 7}) + "," +
          row({3, 2000, 1, kProcessA + 7}) + "," + row({4, 90000, 1, kProcessA + 7}) + "," +
          row({5, 500, 1, kProcessA + 8}) +
          ", (6, NULL, 1, NULL);"
          "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);"
          "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 50, 53, 1), (1, 52, 53, 0), (2, 50, 53, 1), (2, 51, 53, 0), "
          "(3, 54, 0, 1), (3, 52, 53, 0), (4, 50, 53, 0)",
      false);
  const Timeline& t = run.timeline;
  using Found = std::vector<std::tuple<std::string, std::string, int64_t, int64_t>>;
  Found found;
  for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
    const Track& track = t.tracks[t.slices.track[slice]];
    EXPECT_EQ(track.kind, TrackKind::other);
    EXPECT_TRUE(track.sampled);
    EXPECT_EQ(t.categories[t.slices.category[slice]].name, kSampleCategory);
    EXPECT_TRUE(std::ranges::any_of(t.tracks, [&](const Track& other) {
      return other.kind == TrackKind::host_thread && other.process == track.process && other.thread == track.thread;
    }));
    found.emplace_back(track.thread, t.name(slice), t.slices.start[slice], t.slices.duration[slice]);
  }
  // The usual distance between samples is 1,000 ns: a sample lasts from the one before it, at most 1,500 ns, and the
  // first one of a thread 1,000 ns, at most since 0.
  EXPECT_EQ(found, (Found{{"7", "work", 0, 1000},
                          {"7", "(unknown function of libm.so.6)", 1000, 1000},
                          {"7", "main", 2000, 1000},
                          {"7", "main", 88500, 1500},
                          {"8", "(unknown function)", 0, 500}}));
  ASSERT_TRUE(run.call_tree && run.call_tree->sampled_nodes);
  const auto place = [&](SliceIndex slice) {
    const NodeIndex node = run.call_tree->sampled_nodes->node_of(t.slices.source[slice]);
    return node == kNoNode ? "nowhere" : run.call_tree->name_of(node);
  };
  EXPECT_EQ(place(0), "work");
  EXPECT_EQ(place(2), "0x7f00");
  EXPECT_EQ(place(3), "main");
  EXPECT_EQ(run.call_tree->sampled_nodes->node_of(kNoSource), kNoNode);
  EXPECT_EQ(run.call_tree->metrics[0].value[0], 6);
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
}

TEST(NsysReader, EnvironmentsAndCredentialsStayInTheFile) {
  const cgpu::Run run = read_export(
      "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT); INSERT INTO META_DATA_CAPTURE VALUES "
      "('PROCESS_0:ENVIRONMENT_VARIABLE', 'HOME=/home/someone'), ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Graph'), "
      "('PROCESS_0:ARGUMENT_1', '--password=x');"
      "INSERT INTO StringIds VALUES (90, 'ghp_0123456789abcdefghijABCDEFGHIJ012345');"
      "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, NULL, 1, NULL, 90, 0)");
  EXPECT_GE(run.notes.count("credentials_present"), 1);
  for (const auto& [key, value] : run.metadata) {
    EXPECT_EQ(value.find("HOME"), std::string::npos);
    EXPECT_EQ(value.find("password"), std::string::npos);
  }
  EXPECT_EQ(names_of(run, SliceKind::annotation).back(), "[hidden]");
}

TEST(NsysReader, DiagnosticsAndUnreadTablesAreNoted) {
  const cgpu::Run run = read_export(
      "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES (-5, 2, 'Not all CUDA events might have been collected.'), (1, 1, 'fine'), "
      "(2, 3, 'broken');"
      "CREATE TABLE GENERIC_EVENTS (timestamp INTEGER); INSERT INTO GENERIC_EVENTS VALUES (1);"
      "CREATE TABLE NET_NIC_METRIC (start INTEGER)");
  EXPECT_EQ(run.notes.count("lost_events"), 1);
  EXPECT_EQ(run.notes.count("profiler_error"), 1);
  EXPECT_EQ(run.notes.count("unread_table"), 1);
}

TEST(NsysReader, WhatIsNoTimeIsCountedAndLeftOut) {
  TestDatabase database;
  test::add_basics(database);
  add_kernel(database, INT64_MIN, INT64_MAX, kProcessA, 1);
  add_kernel(database, 50, 40, kProcessA, 2);
  add_kernel(database, -60, -40, kProcessA, 3, INT64_MAX, INT64_MIN);
  database.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start) VALUES (7)").close();
  const cgpu::Run run = read_file(database.path());
  EXPECT_EQ(run.timeline.slices.start, (std::vector<int64_t>{50, -60}));
  EXPECT_EQ(run.timeline.slices.duration, (std::vector<int64_t>{0, 20}));
  EXPECT_EQ(run.notes.count("invalid_number"), 1);
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
  EXPECT_EQ(run.notes.count("negative_duration"), 1);
  EXPECT_EQ(accounted(run), run.events.read);
}

TEST(NsysReader, ArgumentsAreTheColumnsOfTheRow) {
  TestDatabase database;
  test::add_basics(database);
  test::add_rows(database);
  database.close();
  const cgpu::Run run = read_file(database.path());
  std::vector<std::string> shown;
  for (const Argument& argument :
       run.arguments->arguments(run.timeline.slices.source[slices_of(run, SliceKind::kernel)[1]])) {
    shown.push_back(argument.key + "=" + argument.value + (argument.json ? "" : "'"));
  }
  EXPECT_EQ(shown, (Names{"deviceId=1", "contextId=1", "streamId=7", "correlationId=1",
                          "globalPid=" + std::to_string(kProcessB), "demangledName=void gemm<float>(int)'",
                          "shortName=gemm'", "gridX=64", "registersPerThread=32"}));
  EXPECT_TRUE(run.arguments->arguments(UINT64_MAX).empty());
  EXPECT_THROW(run.arguments->arguments(12345), Error);
}

TEST(NsysReader, OtherDatabasesAreRefusedInOneLine) {
  TestDatabase database;
  database.sql("CREATE TABLE test (a INTEGER)").close();
  try {
    read_file(database.path());
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("without the tables"), std::string::npos) << error.what();
  }
  EXPECT_THROW(open_inputs({database.path()}, {1, "nsys-sqlite", {}}), Error);
}

TEST(NsysReader, ViewsAndVirtualTablesAreNotRun) {
  const cgpu::Run run = read_export(
      "DROP TABLE NVTX_EVENTS; CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE endless(start, end) AS (SELECT 1, 2 UNION ALL "
      "SELECT start + 1, end + 1 FROM endless) SELECT * FROM endless");
  EXPECT_TRUE(slices_of(run, SliceKind::annotation).empty());
}

TEST(NsysReader, CompressedExportsAreRead) {
  TestDatabase database;
  test::add_basics(database);
  test::add_rows(database);
  database.close();
  const TestFile packed(test::gzip(database.bytes()), ".sqlite.gz");
  const cgpu::Run run = read_file(packed.path());
  EXPECT_EQ(run.timeline.device_ops.size(), 5u);
  EXPECT_EQ(run.file, packed.path());
  EXPECT_FALSE(run.arguments->arguments(run.timeline.slices.source[0]).empty()) << "though the copy has gone";
}

TEST(NsysReader, ADatabaseInUseIsReadWithItsLogAndWithoutWaiting) {
  TestDatabase database;
  test::add_basics(database);
  database.sql("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;");
  test::add_rows(database);
  EXPECT_EQ(read_file(database.path()).timeline.device_ops.size(), 5u) << "rows that are only in the log";
  database.sql("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE;");
  EXPECT_EQ(read_file(database.path()).timeline.device_ops.size(), 5u) << "locked by its writer";
}

TEST(NsysReader, AWalDatabaseWithoutItsLogIsRead) {
  TestDatabase database;
  test::add_basics(database);
  test::add_rows(database);
  database.sql("PRAGMA journal_mode=WAL; PRAGMA wal_checkpoint(TRUNCATE)").close();
  const TestFile copy(database.bytes(), ".sqlite");
  EXPECT_EQ(read_file(copy.path()).timeline.device_ops.size(), 5u);
}

/// Reads damaged bytes: a run whose books balance, or an Error of one line.
void expect_an_answer(const std::string& bytes) {
  const TestFile file(bytes, ".sqlite");
  try {
    const cgpu::Run run = read_file(file.path());
    EXPECT_EQ(accounted(run), run.events.read);
    const auto& source = run.timeline.slices.source;
    for (size_t i = 0; i < source.size(); i += source.size() / 8 + 1) {
      try {
        run.arguments->arguments(source[i]);
      } catch (const Error&) {
      }
    }
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

std::string large_export() {
  TestDatabase database;
  test::add_basics(database);
  test::add_rows(database);
  database.sql("BEGIN");
  for (int64_t i = 0; i < 3000; ++i) add_kernel(database, 1000 + 10 * i, 1005 + 10 * i, kProcessA, 10 + i);
  database.sql("COMMIT").close();
  return database.bytes();
}

TEST(NsysReader, EveryTruncationGivesAnAnswer) {
  const std::string bytes = large_export();
  for (size_t part = 0; part < 64; ++part) {
    expect_an_answer(bytes.substr(0, std::max<size_t>(1, bytes.size() * part / 64)));
  }
  const TestFile half(bytes.substr(0, bytes.size() * 3 / 4), ".sqlite");
  const cgpu::Run run = read_file(half.path());
  EXPECT_GT(run.timeline.device_ops.size(), 100u) << "what is there is read";
  EXPECT_LT(run.timeline.device_ops.size(), 3005u);
  EXPECT_EQ(run.notes.count("truncated_input"), 1);
  EXPECT_GE(run.notes.count("damaged_input"), 1);
}

TEST(NsysReader, EveryHeaderByteAndRandomDamageGivesAnAnswer) {
  const std::string bytes = large_export();
  for (size_t i = 16; i < 120; ++i) {
    for (const char value : {'\0', '\xff', '\1'}) {
      std::string damaged = bytes;
      damaged[i] = value;
      expect_an_answer(damaged);
    }
  }
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 50; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    expect_an_answer(damaged);
  }
}

TEST(NsysReader, PagesThatPointInCirclesEnd) {
  // Every page of the tree of kernels points at the page of the root's first child.
  std::string bytes = large_export();
  for (size_t page = 4096; page < bytes.size(); page += 4096) {
    if (bytes[page] != 5) continue;  // an interior page of a table
    const int cells = static_cast<unsigned char>(bytes[page + 3]) << 8 | static_cast<unsigned char>(bytes[page + 4]);
    const std::string self = bytes.substr(page + 8, 4);
    for (int cell = 0; cell < cells; ++cell) {
      const size_t pointer = page + 12 + 2 * static_cast<size_t>(cell);
      const size_t at = page + (static_cast<size_t>(static_cast<unsigned char>(bytes[pointer])) << 8 |
                                static_cast<unsigned char>(bytes[pointer + 1]));
      if (at + 4 <= bytes.size()) bytes.replace(at, 4, self);
    }
  }
  expect_an_answer(bytes);
}

}  // namespace
}  // namespace cgpu
