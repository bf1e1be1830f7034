#include "analysis/call_tree/sample_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/call_tree/test_call_tree.h"
#include "analysis/common/sample_counts.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

/// f with 6 samples of its own and 30 in g below it, h with 4; each stands for 5 s.
Session sampled_session(std::optional<double> sample_value) {
  TestTree tree;
  tree.tree().metrics[0].sample_value = sample_value;
  const NodeIndex f = tree.call(0, "f", 30);
  tree.call(f, "g", 150);
  tree.call(0, "h", 20);
  return tree.session();
}

TEST(SampleBounds, AreThoseOfTheShareOfTheWhole) {
  const Table table = call_tree_table(sampled_session(5), {});
  expect_well_formed(table);
  const auto expect_bounds = [&](const std::string& name, const std::string& scope, double samples) {
    const ShareBounds share = *share_of_counts(samples, 40);
    const size_t row = row_of(table, "name", name);
    EXPECT_NEAR(real_at(table, row, "TIME." + scope + "_low"), 200 * share.low, 1e-9) << name;
    EXPECT_NEAR(real_at(table, row, "TIME." + scope + "_high"), 200 * share.high, 1e-9) << name;
  };
  expect_bounds("<root>", "inclusive", 40);
  expect_bounds("<root>", "exclusive", 0);
  expect_bounds("f", "inclusive", 36);
  expect_bounds("f", "exclusive", 6);
  expect_bounds("g", "inclusive", 30);
  expect_bounds("h", "exclusive", 4);
}

TEST(SampleBounds, OfFunctionsAndOfWhatIsPruned) {
  const Session session = sampled_session(5);
  const Table functions = functions_table(session, {});
  const ShareBounds of_g = *share_of_counts(30, 40);
  EXPECT_NEAR(real_at(functions, row_of(functions, "name", "g"), "TIME.exclusive_high"), 200 * of_g.high, 1e-9);
  const Table pruned = call_tree_table(session, TableOptions().set("min-pct", {"50"}));
  const ShareBounds of_h = *share_of_counts(4, 40);
  EXPECT_NEAR(real_at(pruned, row_of(pruned, "name", "<pruned>"), "TIME.inclusive_low"), 200 * of_h.low, 1e-9);
}

TEST(SampleBounds, WithoutNumbersOfSamplesThereAreNone) {
  const Table table = call_tree_table(sampled_session(std::nullopt), {});
  EXPECT_TRUE(std::none_of(table.columns.begin(), table.columns.end(),
                           [](const Column& column) { return column.name.ends_with("_low"); }));
}

TEST(SampleBounds, OfTheMetricsThatAreAskedForElseOfTheMainOne) {
  Session session = sampled_session(5);
  CallTree& tree = *session.runs[0].call_tree;
  Metric more = tree.metrics[0];
  more.name = "MORE";
  tree.metrics.push_back(more);
  const auto has = [](const Table& table, const std::string& name) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](const Column& column) { return column.name == name + ".inclusive_low"; });
  };
  const Table usual = functions_table(session, {});
  EXPECT_TRUE(has(usual, "TIME") && !has(usual, "MORE"));
  const Table asked = functions_table(session, TableOptions().set(kMetricOption, {"MORE"}));
  EXPECT_TRUE(has(asked, "MORE") && !has(asked, "TIME"));
}

}  // namespace
}  // namespace cgpu
