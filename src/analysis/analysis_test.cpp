#include "analysis/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/test_timeline.h"
#include "base/error.h"

namespace cgpu {
namespace {

TEST(Analyses, TheUsualOnesAreThereInTheirOrder) {
  const std::vector<std::string> usual = {
      "info",     "notes",     "devices",     "gpu_time",  "streams",        "kernels", "kernel_classes",
      "ops",      "api",       "transfers",   "launches",  "queue",          "idle",    "idle_streams",
      "steps",    "ranges",    "collectives", "memory",    "launch_metrics", "metrics", "call_tree",
      "hot_path", "functions", "callers",     "imbalance", "stalls"};
  std::vector<std::string> names;
  for (const Analysis& analysis : all_analyses()) {
    if (std::find(usual.begin(), usual.end(), analysis.name) != usual.end()) names.push_back(analysis.name);
  }
  EXPECT_EQ(names, usual);
}

TEST(Analyses, AreDescribedAndNamedOnce) {
  std::set<std::string> names;
  for (const Analysis& analysis : all_analyses()) {
    EXPECT_FALSE(analysis.about.empty()) << analysis.name;
    EXPECT_TRUE(names.insert(analysis.name).second) << analysis.name;
    for (const std::string& alias : analysis.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;

    const Session none;
    const Table table = make_table(analysis, SessionFacts(none));
    EXPECT_TRUE(table.empty()) << analysis.name;
    std::set<std::string> columns;
    for (const Column& column : table.columns) {
      EXPECT_FALSE(column.about.empty()) << analysis.name << "." << column.name;
      EXPECT_TRUE(columns.insert(column.name).second) << analysis.name << "." << column.name;
      if (column.name.ends_with("_ns")) {
        EXPECT_EQ(column.unit, "ns") << analysis.name << "." << column.name;
      }
      if (column.name.ends_with("pct")) {
        EXPECT_EQ(column.unit, "%") << analysis.name << "." << column.name;
      }
      if (column.name.ends_with("bytes")) {
        EXPECT_EQ(column.unit, "bytes") << analysis.name << "." << column.name;
      }
    }
  }
}

TEST(Analyses, DeclareWhatTheyAnswerWith) {
  TestRun run;
  const Session session = session_of(run);
  const SessionFacts facts(session);
  for (const Analysis& analysis : all_analyses()) {
    EXPECT_EQ((analysis.fold ? 1 : 0) + (analysis.whole ? 1 : 0) + (analysis.events ? 1 : 0), 1) << analysis.name;
    EXPECT_FALSE(analysis.columns.empty()) << analysis.name;
    const Table table = make_table(analysis, facts);
    for (size_t column = 0; column < analysis.columns.size(); ++column) {
      EXPECT_EQ(table.columns.at(column).name, analysis.columns[column].name) << analysis.name;
      EXPECT_EQ(table.columns.at(column).type, analysis.columns[column].type) << analysis.name;
      if (analysis.columns[column].role == ColumnRole::moment) {
        EXPECT_EQ(analysis.columns[column].unit, "ns") << analysis.name << "." << analysis.columns[column].name;
      }
    }
    for (const std::string& key : analysis.row_slices.keys) {
      EXPECT_EQ(analysis.empty_table().columns[analysis.empty_table().column(key)].role, ColumnRole::key)
          << analysis.name << "." << key;
    }
  }
}

TEST(Analyses, RefuseOptionsThatTheyDoNotDeclare) {
  const auto error_of = [](const std::string& table, const std::string& option, const std::string& value) {
    try {
      make_table(table, Session{}, TableOptions().set(option, {value}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_of("kernels", "names", "base"), "accepted");
  EXPECT_EQ(error_of("kernels", "args", ""), "table kernels has no option --args (it has: --names, --by)");
  EXPECT_EQ(error_of("api", "args", ""), "table api has no option --args (it has none of its own)");
  EXPECT_EQ(error_of("kernels", "names", "long"), "--names: 'long' is none of full, base");
  EXPECT_EQ(error_of("kernels", "by", "step,op"), "accepted");
  EXPECT_EQ(error_of("kernels", "by", "step,,op"), "--by: '' is none of rank, device, stream, step, op, module, range");
  EXPECT_EQ(error_of("hot_path", "threshold", "150"), "--threshold: '150' is no number from 0 to 100");
}

TEST(Analyses, AllAcceptARunWithoutEvents) {
  TestRun run;
  const Session session = session_of(run);
  const SessionFacts facts(session);
  for (const Analysis& analysis : all_analyses()) expect_well_formed(make_table(analysis, facts));
}

TEST(Analyses, FoundByNameAndAlias) {
  EXPECT_EQ(find_analysis("gpu_time").name, "gpu_time");
  EXPECT_EQ(find_analysis("cuda_gpu_kern_sum").name, "kernels");
  EXPECT_EQ(find_analysis("gpukernsum").name, "kernels");
  EXPECT_EQ(find_analysis("cuda_api_sum").name, "api");
  EXPECT_EQ(find_analysis("cuda_gpu_mem_time_sum").name, "transfers");
}

TEST(Analyses, UnknownNameNamesTheNearest) {
  const auto error_of = [](const std::string& name) -> std::string {
    try {
      find_analysis(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "found";
  };
  EXPECT_NE(error_of("kernals").find("did you mean kernels"), std::string::npos) << error_of("kernals");
  EXPECT_NE(error_of("gputime").find("did you mean gpu_time"), std::string::npos) << error_of("gputime");
  EXPECT_NE(error_of("").find("no table is called ''"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
