// What Nsight Systems records besides calls and device ops: NCCL's messages, scheduling, network adapters.
#include <gtest/gtest.h>

#include <array>

#include "readers/nsys/nsys.h"
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
using test::read_file;
using test::TestDatabase;

constexpr int64_t kMain = kProcessA + 100;

cgpu::Run read_closed(TestDatabase& database) {
  database.close();
  return std::move(open_inputs({database.path()}, {1, "", {}}).runs.front());
}
// ---------------------------------------------------------------- messages of NCCL

std::string hex(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", static_cast<unsigned>(value & 0xff));
    text += two.data();
  }
  return text;
}
/// A payload as SQL: the header and fields of (value, bytes).
std::string blob(uint64_t schema, std::initializer_list<std::pair<uint64_t, int>> fields) {
  std::string body;
  for (const auto& [value, bytes] : fields) body += hex(value, bytes);
  const uint64_t size = body.size() / 2;
  return "x'" + hex(3, 4) + hex(0, 4) + hex(schema, 4) + hex(0, 4) + hex(size, 8) + hex(32 + size, 8) + body + "'";
}

constexpr uint64_t kInit = 16777218, kMessage = 16777220, kReduction = 16777223;
constexpr uint64_t kComm = 0xfeedfacecafebeef;

class NcclDatabase : public TestDatabase {
 public:
  NcclDatabase() {
    test::add_basics(*this);
    sql(R"(
      ALTER TABLE NVTX_EVENTS ADD COLUMN jsonText TEXT;
      ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData BLOB;
      CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER, name TEXT,
        offset INTEGER);
      INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES
        (3, 16777218, 0, 18, 'NCCL communicator ID', NULL), (3, 16777218, 1, 5, 'No. of ranks', 8),
        (3, 16777218, 2, 5, 'Rank', 12), (3, 16777220, 0, 18, 'NCCL communicator ID', NULL),
        (3, 16777220, 1, 22, 'Message size [bytes]', 8), (3, 16777223, 0, 18, 'NCCL communicator ID', NULL),
        (3, 16777223, 1, 22, 'Message size [bytes]', 8), (3, 16777223, 2, 16777232, 'Reduction operation', 16);
      INSERT INTO StringIds VALUES (50, 'ncclDevKernel_Generic(ncclDevKernelArgs)');
    )");
  }
  void range(const std::string& name, int64_t start, int64_t end, const std::string& payload = "NULL",
             int64_t thread = kMain, const std::string& json = "NULL") {
    sql("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData, jsonText) VALUES (" +
        std::to_string(start) + ", " + std::to_string(end) + ", 59, '" + name + "', " + std::to_string(thread) +
        ", 3, " + payload + ", " + json + ")");
  }
  /// A kernel of NCCL that is launched at this time.
  void launch(int64_t time, int64_t correlation, int64_t thread = kMain) {
    add_call(*this, time, time + 2, thread, correlation, 3);
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(time + 100) + ", " +
        std::to_string(time + 150) + ", 0, 1, 20, " + std::to_string(correlation) + ", " + std::to_string(kProcessA) +
        ", 50, 50, 1, 1)");
  }
};

TEST(NsysNccl, MessagesBecomeCollectives) {
  NcclDatabase database;
  database.range("ncclCommInitRank", 10, 20, blob(kInit, {{kComm, 8}, {8, 4}, {3, 4}, {0, 8}}));
  database.range("ncclAllReduce", 100, 110, blob(kReduction, {{kComm, 8}, {4096, 8}, {0, 8}}));
  database.launch(105, 1);
  database.range("ncclAllGather", 200, 210, blob(kMessage, {{kComm, 8}, {1000, 8}}));
  database.launch(205, 2);
  database.range("ncclReduceScatter", 300, 310, blob(kReduction, {{kComm, 8}, {500, 8}, {0, 8}}));
  database.launch(305, 3);
  database.launch(400, 4);  // in no range
  const cgpu::Run run = read_closed(database);
  const Timeline& timeline = run.timeline;
  ASSERT_EQ(timeline.collectives.size(), 3u);
  const auto& [reduce, gather, scatter] =
      std::tie(timeline.collectives[0], timeline.collectives[1], timeline.collectives[2]);
  EXPECT_EQ(timeline.names[reduce.name], "allreduce");
  EXPECT_EQ(timeline.names[reduce.group], "0xfeedfacecafebeef");
  EXPECT_EQ(timeline.names[reduce.type], "byte");
  EXPECT_EQ(reduce.elements_in, 4096);
  EXPECT_EQ(reduce.elements_out, 4096);
  EXPECT_EQ(reduce.group_size, 8);
  EXPECT_EQ(timeline.slices.correlation[reduce.slice], 1);
  EXPECT_EQ(timeline.names[gather.name], "allgather");
  EXPECT_EQ(gather.elements_in, 1000);
  EXPECT_EQ(gather.elements_out, 8000);
  EXPECT_EQ(timeline.names[scatter.name], "reduce_scatter");
  EXPECT_EQ(scatter.elements_in, 4000);
  EXPECT_EQ(scatter.elements_out, 500);
  EXPECT_EQ(accounted(run), run.events.read);
}

