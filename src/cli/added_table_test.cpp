// A table that is added is seen wherever tables are: in the list, the completion,
// the manual page, the answers of the command line in every format, the errors about names and options, SQL, summaries,
// an opened profile, and the viewer's server. Only the report, which tells a story, chooses its tables itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/analysis.h"
#include "analysis/common/columns.h"
#include "analysis/rows_by_run.h"
#include "base/error.h"
#include "base/test_file.h"
#include "cli/cli.h"
#include "serve/viewer.h"
#include "session/opened_profile.h"
#include "session/profile_source.h"
#include "sql/database.h"

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
  static std::string written(const std::vector<std::string>& words) {
    const test::TestFile file("", ".out");
    write(words, file);
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    return text.str();
  }
  static void write(std::vector<std::string> words, const test::TestFile& file) {
    words.insert(words.begin(), "cgpu");
    words.insert(words.end(), {"-o", file.path()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data()), 0);
  }
  /// What it prints.
  static std::string printed(std::vector<std::string> words) {
    words.insert(words.begin(), "cgpu");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data()), 0);
    std::cout.flush();
    return testing::internal::GetCapturedStdout();
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
            "cgpu: table kernels has no option --loudly (it has: --names, --by)\n");
}

TEST_F(AddedTable, IsCompletedAndInTheManual) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_NE(printed({"completion", shell}).find("longest_slice"), std::string::npos) << shell;
  }
  EXPECT_NE(printed({"manpage"}).find("longest_slice"), std::string::npos);
}

TEST_F(AddedTable, IsATableInSql) {
  const std::string select = "SELECT name, duration_ns FROM longest_slice";
  EXPECT_EQ(written({"sql", trace().path(), select, "--format", "csv"}), "name,duration_ns\naten::mm,50000\n");
  const test::TestFile database("", ".sqlite");
  write({"export", trace().path()}, database);
  EXPECT_NO_THROW(do_statement(open_sqlite(database.path()).get(), select));
}

TEST_F(AddedTable, IsKeptInSummaries) {
  const test::TestFile summary("", ".cgpu");
  write({"summarize", trace().path()}, summary);
  EXPECT_EQ(written({"table", summary.path(), "longest_slice", "--format", "csv"}),
            "rank,name,start_ns,duration_ns\n0,aten::mm,10000,50000\n");
}

TEST_F(AddedTable, IsInAnOpenedProfile) {
  const OpenedProfile profile(InputOptions{.inputs = {trace().path()}});
  const Table list = profile.tables();
  EXPECT_EQ(list.values(0).text(list.row_count() - 1), "longest_slice");
  EXPECT_EQ(profile.table("longest").values(3).integer(0), 50'000);
  EXPECT_THROW(profile.table("longest", TableOptions().set("names", {"base"})), Error);
}

TEST_F(AddedTable, IsInTheViewer) {
  OpenOptions open;
  open.inputs = {trace().path()};
  Viewer viewer("1.2.3");
  viewer.add(open.inputs).show(ProfileSource(open).open());
  const auto session = nlohmann::json::parse(viewer.answer({"/api/p/0/session", {}}).body);
  const nlohmann::json& listed = session["tables"].back();
  EXPECT_EQ(listed["name"], "longest_slice");
  EXPECT_EQ(listed["about"], "the longest slice of each rank");
  EXPECT_EQ(listed["columns"][2]["role"], "moment");
  EXPECT_EQ(listed["options"][0]["name"], "loudly");
  const Answer answer = viewer.answer({"/api/p/0/table/longest_slice", {{"loudly", "1"}}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  const nlohmann::json rows = nlohmann::json::parse(R"([[0, "aten::mm", 10000, 50000]])");
  EXPECT_EQ(nlohmann::json::parse(answer.body)["tables"]["longest_slice"]["rows"], rows);
  EXPECT_EQ(viewer.answer({"/api/p/0/table/longest_slice", {{"names", "base"}}}).status, 400);
}

}  // namespace
}  // namespace cgpu
