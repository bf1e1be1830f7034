// A table that is added is seen wherever tables are: in the list, the completion, the answers of the command line in
// every format, the errors about names and options, and the viewer's server.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/analysis.h"
#include "analysis/common/columns.h"
#include "analysis/rows_by_run.h"
#include "base/test_file.h"
#include "cli/cli.h"
#include "serve/viewer.h"
#include "session/open.h"

namespace cgpu {
namespace {

void append_longest(const RunInSession& run, Table& table) {
  const Slices& slices = run.timeline().slices;
  const auto longest = std::max_element(slices.duration.begin(), slices.duration.end());
  if (longest == slices.duration.end()) return;
  const auto slice = static_cast<SliceIndex>(longest - slices.duration.begin());
  table.append({run.run().rank, cell(run.timeline().name(slice)), slices.start[slice], *longest});
}

Analysis longest_analysis() {
  return {.name = "longest_slice",
          .about = "the longest slice of each rank",
          .aliases = {"longest"},
          .columns = {rank_column(), key_column("name", "name of the slice"),
                      moment_column("start_ns", "from the start of the profile"), time_column("duration_ns", "length")},
          .options = {{"loudly", TableOption::Kind::flag, "", "Say it loudly"}},
          .applies = [](const ProfileCounts& counts) { return counts.slices > 0; },
          .fold = fold_of<RowsByRun<append_longest>>};
}

const test::TestFile& trace() {
  static const test::TestFile file(R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 20, "dur": 50, "args": {}}]})");
  return file;
}

class AddedTable : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool added = [] {
      add_analysis(longest_analysis());
      return true;
    }();
    ASSERT_TRUE(added);
  }

  /// What the program writes to a file, for these words and -o FILE.
  static std::string written(std::vector<std::string> words) {
    const test::TestFile file("", ".out");
    words.insert(words.begin(), "cgpu");
    words.insert(words.end(), {"-o", file.path()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data()), 0);
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    return text.str();
  }
  static std::string error_of(std::vector<std::string> words) {
    words.insert(words.begin(), "cgpu");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data()), 2);
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(AddedTable, IsListedWithItsColumnsAndOptions) {
  const auto list = nlohmann::json::parse(written({"table", "--list", "--format", "json"}))["tables"];
  const auto has = [](const nlohmann::json& table, const std::vector<std::string>& beginning) {
    return std::any_of(table["rows"].begin(), table["rows"].end(), [&](const nlohmann::json& row) {
      for (size_t i = 0; i < beginning.size(); ++i) {
        if (row[i] != beginning[i]) return false;
      }
      return true;
    });
  };
  EXPECT_TRUE(has(list["tables"], {"longest_slice", "the longest slice of each rank", "longest", "timeline"}));
  EXPECT_TRUE(has(list["columns"], {"longest_slice", "start_ns", "int", "ns", "moment"}));
  EXPECT_TRUE(has(list["options"], {"longest_slice", "--loudly", "flag"}));
  EXPECT_NE(written({"table", "--list"}).find("longest_slice"), std::string::npos);
}

TEST_F(AddedTable, AnswersInEveryFormat) {
  const std::string file = trace().path();
  const auto json = nlohmann::json::parse(written({"table", file, "longest_slice", "--format", "json"}));
  const nlohmann::json rows = nlohmann::json::parse(R"([[0, "aten::mm", 10000, 50000]])");
  EXPECT_EQ(json["tables"]["longest_slice"]["rows"], rows);
  EXPECT_EQ(written({"table", file, "longest", "--format", "csv"}),
            "rank,name,start_ns,duration_ns\n0,aten::mm,10000,50000\n");
  EXPECT_NE(written({"table", file, "longest_slice", "--loudly"}).find("50.0 us"), std::string::npos);
  EXPECT_NE(written({"table", file, "longest_slice", "--format", "md"}).find("aten::mm"), std::string::npos);
}

TEST_F(AddedTable, IsSpokenOfInErrors) {
  EXPECT_NE(error_of({"table", trace().path(), "longest_slic"}).find("did you mean longest_slice"), std::string::npos);
  EXPECT_EQ(error_of({"table", trace().path(), "longest_slice", "--names", "base"}),
            "cgpu: table longest_slice has no option --names (it has: --loudly)\n");
  EXPECT_EQ(error_of({"table", trace().path(), "kernels", "--loudly"}),
            "cgpu: table kernels has no option --loudly (it has: --names)\n");
}

TEST_F(AddedTable, IsCompleted) {
  testing::internal::CaptureStdout();
  std::string words[] = {"cgpu", "completion", "bash"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data()};
  EXPECT_EQ(run_command_line(3, arguments), 0);
  std::cout.flush();
  EXPECT_NE(testing::internal::GetCapturedStdout().find("longest_slice"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
