#include "gate/history.h"

#include <gtest/gtest.h>

#include "gate/statistics/random_numbers.h"

namespace cgpu {
namespace {

CheckedRun run_at(int64_t recorded, double step_us, int64_t peak = 1000) {
  CheckedRun run{"run" + std::to_string(recorded), {}};
  run.figures.recorded = recorded;
  run.figures.ranks = run.figures.world_size = 1;
  run.figures.devices["H100"] = 1;
  run.figures.peak_bytes = peak;
  for (int64_t i = 0; i < 5; ++i) {
    run.figures.iterations[i] = {static_cast<int64_t>(step_us * 1000), 1000, 0, 1000, 1, true, false};
  }
  return run;
}

TEST(History, FindsTheChangeWhateverTheOrderOfTheFiles) {
  RandomNumbers random(1);
  std::vector<CheckedRun> runs;
  for (int64_t i = 0; i < 30; ++i) {
    const int64_t at = (i * 7) % 30;  // each once
    runs.push_back(run_at(at, (at < 18 ? 1000 : 1080) * (1 + 0.005 * random.normal()), at < 9 ? 1000 : 1500));
  }
  const History history = history_of(runs);
  ASSERT_EQ(history.runs.row_count(), 30U);
  for (size_t row = 0; row < 30; ++row) {
    EXPECT_EQ(std::get<std::string>(history.runs.cell(row, history.runs.column("input"))), "run" + std::to_string(row));
  }
  ASSERT_EQ(history.changes.row_count(), 2U);
  EXPECT_EQ(std::get<std::string>(history.changes.cell(0, 0)), "step_time");
  EXPECT_EQ(std::get<int64_t>(history.changes.cell(0, 1)), 18);
  EXPECT_NEAR(std::get<double>(history.changes.cell(0, history.changes.column("change_pct"))), 8, 0.6);
  EXPECT_EQ(std::get<std::string>(history.changes.cell(1, 0)), "peak_allocated");
  EXPECT_EQ(std::get<int64_t>(history.changes.cell(1, 1)), 9);
  EXPECT_TRUE(history.remarks.empty());
}

TEST(History, UnlikeRunsAreSeriesOfTheirOwn) {
  std::vector<CheckedRun> runs;
  for (int64_t i = 0; i < 24; ++i) {
    runs.push_back(run_at(i, i % 2 == 0 ? 1000 : 3000));
    if (i % 2 == 1) runs.back().figures.devices = {{"A100", 1}};
  }
  const History history = history_of(runs);
  EXPECT_TRUE(history.changes.empty());
  ASSERT_EQ(history.remarks.size(), 1U);
  EXPECT_EQ(std::get<int64_t>(history.runs.cell(3, history.runs.column("series"))), 1);
}

CheckedRun sampled_at(int64_t recorded, double seconds, const std::string& metric = "CPUTIME",
                      const char* unit = "sec") {
  CheckedRun run{"run" + std::to_string(recorded), {}};
  run.figures.recorded = recorded;
  run.figures.ranks = run.figures.world_size = 1;
  run.figures.calls.metric = metric;
  run.figures.calls.unit = unit;
  run.figures.calls.whole = seconds;
  return run;
}

TEST(History, OfCallTreesFollowsTheirMetric) {
  RandomNumbers random(2);
  std::vector<CheckedRun> runs;
  for (int64_t i = 0; i < 20; ++i) runs.push_back(sampled_at(i, (i < 12 ? 3 : 3.5) * (1 + 0.005 * random.normal())));
  for (int64_t i = 20; i < 23; ++i) runs.push_back(sampled_at(i, 5000, "samples", ""));
  const History history = history_of(runs);
  const auto at = [&](size_t row, const char* column) { return history.runs.cell(row, history.runs.column(column)); };
  EXPECT_TRUE(is_absent(at(0, "step_ns")));
  EXPECT_EQ(std::get<std::string>(at(0, "metric")), "CPUTIME");
  EXPECT_EQ(std::get<double>(at(0, "value")), *runs[0].figures.calls.whole);
  EXPECT_EQ(std::get<std::string>(at(0, "unit")), "sec");
  EXPECT_EQ(std::get<int64_t>(at(20, "series")), 1);  // another metric
  EXPECT_TRUE(is_absent(at(20, "change_pct")));
  EXPECT_EQ(std::get<double>(at(21, "change_pct")), 0);
  ASSERT_EQ(history.changes.row_count(), 1U);
  EXPECT_EQ(std::get<std::string>(history.changes.cell(0, 0)), "CPUTIME");
  EXPECT_EQ(std::get<int64_t>(history.changes.cell(0, 1)), 12);
  EXPECT_NEAR(std::get<double>(history.changes.cell(0, history.changes.column("before"))), 3, 0.03);
  EXPECT_TRUE(is_absent(history.changes.cell(0, history.changes.column("before_ns"))));
  EXPECT_EQ(std::get<std::string>(at(12, "level")).front(), '+');
  EXPECT_NE(history.changed[0].find(" s to 3."), std::string::npos) << history.changed[0];
}

TEST(History, FewRunsSaySo) {
  const History history = history_of({run_at(0, 1000), run_at(1, 2000)});
  EXPECT_TRUE(history.changes.empty());
  EXPECT_EQ(history.remarks.size(), 1U);
}

}  // namespace
}  // namespace cgpu
