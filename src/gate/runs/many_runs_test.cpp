#include "gate/runs/many_runs.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cgpu {
namespace {

GivenRun given(const std::string& property, int64_t step_ns, int64_t op_ns = 0) {
  GivenRun run{{"run", {}}, property};
  run.figures.ranks = run.figures.world_size = 1;
  run.figures.devices["H100"] = 1;
  run.figures.steady = 2;
  for (int64_t i = 0; i < 2; ++i) run.figures.iterations[i] = {step_ns, step_ns / 2, 0, step_ns / 2, 1, true, false};
  if (op_ns > 0) run.figures.ops["aten::mm"] = {2, 2 * op_ns, {}};
  return run;
}

template <typename T>
T value(const Table& table, size_t row, const char* column) {
  return std::get<T>(table.cell(row, table.column(column)));
}

TEST(ManyRuns, StatisticsOfValues) {
  const Statistics of = statistics_of({4, 1, 3, 2, 10});
  EXPECT_EQ(of.n, 5U);
  EXPECT_DOUBLE_EQ(of.mean, 4);
  EXPECT_DOUBLE_EQ(of.median, 3);
  EXPECT_DOUBLE_EQ(of.p25, 2);
  EXPECT_DOUBLE_EQ(of.p75, 4);
  EXPECT_DOUBLE_EQ(of.fence_high, 7) << "10 lies outside";
  EXPECT_DOUBLE_EQ(of.fence_low, -1);
  EXPECT_NEAR(*of.deviation, 3.5355339059, 1e-9);
  EXPECT_NEAR(*of.high - 4, 2.7764451052 * 3.5355339059 / 2.2360679775, 1e-8);
  const Statistics one = statistics_of({7});
  EXPECT_FALSE(one.deviation || one.low || one.high) << "one value does not vary";
  EXPECT_EQ(one.fence_high, 7);
}

TEST(ManyRuns, GroupsStandInTheOrderOfTheirNumbers) {
  const ManyRuns many = compare_runs({given("16", 100), given("2", 400), given("16", 120), given("4", 200)}, "ranks");
  ASSERT_EQ(many.groups.row_count(), 3U);
  EXPECT_EQ(value<std::string>(many.groups, 0, "group"), "2");
  EXPECT_EQ(value<std::string>(many.groups, 2, "group"), "16");
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 1, "speedup"), 2);
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 1, "efficiency_pct"), 100);
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 2, "step_ns"), 110);
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 2, "effect"), -1) << "each takes less than the first group's";
  const ManyRuns named = compare_runs({given("b", 100), given("a", 50), given("7", 50)}, "folder");
  EXPECT_EQ(value<std::string>(named.groups, 0, "group"), "b") << "as met, where not all are numbers";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(named.groups.cell(1, named.groups.column("efficiency_pct"))));
}

TEST(ManyRuns, CallPathsOfRunsThatHaveThem) {
  std::vector<GivenRun> runs = {given("", 100), given("", 110), given("", 120), given("", 130)};
  for (size_t run = 0; run < 3; ++run) {
    runs[run].figures.calls = {"TIME", "sec", true, 5, {{"main > work", {1.0 + static_cast<double>(run), 0.5}}}};
  }
  runs[1].figures.calls.paths["main > rare"] = {9, 0};
  const Table statistics = compare_runs(runs, "").statistics;
  const size_t first = statistics.row_count() - 3;
  for (size_t row = first; row < statistics.row_count(); ++row) {
    const bool is_last = row == first + 2;
    EXPECT_EQ(value<std::string>(statistics, row, "kind"), is_last ? "call_exclusive" : "call");
    EXPECT_EQ(value<std::string>(statistics, row, "unit"), "sec");
    EXPECT_EQ(value<int64_t>(statistics, row, "n"), 3) << "the last run has no call tree";
  }
  EXPECT_EQ(value<std::string>(statistics, first, "name"), "main > rare") << "the largest first";
  EXPECT_EQ(value<int64_t>(statistics, first, "missing"), 2);
  EXPECT_DOUBLE_EQ(value<double>(statistics, first, "mean"), 3);
  EXPECT_EQ(value<int64_t>(statistics, first + 1, "missing"), 0);
  EXPECT_DOUBLE_EQ(value<double>(statistics, first + 1, "median"), 2);
  EXPECT_DOUBLE_EQ(value<double>(statistics, first + 1, "deviation"), 1);
}

GivenRun of_tree(const std::string& property, std::optional<double> whole, std::map<std::string, CallFigure> paths,
                 bool is_sum = true) {
  GivenRun run{{"run " + property, {}}, property};
  run.figures.calls = {"TIME", "sec", is_sum, whole, std::move(paths)};
  return run;
}

bool is_absent_at(const Table& table, size_t row, const char* column) {
  return std::holds_alternative<std::monostate>(table.cell(row, table.column(column)));
}

