#include <gtest/gtest.h>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TEST(Transfers, ByDirectionAndMemory) {
  TestRun run;
  run.memcpy("HtoD", 0, 10, {CopyKind::HtoD, MemoryKind::pinned, MemoryKind::device, 200});
  run.memcpy("HtoD", 10, 30, {CopyKind::HtoD, MemoryKind::pinned, MemoryKind::device, 600});
  run.memcpy("HtoD", 40, 100, {CopyKind::HtoD, MemoryKind::pageable, MemoryKind::device, 100});
  run.memset("Memset", 140, 5, 64);
  run.kernel("k", 0, 1000);
  run.implausible(run.memset("Memset", 140, 500, 64));
  const Table table = transfers_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(text_at(table, 0, "src_memory"), "pageable");
  EXPECT_EQ(text_at(table, 1, "kind"), "HtoD");
  EXPECT_EQ(text_at(table, 1, "src_memory"), "pinned");
  EXPECT_EQ(text_at(table, 1, "dst_memory"), "device");
  EXPECT_EQ(integer_at(table, 1, "count"), 2);
  EXPECT_EQ(integer_at(table, 1, "bytes"), 800);
  EXPECT_EQ(integer_at(table, 1, "total_ns"), 40);
  EXPECT_EQ(real_at(table, 1, "mean_bytes"), 400.0);
  EXPECT_EQ(real_at(table, 1, "median_bytes"), 400.0);
  EXPECT_DOUBLE_EQ(real_at(table, 1, "bandwidth"), 20.0);
  EXPECT_EQ(text_at(table, 2, "kind"), "Memset");
  EXPECT_TRUE(absent_at(table, 2, "src_memory"));
  EXPECT_EQ(text_at(table, 2, "dst_memory"), "device");
  EXPECT_EQ(integer_at(table, 2, "count"), 1);
}

TEST(Transfers, UnknownBytesAreNeitherZeroNorInTheBandwidth) {
  TestRun run;
  run.memcpy("some say", 0, 10, {CopyKind::DtoH, MemoryKind::device, MemoryKind::pageable, 100});
  run.memcpy("some say", 10, 90, {CopyKind::DtoH, MemoryKind::device, MemoryKind::pageable, -1});
  run.memcpy("none says", 100, 7, {CopyKind::DtoD, MemoryKind::device, MemoryKind::device, -1});
  run.memcpy("no time", 200, 0, {CopyKind::PtoP, MemoryKind::device, MemoryKind::device, 8});
  const Table table = transfers_table(session_of(run), {});
  const size_t some = row_of(table, "kind", "DtoH");
  EXPECT_EQ(integer_at(table, some, "count"), 2);
  EXPECT_EQ(integer_at(table, some, "total_ns"), 100);
  EXPECT_EQ(integer_at(table, some, "bytes"), 100);
  EXPECT_EQ(real_at(table, some, "mean_bytes"), 100.0);
  EXPECT_DOUBLE_EQ(real_at(table, some, "bandwidth"), 10.0);
  const size_t none = row_of(table, "kind", "DtoD");
  for (const char* column : {"bytes", "mean_bytes", "median_bytes", "bandwidth"}) {
    EXPECT_TRUE(absent_at(table, none, column)) << column;
  }
  const size_t instant = row_of(table, "kind", "PtoP");
  EXPECT_EQ(integer_at(table, instant, "bytes"), 8);
  EXPECT_TRUE(absent_at(table, instant, "bandwidth"));
}

TEST(Transfers, PeaksOfWhatTheyGoOver) {
  const auto table_of = [](const std::vector<std::string>& models) {
    TestRun run;
    int32_t number = 0;
    for (const std::string& model : models) {
      const TestOp op{number, 7, OpKind::memory, KernelClass::copy, kNone};
      run.run.devices.push_back({number++, model, "NVIDIA", 108, std::nullopt, 32, "8.0"});
      run.memcpy("HtoD", 0, 100, {CopyKind::HtoD, MemoryKind::pinned, MemoryKind::device, 1575}, op);
      run.memcpy("DtoD", 200, 10, {CopyKind::DtoD, MemoryKind::device, MemoryKind::device, 2039}, op);
      run.memcpy("PtoP", 300, 1, {CopyKind::PtoP, MemoryKind::device, MemoryKind::device, 100}, op);
    }
    return transfers_table(session_of(run), {});
  };
  const Table table = table_of({"NVIDIA A100-SXM4-80GB"});
  expect_well_formed(table);
  const size_t host = row_of(table, "kind", "HtoD");
  EXPECT_EQ(text_at(table, host, "path"), "PCIe 4.0 x16");
  EXPECT_NEAR(real_at(table, host, "peak_bandwidth"), 31.508, 1e-3);
  EXPECT_NEAR(real_at(table, host, "peak_pct"), 50, 0.1);
  const size_t device = row_of(table, "kind", "DtoD");
  EXPECT_DOUBLE_EQ(real_at(table, device, "peak_bandwidth"), 1019.5);
  EXPECT_DOUBLE_EQ(real_at(table, device, "peak_pct"), 20);
  EXPECT_TRUE(absent_at(table, row_of(table, "kind", "PtoP"), "peak_bandwidth"));
  const Table mixed = table_of({"NVIDIA A100-SXM4-80GB", "NVIDIA H100 PCIe"});
  EXPECT_TRUE(absent_at(mixed, row_of(mixed, "kind", "HtoD"), "peak_pct"));
}

/// HPCToolkit counts bytes by direction in its call tree; its trace has the durations.
TEST(Transfers, BytesThatACallTreeHasCounted) {
  TestRun run;
  run.memcpy("<gpu copyin>", 0, 10, {CopyKind::HtoD, MemoryKind::unknown, MemoryKind::unknown, -1});
  run.memcpy("<gpu copyin>", 20, 30, {CopyKind::HtoD, MemoryKind::unknown, MemoryKind::unknown, -1});
  run.memcpy("<gpu copyout>", 60, 5, {CopyKind::DtoH, MemoryKind::unknown, MemoryKind::unknown, -1});
  CallTree& tree = run.run.call_tree.emplace();
  tree.nodes.parent = {kNoNode};
  tree.nodes.kind = {NodeKind::root};
  const auto count = [&](const char* name, double bytes) {
    Metric& metric = tree.metrics.emplace_back();
    metric.name = name;
    metric.node = {0};
    metric.value = {bytes};
  };
  count("GXCOPY:H2D", 800);
  count("GXCOPY:D2D", 64);
  count("GXCOPY:D2H", 0);
  const Table table = transfers_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  const size_t in = row_of(table, "kind", "HtoD");
  EXPECT_EQ(integer_at(table, in, "bytes"), 800);
  EXPECT_EQ(integer_at(table, in, "count"), 2);
  EXPECT_DOUBLE_EQ(real_at(table, in, "bandwidth"), 20.0);
  EXPECT_DOUBLE_EQ(real_at(table, in, "mean_bytes"), 400.0);
  EXPECT_TRUE(absent_at(table, in, "median_bytes"));
  EXPECT_TRUE(absent_at(table, row_of(table, "kind", "DtoH"), "bytes"));
  const size_t within = row_of(table, "kind", "DtoD");  // counted, but not in the trace
  EXPECT_EQ(integer_at(table, within, "bytes"), 64);
  EXPECT_TRUE(absent_at(table, within, "count"));
  EXPECT_TRUE(absent_at(table, within, "bandwidth"));
}

}  // namespace
}  // namespace cgpu
