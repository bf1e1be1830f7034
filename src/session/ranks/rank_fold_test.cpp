// Ranks that are opened one after another give the tables of ranks that are all open, to the last bit.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/out_of_core.h"
#include "session/ranks/test_ranks.h"
#include "session/summaries/release.h"
#include "session/table_engine.h"

namespace cgpu {
namespace {

using test::trace_of_rank;
using test::TraceFolder;

/// Those that can be made while ranks are opened one after another.
std::vector<WantedTable> all_folded_tables() {
  std::vector<WantedTable> wanted;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.events == nullptr && analysis.made_of != MadeOf::all_timelines) wanted.push_back({&analysis});
  }
  return wanted;
}

OpenOptions opening(const TraceFolder& folder, unsigned threads = 0) {
  OpenOptions open;
  open.inputs = {folder.path()};
  open.threads = threads;
  return open;
}

void expect_the_same_tables(const TraceFolder& folder, unsigned threads) {
  const std::vector<WantedTable> wanted = all_folded_tables();
  const MadeTables folded = make_tables(ProfileSource(opening(folder, threads)), wanted);
  const Session session = ProfileSource(opening(folder, threads)).open();
  const SessionFacts facts(session);
  ASSERT_EQ(folded.session->runs.size(), session.runs.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(folded.tables[i], make_table(*wanted[i].analysis, facts)) << wanted[i].analysis->name;
  }
}

TEST(RankFold, EqualsTheTablesOfRanksThatAreAllOpen) {
  TraceFolder folder;
  for (int rank = 0; rank < 5; ++rank) {
    folder.add("part_" + std::to_string(9 - rank) + ".json", trace_of_rank(rank, 5, rank * 777));
  }
  for (const unsigned threads : {1U, 2U, 4U}) expect_the_same_tables(folder, threads);
}

TEST(RankFold, TablesOfCollectivesThatAreOutOfCoreAreTheSame) {
  TraceFolder folder;
  for (int rank = 0; rank < 5; ++rank) {
    folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 5, rank * 777));
  }
  const std::vector<WantedTable> wanted = all_folded_tables();
  const MadeTables in_memory = make_tables(ProfileSource(opening(folder)), wanted);
  OutOfCoreMemory::set_in_memory_bytes(0);
  const Session session = ProfileSource(opening(folder)).open();
  const SessionFacts facts(session);
  facts.collectives();
  EXPECT_GT(OutOfCoreMemory::use().in_file, 0U);
  const MadeTables out_of_core = make_tables(ProfileSource(opening(folder)), wanted);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(out_of_core.tables[i], in_memory.tables[i]) << wanted[i].analysis->name;
    EXPECT_EQ(make_table(*wanted[i].analysis, facts), in_memory.tables[i]) << wanted[i].analysis->name;
  }
  OutOfCoreMemory::set_in_memory_bytes(OutOfCoreMemory::kInMemoryBytes);
}

TEST(RankFold, RanksThatNoFileNamesAndRanksThatAreTwice) {
  TraceFolder folder;
  int file = 0;
  for (const int rank : {0, 1, 1, 3})
    folder.add("x" + std::to_string(file++) + ".json", trace_of_rank(rank, 4, rank * 50));
  folder.add("notes.txt", "not a profile");
  expect_the_same_tables(folder, 2);
}

TEST(RankFold, LetsTimelinesGoAndKeepsWhatRanksMustKnow) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 3, 0));
  const MadeTables folded = make_tables(ProfileSource(opening(folder)), all_folded_tables());
  EXPECT_EQ(folded.session->runs.size(), 3U);
  for (const cgpu::Run& run : folded.session->runs) {
    ASSERT_TRUE(run.released_totals);
    EXPECT_EQ(run.released_totals->slices, 4 * (1 + 12 * 3 + 3));
    EXPECT_EQ(run.timeline.slices.size(), 4u * 2);  // an all-reduce and a barrier a step
  }
}