TEST(ManyRuns, CallTreesWithoutATimeline) {
  const std::vector<GivenRun> runs = {of_tree("1", 8, {{"main", {8, 3}}, {"main > work", {5, 5}}}),
                                      of_tree("2", 10, {{"main", {10, 5}}, {"main > work", {5, 5}}}),
                                      of_tree("2", 14, {{"main", {14, 14}}})};
  const ManyRuns many = compare_runs(runs, "ranks", true);
  EXPECT_TRUE(is_absent_at(many.runs, 0, "step_ns")) << "there is no time";
  EXPECT_DOUBLE_EQ(value<double>(many.runs, 2, "total"), 14);
  EXPECT_EQ(value<std::string>(many.runs, 2, "unit"), "sec");
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 1, "total"), 12);
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 1, "speedup"), 8.0 / 12);
  EXPECT_TRUE(is_absent_at(many.groups, 1, "efficiency_pct")) << "a sum over ranks does not shrink with their number";
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 1, "effect"), 1);
  EXPECT_EQ(many.words[0], "3 runs in 2 groups by ranks; TIME is (median of its runs):");
  EXPECT_EQ(many.words[1], "  ranks 1: 8.000 s (1 run)");
  EXPECT_EQ(many.words[2].substr(0, 27), "  ranks 2: 12.000 s (2 runs");
  EXPECT_NE(many.words[2].find(", 1.5 times as much as ranks 1"), std::string::npos) << many.words[2];
  std::map<std::string, size_t> rows;
  for (size_t row = 0; row < many.statistics.row_count(); ++row) {
    rows[value<std::string>(many.statistics, row, "kind") + " " + value<std::string>(many.statistics, row, "name") +
         " " + value<std::string>(many.statistics, row, "group")] = row;
  }
  ASSERT_EQ(rows.size(), 10U) << "the total, two paths with and without what is below, of two groups";
  const size_t exclusive = rows.at("call_exclusive main 2");
  EXPECT_DOUBLE_EQ(value<double>(many.statistics, exclusive, "median"), 9.5);
  const size_t missing = rows.at("call main > work 2");
  EXPECT_EQ(value<int64_t>(many.statistics, missing, "missing"), 1);
  EXPECT_EQ(value<int64_t>(many.statistics, missing, "n"), 2);
  EXPECT_DOUBLE_EQ(value<double>(many.statistics, missing, "mean"), 2.5) << "a run without the call has 0 of it";
}

TEST(ManyRuns, AveragesOfCallTreesAreOfTheLargestPath) {
  const std::vector<GivenRun> runs = {
      of_tree("1", {}, {{"main", {8, 8}}, {"main > work", {8, 8}}, {"init", {1, 1}}}, false),
      of_tree("2", {}, {{"main", {4, 4}}}, false)};
  const ManyRuns many = compare_runs(runs, "ranks", true);
  EXPECT_EQ(value<std::string>(many.statistics, 0, "name"), "TIME of main");
  EXPECT_DOUBLE_EQ(value<double>(many.groups, 1, "efficiency_pct"), 100) << "half the time on twice the ranks";
}

TEST(ManyRuns, CallTreesOfOtherMetricsAreRefused) {
  std::vector<GivenRun> runs = {of_tree("1", 8, {{"main", {8, 8}}}), of_tree("2", 8, {{"main", {8, 8}}})};
  runs[1].figures.calls.unit = "usec";
  const auto refusal = [&] {
    try {
      compare_runs(runs, "", true);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(),
            "run 2: has the metric 'TIME' in usec, other runs have 'TIME' in sec: --metric names one that all "
            "have (table `metrics`)");
  runs[1] = {};
  runs[1].input = "x.json";
  EXPECT_NE(refusal().find("x.json: has neither a timeline nor a call tree"), std::string::npos) << refusal();
}

TEST(ManyRuns, WithoutGroupsAllAreOne) {
  const ManyRuns many = compare_runs({given("", 100, 30), given("", 110), given("", 120, 60)}, "");
  EXPECT_EQ(many.groups.row_count(), 0U);
  EXPECT_EQ(many.runs.row_count(), 3U);
  const Table& statistics = many.statistics;
  bool found = false;
  for (size_t row = 0; row < statistics.row_count(); ++row) {
    if (value<std::string>(statistics, row, "kind") != "op") continue;
    found = true;
    EXPECT_EQ(value<int64_t>(statistics, row, "n"), 3);
    EXPECT_EQ(value<int64_t>(statistics, row, "missing"), 1);
    EXPECT_DOUBLE_EQ(value<double>(statistics, row, "mean"), 30) << "a run without the op has 0 ns of it";
  }
  EXPECT_TRUE(found);
}

TEST(ManyRuns, FewRunsHaveNoOutliers) {
  std::vector<GivenRun> runs = {given("", 100), given("", 101), given("", 102), given("", 900)};
  const auto outlier = [&](size_t run) {
    const Table table = compare_runs(runs, "").runs;
    const Cell cell = table.cell(run, table.column("outlier"));
    return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
  };
  EXPECT_EQ(outlier(3), "");
  runs.push_back(given("", 103));
  EXPECT_EQ(outlier(3), "slow");
  EXPECT_EQ(outlier(4), "");
}

}  // namespace
}  // namespace cgpu