TEST(NsysNccl, CallsOfAGroupAreLaunchedAtItsEnd) {
  NcclDatabase database;
  const auto message = [](uint64_t comm, uint64_t bytes) { return blob(kMessage, {{comm, 8}, {bytes, 8}}); };
  database.range("ncclGroupStart", 100, 101);
  database.range("ncclSend", 102, 103, message(kComm, 700));
  database.range("ncclGroupStart", 104, 105);  // groups nest
  database.range("ncclRecv", 106, 107, message(kComm, 300));
  database.range("ncclGroupEnd", 108, 109);
  database.range("ncclSend", 110, 111, message(kComm, 50));
  database.range("ncclGroupEnd", 112, 120);
  database.launch(115, 1);
  // Two communicators in one group: which kernel is whose is not known.
  database.range("ncclGroupStart", 200, 201);
  database.range("ncclAllReduce", 202, 203, message(1, 10));
  database.range("ncclAllReduce", 204, 205, message(2, 10));
  database.range("ncclGroupEnd", 206, 220);
  database.launch(210, 2);
  const cgpu::Run run = read_closed(database);
  ASSERT_EQ(run.timeline.collectives.size(), 1u);
  const Collective& both = run.timeline.collectives[0];
  EXPECT_EQ(run.timeline.names[both.name], "send_recv");
  EXPECT_EQ(both.elements_in, 750);
  EXPECT_EQ(both.elements_out, 300);
  EXPECT_EQ(both.group_size, -1) << "the communicator was made before the recording";
}

TEST(NsysNccl, PayloadsAsJson) {
  NcclDatabase database;
  database.range("ncclAllReduce", 100, 110, "NULL", kMain,
                 "'{\"payload\": {\"NCCL communicator ID\": 18446744073709551615, \"Message size [bytes]\": 64}}'");
  database.launch(105, 1);
  database.range("ncclAllGather", 200, 210, "NULL", kMain, "'{\"Message size [bytes]\": 64}'");
  database.launch(205, 2);
  const cgpu::Run run = read_closed(database);
  ASSERT_EQ(run.timeline.collectives.size(), 2u);
  EXPECT_EQ(run.timeline.names[run.timeline.collectives[0].group], "0xffffffffffffffff");
  EXPECT_EQ(run.timeline.collectives[0].elements_in, 64);
  EXPECT_EQ(run.timeline.collectives[1].elements_in, -1) << "of how many ranks is not known";
}

TEST(NsysNccl, BrokenPayloadsAreNone) {
  NcclDatabase database;
  const std::string whole = blob(kReduction, {{kComm, 8}, {4096, 8}, {0, 8}});
  int64_t time = 1000;
  for (size_t size = 0; size <= whole.size() - 3; size += 2, time += 100) {
    database.range("ncclAllReduce", time, time + 10, whole.substr(0, 2 + size) + "'");
  }
  database.range("ncclAllReduce", time, time + 10, "'text'");
  database.range("ncclAllReduce", time + 100, time + 110, blob(kReduction, {{kComm, 8}, {~uint64_t{0}, 8}, {0, 8}}));
  database.range("ncclAllReduce", time + 200, time + 210, "NULL", kMain, "'{\"Message size [bytes]\": '");
  for (int64_t at = 1000; at <= time + 200; at += 100) database.launch(at + 5, at);
  const cgpu::Run run = read_closed(database);
  int64_t with_bytes = 0;
  for (const Collective& collective : run.timeline.collectives) with_bytes += collective.elements_in >= 0;
  EXPECT_EQ(with_bytes, 9) << "whole up to the message size, with 0 to 8 bytes of what follows";
}

