// The laws of partial results: whatever the order in which runs are seen, the grouping in which what was kept of them
// is combined, and the way through bytes, the table is the same as over all runs at once.
#include "analysis/partial.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/partial_bytes.h"
#include "analysis/random_run.h"
#include "analysis/test_partials.h"
#include "analysis/test_tables.h"

namespace cgpu {
namespace {

const std::vector<NamedKind>& vocabulary() {
  static const std::vector<NamedKind> words = {{SliceKind::framework_op, "aten::mm"},
                                               {SliceKind::framework_op, "aten::add"},
                                               {SliceKind::annotation, "forward"},
                                               {SliceKind::annotation, "ProfilerStep#3"},
                                               {SliceKind::annotation, "enumerate(DataLoader)"},
                                               {SliceKind::runtime_call, "cudaLaunchKernel"},
                                               {SliceKind::runtime_call, "cudaMemcpy"},
                                               {SliceKind::driver_call, "cuLaunchKernel"},
                                               {SliceKind::os_call, "poll"}};
  return words;
}

/// Ranks of random events; all but the first have other names too.
Session random_session(unsigned seed) {
  Session session;
  for (int64_t rank = 0; rank < 4; ++rank) {
    std::vector<NamedKind> words = vocabulary();
    if (rank > 0) words.push_back({SliceKind::framework_op, "aten::of_rank_" + std::to_string(rank)});
    RandomRun run(seed * 4 + static_cast<unsigned>(rank), words, HostShape::nested);
    run.run.rank = rank;
    run.run.format = rank == 2 ? "ascend" : "kineto";
    run.run.clock_is_unix = true;
    run.run.timeline.memory = {{rank, 100, 1000 + rank, 2000, 0}, {rank + 5, -100, 900, 2000, 0}};
    session.runs.push_back(std::move(run.run));
  }
  return session;
}

TEST(Partial, AnyOrderAnyGroupingAndThroughBytes) {
  std::mt19937_64 random(11);
  size_t with_rows = 0;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.fold == nullptr) continue;
    for (unsigned seed = 0; seed < 6; ++seed) {
      const Session session = random_session(seed);
      const SessionFacts facts(session);
      const Table expected = make_table(analysis, facts);
      with_rows += expected.empty() ? 0 : 1;
      for (int way = 0; way < 4; ++way) {
        EXPECT_EQ(folded(analysis, {}, facts, random), expected) << analysis.name << ", seed " << seed;
      }
    }
  }
  EXPECT_GT(with_rows, 60u);
}

TEST(Partial, RunsAppendedInTheirOrderNeedNotStayApart) {
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.fold == nullptr) continue;
    const Session session = random_session(7);
    const SessionFacts facts(session);
    const auto seen = analysis.fold(analysis, {});
    const RunIndex index{facts, {13, 10, 11, 12}};
    for (const uint32_t run : {2U, 0U, 3U, 1U}) seen->update({facts, run, index.numbers[run]});
    const auto together = analysis.fold(analysis, {});
    for (uint32_t run = 0; run < 4; ++run) {
      const auto alone = through_bytes(analysis, {}, *seen->take_run(index.numbers[run]));
      together->append_run(index, run, std::move(*alone));
      EXPECT_THROW(together->append_run(index, run, std::move(*alone)), Error) << "it has been taken";
    }
    EXPECT_EQ(together->finalize({facts, {}}), make_table(analysis, facts)) << analysis.name;
  }
}

TEST(Partial, OptionsGoAlong) {
  std::mt19937_64 random(12);
  const Session session = random_session(1);
  const SessionFacts facts(session);
  const Analysis& kernels = find_analysis("kernels");
  const TableOptions options = TableOptions().set("names", {"base"});
  const Table expected = make_table(kernels, facts, options);
  const Table table = folded(kernels, options, facts, random);
  EXPECT_EQ(table, expected);
  EXPECT_EQ(table.columns[0].about, expected.columns[0].about);
}

TEST(Partial, ARunThatIsSeenAgainCountsOnce) {
  const Session session = random_session(2);
  const SessionFacts facts(session);
  const Analysis& api = find_analysis("api");
  const auto partial = api.fold(api, {});
  for (const uint32_t run : {0U, 1U, 2U, 3U, 1U, 0U}) partial->update({facts, run, run});
  EXPECT_EQ(partial->finalize({facts, {0, 1, 2, 3}}), make_table(api, facts));
}

TEST(Partial, OnlyTheRunsOfTheOutlineCount) {
  const Session session = random_session(3);
  const SessionFacts facts(session);
  Session two;
  Session again = random_session(3);
  two.runs.push_back(std::move(again.runs[1]));
  two.runs.push_back(std::move(again.runs[3]));
  const SessionFacts facts_of_two(two);
  const Analysis& ops = find_analysis("ops");
  const auto partial = ops.fold(ops, {});
  for (uint32_t run = 0; run < 4; ++run) partial->update({facts, run, run});
  EXPECT_EQ(partial->finalize({facts_of_two, {1, 3}}), make_table(ops, facts_of_two));
}

std::string error_of(const Analysis& analysis, const std::string& bytes, const TableOptions& options = {}) {
  try {
    partial_from_bytes(analysis, options, bytes, "kept.bin");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PartialBytes, RefuseWhatTheyAreNot) {
  const Session session = random_session(5);
  const SessionFacts facts(session);
  const Analysis& kernels = find_analysis("kernels");
  const auto partial = kernels.fold(kernels, {});
  partial->update({facts, 0, 0});
  const std::string bytes = partial_to_bytes(kernels, {}, *partial);
  EXPECT_EQ(error_of(kernels, bytes), "");
  EXPECT_NE(error_of(kernels, "something else").find("kept.bin: "), std::string::npos);
  EXPECT_NE(error_of(find_analysis("api"), bytes).find("is no partial result of table api"), std::string::npos);
  EXPECT_NE(error_of(kernels, bytes, TableOptions().set("names", {"base"})).find("no partial result of table kernels"),
            std::string::npos);
}

/// What is kept, without the head that would refuse it: any bytes are read or refused, and nothing else happens.
TEST(PartialBytes, AnyContentIsReadOrRefused) {
  std::mt19937_64 random(7);
  const Session session = random_session(6);
  const SessionFacts facts(session);
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.fold == nullptr) continue;
    const auto partial = analysis.fold(analysis, {});
    for (uint32_t run = 0; run < 2; ++run) partial->update({facts, run, run});
    MessageWriter writer;
    partial->save(writer);
    for (int round = 0; round < 200; ++round) {
      std::string bytes = writer.bytes();
      for (size_t changes = 1 + random() % 3; changes > 0 && !bytes.empty(); --changes) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
      try {
        MessageReader reader(bytes, "mutated");
        analysis.fold(analysis, {})->load(reader);
      } catch (const Error&) {
      }
      try {
        PositionalReader reader(bytes, "mutated");
        analysis.fold(analysis, {})->load(reader);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace cgpu
