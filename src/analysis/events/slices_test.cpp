#include "analysis/events/slices.h"

#include <gtest/gtest.h>

#include "analysis/random_run.h"
#include "analysis/tables.h"
#include "model/test_arguments.h"

namespace cgpu {
namespace {

class FixedArguments : public test::MadeArguments {
  std::vector<Argument> of(uint64_t source) override {
    return {{"source", std::to_string(source), true}, {"say \"hi\"", "back\\slash\n"}, {"dims", "[[2, 3], []]", true}};
  }
};

TEST(Slices, InOrderOfStart) {
  TestRun run(2);
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1020, 5);
  const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", 1010, 50);
  const SliceIndex range = run.host(SliceKind::annotation, "forward", 1000, 100);
  run.run.timeline.slices.parent[call] = op;
  run.run.timeline.slices.parent[op] = range;
  run.run.timeline.slices.correlation[call] = 77;
  const SliceIndex kernel = run.kernel("gemm", 1200, 40, {1, 20, OpKind::compute, KernelClass::gemm, call});
  run.implausible(kernel);
  const Table table = slices_table(session_of(run), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 4u);
  EXPECT_EQ(text_at(table, 0, "name"), "forward");
  EXPECT_EQ(integer_at(table, 0, "rank"), 2);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 0);
  EXPECT_EQ(integer_at(table, 0, "depth"), 0);
  EXPECT_EQ(text_at(table, 0, "kind"), "annotation");
  EXPECT_EQ(text_at(table, 1, "name"), "aten::mm");
  EXPECT_EQ(integer_at(table, 1, "depth"), 1);
  EXPECT_TRUE(absent_at(table, 1, "correlation"));
  EXPECT_TRUE(absent_at(table, 1, "device"));
  EXPECT_EQ(text_at(table, 2, "name"), "cudaLaunchKernel");
  EXPECT_EQ(integer_at(table, 2, "depth"), 2);
  EXPECT_EQ(integer_at(table, 2, "correlation"), 77);
  EXPECT_TRUE(absent_at(table, 2, "remark"));
  EXPECT_EQ(integer_at(table, 3, "start_ns"), 200);
  EXPECT_EQ(integer_at(table, 3, "duration_ns"), 40);
  EXPECT_EQ(integer_at(table, 3, "device"), 1);
  EXPECT_EQ(integer_at(table, 3, "stream"), 20);
  EXPECT_EQ(text_at(table, 3, "thread"), "20");
  EXPECT_TRUE(absent_at(table, 3, "depth"));
  EXPECT_FALSE(absent_at(table, 3, "remark"));
}

TEST(Slices, ArgumentsOnlyWhenAskedFor) {
  TestRun run;
  run.kernel("k", 0, 1);
  run.run.timeline.slices.source[0] = 42;
  run.run.arguments = std::make_shared<FixedArguments>();
  const Session session = session_of(run);
  EXPECT_ANY_THROW(slices_table(session, {}).column("args"));
  AnalysisOptions options;
  options.arguments = true;
  EXPECT_EQ(text_at(slices_table(session, options), 0, "args"),
            R"({"source": 42, "say \"hi\"": "back\\slash\n", "dims": [[2, 3], []]})");
}

/// The slow way: the rows of all slices, then chosen among.
Table chosen_afterwards(const Session& session, const AnalysisOptions& options, const RowChoice& choice) {
  Table table = slices_table(session, options);
  choice.where.apply(table);
  if (!choice.sort.empty()) sort_rows(table, choice.sort);
  take_top(table, choice.top);
  return table;
}

TEST(Slices, SomeAreTheFirstOfAll) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::annotation, ""},
                                             {SliceKind::runtime_call, "cudaLaunchKernel"}};
  for (unsigned seed = 0; seed < 20; ++seed) {
    Session session = session_of(RandomRun(seed, vocabulary, HostShape::nested),
                                 RandomRun(seed + 1000, vocabulary, HostShape::overlapping));
    AnalysisOptions options;
    options.arguments = seed % 4 == 0;
    for (cgpu::Run& run : session.runs) {
      if (seed % 8 == 0) run.arguments = std::make_shared<FixedArguments>();
      for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) run.timeline.slices.source[i] = 7 * i % 11;
    }
    const std::vector<Column> columns = slices_table(session, options).columns;
    for (const size_t top : {size_t{0}, size_t{1}, size_t{5}, size_t{1000}}) {
      for (const char* where :
           {"", "duration_ns > 10", "name ~ aten and depth <= 1", "kind = kernel and stream != 1"}) {
        RowChoice choice{*where == 0 ? Filter() : Filter::parse(where), "", top};
        EXPECT_EQ(some_slices(session, options, choice), chosen_afterwards(session, options, choice));
        for (const Column& column : columns) {
          for (const char* sign : {"", "+", "-"}) {
            choice.sort = sign + column.name;
            EXPECT_EQ(some_slices(session, options, choice), chosen_afterwards(session, options, choice))
                << choice.sort << " " << where << " " << top;
          }
        }
      }
    }
  }
  EXPECT_ANY_THROW(some_slices(session_of(TestRun()), {}, {{}, "nonsense", 1}));
  EXPECT_ANY_THROW(some_slices(session_of(TestRun()), {}, {Filter::parse("nonsense = 1"), "", 1}));
}

}  // namespace
}  // namespace cgpu