// ---------------------------------------------------------------- scheduling

TEST(NsysScheduling, EachProcessorShowsWhatItRan) {
  TestDatabase database;
  test::add_basics(database);
  database.sql(
      "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);"
      "CREATE TABLE ThreadNames (globalTid INTEGER, nameId INTEGER);"
      "INSERT INTO ThreadNames VALUES (" +
      std::to_string(kMain) + ", 11)");
  const auto event = [&](int64_t time, int64_t cpu, int64_t in, int64_t thread) {
    database.sql("INSERT INTO SCHED_EVENTS VALUES " + test::row({time, cpu, in, thread}));
  };
  event(300, 2, 0, kProcessB + 201);  // was there before
  event(100, 1, 1, kMain);
  event(150, 1, 0, kMain);
  event(150, 1, 1, kProcessB + 201);
  event(180, 1, 1, kMain);  // how the other left was not seen
  event(190, 1, 0, kMain);
  event(200, 1, 1, kProcessB + 201);  // stays
  event(310, 2, 1, kMain);
  event(330, 2, 0, kMain);
  const cgpu::Run run = read_closed(database);
  std::vector<std::string> seen;
  const Slices& slices = run.timeline.slices;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    EXPECT_EQ(run.timeline.kind(i), SliceKind::other);
    seen.push_back(run.timeline.tracks[slices.track[i]].thread + ": " + std::string(run.timeline.name(i)) + " " +
                   std::to_string(slices.start[i]) + "-" + std::to_string(slices.end(i)));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"processor 1: main thread (process 100, thread 100) 100-150",
                                            "processor 1: process 200, thread 201 150-180",
                                            "processor 1: main thread (process 100, thread 100) 180-190",
                                            "processor 1: process 200, thread 201 200-200",
                                            "processor 2: main thread (process 100, thread 100) 310-330"}));
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
  EXPECT_EQ(run.notes.count("unread_table"), 0);
  EXPECT_EQ(accounted(run), run.events.read);
}

// ---------------------------------------------------------------- network

TEST(NsysNetwork, AdaptersAndSwitchesAreCounters) {
  TestDatabase database;
  test::add_basics(database);
  database.sql(
      "CREATE TABLE TARGET_INFO_NIC_INFO (nicId INTEGER, name TEXT); INSERT INTO TARGET_INFO_NIC_INFO VALUES (7, "
      "'mlx5_0');"
      "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER, metricsIdx INTEGER, name TEXT);"
      "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (1, 0, 'Bytes sent');"
      "CREATE TABLE NET_NIC_METRIC (start INTEGER, end INTEGER, globalId INTEGER, portId INTEGER, metricsListId "
      "INTEGER,"
      " metricsIdx INTEGER, value INTEGER);"
      "INSERT INTO NET_NIC_METRIC VALUES (10, 20, 7, 1, 1, 0, 500), (20, 30, 7, 1, 1, 0, 700), (20, 30, 8, 1, 1, 1, 3),"
      " (NULL, 30, 7, 1, 1, 0, 1);"
      "CREATE TABLE NET_IB_SWITCH_METRIC (start INTEGER, globalId INTEGER, metricsListId INTEGER, metricsIdx INTEGER,"
      " value REAL); INSERT INTO NET_IB_SWITCH_METRIC VALUES (5, 9, 1, 0, 0.5)");
  const cgpu::Run run = read_closed(database);
  const Counters& counters = run.timeline.counters;
  ASSERT_EQ(counters.tracks.size(), 3u);
  EXPECT_EQ(counters.tracks[0].process, "NIC mlx5_0");
  EXPECT_EQ(counters.tracks[0].name, "Bytes sent, port 1");
  EXPECT_EQ(counters.tracks[1].process, "NIC 8");
  EXPECT_EQ(counters.tracks[1].name, "metric 1, port 1");
  EXPECT_EQ(counters.tracks[2].process, "switch 9");
  EXPECT_EQ(counters.time, (std::vector<int64_t>{10, 20, 20, 5}));
  EXPECT_EQ(counters.value, (std::vector<double>{500, 700, 3, 0.5}));
  EXPECT_EQ(run.events.skipped, 1);
  EXPECT_EQ(accounted(run), run.events.read);
}

}  // namespace
}  // namespace cgpu
