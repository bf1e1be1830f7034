// The reader of nvprof's databases on databases of our own: every table, what versions lack, and every kind of damage.
// tests/nvprof_test.py compares larger ones with SQL.
#include "readers/nvprof/nvprof.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/error.h"
#include "readers/common/sqlite/test_database.h"
#include "readers/common/test_slices.h"
#include "readers/nvprof/api_names.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu {
namespace {

using test::accounted;
using test::names_of;
using test::read_file;
using test::slices_of;
using test::TestDatabase;
using test::TestFile;

/// A process and a thread as 12 bytes of SQL; or a device, a context and a stream.
std::string object(uint32_t first, uint32_t second, uint32_t third = 0) {
  std::string text = "x'";
  for (const uint32_t number : {first, second, third}) {
    for (int byte = 0; byte < 4; ++byte) {
      const auto value = static_cast<unsigned char>(number >> (8 * byte));
      text += "0123456789abcdef"[value >> 4];
      text += "0123456789abcdef"[value & 15];
    }
  }
  return text + "'";
}

constexpr int64_t kZero = 1'500'000'000'000'000'000;  // 2017

/// Tables as CUDA 10's nvprof wrote them, with those of their columns that are read and some that are not. Times are
/// kZero + what is written.
std::string tables() {
  return R"(
    CREATE TABLE Version (version INTEGER);
    INSERT INTO Version VALUES (11);
    CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL UNIQUE);
    INSERT INTO StringTable VALUES (1, 'Tesla V100-SXM2-16GB'), (2, '_Z4gemmPf'), (3, 'step'), (4, 'mm, seq = 7'),
      (5, 'mark'), (6, 'solver'), (7, 'main thread'), (8, 'copies'), (9, 'a.cpp');
    CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (_id_ INTEGER PRIMARY KEY, globalMemorySize INT, numThreadsPerWarp INT,
      numMultiprocessors INT, computeCapabilityMajor INT, computeCapabilityMinor INT, id INT, uuid BLOB, name INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (1, 16945512448, 32, 80, 7, 0, 0, x'00', 1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_CONTEXT (_id_ INTEGER PRIMARY KEY, contextId INT, deviceId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_CONTEXT VALUES (1, 1, 0);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT,
      threadId INT, correlationId INT, returnValue INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT,
      threadId INT, correlationId INT, returnValue INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY, cacheConfig BLOB, start INT, end INT,
      completed INT, deviceId INT, contextId INT, streamId INT, gridX INT, registersPerThread INT, correlationId INT,
      name INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind INT,
      bytes INT, start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
      runtimeCorrelationId INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY2 (_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind INT,
      bytes INT, start INT, end INT, deviceId INT, streamId INT, srcDeviceId INT, dstDeviceId INT, correlationId INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (_id_ INTEGER PRIMARY KEY, value INT, bytes INT, start INT, end INT,
      deviceId INT, streamId INT, correlationId INT, memoryKind INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER PRIMARY KEY, flags INT, timestamp INT, id INT, objectKind INT,
      objectId BLOB, name INT, domain INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_NAME (_id_ INTEGER PRIMARY KEY, objectKind INT, objectId BLOB, name INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (_id_ INTEGER PRIMARY KEY, overheadKind INT, objectKind INT,
      objectId BLOB, start INT, end INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (_id_ INTEGER PRIMARY KEY, type INT, start INT, end INT,
      correlationId INT, contextId INT, streamId INT, cudaEventId INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (_id_ INTEGER PRIMARY KEY, correlationId INT, contextId INT,
      streamId INT, eventId INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_ENVIRONMENT (_id_ INTEGER PRIMARY KEY, deviceId INT, timestamp INT,
      environmentKind INT, data BLOB);
    CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER (_id_ INTEGER PRIMARY KEY, counterKind INT, value INT,
      start INT, end INT, srcId INT, dstId INT, streamId INT, processId INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMORY (_id_ INTEGER PRIMARY KEY, memoryKind INT, bytes INT, start INT, end INT,
      deviceId INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH (_id_ INTEGER PRIMARY KEY, eventKind INT, start INT, end INT,
      cuProcessId INT, cuThreadId INT, srcFile INT, lineNo INT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_METRIC (_id_ INTEGER PRIMARY KEY, id INT, value BLOB, correlationId INT);
  )";
}

std::string at(int64_t time) {
  return std::to_string(kZero + time);
}
std::string insert(const std::string& table, const std::string& values) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_" + table + " VALUES " + values + ";";
}

/// Rows of every table: a thread 4294967200 that calls write with its sign.
std::string rows() {
  const std::string thread = object(100, 4294967200U);
  std::string sql;
  sql += insert("RUNTIME", "(1, 211, " + at(100) + ", " + at(110) + ", 100, -96, 1, 0), (2, 41, " + at(200) + ", " +
                               at(205) + ", 100, -96, 2, 0), (3, 131, " + at(290) + ", " + at(400) +
                               ", 100, -96, 7, 0), (4, 135, " + at(260) + ", " + at(261) +
                               ", 100, -96, 5, 0), (5, 99999, " + at(500) + ", " + at(501) + ", 100, -96, 9, 0)");
  sql += insert("DRIVER", "(1, 307, " + at(101) + ", " + at(109) + ", 100, -96, 1, 0)");
  sql +=
      insert("CONCURRENT_KERNEL", "(1, x'00', " + at(120) + ", " + at(150) +
                                      ", 0, 0, 1, 7, 64, 32, 1, 2), (2, x'00', 0, 0, 0, 0, 1, 7, " + "64, 32, 3, 2)");
  sql += insert("MEMCPY", "(1, 1, 1, 3, 4096, " + at(210) + ", " + at(250) + ", 0, 1, 7, 2, 0)");
  sql += insert("MEMCPY2", "(1, 10, 3, 3, 512, " + at(255) + ", " + at(258) + ", 0, 8, 0, 1, 4)");
  sql += insert("MEMSET", "(1, 0, 64, " + at(280) + ", " + at(285) + ", 0, 7, 6, 3)");
  sql += insert("MARKER", "(1, 2, " + at(90) + ", 1, 2, " + thread + ", 3, 0), (2, 2, " + at(95) + ", 2, 2, " + thread +
                              ", 4, 0), (3, 4, " + at(112) + ", 2, 2, " + thread + ", 0, 0), (4, 4, " + at(300) +
                              ", 1, 2, " + thread + ", 0, 0), (5, 1, " + at(160) + ", 3, 2, " + thread +
                              ", 5, 0), (6, 2, " + at(170) + ", 4, 2, " + thread + ", 3, 6), (7, 4, " + at(180) +
                              ", 4, 2, " + object(100, 5) + ", 0, 6), (8, 2, " + at(190) + ", 5, 2, " + thread +
                              ", 3, 0), (9, 4, " + at(195) + ", 77, 2, " + thread + ", 0, 0), (10, 4, " + at(199) +
                              ", 6, 2, " + thread + ", 0, 0), (11, 2, " + at(197) + ", 6, 2, " + thread + ", 3, 0)");
  sql += insert("NAME",
                "(1, 1, " + object(100, 0) + ", 6), (2, 2, " + thread + ", 7), (3, 5, " + object(0, 1, 8) + ", 8)");
  sql += insert("OVERHEAD", "(1, 65536, 2, " + thread + ", " + at(410) + ", " + at(420) + "), (2, 1, 2, " + thread +
                                ", " + at(430) + ", " + at(440) + ")");
  sql += insert("SYNCHRONIZATION", "(1, 3, " + at(291) + ", " + at(399) + ", 7, 1, 7, 0), (2, 1, " + at(600) + ", " +
                                       at(610) + ", 8, 1, 4294967295, 3)");
  sql += insert("CUDA_EVENT", "(1, 5, 1, 8, 3), (2, 20, 1, 9, 3)");
  sql += insert("ENVIRONMENT", "(1, 0, " + at(50) + ", 1, " + object(1530, 877) + "), (2, 0, " + at(60) + ", 3, " +
                                   object(61500, 300000) + "), (3, 0, " + at(70) + ", 9, " + object(1, 1) + ")");
  sql += insert("UNIFIED_MEMORY_COUNTER", "(1, 1, 65536, " + at(20) + ", " + at(30) + ", 4294967295, 0, 7, 100), " +
                                              "(2, 3, 1, " + at(40) + ", 0, 4294967295, 4294967295, 0, 100), (3, 4, " +
                                              "12, " + at(41) + ", " + at(44) + ", 0, 0, 0, 100)");
  sql += insert("MEMORY", "(1, 3, 100, " + at(10) + ", " + at(700) + ", 0), (2, 3, 50, " + at(15) + ", 0, 0)");
  sql += insert("OPENACC_LAUNCH", "(1, 4, " + at(99) + ", " + at(111) + ", 100, -96, 9, 12)");
  sql += insert("METRIC", "(1, 5, x'00', 1)");
  return sql;
}

/// Reads a built database; `change` may alter it first.
cgpu::Run read_rows(const std::string& change = "") {
  TestDatabase database;
  database.sql(tables()).sql(rows()).sql(change).close();
  return read_file(database.path());
}

using Names = std::vector<std::string>;
TEST(NvprofReader, EveryTableBecomesWhatItMeans) {
  const cgpu::Run run = read_rows();
  EXPECT_EQ(run.format, "nvprof");
  EXPECT_EQ(run.format_version, "11");
  EXPECT_TRUE(run.clock_is_unix);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].name, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(run.devices[0].sm_count, 80);
  EXPECT_EQ(run.devices[0].memory_bytes, 16945512448);
  EXPECT_EQ(run.devices[0].compute_capability, "7.0");

  EXPECT_EQ(names_of(run, SliceKind::runtime_call),
            (Names{"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize", "cudaEventRecord",
                   "CUDA runtime call 99999"}));
  EXPECT_EQ(names_of(run, SliceKind::driver_call), (Names{"cuLaunchKernel"}));
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"_Z4gemmPf"}));
  EXPECT_EQ(names_of(run, SliceKind::memcpy),
            (Names{"Memcpy HtoD (Pageable -> Device)", "Memcpy PtoP (Device -> Device)",
                   "Memcpy UVM HtoD (Managed -> Managed)"}));
  EXPECT_EQ(names_of(run, SliceKind::memset), (Names{"Memset (Device)"}));
  EXPECT_EQ(names_of(run, SliceKind::framework_op), (Names{"mm"}));
  EXPECT_EQ(names_of(run, SliceKind::annotation), (Names{"step", "step", "step", "step", "OpenACC enqueue launch"}));
  EXPECT_EQ(names_of(run, SliceKind::overhead), (Names{"CUPTI buffer flush"}));
  EXPECT_EQ(names_of(run, SliceKind::other), (Names{"driver compiler", "GPU page faults"}));
  EXPECT_EQ(run.timeline.instants.size(), 2u) << "a mark, and a fault of the processor";
  EXPECT_EQ(accounted(run), run.events.read);
  EXPECT_EQ(run.notes.count("skipped_event"), 2) << "a kernel without times, a figure of an unknown kind";
  EXPECT_EQ(run.notes.count("unread_table"), 1) << "values of metrics, which have no names in the file";

  const DeviceOps& ops = run.timeline.device_ops;
  EXPECT_EQ(ops.device, (std::vector<int32_t>{0, 0, 0, 0, 0}));
  EXPECT_EQ(ops.stream, (std::vector<int64_t>{7, 7, 8, 7, -1}));
  EXPECT_EQ(ops.bytes, (std::vector<int64_t>{-1, 4096, 512, 64, 65536}));
}

TEST(NvprofReader, CallsAndMarkersOfAThreadLieOnOneTrack) {
  const cgpu::Run run = read_rows();
  const Timeline& t = run.timeline;
  const SliceIndex call = slices_of(run, SliceKind::runtime_call)[0];
  const SliceIndex range = slices_of(run, SliceKind::annotation)[0];
  EXPECT_EQ(t.slices.track[call], t.slices.track[range]);
  const Track& track = t.tracks[t.slices.track[call]];
  EXPECT_EQ(track.process, "100");
  EXPECT_EQ(track.thread, "4294967200");
  EXPECT_EQ(track.process_name, "solver");
  EXPECT_EQ(track.thread_name, "main thread");
  const SliceIndex kernel = slices_of(run, SliceKind::kernel)[0];
  EXPECT_EQ(t.slices.correlation[kernel], t.slices.correlation[call]);
  const Track& stream = t.tracks[t.slices.track[slices_of(run, SliceKind::memcpy)[1]]];
  EXPECT_EQ(stream.thread_name, "copies");
}

TEST(NvprofReader, RangesAreMadeOfTheirTwoEnds) {
  const cgpu::Run run = read_rows();
  const Timeline& t = run.timeline;
  const auto ranges = slices_of(run, SliceKind::annotation);
  EXPECT_EQ(t.slices.start[ranges[0]], kZero + 90);
  EXPECT_EQ(t.slices.duration[ranges[0]], 210);
  EXPECT_EQ(t.slices.duration[slices_of(run, SliceKind::framework_op)[0]], 17);
  EXPECT_EQ(t.tracks[t.slices.track[ranges[1]]].thread, "ranges across threads");
  EXPECT_EQ(t.categories[t.slices.category[ranges[1]]].name, "NVTX solver") << "the domain";
  EXPECT_EQ(t.slices.end(ranges[2]), kZero + 501) << "never ended: to the end of the last call";
  EXPECT_EQ(t.slices.flags[ranges[2]], kNeverEnded);
  EXPECT_EQ(t.slices.duration[ranges[3]], 2) << "the end is before the begin";
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
}

TEST(NvprofReader, WaitsSayWhatTheyWaitFor) {
  const cgpu::Run run = read_rows();
  const auto& waits = run.timeline.synchronizations;
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].kind, Synchronization::Kind::host_stream);
  EXPECT_EQ(waits[0].stream, 7);
  EXPECT_EQ(waits[0].device, 0);
  EXPECT_EQ(waits[1].kind, Synchronization::Kind::host_event);
  EXPECT_EQ(waits[1].stream, 8) << "of the two times that the event was recorded, the one before the wait";
  ASSERT_EQ(run.timeline.hints.records.size(), 1u);
  EXPECT_EQ(run.timeline.hints.records[0].correlation, 5);
}

TEST(NvprofReader, FiguresOfTheDevicesAndMemory) {
  const cgpu::Run run = read_rows();
  const Counters& c = run.timeline.counters;
  ASSERT_EQ(c.tracks.size(), 4u);
  EXPECT_EQ(c.tracks[0].name, "SM clock (MHz)");
  EXPECT_EQ(c.value, (std::vector<double>{1530, 877, 61.5, 300}));
  const auto& memory = run.timeline.memory;
  ASSERT_EQ(memory.size(), 3u);
  EXPECT_EQ(memory[1].total_allocated, 150);
  EXPECT_EQ(memory[2].bytes, -100);
  EXPECT_EQ(memory[2].total_allocated, 50);
}

TEST(NvprofReader, ArgumentsAreTheColumnsOfTheRow) {
  TestDatabase database;
  database.sql(tables()).sql(rows()).close();
  const cgpu::Run run = read_file(database.path());
  const auto value = [&](SliceKind kind, const std::string& key) {
    for (const Argument& one : run.arguments->arguments(run.timeline.slices.source[slices_of(run, kind).back()])) {
      if (one.key == key) return one.value;
    }
    return std::string("none");
  };
  EXPECT_EQ(value(SliceKind::kernel, "registersPerThread"), "32");
  EXPECT_EQ(value(SliceKind::kernel, "cacheConfig"), "none");
  EXPECT_EQ(value(SliceKind::annotation, "srcFile"), "a.cpp");
}

TEST(NvprofReader, OldVersionsNumberCallsOfTheRuntimeApart) {
  const cgpu::Run run = read_rows("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET correlationId = 1, runtimeCorrelationId = 2");
  const SliceIndex copy = slices_of(run, SliceKind::memcpy)[0];
  EXPECT_EQ(run.timeline.slices.correlation[copy], 2);
  const cgpu::Run driver_only = read_rows(
      "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET correlationId = 1, runtimeCorrelationId = 2; "
      "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  EXPECT_EQ(driver_only.timeline.slices.correlation[slices_of(driver_only, SliceKind::memcpy)[0]], 1);
}

TEST(NvprofReader, ColumnsAndTablesMayBeMissing) {
  TestDatabase database;
  database
      .sql(
          "CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringTable VALUES (1, 'k');"
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (name INT, end INT, start INT);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 20, 10)")
      .close();
  const cgpu::Run run = read_file(database.path());
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"k"}));
  EXPECT_FALSE(run.clock_is_unix) << "it counts from something else than 1970";
  EXPECT_EQ(run.timeline.device_ops.device[0], -1);
}

TEST(NvprofReader, SeveralProcessesAreNoted) {
  EXPECT_EQ(read_rows().notes.count("missing_process"), 0);
  const cgpu::Run run =
      read_rows("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (9, 211, " + at(1) + ", " + at(2) + ", 200, 1, 99, 0)");
  EXPECT_EQ(run.notes.count("missing_process"), 1);
}

TEST(NvprofReader, DamagedFilesAreReadAsFarAsTheyGoOrRefused) {
  TestDatabase database;
  database.sql("PRAGMA page_size = 512").sql(tables()).sql(rows()).close();
  const std::string whole = database.bytes();
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole.substr(0, i % 4 == 0 ? random() % whole.size() : whole.size());
    for (int change = 0; change < 3 && bytes.size() > 200; ++change) {
      bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    }
    const TestFile file(bytes, ".nvvp");
    try {
      const cgpu::Run run = read_file(file.path());
      EXPECT_EQ(accounted(run), run.events.read);
    } catch (const Error&) {
      // refused in a line
    }
  }
}

TEST(NvprofReader, NumbersOfCalls) {
  EXPECT_EQ(nvprof::api_name(nvprof::Api::runtime, 13), "cudaLaunch");
  EXPECT_EQ(nvprof::api_name(nvprof::Api::runtime, 165), "cudaDeviceSynchronize");
  EXPECT_EQ(nvprof::api_name(nvprof::Api::runtime, 311), "cudaGraphLaunch");
  EXPECT_EQ(nvprof::api_name(nvprof::Api::driver, 1), "cuInit");
  EXPECT_EQ(nvprof::api_name(nvprof::Api::driver, 307), "cuLaunchKernel");
  EXPECT_EQ(nvprof::api_name(nvprof::Api::driver, 514), "cuGraphLaunch");
  for (const int64_t number : {int64_t{-1}, int64_t{0}, int64_t{100'000}, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(nvprof::api_name(nvprof::Api::runtime, number), "");
  }
}

}  // namespace
}  // namespace cgpu
