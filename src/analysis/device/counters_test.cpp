#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

void sample(Run& run, uint32_t track, int64_t time, double value) {
  run.timeline.counters.track.push_back(track);
  run.timeline.counters.time.push_back(time);
  run.timeline.counters.value.push_back(value);
}

TEST(Counters, MeansOverSamplesAndOverTime) {
  TestRun run(2);
  run.run.timeline.counters.tracks = {{"GPU 1", "SMs Active [Throughput %]"},
                                      {"NPU 0", "HBM 0/Read (B/s)"},
                                      {"4711", "queue"},
                                      {"GPU 12 Counters", "x"}};
  sample(run.run, 0, 100, 10);
  sample(run.run, 1, 100, 5);
  sample(run.run, 0, 400, 30);  // not in order of time
  sample(run.run, 0, 200, 90);
  sample(run.run, 3, 100, std::numeric_limits<double>::quiet_NaN());
  const Table table = counters_table(session_of(run));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2U);  // without samples, or numbers, there is nothing to say
  EXPECT_EQ(integer_at(table, 0, "rank"), 2);
  EXPECT_EQ(integer_at(table, 0, "device"), 1);
  EXPECT_EQ(text_at(table, 0, "name"), "SMs Active [Throughput %]");
  EXPECT_EQ(text_at(table, 0, "unit"), "%");
  EXPECT_EQ(integer_at(table, 0, "samples"), 3);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "min"), 10);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "max"), 90);
  EXPECT_NEAR(real_at(table, 0, "mean"), 130.0 / 3, 1e-12);
  EXPECT_NEAR(real_at(table, 0, "time_mean"), (10.0 * 100 + 90.0 * 200) / 300, 1e-12);
  EXPECT_EQ(integer_at(table, 0, "last_ns") - integer_at(table, 0, "first_ns"), 300);
  EXPECT_EQ(text_at(table, 1, "unit"), "B/s");
  EXPECT_EQ(integer_at(table, 1, "device"), 0);
  EXPECT_TRUE(absent_at(table, 1, "time_mean"));  // one moment
}

TEST(Counters, WhoseTheyAreAndInWhatUnit) {
  TestRun run;
  const std::vector<std::tuple<std::string, std::string, int64_t, std::string>> cases = {
      {"GPU 3", "GPC Clock Frequency [MHz]", 3, "MHz"},
      {"GPU 12 Counters", "power W", 12, "W"},
      {"GPUs", "temperature", -1, ""},
      {"GPU 3x", "Read(MB/s)", -1, "MB/s"},
      {"NPU 0", "APP/DDR/KB", 0, "KB"},
      {"4711", "frames (old)", -1, ""}};
  for (uint32_t i = 0; i < cases.size(); ++i) {
    run.run.timeline.counters.tracks.push_back({std::get<0>(cases[i]), std::get<1>(cases[i])});
    sample(run.run, i, 0, 1);
  }
  const Table table = counters_table(session_of(run));
  for (size_t row = 0; row < cases.size(); ++row) {
    const auto& [owner, name, device, unit] = cases[row];
    if (device < 0) {
      EXPECT_TRUE(absent_at(table, row, "device")) << owner;
    } else {
      EXPECT_EQ(integer_at(table, row, "device"), device);
    }
    if (unit.empty()) {
      EXPECT_TRUE(absent_at(table, row, "unit")) << name;
    } else {
      EXPECT_EQ(text_at(table, row, "unit"), unit) << name;
    }
  }
}

}  // namespace
}  // namespace cgpu
