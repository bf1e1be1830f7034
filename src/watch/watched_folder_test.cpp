#include "watch/watched_folder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "watch/test_folder.h"

namespace cgpu {
namespace {

using namespace std::chrono_literals;

using test::TestFolder;

std::vector<std::string> names_of(const std::vector<WatchedEntry>& entries) {
  std::vector<std::string> names;
  for (const WatchedEntry& entry : entries) names.push_back(entry.name);
  return names;
}

TEST(WatchedFolder, AnEntrySettlesWhenItStaysTheSameForLongEnough) {
  const TestFolder folder;
  folder.put("a.json", "1");
  WatchedFolder watched(folder.path(), folder.path("out"), 2s);
  const WatchedFolder::Clock::time_point begin;
  watched.scan(begin);
  EXPECT_TRUE(watched.settled().empty());
  EXPECT_EQ(watched.next_settles(), 2s);
  watched.scan(begin + 1s);
  EXPECT_TRUE(watched.settled().empty());
  EXPECT_EQ(watched.next_settles(), 1s);
  folder.put("a.json", "1 and more");  // it grows: the time begins again
  watched.scan(begin + 2s);
  EXPECT_TRUE(watched.settled().empty());
  watched.scan(begin + 4s);
  EXPECT_EQ(names_of(watched.settled()), std::vector<std::string>{"a.json"});
  EXPECT_EQ(watched.settled_since("a.json"), begin + 4s);
  EXPECT_EQ(watched.next_settles(), std::nullopt);
  watched.scan(begin + 9s);
  EXPECT_EQ(watched.settled_since("a.json"), begin + 4s);
}

TEST(WatchedFolder, WithoutATimeToSettleTheFirstScanTakesAll) {
  const TestFolder folder;
  folder.put("a.json", "1");
  WatchedFolder watched(folder.path(), "", 0s);
  watched.scan({});
  ASSERT_EQ(watched.settled().size(), 1u);
  EXPECT_EQ(watched.settled()[0].version.size, 1u);
  EXPECT_EQ(watched.settled()[0].path, folder.path("a.json"));
}

TEST(WatchedFolder, TheOldestIsFirstAndAFolderIsOfTheAgeOfItsLatestFile) {
  const TestFolder folder;
  folder.put("run/rank0.json", "four", 10);
  folder.put("run/rank1.json", "four", 30);
  folder.put("young.json", "", 40);
  folder.put("old.json", "", 20);
  folder.put("also_old.json", "", 20);
  WatchedFolder watched(folder.path(), "", 0s);
  watched.scan({});
  const std::vector<WatchedEntry> settled = watched.settled();
  EXPECT_EQ(names_of(settled), (std::vector<std::string>{"also_old.json", "old.json", "run", "young.json"}));
  EXPECT_EQ(settled[2].version, (EntryVersion{8, 30'000'000'000}));
  EXPECT_EQ(version_of(folder.path("run")), settled[2].version);
}

TEST(WatchedFolder, HiddenFilesTheOutputManifestsAndCapturesAreNoRuns) {
  const TestFolder folder;
  folder.put(".hidden", "");
  folder.put("manifest.jsonl", "");
  folder.put("out/a.cgpu", "");
  folder.put("capture_traces/a.json", "");
  folder.put("other/a.json", "");
  WatchedFolder watched(folder.path(), folder.path("./out/"), 0s);
  watched.scan({});
  EXPECT_EQ(names_of(watched.settled()), std::vector<std::string>{"other"});
}

TEST(WatchedFolder, WhatIsGoneIsForgottenAndAFolderThatIsGoneIsAnError) {
  const TestFolder folder;
  folder.put("in/a.json", "");
  WatchedFolder watched(folder.path("in"), "", 0s);
  watched.scan({});
  folder.remove("in/a.json");
  watched.scan({});
  EXPECT_TRUE(watched.settled().empty());
  EXPECT_EQ(version_of(folder.path("in/a.json")), std::nullopt);
  folder.remove("in");
  EXPECT_THROW(watched.scan({}), Error);
}

}  // namespace
}  // namespace cgpu
