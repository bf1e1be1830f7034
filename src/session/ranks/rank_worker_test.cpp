// Ranks that workers open give what ranks give that the root opens, to the last bit.
#include "session/ranks/rank_worker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "session/ranks/test_exchange.h"
#include "session/ranks/test_ranks.h"
#include "session/table_engine.h"

namespace cgpu {
namespace {

using test::ExchangeInProcess;
using test::trace_of_rank;
using test::TraceFolder;

std::vector<WantedTable> folded_tables() {
  std::vector<WantedTable> wanted;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.events == nullptr && analysis.made_of != MadeOf::all_timelines) wanted.push_back({&analysis});
  }
  return wanted;
}

OpenOptions opening_of(const TraceFolder& folder, Exchange* exchange) {
  OpenOptions open;
  open.inputs = {folder.path()};
  open.threads = 1;
  open.exchange = exchange;
  return open;
}

void add_ranks(const TraceFolder& folder, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    folder.add("part_" + std::to_string(99 - rank) + ".json", trace_of_rank(rank, ranks, rank * 777));
  }
}

TEST(RankWorker, TablesAreThoseOfOneProcess) {
  TraceFolder folder;
  add_ranks(folder, 9);
  folder.add("notes.txt", "not a profile");
  const std::vector<WantedTable> wanted = folded_tables();
  Selection none;
  Selection part;
  part.ranks = NumberList("1,3", "--rank");
  part.steps = {1, 2};
  for (const Selection& selection : {none, part}) {
    OpenOptions one = opening_of(folder, nullptr);
    one.memory = 1;
    const MadeTables expected = make_tables(ProfileSource(one, selection), wanted);
    for (const unsigned workers : {1U, 3U}) {
      ExchangeInProcess exchange(workers);
      OpenOptions open = opening_of(folder, &exchange);
      open.memory = 1;
      const MadeTables folded = make_tables(ProfileSource(open, selection), wanted);
      EXPECT_GT(exchange.answers(), 0U);
      EXPECT_GT(exchange.opened(), 0U);
      EXPECT_EQ(folded.tables, expected.tables);
      EXPECT_EQ(folded.numbers, expected.numbers);
    }
  }
}

TEST(RankWorker, WaitsForOtherRanksAreFoundInASecondPass) {
  TraceFolder folder;
  add_ranks(folder, 6);
  const WantedTable idle{&find_analysis("idle")};
  ExchangeInProcess exchange(2);
  const MadeTables folded = make_tables(ProfileSource(opening_of(folder, &exchange)), {idle});
  EXPECT_GT(exchange.answers() + exchange.opened(), 6U);
  EXPECT_EQ(folded.tables, make_tables(ProfileSource(opening_of(folder, nullptr)), {idle}).tables);
}

TEST(RankWorker, WhatOpeningARankThrowsAndWarnsComesBack) {
  TraceFolder folder;
  add_ranks(folder, 3);
  folder.add("b.json", R"({"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": [ damaged)");
  const ProfilePath damaged{.path = folder.path() + "/b.json", .found = true};
  ExchangeInProcess exchange(1);
  const OpenOptions open = opening_of(folder, nullptr);
  RankPass pass;
  pass.wanted = folded_tables();
  RankWorker worker(job_to_bytes(open, pass), exchange, nullptr);
  const auto answer_to = [&](const RankTask& task) {
    return answer_from_bytes(worker.answer(task_to_bytes(task)), pass, task);
  };
  const RankAnswer left_out = answer_to({7, damaged});
  ASSERT_TRUE(left_out.seen);
  EXPECT_EQ(left_out.seen->outcome, RankOutcome::no_profile);
  ASSERT_EQ(left_out.warnings.size(), 1U);
  EXPECT_NE(left_out.warnings[0].find("b.json: is a speedscope document"), std::string::npos) << left_out.warnings[0];

  ProfilePath named = damaged;
  named.found = false;
  const RankAnswer refused = answer_to({7, named});
  EXPECT_FALSE(refused.seen);
  EXPECT_NE(refused.error.find("b.json: is a speedscope document"), std::string::npos) << refused.error;
  EXPECT_TRUE(refused.warnings.empty()) << "those of the rank before";

  OpenOptions lacking = open;
  lacking.kernel_rules = folder.path() + "/nowhere";
  RankWorker lacks(job_to_bytes(lacking, pass), exchange, nullptr);
  const RankTask task{0, {.path = folder.path() + "/part_99.json"}};
  EXPECT_NE(answer_from_bytes(lacks.answer(task_to_bytes(task)), pass, task).error.find("nowhere"), std::string::npos);
  EXPECT_THROW(worker.answer("no task"), Error);
}

TEST(RankWorker, ARunOfWhichMoreIsAskedThanIsSentIsOpenedByTheRoot) {
  TraceFolder folder;
  const auto tree = [](int time) {
    return R"({"data": [[0, )" + std::to_string(time) +
           R"(]], "columns": ["path", "time"], "column_metadata": [{"is_value": false}, {"is_value": true}], )" +
           R"("nodes": [{"label": "main", "column": "path"}]})";
  };
  for (int rank = 0; rank < 5; ++rank) folder.add("rank" + std::to_string(rank) + ".json", tree(rank));
  const WantedTable metrics{&find_analysis("metrics")};
  ExchangeInProcess exchange(2);
  const MadeTables folded = make_tables(ProfileSource(opening_of(folder, &exchange)), {metrics});
  EXPECT_FALSE(folded.tables[0].empty());
  EXPECT_EQ(folded.tables, make_tables(ProfileSource(opening_of(folder, nullptr)), {metrics}).tables);
  EXPECT_EQ(exchange.opened(), 5U);
  EXPECT_GT(exchange.answers(), 0U);
}

}  // namespace
}  // namespace cgpu
