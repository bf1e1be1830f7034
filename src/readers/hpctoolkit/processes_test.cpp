#include "readers/hpctoolkit/processes.h"

#include <gtest/gtest.h>

#include "model/summed_processes.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/hpctoolkit/test_database.h"

namespace cgpu::hpctoolkit {
namespace {

using test::DatabaseBuilder;
using test::TestContext;
using test::TestFolder;
using test::TestProfile;

/// Two programs: main (2) of /bin/solver and main (3) of /bin/printer.
DatabaseBuilder two_programs() {
  DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)"};
  const TestContext solver{2, 1, 0, "main", "", 0, "/bin/solver", 0, {}};
  const TestContext printer{3, 1, 0, "main", "", 0, "/usr/bin/printer", 0, {}};
  builder.entries = {{1, "main thread", {solver, printer}}};
  return builder;
}

/// A thread that samples the main function of a program from `begin` to `end`.
TestProfile thread(uint32_t number, uint32_t main, uint64_t begin, uint64_t end) {
  TestProfile profile{{{test::node, 1}, {test::thread, number}}, {}, {{begin, main}, {end, 0}}};
  for (const uint32_t context : {0u, 1u, main}) profile.set(context, 0, context == main ? 1 : 0, 1);
  return profile;
}

cgpu::Run read(const TestFolder& folder) {
  return read_database({folder.path(), true, nullptr, ""}, {});
}

std::string note(const cgpu::Run& run, const std::string& code) {
  for (const Note& one : run.notes.all()) {
    if (one.code == code) return one.text;
  }
  return "";
}

TEST(HpctoolkitProcesses, EachRepeatedMainThreadIsAProcessInTheOrderInWhichTheyBegan) {
  DatabaseBuilder builder = two_programs();
  builder.profiles = {thread(0, 3, 5000, 6000), thread(0, 2, 1000, 4000), thread(1, 2, 2000, 4500)};
  const TestFolder folder(builder.build());
  const auto run = read(folder);
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.profiles.size(), 3u);
  EXPECT_EQ(tree.profiles[0].name, "process 2 thread 0 (printer)");
  EXPECT_EQ(tree.profiles[1].name, "process 1 thread 0 (solver)");
  EXPECT_EQ(tree.profiles[2].name, "process 1 thread 1 (solver)");
  ASSERT_EQ(run.timeline.tracks.size(), 3u);
  EXPECT_EQ(run.timeline.tracks[0].process, "process 2");
  EXPECT_EQ(run.timeline.tracks[0].process_name, "printer");
  EXPECT_EQ(run.timeline.tracks[2].process, "process 1");
  EXPECT_EQ(run.timeline.tracks[2].thread, "thread 1");
  EXPECT_EQ(run.notes.count(kSummedProcesses), 2);
  EXPECT_NE(note(run, kSummedProcesses).find("one after another"), std::string::npos);
  EXPECT_EQ(run.notes.count("unknown_process"), 0);
}

TEST(HpctoolkitProcesses, AThreadOfWhichThatCannotBeToldIsOfNone) {
  DatabaseBuilder builder = two_programs();
  builder.profiles = {thread(0, 2, 1000, 4000), thread(0, 2, 1500, 3000), thread(1, 2, 2000, 2500),
                      thread(1, 2, 3500, 3600)};
  const TestFolder folder(builder.build());
  const auto run = read(folder);
  EXPECT_EQ(run.call_tree->profiles[2].name, "thread 1") << "while both processes ran";
  EXPECT_EQ(run.call_tree->profiles[3].name, "process 1 thread 1 (solver)");
  EXPECT_EQ(run.notes.count("unknown_process"), 1);
  EXPECT_EQ(note(run, kSummedProcesses).find("one after another"), std::string::npos);
}

TEST(HpctoolkitProcesses, RepeatedRanksAreSeveralRuns) {
  DatabaseBuilder builder = two_programs();
  for (const uint64_t begin : {1000, 5000}) {
    for (const uint32_t rank : {0U, 1U}) {
      TestProfile profile = thread(0, 2, begin + rank, begin + 1000);
      profile.identity.push_back({test::rank, rank});
      builder.profiles.push_back(profile);
    }
  }
  const TestFolder folder(builder.build());
  const auto run = read(folder);
  EXPECT_EQ(run.notes.count(kSummedRuns), 2);
  EXPECT_EQ(run.notes.count(kSummedProcesses), 0);
  EXPECT_EQ(run.timeline.tracks[3].process, "rank 1 process 4");
  EXPECT_EQ(run.timeline.tracks[3].rank, 1);
  EXPECT_EQ(run.call_tree->profiles[3].name, "rank 1 process 4 thread 0 (solver)");
}

TEST(HpctoolkitProcesses, OneProcessIsNamedAsBefore) {
  DatabaseBuilder builder = two_programs();
  builder.profiles = {thread(0, 2, 1000, 4000), thread(1, 2, 2000, 4000)};
  const TestFolder folder(builder.build());
  const auto run = read(folder);
  EXPECT_EQ(run.call_tree->profiles[1].name, "thread 1");
  EXPECT_EQ(run.timeline.tracks[1].process, "process");
  EXPECT_EQ(run.notes.count(kSummedProcesses), 0);
}

TEST(HpctoolkitProcesses, WithoutATraceTheyAreInTheOrderOfTheFile) {
  DatabaseBuilder builder = two_programs();
  builder.profiles = {thread(0, 3, 5000, 6000), thread(0, 2, 1000, 4000), thread(1, 2, 2000, 4500)};
  auto database = builder.build();
  database.trace = "";
  const TestFolder folder(database);
  const auto run = read(folder);
  EXPECT_EQ(run.call_tree->profiles[0].name, "process 1 thread 0 (printer)");
  EXPECT_EQ(run.call_tree->profiles[1].name, "process 2 thread 0 (solver)");
  EXPECT_EQ(run.call_tree->profiles[2].name, "thread 1");
  EXPECT_EQ(run.notes.count("unknown_process"), 1);
}

}  // namespace
}  // namespace cgpu::hpctoolkit
