#include "watch/watch_output.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "watch/test_folder.h"

namespace cgpu {
namespace {

using test::TestFolder;

WatchedEntry entry(const std::string& name, uint64_t size = 1) {
  return {name, "in/" + name, {size, 5}};
}

/// Writes the summary and the line of a run.
void judge(WatchOutput& output, const WatchedEntry& run, const std::string& summary = "bytes") {
  VerdictLine line{.profile = run.name, .version = run.version, .outcome = WatchOutcome::pass};
  line.summary = output.write_summary(run.name, summary);
  output.append(line);
}

TEST(WatchOutput, KnowsAfterARestartWhatIsDone) {
  const TestFolder folder;
  {
    WatchOutput output(folder.path("out"));
    EXPECT_FALSE(output.has(entry("a.json")));
    judge(output, entry("a.json"));
    EXPECT_TRUE(output.has(entry("a.json")));
  }
  const WatchOutput output(folder.path("out"));
  EXPECT_TRUE(output.has(entry("a.json")));
  EXPECT_FALSE(output.has(entry("a.json", 2)));
  EXPECT_FALSE(output.has(entry("b.json")));
  EXPECT_EQ(output.runs()[static_cast<size_t>(WatchOutcome::pass)], 1u);
  ASSERT_TRUE(output.last());
  EXPECT_EQ(output.last()->profile, "a.json");
}

TEST(WatchOutput, WhatReplacesARunHasASummaryOfItsOwn) {
  const TestFolder folder;
  WatchOutput output(folder.path());
  judge(output, entry("a.json"), "first");
  judge(output, entry("a.json", 2), "second");
  judge(output, entry("a.json.2", 1), "of another name");
  judge(output, entry("a.json", 3), "third");
  judge(output, entry("b.cgpu", 1), "a summary itself");
  EXPECT_EQ(folder.text("a.json.cgpu"), "first");
  EXPECT_EQ(folder.text("a.json.2.cgpu"), "second");
  EXPECT_EQ(folder.text("a.json.2.2.cgpu"), "of another name");
  EXPECT_EQ(folder.text("a.json.3.cgpu"), "third");
  EXPECT_EQ(folder.text("b.cgpu"), "a summary itself");
}

TEST(WatchOutput, CutsOffALineThatWasNotFinishedAndCountsDamagedOnes) {
  const TestFolder folder;
  {
    WatchOutput output(folder.path());
    judge(output, entry("a.json"));
  }
  const std::string whole = folder.text("verdicts.jsonl");
  folder.put("verdicts.jsonl", whole + "nonsense\n" + whole.substr(0, 30));
  WatchOutput output(folder.path());
  EXPECT_EQ(output.damaged_lines(), 1u);
  EXPECT_EQ(folder.text("verdicts.jsonl"), whole + "nonsense\n");
  judge(output, entry("b.json"));
  EXPECT_TRUE(folder.text("verdicts.jsonl").starts_with(whole + "nonsense\n{"));
  EXPECT_TRUE(folder.text("verdicts.jsonl").ends_with("}\n"));
}

TEST(WatchOutput, RemovesFilesThatWereNotFinishedAndNoOthers) {
  const TestFolder folder;
  folder.put("a.cgpu.0123456789abcdef.part", "half");
  folder.put("a.part", "of the user");
  const WatchOutput output(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.cgpu.0123456789abcdef.part")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("a.part")));
}

TEST(WatchOutput, CountsHowOftenARunEndedTheProcess) {
  const TestFolder folder;
  std::string reading;
  const auto killed = [&](const WatchedEntry& run) {
    size_t before = 0;
    {
      WatchOutput output(folder.path());
      before = output.begin(run);
      reading = folder.text(".reading");
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path(".reading")));  // it has ended as it should
    folder.put(".reading", reading);
    return before;
  };
  EXPECT_EQ(killed(entry("a b\nc.json")), 0u);
  EXPECT_EQ(killed(entry("a b\nc.json")), 1u);
  EXPECT_EQ(killed(entry("a b\nc.json")), 2u);
  EXPECT_EQ(killed(entry("a b\nc.json", 2)), 0u);  // it has changed
  EXPECT_EQ(killed(entry("b.json")), 0u);
  folder.put(".reading", "nonsense");
  WatchOutput output(folder.path());
  EXPECT_EQ(output.begin(entry("b.json")), 0u);
}

TEST(WatchOutput, OneProcessWritesAndAFileIsNoFolder) {
  const TestFolder folder;
  const WatchOutput output(folder.path("out"));
  EXPECT_THROW(WatchOutput(folder.path("out")), Error);
  folder.put("file", "");
  EXPECT_THROW(WatchOutput(folder.path("file")), Error);
}

}  // namespace
}  // namespace cgpu
