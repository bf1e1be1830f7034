// Every table of a part of a session: indices of the part and of the whole are not the same, and no answer may take one
// for the other. Under the sanitizers this finds what a release build may survive.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/findings/rule_context.h"
#include "analysis/session_clock.h"
#include "base/error.h"
#include "session/profile_source.h"
#include "session/ranks/test_ranks.h"
#include "session/selection/selection.h"

namespace cgpu {
namespace {

using test::event_text;
using test::trace_of_rank;
using test::TraceFolder;

/// A launch, then many short kernels with gaps between them, which a compiler could fuse.
std::string short_kernels(int rank) {
  std::string events;
  for (int i = 0; i < 400; ++i) {
    const std::string id = "\"correlation\": " + std::to_string(i + 1);
    events += event_text("cuda_runtime", "cudaLaunchKernel", 100, "1", 1000 + i * 2, 1, id);
    events +=
        event_text("kernel", "elementwise_kernel", 0, "7", 3000 + i * 10, 4, id + R"(, "device": 0, "stream": 7)");
  }
  events.resize(events.size() - 2);
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
         R"(, "world_size": 3}, "traceEvents": [)" + events + "]}";
}

/// Four steps of a kernel each; in the first one a device may still do what nobody in the profile has launched.
std::string steps_of_rank(int rank, bool has_earlier_work) {
  std::string events;
  for (int step = 0; step < 4; ++step) {
    const int64_t begin = 1'000'000 + step * 1000;
    const std::string id = "\"correlation\": " + std::to_string(step + 1);
    const std::string where = R"(, "device": 0, "stream": 7)";
    events += event_text("user_annotation", "ProfilerStep#" + std::to_string(step), 100, "1", begin, 990, "");
    events += event_text("cuda_runtime", "cudaLaunchKernel", 100, "1", begin + 10, 5, id);
    events += event_text("kernel", "gemm", 0, "7", begin + 400, 500, id + where);
    if (step == 0 && has_earlier_work) {
      events += event_text("kernel", "earlier", 0, "7", begin + 20, 300, where.substr(2));
    }
  }
  events.resize(events.size() - 2);
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
         R"(, "world_size": 3}, "traceEvents": [)" + events + "]}";
}

void expect_all_tables(const SessionFacts& facts, const std::string& what) {
  for (const Analysis& analysis : all_analyses()) {
    SCOPED_TRACE(analysis.name + " of " + what);
    try {
      EXPECT_FALSE(make_table(analysis, facts).columns.empty());
    } catch (const Error&) {  // what a part does not have may be refused
    }
  }
}

void expect_parts(const TraceFolder& folder) {
  OpenOptions options;
  options.inputs = {folder.path()};
  options.threads = 1;
  const Session whole = ProfileSource(options).open();
  ASSERT_EQ(whole.runs.size(), 3U);
  Selection last;
  last.ranks = NumberList(2);
  Selection window;
  window.from = 500'000;
  window.to = 12'000'000;
  Selection both = last;
  both.from = 100'000;
  for (const auto& [name, selection] : {std::pair("a rank", last), {"a window", window}, {"both", both}}) {
    const Session opened = ProfileSource(options, selection).open();
    expect_all_tables(SessionFacts(opened), std::string(name) + ", opened");
    const SessionFacts facts(whole);
    const Session part = part_of_session(facts, selection);
    expect_all_tables(SessionFacts(part, facts), std::string(name) + ", cut out");
    expect_all_tables(SessionFacts(part), std::string(name) + ", by itself");
  }
}

// The steps that findings are about are counted by run of the whole, also where the part begins with another one.
TEST(FindingsOfAPart, LeaveOutTheStepThatBeginsWithEarlierWork) {
  const TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank)
    folder.add("rank" + std::to_string(rank) + ".json", steps_of_rank(rank, rank == 1));
  OpenOptions options;
  options.inputs = {folder.path()};
  options.threads = 1;
  const Session whole = ProfileSource(options).open();
  ASSERT_FALSE(has_common_clock(whole));
  const SessionFacts facts(whole);
  Selection last_two;
  last_two.ranks = NumberList("1-2", "ranks");
  const Session part = part_of_session(facts, last_two);
  const SessionFacts part_facts(part, facts);
  const Ruleset rules;
  const auto steps_of = [&](const SessionFacts& of, size_t run) {
    const RuleContext context(of, rules);
    EXPECT_TRUE(context.judged().had_earlier_work);
    std::vector<int64_t> steps;
    for (const Period& period : context.judged().periods) {
      if (period.run == run) steps.push_back(period.step.value_or(-1));
    }
    return steps;
  };
  for (const SessionFacts* of : {&facts, &part_facts}) {
    EXPECT_EQ(steps_of(*of, 1), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(steps_of(*of, 2), (std::vector<int64_t>{0, 1, 2, 3}));
  }
}

TEST(TablesOfAPart, OfSteps) {
  const TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank)
    folder.add("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 3, rank * 777));
  expect_parts(folder);
}

TEST(TablesOfAPart, OfShortKernels) {
  const TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", short_kernels(rank));
  expect_parts(folder);
}

}  // namespace
}  // namespace cgpu
