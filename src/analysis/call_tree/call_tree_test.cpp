#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/call_tree/test_call_tree.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "base/error.h"

namespace cgpu {
namespace {

TableOptions with_metric(const std::string& name) {
  return TableOptions().set(kMetricOption, {name});
}

TEST(CallTree, RowsAndSums) {
  TestTree tree;
  const NodeIndex f = tree.call(0, "f", 1);
  tree.add(f, NodeKind::loop, "", 2, 10);
  const Table table = call_tree_table(tree.session(), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(text_at(table, 2, "name"), "loop at unknown file:10");
  EXPECT_EQ(integer_at(table, 2, "depth"), 2);
  EXPECT_EQ(integer_at(table, 2, "parent"), 1);
  EXPECT_TRUE(absent_at(table, 0, "parent"));
  EXPECT_EQ(real_at(table, 0, "TIME.inclusive"), 3);
  EXPECT_EQ(real_at(table, 1, "TIME.exclusive"), 1);
  EXPECT_EQ(real_at(table, 2, "TIME.exclusive"), 2);
}

/// f calls g, which calls itself and h; m calls g too. Of g here and below, 9 = 6 + 3: the inner g is in the outer one.
Session recursive_session() {
  TestTree tree;
  const NodeIndex m = tree.call(0, "m", 1);
  const NodeIndex f = tree.call(m, "f", 1);
  const NodeIndex outer = tree.call(f, "g", 1);
  const NodeIndex inner = tree.call(outer, "g", 1);
  tree.call(inner, "h", 4);
  tree.call(m, "g", 3);
  return tree.session();
}

TEST(CallTree, RecursionCountsOnceInTheFlatView) {
  const Table table = functions_table(recursive_session(), {});
  expect_well_formed(table);
  EXPECT_EQ(real_at(table, row_of(table, "name", "g"), "TIME.inclusive"), 9);
  EXPECT_EQ(real_at(table, row_of(table, "name", "g"), "TIME.exclusive"), 5);
  EXPECT_EQ(real_at(table, row_of(table, "name", "m"), "TIME.inclusive"), 11);
  double sum = 0;
  for (size_t row = 0; row < table.row_count(); ++row) sum += real_at(table, row, "TIME.exclusive");
  EXPECT_EQ(sum, 11);
  EXPECT_EQ(table.row_count(), 4u);  // not the root, which costs nothing by itself
}

TEST(CallTree, CallersOfARecursiveFunction) {
  const Table table = callers_table(recursive_session(), {});
  expect_well_formed(table);
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> costs;
  for (size_t row = 0; row < table.row_count(); ++row) {
    const Cell inclusive = at(table, row, "TIME.inclusive");
    costs[{text_at(table, row, "name"), text_at(table, row, "caller")}] = {
        is_absent(inclusive) ? -1 : std::get<double>(inclusive), real_at(table, row, "TIME.exclusive")};
  }
  EXPECT_EQ(costs.at({"g", "f"}), std::pair(6.0, 1.0));
  EXPECT_EQ(costs.at({"g", "m"}), std::pair(3.0, 3.0));
  EXPECT_EQ(costs.at({"g", "g"}), std::pair(-1.0, 1.0));  // inside g: in the other rows already
  EXPECT_EQ(costs.at({"h", "g"}), std::pair(4.0, 4.0));
}

TEST(CallTree, BodiesBelongToTheirFunction) {
  TestTree tree;
  const NodeIndex f = tree.call(0, "f", 1);
  const NodeIndex loop = tree.add(f, NodeKind::loop, "", 2, 10);
  tree.add(loop, NodeKind::line, "", 4, 11);
  const Table table = functions_table(tree.session(), {});
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(real_at(table, 0, "TIME.exclusive"), 7);
}

TEST(CallTree, HotPathFollowsTheThreshold) {
  TestTree tree;
  const NodeIndex f = tree.call(0, "f", 4);
  const NodeIndex g = tree.call(f, "g", 1);
  tree.call(g, "h", 3);
  tree.call(f, "k", 2);
  const Session session = tree.session();
  Table table = hot_path_table(session);  // 10, 10, g 4 of 10
  expect_well_formed(table);
  EXPECT_EQ(table.row_count(), 2u);
  const auto with_threshold = [](const char* percent) { return TableOptions().set("threshold", {percent}); };
  table = hot_path_table(session, with_threshold("40"));
  ASSERT_EQ(table.row_count(), 4u);
  EXPECT_EQ(text_at(table, 3, "name"), "h");
  EXPECT_EQ(real_at(table, 3, "pct"), 30);
  EXPECT_EQ(hot_path_table(session, with_threshold("80")).row_count(), 2u);
  EXPECT_THROW(hot_path_table(session, with_threshold("101")), Error);
}

TEST(CallTree, MetricsThatAreRatios) {
  TestTree tree;
  tree.call(0, "f", 6);
  Metric count, mean, nothing;
  count.name = "COUNT";
  count.node = {0, 1};
  count.value = {2, 2};
  mean.name = "MEAN";
  mean.unit = "%";
  mean.parts = {0, 1};
  mean.formula.push_constant(100);
  mean.formula.push_operand(0);
  mean.formula.push(Formula::Op::product, 2);
  mean.formula.push_operand(1);
  mean.formula.push(Formula::Op::divide, 2);
  mean.formula.push_constant(250);
  mean.formula.push(Formula::Op::minimum, 2);
  nothing.name = "NOTHING";
  nothing.aliases = {"void"};
  for (Metric* metric : {&count, &mean, &nothing}) tree.tree().metrics.push_back(*metric);
  const Session session = tree.session();
  const Table table = metrics_table(session, {});
  expect_well_formed(table);
  EXPECT_EQ(real_at(table, row_of(table, "name", "MEAN"), "value"), 250);  // 300, above its limit
  EXPECT_TRUE(is_absent(at(table, row_of(table, "name", "NOTHING"), "value")));
  const Table nodes = call_tree_table(session, {});
  EXPECT_EQ(real_at(nodes, 1, "COUNT.exclusive"), 2);
  EXPECT_TRUE(is_absent(at(nodes, 0, "MEAN.exclusive")));  // nothing of the root's own
  for (const Column& column : nodes.columns) EXPECT_NE(column.name, "NOTHING.inclusive");
  EXPECT_EQ(call_tree_table(session, with_metric("void")).column("NOTHING.inclusive"), 6u);
  EXPECT_THROW(call_tree_table(session, with_metric("unheard of")), Error);
}

/// Page faults before the time, which is the main metric, in g more than in f, which takes longer.
Session session_of_two_events(const std::vector<std::string>& counters) {
  TestTree tree;
  tree.call(0, "f", 6);
  tree.call(0, "g", 4);
  std::vector<Metric>& metrics = tree.tree().metrics;
  for (const std::string& name : counters) {
    Metric counter;
    counter.name = name;
    counter.node = {0, 1, 2};
    counter.value = {4, 1, 3};
    metrics.push_back(std::move(counter));
  }
  Session session = tree.session();
  CallTree& made = *session.runs[0].call_tree;
  std::rotate(made.metrics.begin(), made.metrics.begin() + 1, made.metrics.end());
  made.main_metric = static_cast<MetricIndex>(made.metrics.size() - 1);
  return session;
}

TEST(CallTree, FunctionsComeInTheOrderOfTheMainMetric) {
  const Session session = session_of_two_events({"perf::PAGE-FAULTS"});
  const Table functions = functions_table(session, {});
  EXPECT_EQ(text_at(functions, 0, "name"), "f");
  EXPECT_LT(functions.column("TIME.inclusive"), functions.column("perf::PAGE-FAULTS.inclusive"));
  EXPECT_EQ(real_at(hot_path_table(session, {}), 1, "value"), real_at(functions, 0, "TIME.inclusive"));
}

TEST(CallTree, MetricsWithoutTheirPrefix) {
  const Table table = functions_table(session_of_two_events({"perf::PAGE-FAULTS"}), with_metric("page-faults"));
  EXPECT_EQ(text_at(table, 0, "name"), "g");
  const Session ambiguous = session_of_two_events({"perf::CYCLES", "papi::CYCLES"});
  EXPECT_THROW(functions_table(ambiguous, with_metric("cycles")), Error);
  EXPECT_NO_THROW(functions_table(ambiguous, with_metric("PAPI::cycles")));
}

TEST(CallTree, RoundedSumsLeaveNoCost) {
  TestTree tree;
  const NodeIndex f = tree.call(0, "f", 0.001);  // less than the sums below are right to
  tree.call(f, "g", 60);
  tree.call(f, "h", 40);
  tree.tree().metrics[0].rounding = 1e-4;
  const Table table = call_tree_table(tree.session(), {});
  EXPECT_EQ(real_at(table, 1, "TIME.exclusive"), 0);
  EXPECT_EQ(real_at(table, 2, "TIME.exclusive"), 60);
}

TEST(CallTree, StallsAreSharesOfAllStalls) {
  TestTree tree;
  tree.call(0, "f", 1);
  for (const auto& [reason, value] : {std::pair("texture", 1.0), std::pair("sleep", 3.0)}) {
    Metric metric;
    metric.name = reason;
    metric.stall_reason = reason;
    metric.node = {0};
    metric.value = {value};
    tree.tree().metrics.push_back(std::move(metric));
  }
  const Table table = stalls_table(tree.session(), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "reason"), "sleep");
  EXPECT_EQ(real_at(table, 0, "pct"), 75);
}

/// A metric of why instructions waited, with the own value of each node.
Metric stall_metric(const CallTree& tree, const std::string& reason, std::vector<double> own) {
  Metric metric;
  metric.name = reason;
  metric.stall_reason = reason;
  own.resize(tree.nodes.size(), 0);
  for (NodeIndex node = tree.nodes.size(); node-- > 1;) own[tree.nodes.parent[node]] += own[node];
  for (NodeIndex node = 0; node < own.size(); ++node) {
    metric.node.push_back(node);
    metric.value.push_back(own[node]);
  }
  return metric;
}

/// Two launches of one kernel, which calls a helper; each of a kernel's lines belongs to it wherever it is launched.
TEST(CallTree, PlacesOfStallsAddUpToTheirReasons) {
  TestTree tree;
  const NodeIndex main = tree.call(0, "main", 1);
  std::vector<double> sleep{0, 0};
  std::vector<double> texture{0, 0};
  for (const double scale : {1.0, 10.0}) {
    const NodeIndex launch = tree.call(main, "<gpu kernel>", 0);
    const NodeIndex kernel = tree.call(launch, "k", 0);
    const NodeIndex helper = tree.call(kernel, "h", 0);
    tree.add(kernel, NodeKind::line, "", 0, 7);
    tree.add(helper, NodeKind::line, "", 0, 9);
    for (const double own : {0.0, 4.0, 0.0, 3.0, 1.0}) sleep.push_back(own * scale);
    for (const double own : {0.0, 0.0, 0.0, 1.0, 2.0}) texture.push_back(own * scale);
  }
  tree.tree().metrics.push_back(stall_metric(tree.tree(), "sleep", sleep));
  tree.tree().metrics.push_back(stall_metric(tree.tree(), "texture", texture));
  const Session session = tree.session();

  const Table lines = stall_places_table(session, {});
  expect_well_formed(lines);
  ASSERT_EQ(lines.row_count(), 5u);  // k itself, line 7 and line 9, of these the lines for two reasons
  EXPECT_EQ(text_at(lines, 0, "function"), "k");
  EXPECT_TRUE(absent_at(lines, 0, "line"));
  EXPECT_EQ(real_at(lines, 0, "value"), 44);
  EXPECT_EQ(real_at(lines, 0, "pct"), 100);
  EXPECT_EQ(integer_at(lines, 1, "line"), 7);
  EXPECT_EQ(real_at(lines, 1, "pct"), 75);
  EXPECT_EQ(text_at(lines, 2, "function"), "h");
  EXPECT_EQ(text_at(lines, 2, "kernel"), "k");
  EXPECT_EQ(text_at(lines, 2, "reason"), "texture");
  EXPECT_EQ(real_at(lines, 2, "value"), 22);

  const Table kernels = stall_places_table(session, TableOptions().set("by", {"kernel"}));
  ASSERT_EQ(kernels.row_count(), 2u);
  EXPECT_EQ(text_at(kernels, 0, "kernel"), "k");
  EXPECT_EQ(real_at(kernels, 0, "value"), 88);
  EXPECT_EQ(real_at(kernels, 1, "value"), 33);
  const Table whole = stalls_table(session, {});
  for (const Table& places : {lines, kernels}) {
    std::map<std::string, double> sums;
    double shares = 0;
    for (size_t row = 0; row < places.row_count(); ++row) {
      sums[text_at(places, row, "reason")] += real_at(places, row, "value");
      shares += real_at(places, row, "all_pct");
    }
    for (size_t row = 0; row < whole.row_count(); ++row) {
      EXPECT_EQ(sums[text_at(whole, row, "reason")], real_at(whole, row, "value"));
    }
    EXPECT_NEAR(shares, 100, 1e-9);
  }
}

/// Three threads with 4, 2 and 0 in f; the third is elsewhere.
class ThreeThreads : public ProfileValues {
 public:
  std::vector<NodeValue> of_profile(uint32_t, MetricIndex) override { return {}; }
  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex) override {
    if (node == 0) return {{0, 4}, {1, 2}, {2, 3}};
    if (node == 1) return {{0, 4}, {1, 2}};
    return {{2, 3}};
  }
  std::vector<std::string> scopes() override { return {"function"}; }
  std::vector<NodeValue> of_scope(const std::string&, MetricIndex, std::optional<uint32_t>) override {
    return {{1, 5}};
  }
};

TEST(CallTree, ThreadsAndTheirCost) {
  TestTree tree;
  tree.call(0, "f", 9);
  for (const int64_t rank : {1, 0, 0}) {
    CallProfile profile;
    profile.name = "rank " + std::to_string(rank);
    profile.rank = rank;
    tree.tree().profiles.push_back(profile);
  }
  tree.tree().profiles[1].device = true;
  tree.tree().profile_values = std::make_shared<ThreeThreads>();
  const Table table = profiles_table(tree.session(), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  EXPECT_EQ(integer_at(table, 0, "id"), 2);  // by rank, threads before streams
  EXPECT_EQ(integer_at(table, 1, "id"), 1);
  EXPECT_EQ(text_at(table, 1, "kind"), "stream");
  EXPECT_EQ(integer_at(table, 2, "rank"), 1);
  EXPECT_EQ(real_at(table, 2, "TIME"), 4);
}

TEST(CallTree, OtherScopesAsStored) {
  TestTree tree;
  tree.call(0, "f", 6);
  tree.tree().profile_values = std::make_shared<ThreeThreads>();
  const Session session = tree.session();
  const Table table = call_tree_table(session, TableOptions().set("scope", {"function"}));
  expect_well_formed(table);
  EXPECT_TRUE(is_absent(at(table, 0, "TIME.function")));
  EXPECT_EQ(real_at(table, 1, "TIME.function"), 5);
  EXPECT_THROW(call_tree_table(session, TableOptions().set("scope", {"unheard of"})), Error);
}

/// The tree of ThreeThreads: f and g, and profiles of these ranks, the last of which has no values.
Session three_threads_of_ranks(const std::vector<int64_t>& ranks) {
  TestTree tree;
  tree.call(0, "f", 6);
  tree.call(0, "g", 3);
  for (const int64_t rank : ranks) {
    CallProfile profile;
    profile.name = "thread " + std::to_string(tree.tree().profiles.size());
    profile.rank = rank;
    tree.tree().profiles.push_back(profile);
  }
  tree.tree().profile_values = std::make_shared<ThreeThreads>();
  return tree.session();
}

TEST(CallTree, ImbalanceOverThreadsThatHaveAnyCost) {
  const Table table = imbalance_table(three_threads_of_ranks({0, 0, 0, 0}), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 3u);
  const size_t f = row_of(table, "name", "f");
  EXPECT_EQ(real_at(table, f, "min"), 2);
  EXPECT_EQ(real_at(table, f, "mean"), 3);
  EXPECT_EQ(real_at(table, f, "max"), 4);
  EXPECT_EQ(text_at(table, f, "worst"), "thread 0");
  EXPECT_EQ(integer_at(table, f, "profiles"), 2);  // the third is elsewhere, the fourth has no values at all
  const size_t g = row_of(table, "name", "g");
  EXPECT_EQ(real_at(table, g, "imbalance"), 1);
  EXPECT_EQ(integer_at(table, g, "profiles"), 1);
  EXPECT_EQ(integer_at(table, row_of(table, "name", "<root>"), "profiles"), 3);
}

TEST(CallTree, ARankWithoutCostCountsInItsImbalance) {
  const Table table = imbalance_table(three_threads_of_ranks({0, 0, 1, 2}), {});
  const size_t f = row_of(table, "name", "f");
  EXPECT_EQ(real_at(table, f, "min"), 0);
  EXPECT_EQ(real_at(table, f, "mean"), 2);
  EXPECT_EQ(real_at(table, f, "imbalance"), 2);
  EXPECT_EQ(integer_at(table, f, "profiles"), 3);  // both threads of rank 0, and rank 1; rank 2 has no values at all
}

/// The master of a team calls the body, which calls itself, from main; the worker calls it from its start.
class Team : public ProfileValues {
 public:
  std::vector<NodeValue> of_profile(uint32_t, MetricIndex) override { return {}; }
  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex) override {
    switch (node) {
      case 0:
        return {{0, 35}, {1, 10}};
      case 1:  // main
        return {{0, 35}};
      case 4:  // start of the worker
      case 5:
        return {{1, 10}};
      default:
        return {{0, 30}};
    }
  }
};

TEST(CallTree, ImbalanceByFunctionAddsUpItsCallPaths) {
  TestTree tree;
  const NodeIndex main = tree.call(0, "main", 5);
  const NodeIndex body = tree.call(main, "body", 0);
  tree.call(body, "body", 30);
  const NodeIndex start = tree.add(0, NodeKind::entry, "start", 0);
  tree.call(start, "body", 10);
  for (const char* name : {"thread 0", "thread 1"}) {
    CallProfile profile;
    profile.name = name;
    tree.tree().profiles.push_back(profile);
  }
  tree.tree().profile_values = std::make_shared<Team>();
  const Session session = tree.session();

  const Table nodes = imbalance_table(session, {});
  for (size_t row = 0; row < nodes.row_count(); ++row) {
    if (text_at(nodes, row, "name") != "body") continue;
    EXPECT_EQ(real_at(nodes, row, "imbalance"), 1);
  }
  const Table functions = imbalance_table(session, TableOptions().set("by", {"function"}));
  expect_well_formed(functions);
  ASSERT_EQ(functions.row_count(), 4u);  // root, main, body, start
  const size_t at = row_of(functions, "name", "body");
  EXPECT_EQ(integer_at(functions, at, "id"), 2);
  EXPECT_EQ(real_at(functions, at, "min"), 10);
  EXPECT_EQ(real_at(functions, at, "mean"), 20);
  EXPECT_EQ(real_at(functions, at, "max"), 30);  // the inner body is in the outer one
  EXPECT_EQ(real_at(functions, at, "imbalance"), 1.5);
  EXPECT_EQ(integer_at(functions, at, "profiles"), 2);
}

/// What a damaged file says: a part has a cost, the whole has none.
class PartWithoutWhole : public ProfileValues {
 public:
  std::vector<NodeValue> of_profile(uint32_t, MetricIndex) override { return {}; }
  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex) override {
    if (node == 0) return {};
    return {{0, 3}};
  }
};

TEST(CallTree, ImbalanceOfAPartWithoutAWhole) {
  TestTree tree;
  const NodeIndex main = tree.call(0, "main", 3);
  tree.tree().profiles.emplace_back().name = "thread 0";
  tree.tree().profile_values = std::make_shared<PartWithoutWhole>();
  const Table table = imbalance_table(tree.session(), {});
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(integer_at(table, 0, "id"), main);
  EXPECT_EQ(real_at(table, 0, "max"), 3);
  EXPECT_EQ(integer_at(table, 0, "profiles"), 1);
}

TEST(CallTree, RunsWithoutOneGiveEmptyTables) {
  TestRun run;
  const Session session = session_of(run);
  for (const auto table :
       {profiles_table, call_tree_table, hot_path_table, functions_table, callers_table, imbalance_table}) {
    EXPECT_TRUE(table(session, with_metric("anything")).empty());
  }
  EXPECT_TRUE(metrics_table(session).empty());
  EXPECT_TRUE(stalls_table(session).empty());
}

}  // namespace
}  // namespace cgpu
