#include "readers/rpd/rpd.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/common/sqlite/test_database.h"
#include "readers/test_read.h"

namespace cgpu::rpd {
namespace {

/// A database of schema 2; ids of calls begin far above 2^32, as in those of several processes.
void fill(test::TestDatabase& database) {
  database.sql(R"(
    CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY AUTOINCREMENT, string TEXT);
    CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER, tid INTEGER, start INTEGER, "end" INTEGER,
      apiName_id INTEGER, args_id INTEGER);
    CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY AUTOINCREMENT, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER,
      start INTEGER, "end" INTEGER, description_id INTEGER, opType_id INTEGER);
    CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY AUTOINCREMENT, api_id INTEGER, op_id INTEGER);
    CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT);
    CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, stream TEXT, size INTEGER);
    CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY AUTOINCREMENT, deviceType TEXT, deviceId INTEGER, monitorType TEXT,
      start INTEGER, "end" INTEGER, value TEXT);
    INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'hipMemcpyAsync'), (4, 'UserMarker'),
      (5, 'step 1'), (6, 'KernelExecution'), (7, 'CopyHostToDevice'), (8, 'gemm'), (9, 'Barrier'),
      (10, 'OpTable::writeRows');
    INSERT INTO rocpd_api VALUES (30000000000001, 7, 8, 100, 110, 2, 1), (30000000000002, 7, 8, 120, 130, 3, 1),
      (30000000000003, 7, 8, 90, 400, 4, 5), (30000000000004, 7, 8, 95, 95, 4, 5), (30000000000005, 7, 9, 1, 2, 10, 1);
    INSERT INTO rocpd_op VALUES (1, 2, 0, 0, 200, 260, 8, 6), (2, 2, 0, 0, 270, 300, 1, 7), (3, 2, 1, 0, 300, 310, 1, 9);
    INSERT INTO rocpd_api_ops VALUES (1, 30000000000001, 1), (2, 30000000000002, 2);
    INSERT INTO rocpd_kernelapi VALUES (30000000000001, '0x55aa');
    INSERT INTO rocpd_copyapi VALUES (30000000000002, '0x0', 4096);
    INSERT INTO rocpd_monitor VALUES (1, 'gpu', 2, 'sclk', 100, 200, '1700'), (2, 'gpu', 2, 'sclk', 200, 300, 'none');
  )");
}

TEST(Rpd, CallsOpsAndWhatJoinsThem) {
  test::TestDatabase database;
  fill(database);
  database.close();
  const test::TestFile packed(test::gzip(database.bytes()), ".rpd.gz");
  for (const std::string& path : {database.path(), packed.path()}) {
    const cgpu::Run run = test::read_file(path);
    EXPECT_EQ(run.format, "rpd");
    const Timeline& timeline = run.timeline;
    ASSERT_EQ(timeline.slices.size(), 7U);
    ASSERT_EQ(timeline.device_ops.size(), 2U);
    const SliceIndex kernel = timeline.device_ops.slice[0];
    EXPECT_EQ(timeline.name(kernel), "gemm");
    EXPECT_EQ(timeline.slices.duration[kernel], 60);
    EXPECT_EQ(timeline.device_ops.device[0], 2);
    EXPECT_EQ(timeline.device_ops.stream[0], 1) << "the first stream that is not the default one";
    EXPECT_EQ(timeline.slices.correlation[kernel], timeline.slices.correlation[0]);
    EXPECT_EQ(timeline.device_ops.copy[1], CopyKind::HtoD);
    EXPECT_EQ(timeline.device_ops.bytes[1], 4096);
    EXPECT_EQ(timeline.device_ops.stream[1], 0);
    EXPECT_EQ(timeline.name(2), "step 1");
    EXPECT_EQ(timeline.kind(2), SliceKind::annotation);
    EXPECT_EQ(timeline.kind(3), SliceKind::overhead);
    EXPECT_EQ(timeline.instants.size(), 1U);
    EXPECT_EQ(timeline.counters.value.size(), 1U);
    EXPECT_EQ(run.events.read, test::accounted(run));
  }
}

TEST(Rpd, TablesThatAreMissingOrEmpty) {
  test::TestDatabase database;
  database.sql(
      "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, \"end\" INTEGER, "
      "apiName_id INTEGER);"
      "CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, start INTEGER, \"end\" INTEGER, opType_id "
      "INTEGER);"
      "INSERT INTO rocpd_op VALUES (1, 0, 5, 9, 3), (2, 0, NULL, 9, 3);");
  database.close();
  const cgpu::Run run = test::read_file(database.path());
  EXPECT_EQ(run.timeline.device_ops.size(), 1U);
  EXPECT_EQ(run.events.skipped, 1);
}

TEST(Rpd, CutAnywhere) {
  test::TestDatabase database;
  fill(database);
  database.close();
  const std::string whole = database.bytes();
  for (size_t size = 100; size < whole.size(); size += 997) {
    const test::TestFile file(whole.substr(0, size), ".rpd");
    try {
      const cgpu::Run run = test::read_file(file.path());
      EXPECT_EQ(run.events.read, test::accounted(run));
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace cgpu::rpd
