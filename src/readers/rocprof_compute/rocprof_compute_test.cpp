#include "readers/rocprof_compute/rocprof_compute.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/common/sqlite/test_database.h"
#include "readers/test_read.h"

namespace cgpu::rocprof_compute {
namespace {

void fill(test::TestDatabase& database) {
  database.sql(R"(
    CREATE TABLE compute_workload(workload_id INTEGER PRIMARY KEY, name TEXT, sys_info_extdata JSON);
    CREATE TABLE compute_metadata(id INTEGER PRIMARY KEY, compute_version TEXT, schema_version TEXT);
    CREATE TABLE compute_metric_definition(metric_uuid INTEGER PRIMARY KEY, workload_id INTEGER, name TEXT, table_name TEXT,
      sub_table_name TEXT, unit TEXT);
    CREATE TABLE compute_kernel(kernel_uuid INTEGER PRIMARY KEY, workload_id INTEGER, kernel_name TEXT);
    CREATE TABLE compute_kernel_roofline_data(roofline_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, total_flops FLOAT,
      hbm_cache_data FLOAT);
    CREATE TABLE compute_dispatch(dispatch_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, dispatch_id INTEGER, gpu_id INTEGER,
      start_timestamp INTEGER, end_timestamp INTEGER);
    CREATE TABLE compute_pcsampling(pc_sampling_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, count INTEGER,
      count_issue INTEGER, count_stall INTEGER, stall_reason JSON);
    CREATE TABLE compute_kernel_metric_value(value_uuid INTEGER PRIMARY KEY, metric_uuid INTEGER, kernel_uuid INTEGER,
      value_name TEXT, value FLOAT);
    INSERT INTO compute_workload VALUES (1, 'w', '{"hostname": "node", "gpu_model": "MI300X", "cu_per_gpu": 304, "x": [1]}');
    INSERT INTO compute_metadata VALUES (1, '3.5.0', '1.3.0');
    INSERT INTO compute_metric_definition VALUES (1, 1, 'L2 Cache BW', 'System Speed-of-Light', 'System Speed-of-Light', 'Gb/s'),
      (2, 1, 'VGPRs', 'Wavefront', 'Wavefront Launch Stats', 'Registers'),
      (3, 1, 'VALU Utilization', 'System Speed-of-Light', 'System Speed-of-Light', 'Percent');
    INSERT INTO compute_kernel VALUES (5, 1, 'f(int)'), (6, 1, 'g');
    INSERT INTO compute_kernel_roofline_data VALUES (1, 5, 8.0, 0.5);
    INSERT INTO compute_dispatch VALUES (1, 5, 0, 2, 1000, 1500), (2, 5, 3, 2, 2000, 2100), (3, 9, 4, 2, 1, 2);
    INSERT INTO compute_pcsampling VALUES (1, 5, 10, 4, 6, '{"WAITCNT": 5, "ALU_DEPENDENCY": 1}'),
      (2, 5, 2, 0, 2, '{"WAITCNT": 2}');
    INSERT INTO compute_kernel_metric_value VALUES (1, 1, 5, 'Avg', 100.0), (2, 1, 5, 'Pct of Peak', 40.0),
      (3, 2, 5, 'Avg', 28.0), (4, 3, 5, 'Pct of Peak', 12.5), (5, 3, 5, 'Peak', NULL), (6, 3, 77, 'Peak', 1);
  )");
}

std::optional<double> value(const cgpu::Run& run, const ProfiledLaunch& launch, const std::string& name) {
  for (const MetricValue& metric : launch.metrics) {
    if (run.launch_metrics->names[metric.name] == name) return metric.number;
  }
  return std::nullopt;
}

TEST(RocprofCompute, LaunchesHaveWhatTheirKernelReached) {
  test::TestDatabase database;
  fill(database);
  database.close();
  const cgpu::Run run = test::read_file(database.path());
  EXPECT_EQ(run.format, "rocprof-compute");
  ASSERT_EQ(run.launch_metrics->launches.size(), 2U);
  const ProfiledLaunch& first = run.launch_metrics->launches[0];
  const ProfiledLaunch& second = run.launch_metrics->launches[1];
  EXPECT_EQ(first.kernel, "f(int)");
  EXPECT_EQ(first.duration_ns, 500);
  EXPECT_EQ(second.duration_ns, 100);
  EXPECT_EQ(first.device, 2);
  EXPECT_EQ(second.l2_pct, 40);
  EXPECT_EQ(second.compute_pct, 12.5);
  EXPECT_EQ(second.registers, 28);
  EXPECT_FALSE(second.dram_pct);
  EXPECT_EQ(first.flops_per_s, 8e9);
  EXPECT_EQ(first.dram_bytes_per_s, 16e9);
  EXPECT_EQ(first.metrics.size(), 5U + 5U) << "values, and sums of samples";
  EXPECT_TRUE(second.metrics.empty());
  EXPECT_EQ(value(run, first, "L2 Cache BW"), 100e9) << "in bytes a second";
  EXPECT_EQ(run.launch_metrics->names[first.metrics[0].unit], "B/s");
  EXPECT_EQ(value(run, first, "VALU Utilization (Peak)"), std::nullopt);
  EXPECT_EQ(value(run, first, "pc_samples_stalled_waitcnt"), 7);
  EXPECT_EQ(value(run, first, "pc_samples"), 12);
  EXPECT_EQ(run.host, "node");
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].name, "MI300X");
  EXPECT_EQ(run.devices[0].id, 2);
  EXPECT_EQ(run.events.skipped, 2);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(RocprofCompute, WithoutAKernelItIsRefused) {
  test::TestDatabase database;
  database.sql(
      "CREATE TABLE compute_kernel(kernel_uuid INTEGER PRIMARY KEY, kernel_name TEXT);"
      "CREATE TABLE compute_dispatch(dispatch_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER);");
  database.close();
  EXPECT_THROW(test::read_file(database.path()), Error);
}

TEST(RocprofCompute, CutAnywhere) {
  test::TestDatabase database;
  fill(database);
  database.close();
  const std::string whole = database.bytes();
  for (size_t size = 100; size < whole.size(); size += 1499) {
    const test::TestFile file(whole.substr(0, size), ".db");
    try {
      const cgpu::Run run = test::read_file(file.path());
      EXPECT_EQ(run.events.read, test::accounted(run));
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace cgpu::rocprof_compute
