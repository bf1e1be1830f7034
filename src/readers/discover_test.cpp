#include "readers/discover.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/test_file.h"

namespace cgpu {
namespace {

namespace fs = std::filesystem;

/// A folder that vanishes with the object; files are named by their path in it.
class Tree {
 public:
  explicit Tree(const std::vector<std::string>& files) {
    std::string name = "/tmp/cgpu-test-XXXXXX";
    root_ = ::mkdtemp(name.data());
    for (const std::string& file : files) {
      fs::create_directories((root_ / file).parent_path());
      std::ofstream(root_ / file) << "x";
    }
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  std::string path(const std::string& in) const { return (root_ / in).string(); }
  /// What is found, by path in the folder; "/" behind folders that are profiles.
  std::vector<std::string> find(const std::vector<std::string>& inputs) const {
    std::vector<std::string> found;
    const auto is_profile = [](const std::string& folder) { return folder.ends_with("_pt"); };
    for (const ProfilePath& profile : discover(inputs, is_profile)) {
      found.push_back(fs::path(profile.path).lexically_relative(root_).string() + (profile.is_folder ? "/" : ""));
    }
    return found;
  }

 private:
  fs::path root_;
};

using Paths = std::vector<std::string>;

TEST(Discover, FilesAndFoldersBelowInTheOrderOfTheirNumbers) {
  const Tree tree({"job/rank10.json", "job/rank2.json", "job/node1/a.sqlite", "job/node10/a.sqlite",
                   "job/node2/b.sqlite", "job/.hidden/x", "job/.x"});
  EXPECT_EQ(tree.find({tree.path("job")}), (Paths{"job/node1/a.sqlite", "job/node2/b.sqlite", "job/node10/a.sqlite",
                                                  "job/rank2.json", "job/rank10.json"}));
}

TEST(Discover, FoldersThatAreProfilesAreNotSearched) {
  const Tree tree({"job/a_pt/inside.json", "job/deep/b_pt/inside.json", "job/notes.txt"});
  EXPECT_EQ(tree.find({tree.path("job")}), (Paths{"job/a_pt/", "job/deep/b_pt/", "job/notes.txt"}));
  EXPECT_EQ(tree.find({tree.path("job/a_pt")}), (Paths{"job/a_pt/"}));
}

TEST(Discover, FourLevelsAndNoMore) {
  const Tree tree({"log/plugins/profile/2024/host.pb", "log/1/2/3/4/too_deep"});
  EXPECT_EQ(tree.find({tree.path("log")}), (Paths{"log/plugins/profile/2024/host.pb"}));
}

TEST(Discover, PatternsOfFilesAndFolders) {
  const Tree tree({"run1/a.json", "run2/b.json", "run3_pt/c.json", "other/d.json"});
  EXPECT_EQ(tree.find({tree.path("run*")}), (Paths{"run1/a.json", "run2/b.json", "run3_pt/"}));
  EXPECT_EQ(tree.find({tree.path("run?/*.json"), tree.path("other")}),
            (Paths{"run1/a.json", "run2/b.json", "other/d.json"}));
  EXPECT_THROW(tree.find({tree.path("none*")}), Error);
}

TEST(Discover, AFileWhoseNameLooksLikeAPattern) {
  const Tree tree({"a[1].json", "a1.json"});
  EXPECT_EQ(tree.find({tree.path("a[1].json")}), (Paths{"a[1].json"}));
}

TEST(Discover, OnlyTheExportOfAReportIsOpened) {
  const Tree tree({"n/a.nsys-rep", "n/a.sqlite", "n/b.nsys-rep", "n/c.qdrep", "n/c.sqlite"});
  EXPECT_EQ(tree.find({tree.path("n")}), (Paths{"n/a.sqlite", "n/b.nsys-rep", "n/c.sqlite"}));
  EXPECT_EQ(tree.find({tree.path("n/a.nsys-rep")}), (Paths{"n/a.nsys-rep"})) << "what the user names is opened";
}

TEST(Discover, WhoNamedIt) {
  const Tree tree({"job/a.json", "b.json"});
  const auto found = discover({tree.path("job"), tree.path("b.json"), "-", tree.path("missing")},
                              [](const std::string&) { return false; });
  ASSERT_EQ(found.size(), 4u);
  EXPECT_TRUE(found[0].found);
  for (size_t i = 1; i < 4; ++i) EXPECT_FALSE(found[i].found);
}

TEST(Discover, LoopsOfLinksEnd) {
  const Tree tree({"job/a.json"});
  fs::create_directory_symlink(tree.path("job"), tree.path("job/again"));
  EXPECT_EQ(tree.find({tree.path("job")}), (Paths{"job/a.json"}));
  const auto found = discover({tree.path("job")}, [](const std::string&) { return false; });
  EXPECT_EQ(found.at(0).repeated, (Paths{tree.path("job/again")}));
}

TEST(Discover, WhatHasSeveralNamesIsFoundOnce) {
  const Tree tree({"job/a.json", "job/b.json"});
  fs::create_symlink(tree.path("job/a.json"), tree.path("job/c.json"));
  fs::create_hard_link(tree.path("job/b.json"), tree.path("job/d.json"));
  const auto found = discover({tree.path("job"), tree.path("job/../job/b.json"), tree.path("job/c.json")},
                              [](const std::string&) { return false; });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].repeated.size(), 2u);
  EXPECT_EQ(found[1].repeated.size(), 2u);
  EXPECT_FALSE(found[1].found) << "the user names it";
}

TEST(Discover, ACompressedCopyBesideTheFileIsLeftOut) {
  const Tree tree({"job/a.json", "job/b.json"});
  std::ofstream(tree.path("job/a.json.gz"), std::ios::binary) << test::gzip("x");
  std::ofstream(tree.path("job/b.json.zst"), std::ios::binary) << test::zstd("something else");
  EXPECT_EQ(tree.find({tree.path("job")}), (Paths{"job/a.json", "job/b.json", "job/b.json.zst"}));
  EXPECT_EQ(tree.find({tree.path("job/a.json.gz"), tree.path("job/a.json")}), (Paths{"job/a.json"}));
}

}  // namespace
}  // namespace cgpu
