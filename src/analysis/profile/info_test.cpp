#include <gtest/gtest.h>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

std::string fact(const Table& table, const std::string& key) {
  return text_at(table, row_of(table, "key", key), "value");
}

TEST(Info, OneRun) {
  TestRun run(4);
  run.run.file = "trace.json.gz";
  run.run.format = "kineto";
  run.run.format_version = "1";
  run.run.rank_known = true;
  run.run.world_size = 8;
  run.run.clock_is_unix = true;
  run.run.clock_base = 1'700'000'000'000'000'000;
  run.run.events.read = 10;
  run.run.events.skipped = 1;
  run.run.metadata = {{"devices", "as the profile calls them"}};
  Device device;
  device.name = "NVIDIA H100 80GB HBM3";
  run.run.devices = {device};
  run.add(SliceKind::profiler_span, "PyTorch Profiler (0)", 0, 100'000, run.track(TrackKind::other, "Spans", "0"));
  run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1000, 10);
  run.kernel("k", 1100, 400);
  run.implausible(run.kernel("bad", 1100, 1'000'000'000));
  const Table table = info_table(session_of(run), {});
  expect_well_formed(table);
  EXPECT_EQ(fact(table, "file"), "trace.json.gz");
  EXPECT_EQ(fact(table, "format"), "kineto");
  EXPECT_EQ(fact(table, "format_version"), "1");
  EXPECT_EQ(fact(table, "ranks"), "1");
  EXPECT_EQ(fact(table, "rank_list"), "4");
  EXPECT_EQ(fact(table, "world_size"), "8");
  EXPECT_EQ(fact(table, "devices"), "1");
  EXPECT_EQ(fact(table, "device_names"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(fact(table, "clock"), "unix");
  EXPECT_EQ(fact(table, "start_ns"), "1700000000000001000");
  EXPECT_EQ(fact(table, "span_ns"), "500");
  EXPECT_EQ(fact(table, "events"), "10");
  EXPECT_EQ(fact(table, "skipped_events"), "1");
  EXPECT_EQ(fact(table, "slices"), "4");
  EXPECT_EQ(fact(table, "device_slices"), "2");
  EXPECT_EQ(fact(table, "tracks"), "3");
  EXPECT_EQ(fact(table, "metadata.devices"), "as the profile calls them");
  EXPECT_TRUE(absent_at(table, row_of(table, "key", "host"), "value"));
}

TEST(Info, SeveralRanksAreSummedAndListed) {
  Session session;
  session.inputs = {"ranks/"};
  for (const int64_t rank : {0, 1, 2, 5}) {
    TestRun run(rank);
    run.run.rank_known = true;
    run.run.format = "kineto";
    run.run.clock_is_unix = true;
    run.run.clock_base = 1000 * rank;
    run.run.metadata = {{"cuda", "12.4"}, {"id", "run " + std::to_string(rank)}};
    run.kernel("k", 10, 5);
    session.runs.push_back(std::move(run.run));
  }
  const Table table = info_table(session, {});
  EXPECT_EQ(fact(table, "file"), "ranks/");
  EXPECT_EQ(fact(table, "ranks"), "4");
  EXPECT_EQ(fact(table, "rank_list"), "0-2,5");
  EXPECT_EQ(fact(table, "devices"), "4");
  EXPECT_EQ(fact(table, "device_slices"), "4");
  EXPECT_EQ(fact(table, "start_ns"), "10");
  EXPECT_EQ(fact(table, "span_ns"), "5005");
  EXPECT_EQ(fact(table, "metadata.cuda"), "12.4");
  EXPECT_EQ(fact(table, "metadata.id"), "run 0, run 1, run 2, run 5");

  for (auto& run : session.runs) run.clock_is_unix = false;
  const Table relative = info_table(session, {});
  EXPECT_EQ(fact(relative, "clock"), "relative");
  EXPECT_TRUE(absent_at(relative, row_of(relative, "key", "start_ns"), "value"));
  EXPECT_EQ(fact(relative, "span_ns"), "5");
}

TEST(Notes, MergedOverRanksLossesFirst) {
  TestRun first(0), second(1);
  first.run.notes.add("unsorted", 7, "events out of order");
  first.run.notes.add("truncated_input", 1, "the end is missing", true);
  second.run.notes.add("unsorted", 5, "events out of order");
  second.run.notes.add("unsorted", 100, "another text");
  const Table table = notes_table(session_of(first, second), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(text_at(table, 0, "code"), "truncated_input");
  EXPECT_EQ(integer_at(table, 1, "count"), 100);
  EXPECT_EQ(integer_at(table, 2, "count"), 12);
  EXPECT_EQ(text_at(table, 2, "text"), "events out of order");
}

TEST(Devices, OfTheHeaderAndOfTheOps) {
  TestRun run(2);
  Device known;
  known.name = "NVIDIA H100 80GB HBM3";
  known.vendor = "NVIDIA";
  known.sm_count = 132;
  known.memory_bytes = 85'000'000'000;
  Device unused;
  unused.id = 1;
  unused.name = "A device of no known model";
  run.run.devices = {known, unused};
  run.kernel("k", 0, 5);
  run.kernel("k", 0, 5, {3, 7, OpKind::compute, KernelClass::unknown, kNone});
  const Table table = devices_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "rank"), 2);
  EXPECT_EQ(integer_at(table, 0, "sm_count"), 132);
  EXPECT_EQ(integer_at(table, 0, "memory_bytes"), 85'000'000'000);
  EXPECT_EQ(integer_at(table, 0, "used"), 1);
  EXPECT_GT(real_at(table, 0, "memory_bandwidth"), 3e12);
  EXPECT_NE(text_at(table, 0, "peak_flops").find(" TFLOP/s"), std::string::npos);
  EXPECT_FALSE(absent_at(table, 0, "source"));
  EXPECT_EQ(integer_at(table, 1, "used"), 0);
  for (const char* column : {"vendor", "sm_count", "memory_bytes", "memory_bandwidth", "peak_flops", "source"}) {
    EXPECT_TRUE(absent_at(table, 1, column)) << column;
  }
  EXPECT_EQ(integer_at(table, 2, "device"), 3);
  EXPECT_EQ(integer_at(table, 2, "used"), 1);
  EXPECT_TRUE(absent_at(table, 2, "name"));
}

TEST(Memory, PeaksAndAllocations) {
  TestRun run(1);
  run.run.timeline.memory = {{0, 512, 1000, 4000, 0},
                             {1, -512, 488, 5000, 0},
                             {2, 64, -1, -1, -1},
                             {3, 256, 1500, 4000, 0},
                             {4, -256, 1244, 4000, 0}};
  const Table table = memory_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "device"), -1);
  EXPECT_TRUE(absent_at(table, 0, "peak_allocated_bytes"));
  EXPECT_TRUE(absent_at(table, 0, "peak_reserved_bytes"));
  EXPECT_EQ(integer_at(table, 0, "allocations"), 1);
  EXPECT_EQ(integer_at(table, 1, "rank"), 1);
  EXPECT_EQ(integer_at(table, 1, "peak_allocated_bytes"), 1500);
  EXPECT_EQ(integer_at(table, 1, "peak_reserved_bytes"), 5000);
  EXPECT_EQ(integer_at(table, 1, "allocations"), 2);
}

}  // namespace
}  // namespace cgpu