TEST(RankFold, TablesThatNeedAllTimelinesKeepThemOpenUnlessTheyAreOptional) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank)
    folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 3, rank * 90));
  const Analysis& path = find_analysis("critical_path");
  const MadeTables open = make_tables(ProfileSource(opening(folder)), {{&path}});
  EXPECT_FALSE(open.session->runs[0].released_totals);
  EXPECT_FALSE(open.tables[0].empty());
  EXPECT_EQ(open.tables[0], make_table(path, SessionFacts(*open.session)));
  const MadeTables folded = make_tables(ProfileSource(opening(folder)), {{.analysis = &path, .most_open_bytes = 0}});
  EXPECT_TRUE(folded.session->runs[0].released_totals);
  EXPECT_TRUE(folded.tables[0].empty());

  double bytes = 0;
  for (const std::string& input : opening(folder).inputs) {
    for (const auto& file : std::filesystem::directory_iterator(input)) bytes += static_cast<double>(file.file_size());
  }
  for (const double missing : {0.0, 1.0}) {
    const WantedTable small{.analysis = &path, .most_open_bytes = bytes - missing};
    const MadeTables maybe = make_tables(ProfileSource(opening(folder)), {small});
    EXPECT_EQ(maybe.session->runs[0].released_totals.has_value(), missing > 0);
    EXPECT_EQ(maybe.tables[0].empty(), missing > 0);
  }
}

TEST(RankFold, IdleTimeSpentWaitingForOtherRanksIsFound) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 3, 0));
  const MadeTables folded = make_tables(ProfileSource(opening(folder)), {{&find_analysis("idle")}});
  const Table& idle = folded.tables[0];
  int64_t waited = 0;
  for (const RowView row : idle.rows()) {
    if (idle.values(idle.column("cause")).text(row.index()) == "other_rank") {
      waited += idle.values(idle.column("total_ns")).integer(row.index());
    }
  }
  EXPECT_GT(waited, 0);
}

/// Parts of a session of four ranks, each in another way.
std::vector<std::pair<std::string, Selection>> selections() {
  std::vector<std::pair<std::string, Selection>> all;
  const auto add = [&](const std::string& name) -> Selection& { return all.emplace_back(name, Selection()).second; };
  add("--rank 2").ranks = NumberList(2);
  add("--rank 1,3").ranks = NumberList("1,3", "--rank");
  add("--rank 0-3").ranks = NumberList("0-3", "--rank");
  add("--step 1-2").steps = {1, 2};
  add("--device 0").devices = NumberList(0);
  Selection& time = add("--from 25ms --to 61.5ms");
  time.from = 25'000'000;
  time.to = 61'500'000;
  Selection& late = add("--from 30ms --step 1-3 --rank 2-3");
  late.from = 30'000'000;
  late.steps = {1, 3};
  late.ranks = NumberList("2-3", "--rank");
  Selection& device = add("--device 0 --rank 1");
  device.devices = NumberList(0);
  device.ranks = NumberList(1);
  return all;
}

TEST(RankFold, APartOfRanksThatAreNotOpenTogetherIsThatOfRanksThatAre) {
  TraceFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    folder.add("part_" + std::to_string(9 - rank) + ".json", trace_of_rank(rank, 4, rank * 777));
  }
  folder.add("notes.txt", "not a profile");
  const std::vector<WantedTable> wanted = all_folded_tables();
  for (const auto& [name, selection] : selections()) {
    Session open = ProfileSource(opening(folder)).open();
    select(open, selection);
    const SessionFacts facts(open);
    const Session selected = ProfileSource(opening(folder), selection).open();
    const SessionFacts selected_facts(selected);
    OpenOptions little = opening(folder, 2);
    little.memory = 1;
    const MadeTables folded = make_tables(ProfileSource(little, selection), wanted);
    const MadeTables in_memory = make_tables(ProfileSource(opening(folder, 2), selection), wanted);
    EXPECT_TRUE(folded.session->runs[0].released_totals) << name;
    EXPECT_FALSE(in_memory.session->runs[0].released_totals) << name;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Table whole = make_table(*wanted[i].analysis, facts);
      EXPECT_EQ(make_table(*wanted[i].analysis, selected_facts), whole) << name << ": " << whole.name;
      EXPECT_EQ(in_memory.tables[i], whole) << name << ": " << whole.name;
      EXPECT_EQ(folded.tables[i], whole) << name << ": " << whole.name;
    }
  }
}

TEST(RankFold, OfAPartTablesThatNeedAllTimelinesAreMadeAlsoWhereTheyAreOptional) {
  TraceFolder folder;
  for (int rank = 0; rank < 2; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 2, 0));
  Selection selection;
  selection.steps = {1, 2};
  OpenOptions little = opening(folder);
  little.memory = 1;
  const MadeTables part = make_tables(ProfileSource(little, selection),
                                      {{.analysis = &find_analysis("critical_path"), .most_open_bytes = 0}});
  EXPECT_FALSE(part.tables[0].empty());
}

