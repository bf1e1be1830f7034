#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

Session launch_with(const std::map<std::string, double>& metrics) {
  Session session;
  Run& run = session.runs.emplace_back();
  run.rank = 2;
  run.launch_metrics.emplace();
  ProfiledLaunch& launch = run.launch_metrics->launches.emplace_back();
  launch.id = 7;
  launch.kernel = "saxpy";
  for (const auto& [name, value] : metrics) {
    MetricValue metric;
    metric.name = run.launch_metrics->names.intern(name);
    metric.number = value;
    launch.metrics.push_back(metric);
  }
  return session;
}

const std::string kSampled = "smsp__pcsamp_warps_issue_stalled_";
const std::string kAveraged = "smsp__average_warps_issue_stalled_";

TEST(LaunchStalls, SharesAreOfWhatWaited) {
  const Session session = launch_with({{kSampled + "long_scoreboard", 600},
                                       {kSampled + "long_scoreboard_not_issued", 500},
                                       {kSampled + "wait", 300},
                                       {kSampled + "tickled", 100},
                                       {kSampled + "barrier", 0},
                                       {kSampled + "selected", 4000},
                                       {kAveraged + "wait_per_issue_active.ratio", 0}});
  const Table table = launch_stalls_table(session);
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(text_at(table, 0, "reason"), "memory_dependency");
  EXPECT_EQ(text_at(table, 0, "stall"), "long_scoreboard");
  EXPECT_EQ(text_at(table, 0, "kernel"), "saxpy");
  EXPECT_EQ(integer_at(table, 0, "id"), 7);
  EXPECT_EQ(integer_at(table, 0, "rank"), 2);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 60);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "value"), 600);
  EXPECT_EQ(text_at(table, 1, "reason"), "execution_dependency");
  EXPECT_DOUBLE_EQ(real_at(table, 1, "pct"), 30);
  EXPECT_EQ(text_at(table, 2, "reason"), "other");  // a word that is not known
  EXPECT_EQ(text_at(table, 2, "stall"), "tickled");
}

TEST(LaunchStalls, AveragesBeforeSamples) {
  const Session session = launch_with({{kSampled + "wait", 50},
                                       {kAveraged + "wait_per_issue_active.ratio", 1.5},
                                       {kAveraged + "selected_per_issue_active.ratio", 1},
                                       {kAveraged + "no_instruction_per_issue_active.ratio", 0.5}});
  const Table table = launch_stalls_table(session);
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(text_at(table, 0, "unit"), "warps an instruction");
  EXPECT_DOUBLE_EQ(real_at(table, 0, "pct"), 75);
  EXPECT_EQ(text_at(table, 1, "reason"), "instruction_fetch");
  EXPECT_EQ(launch_stalls_table(launch_with({{"sm__cycles_active.avg", 5}})).row_count(), 0U);
}

}  // namespace
}  // namespace cgpu
