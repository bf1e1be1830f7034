#include <gtest/gtest.h>

#include "analysis/common/slices_by_name.h"
#include "analysis/test_tables.h"

namespace cgpu {
namespace {

ProfiledLaunch launch_with(std::optional<double> compute, std::optional<double> memory) {
  ProfiledLaunch launch;
  launch.kernel = "_Z1fi";
  launch.compute_pct = compute;
  launch.memory_pct = memory;
  return launch;
}

Session session_of(std::vector<ProfiledLaunch> launches) {
  Session session;
  Run& run = session.runs.emplace_back();
  run.rank = 3;
  run.launch_metrics.emplace();
  run.launch_metrics->launches = std::move(launches);
  return session;
}

Cell cell_of(const Table& table, size_t row, std::string_view column) {
  return table.cell(row, table.column(column));
}

TEST(LaunchMetrics, WhatLimitsALaunch) {
  const std::vector<std::pair<ProfiledLaunch, Cell>> cases = {
      {launch_with(59.9, 59.9), "latency"},    {launch_with(60, 30), "compute"},
      {launch_with(30, 60), "memory"},         {launch_with(65, 74.9), "balanced"},
      {launch_with(59, 62), "balanced"},       {launch_with(95, 85.1), "balanced"},
      {launch_with(65, 75), "memory"},         {launch_with(0, 0), "latency"},
      {launch_with(std::nullopt, 90), Cell()}, {launch_with(90, std::nullopt), Cell()}};
  for (const auto& [launch, bound] : cases) {
    const Table table = launch_metrics_table(session_of({launch}), {});
    EXPECT_EQ(cell_of(table, 0, "bound"), bound) << launch.compute_pct.value_or(-1);
  }
}

TEST(LaunchMetrics, AbsentIsNotZero) {
  ProfiledLaunch launch = launch_with(std::nullopt, std::nullopt);
  launch.flops_per_s = 10;
  launch.dram_bytes_per_s = 0;
  const Table table = launch_metrics_table(session_of({launch}), {});
  for (const char* column :
       {"grid", "block", "duration_ns", "compute_pct", "registers", "intensity", "device", "stream"}) {
    EXPECT_TRUE(is_absent(cell_of(table, 0, column))) << column;
  }
  EXPECT_EQ(cell_of(table, 0, "rank"), Cell(int64_t{3}));
  EXPECT_EQ(cell_of(table, 0, "kernel"), Cell("f(int)"));
}

TEST(LaunchMetrics, PlaceInTheRoofline) {
  ProfiledLaunch launch = launch_with(10, 20);
  launch.flops_per_s = 3e12;
  launch.dram_bytes_per_s = 1.5e12;
  launch.grid = {{4, 5, 6}};
  launch.device = 2;
  const Table table = launch_metrics_table(session_of({launch}), TableOptions().set(kNamesOption, {"base"}));
  EXPECT_EQ(cell_of(table, 0, "intensity"), Cell(2.0));
  EXPECT_EQ(cell_of(table, 0, "grid"), Cell("4x5x6"));
  EXPECT_EQ(cell_of(table, 0, "kernel"), Cell("f"));
  const Table devices = devices_table(session_of({launch}), {});
  ASSERT_EQ(devices.row_count(), 1u);
  EXPECT_EQ(cell_of(devices, 0, "used"), Cell(int64_t{1}));
}

TEST(LaunchMetrics, RulesAndValuesAreRowsOfTheirOwn) {
  ProfiledLaunch launch = launch_with(10, 20);
  launch.id = 7;
  launch.rules = {{"A", "Occupancy", "optimization", "text", 12.5, "kernel"}, {"B", "", "information", "", {}, ""}};
  Session session = session_of({});
  LaunchMetrics& metrics = *session.runs[0].launch_metrics;
  const StringId name = metrics.names.intern("m");
  launch.metrics = {{name, 0, metrics.names.intern("ns"), 5.0, 0}, {name, 0, 0, {}, metrics.names.intern("on")}};
  metrics.launches = {launch};

  const Table rules = launch_rules_table(session, {});
  ASSERT_EQ(rules.row_count(), 2u);
  EXPECT_EQ(cell_of(rules, 0, "speedup_pct"), Cell(12.5));
  EXPECT_TRUE(is_absent(cell_of(rules, 1, "speedup_pct")));
  EXPECT_TRUE(is_absent(cell_of(rules, 1, "scope")));
  const Table values = launch_values_table(session, {});
  ASSERT_EQ(values.row_count(), 2u);
  EXPECT_EQ(cell_of(values, 0, "value"), Cell(5.0));
  EXPECT_TRUE(is_absent(cell_of(values, 1, "value")));
  EXPECT_EQ(cell_of(values, 1, "text"), Cell("on"));
  EXPECT_EQ(cell_of(values, 1, "id"), Cell(int64_t{7}));

  const Table info = info_table(session, {});
  const auto fact = [&](const std::string& key) {
    for (const RowView row : info.rows()) {
      if (row[0] == Cell(key)) return row[1];
    }
    return Cell();
  };
  EXPECT_EQ(fact("bodies"), Cell("launch metrics"));
  EXPECT_EQ(fact("profiled_launches"), Cell("1"));
}

}  // namespace
}  // namespace cgpu
