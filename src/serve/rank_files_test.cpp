#include "serve/rank_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/error.h"
#include "serve/test_text.h"
#include "session/ranks/test_ranks.h"

namespace cgpu {
namespace {

namespace fs = std::filesystem;

/// A folder with summaries, beside one that has nothing to do with them.
class LookedFor : public ::testing::Test {
 protected:
  LookedFor() {
    for (const char* sub : {"job/runs/a", "job/runs/b", "job/rank17", "else"}) fs::create_directories(at(sub));
    summary = at("job/job.cgpu");
  }
  std::string at(const std::string& path) const { return (fs::canonical(folder.path()) / path).string(); }
  void add(const std::string& path) const { folder.add(path, "{}"); }

  std::string found(const std::string& name, std::vector<std::string> folders = {}) const {
    return RankFiles(std::move(folders)).find(name, summary);
  }
  std::string error(const std::string& name, std::vector<std::string> folders = {}) const {
    try {
      return "found " + found(name, std::move(folders));
    } catch (const Error& error) {
      return error.what();
    }
  }

  test::TraceFolder folder;
  std::string summary;
};

TEST_F(LookedFor, BesideTheSummaryThenInTheFoldersThere) {
  add("job/runs/one.json");
  EXPECT_EQ(found("one.json"), at("job/runs/one.json"));
  add("job/one.json");
  EXPECT_EQ(found("one.json"), at("job/one.json"));
  add("job/runs/a/deep.json");
  test::expect_has(error("deep.json"), "deep.json: is not in " + at("job") + ", nor directly in a folder there");
  test::expect_has(error("deep.json"), "--traces FOLDER");
}

TEST_F(LookedFor, OnlyInTheFoldersThatAreNamed) {
  add("job/one.json");
  add("else/two.json");
  test::expect_has(error("one.json", {at("else"), at("job/runs")}),
                   "is not in " + at("else") + ", " + at("job/runs") + ", nor directly");
  EXPECT_EQ(found("two.json", {at("job"), at("else")}), at("else/two.json"));
  test::expect_has(error("one.json", {at("job")}), "found");
  EXPECT_THROW(RankFiles({at("nothing")}), Error);
  EXPECT_THROW(RankFiles({at("job/one.json")}), Error);
}

TEST_F(LookedFor, WhereSeveralHaveTheNameNobodyGuesses) {
  add("job/runs/a/trace.json");
  add("job/runs/b/trace.json");
  test::expect_has(error("trace.json", {at("job/runs")}), at("job/runs/a/trace.json") + ": may be the profile, and 1 ");
  EXPECT_EQ(found("b/trace.json", {at("job/runs")}), at("job/runs/b/trace.json"));
  EXPECT_EQ(found("trace.json", {at("job/runs/b")}), at("job/runs/b/trace.json"));
}

TEST_F(LookedFor, ANameThatTellsItsFolder) {
  add("job/rank17/trace.json");
  EXPECT_EQ(found("rank17/trace.json"), at("job/rank17/trace.json"));
  EXPECT_EQ(found("rank17/trace.json", {at("job/rank17")}), at("job/rank17/trace.json"));
  EXPECT_EQ(found("rank17/trace.json", {at("")}), at("job/rank17/trace.json"));
  test::expect_has(error("rank18/trace.json", {at("job/rank17")}), "is not in");
}

TEST_F(LookedFor, NoNameLeadsAnywhereElse) {
  add("else/secret.json");
  add("job/one.json");
  for (const std::string& name :
       {std::string("../else/secret.json"), at("else/secret.json"), std::string(".."), std::string("."), std::string(),
        std::string("runs/../one.json"), std::string("./one.json"), std::string("runs//one.json"), std::string("/"),
        std::string("one.json/"), std::string("/one.json"), std::string("one.json\0.gz", 12),
        std::string("runs/a/one.json")}) {
    test::expect_has(error(name), "that is no name of a profile");
  }
  test::expect_has(error("*.json"), "is not in");  // a name, and no pattern
  test::expect_has(error("-"), "is not in");
}

TEST_F(LookedFor, NoLinkLeadsOut) {
  add("else/secret.json");
  add("job/runs/one.json");
  fs::create_symlink(at("else/secret.json"), at("job/linked.json"));
  test::expect_has(error("linked.json"), at("job/linked.json") + ": is a link out of " + at("job"));
  fs::create_directory_symlink(at("else"), at("job/away"));
  test::expect_has(error("secret.json"), at("job/away/secret.json") + ": is a link out of");
  test::expect_has(error("away/secret.json"), at("job/away/secret.json") + ": is a link out of");
  EXPECT_EQ(found("secret.json", {at("job/away")}), at("else/secret.json"));  // the user says so
  fs::create_symlink("runs/one.json", at("job/inside.json"));
  EXPECT_EQ(found("inside.json"), at("job/runs/one.json"));
  fs::create_symlink("loop.json", at("job/loop.json"));
  test::expect_has(error("loop.json"), "is not in");
}

TEST_F(LookedFor, OnlyFilesAndFoldersThatAreProfiles) {
  ASSERT_EQ(::mkfifo(at("job/pipe.json").c_str(), 0600), 0);
  add("job/runs/one.json");
  test::expect_has(error("pipe.json"), "is not in");
  test::expect_has(error("runs"), "is not in");  // it holds some
  fs::create_directories(at("job/database"));
  folder.add("job/database/experiment.xml", "<?xml version=\"1.0\"?>\n<HPCToolkitExperiment version=\"2.2\">");
  EXPECT_EQ(found("database"), at("job/database"));
}

}  // namespace
}  // namespace cgpu
