#include "analysis/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/test_timeline.h"
#include "base/error.h"

namespace cgpu {
namespace {

TEST(Analyses, ThoseOfTheContractAreThereInItsOrder) {
  const std::vector<std::string> contract = {
      "info",     "notes",     "devices",     "gpu_time",  "streams",        "kernels", "kernel_classes",
      "ops",      "api",       "transfers",   "launches",  "queue",          "idle",    "idle_streams",
      "steps",    "ranges",    "collectives", "memory",    "launch_metrics", "metrics", "call_tree",
      "hot_path", "functions", "callers",     "imbalance", "stalls"};
  std::vector<std::string> names;
  for (const Analysis& analysis : all_analyses()) {
    if (std::find(contract.begin(), contract.end(), analysis.name) != contract.end()) names.push_back(analysis.name);
  }
  EXPECT_EQ(names, contract);
}

TEST(Analyses, AreDescribedAndNamedOnce) {
  std::set<std::string> names;
  for (const Analysis& analysis : all_analyses()) {
    EXPECT_FALSE(analysis.about.empty()) << analysis.name;
    EXPECT_TRUE(names.insert(analysis.name).second) << analysis.name;
    for (const std::string& alias : analysis.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;

    const Table table = analysis.run(Session{}, {});
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

TEST(Analyses, AllAcceptARunWithoutEvents) {
  TestRun run;
  const Session session = session_of(run);
  for (const Analysis& analysis : all_analyses()) expect_well_formed(analysis.run(session, {}));
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
