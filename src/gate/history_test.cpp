#include "gate/history.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/test_sanitized.h"
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

/// A hundred nights of 40 parts. From night 37 on one kernel, and the op that launches it, take 5 % of the step more;
/// from night 71 on a kernel replaces another one and takes 4 % of the step more, and the memory grows by a tenth.
std::vector<CheckedRun> nights(uint64_t seed, double noise) {
  constexpr int64_t kStep = 10'000'000;
  constexpr int64_t kHost = 2'000'000;  // of a step, without device ops
  RandomNumbers random(seed);
  std::vector<CheckedRun> runs;
  for (int64_t night = 0; night < 100; ++night) {
    CheckedRun run{"nightly/night" + std::to_string(night) + ".cgpu", {}};
    RunFigures& figures = run.figures;
    figures.recorded = night * 86'400'000'000'000;
    figures.ranks = figures.world_size = 1;
    figures.devices["H100"] = 1;
    figures.peak_bytes = (night < 71 ? 1000 : 1100) * (int64_t{1} << 20);
    const double machine = 1 + noise * random.normal();
    figures.steady = 20;
    int64_t busy = 0;
    const auto add = [&](TimeFigures& figures_of_kind, const std::string& name, double share) {
      const double time = share * kStep * machine * (1 + noise * random.normal());
      figures_of_kind[name] = {20, static_cast<int64_t>(20 * time), 0.001, 0};
      return static_cast<int64_t>(time);
    };
    for (int part = 0; part < 20; ++part) {
      const bool slow = part == 7 && night >= 37;
      const bool replaced = part == 12 && night >= 71;
      const double share = 0.04 + (slow ? 0.05 : 0) + (replaced ? 0.04 : 0);
      busy += add(figures.kernels, replaced ? "kernel_new" : "kernel" + std::to_string(part), share);
      add(figures.ops, "op" + std::to_string(part), share);
    }
    for (int64_t i = 0; i < 20; ++i) {
      const auto wall = static_cast<int64_t>(static_cast<double>(busy + kHost) * (1 + noise * random.normal()));
      figures.iterations[i] = {wall, busy, 0, wall - busy, 1, true, false};
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

TEST(History, OfAHundredNightsNamesThePlantedRegressionsAndNothingElse) {
  const auto text = [](const Table& table, size_t row, const char* column) {
    return std::get<std::string>(table.cell(row, table.column(column)));
  };
  const auto number = [](const Table& table, size_t row, const char* column) {
    return std::get<int64_t>(table.cell(row, table.column(column)));
  };
  for (uint64_t seed = 0; seed < (kSanitized ? 1 : 20); ++seed) {
    SCOPED_TRACE(seed);
    const History history = history_of(nights(seed, 0.005));
    ASSERT_EQ(history.change_points.row_count(), 2U) << testing::PrintToString(history.changed);
    EXPECT_EQ(number(history.change_points, 0, "run"), 37);
    EXPECT_EQ(number(history.change_points, 0, "before_run"), 36);
    EXPECT_EQ(number(history.change_points, 1, "run"), 71);
    EXPECT_EQ(text(history.change_points, 0, "verdict"), "regression");
    EXPECT_EQ(text(history.change_points, 1, "verdict"), "regression");
    std::map<int64_t, std::set<std::string>> moved;  // by change point
    for (size_t row = 0; row < history.parts.row_count(); ++row) {
      moved[number(history.parts, row, "change_point")].insert(text(history.parts, row, "name") + " " +
                                                               text(history.parts, row, "verdict"));
    }
    EXPECT_EQ(moved[0], (std::set<std::string>{"busy slower", "kernel7 slower", "op7 slower"}));
    EXPECT_EQ(moved[1], (std::set<std::string>{"busy slower", "kernel12 gone", "kernel_new new", "op12 slower"}));
    EXPECT_NE(text(history.change_points, 1, "changed").find("peak_allocated +10.0%"), std::string::npos);
    EXPECT_EQ(text(history.latest, 0, "verdict"), "pass") << text(history.latest, 0, "why");
  }
}

TEST(History, LevelsAndQuartilesAreThoseOfTheRuns) {
  std::vector<CheckedRun> runs;
  for (int64_t i = 0; i < 20; ++i) runs.push_back(run_at(i, i < 10 ? 1000 : 1100));
  for (auto& [number, iteration] : runs[3].figures.iterations) iteration.wall_ns += 1000 * number;
  const History history = history_of(runs);
  const auto at = [&](size_t row, const char* column) {
    return std::get<double>(history.runs.cell(row, history.runs.column(column)));
  };
  EXPECT_EQ(at(3, "step_p25_ns"), 1'001'000);
  EXPECT_EQ(at(3, "step_ns"), 1'002'000);
  EXPECT_EQ(at(3, "step_p75_ns"), 1'003'000);
  for (size_t row = 0; row < 20; ++row) EXPECT_EQ(at(row, "level_ns"), row < 10 ? 1'000'000 : 1'100'000);
}

TEST(History, TheLastRunIsJudgedByItsLevel) {
  std::vector<CheckedRun> runs;
  for (int64_t i = 0; i < 20; ++i) runs.push_back(run_at(i, 1000 + static_cast<double>(i % 3)));
  runs.push_back(run_at(20, 1300));
  const History history = history_of(runs);
  EXPECT_TRUE(history.changes.empty());  // one run is no level
  ASSERT_EQ(history.latest.row_count(), 1U);
  EXPECT_EQ(std::get<std::string>(history.latest.cell(0, history.latest.column("verdict"))), "regression");
  EXPECT_NE(history.judged.find("against the 20 runs of its level before it: regression"), std::string::npos)
      << history.judged;
  EXPECT_EQ(history_of({run_at(0, 1000)}).judged, "");
}

TEST(History, FewRunsSaySo) {
  const History history = history_of({run_at(0, 1000), run_at(1, 2000)});
  EXPECT_TRUE(history.changes.empty());
  EXPECT_EQ(history.remarks.size(), 1U);
}

}  // namespace
}  // namespace cgpu