TEST(RankFold, TimelinesOfRanksThatAreNotSelectedDoNotStay) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 3, 0));
  Selection selection;
  selection.ranks = NumberList(1);
  OpenOptions open = opening(folder);
  std::vector<double> linked;  // that were open when all had been read
  open.progress = [&](OpeningPhase phase, double share) {
    if (phase == OpeningPhase::linking) linked.push_back(share);
  };
  EXPECT_EQ(ProfileSource(open, selection).open().runs.size(), 1u);
  EXPECT_EQ(linked, std::vector{1 / 3.0});
}

TEST(RankFold, ARankThatIsSelectedByTheNumberItWasGivenIsThere) {
  TraceFolder folder;
  int file = 0;
  for (const int rank : {0, 1, 1})
    folder.add("x" + std::to_string(file++) + ".json", trace_of_rank(rank, 4, rank * 50));
  Selection selection;
  selection.ranks = NumberList(4);  // the next free one behind the ranks of the job
  OpenOptions little = opening(folder, 2);
  little.memory = 1;
  const WantedTable steps{&find_analysis("steps")};
  const MadeTables folded = make_tables(ProfileSource(little, selection), {steps});
  EXPECT_EQ(folded.session->runs[0].rank, 4);
  EXPECT_EQ(folded.tables[0], make_table("steps", ProfileSource(opening(folder), selection).open()));
}

TEST(RankFold, APartThatIsNotThereIsRefusedInTheSameWords) {
  TraceFolder folder;
  for (int rank = 0; rank < 2; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 2, 0));
  const auto refusal = [&](const Selection& selection, double memory) -> std::string {
    OpenOptions open = opening(folder);
    open.memory = memory;
    try {
      make_tables(ProfileSource(open, selection), {{&find_analysis("steps")}});
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  };
  Selection rank;
  rank.ranks = NumberList(7);
  Selection step;
  step.steps = {9, 11};
  Selection device;
  device.devices = NumberList(3);
  Selection backwards;
  backwards.from = 5;
  backwards.to = 2;
  for (const Selection& selection : {rank, step, device, backwards}) {
    EXPECT_EQ(refusal(selection, 1), refusal(selection, 0));
    EXPECT_NE(refusal(selection, 1), "not refused");
  }
}

TEST(RankFold, AProfileThatCannotBeReadIsNamedWhereItWasFound) {
  TraceFolder folder;
  for (int rank = 0; rank < 2; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 3, 0));
  folder.add("b.json", R"({"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": [ damaged)");
  folder.add("notes.txt", "not a profile");
  std::vector<std::string> warnings;
  OpenOptions open = opening(folder);
  open.warn = [&](const std::string& line) { warnings.push_back(line); };
  const MadeTables folded = make_tables(ProfileSource(open), {{&find_analysis("notes")}});
  EXPECT_EQ(folded.session->runs[0].notes.count("lost_file"), 1);
  EXPECT_EQ(folded.session->runs[0].notes.count("skipped_file"), 1);
  const Session session = ProfileSource(open).open();
  EXPECT_EQ(session.runs[0].notes.count("lost_file"), 1);
  EXPECT_EQ(session.runs[0].notes.count("skipped_file"), 1);
  ASSERT_EQ(warnings.size(), 2U) << "one of each";
  for (const std::string& warning : warnings) {
    EXPECT_NE(warning.find("left out: " + folder.path() + "/b.json: is a speedscope document"), std::string::npos)
        << warning;
  }
}

TEST(RankFold, AFileThatCannotBeReadIsAnErrorUnlessItWasFound) {
  TraceFolder folder;
  folder.add("a.json", trace_of_rank(0, 2, 0));
  folder.add("b.json", "no profile");
  OpenOptions open;
  open.inputs = {folder.path() + "/a.json", folder.path() + "/b.json"};
  EXPECT_THROW(make_tables(ProfileSource(open), all_folded_tables()), Error);
  EXPECT_EQ(make_tables(ProfileSource(opening(folder)), all_folded_tables()).session->runs.size(), 1u);
}

}  // namespace
}  // namespace cgpu
