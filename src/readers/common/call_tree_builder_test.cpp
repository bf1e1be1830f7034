#include "readers/common/call_tree_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cgpu {
namespace {

Metric named(const char* name) {
  Metric metric;
  metric.name = name;
  return metric;
}

TEST(CallTreeBuilder, SumsWhatNodesCostByThemselves) {
  CallTreeBuilder builder;
  const MetricIndex metric = builder.add_metric(named("m"));
  const uint32_t one = builder.add_profile({"one", {}, {}, false});
  const uint32_t two = builder.add_profile({"two", {}, {}, false});
  CallPlace f;
  f.name = builder.names().intern("f");
  const NodeIndex a = builder.child(0, 0);
  const NodeIndex b = builder.child(a, 0);
  EXPECT_EQ(builder.child(0, 0), a);
  builder.add(one, metric, b, 2);
  builder.add(one, metric, b, 3);
  builder.add(two, metric, a, 10);
  builder.add(two, metric, 0, 100);
  CallTree tree = builder.finish({f});
  EXPECT_EQ(inclusive_values(tree, metric), (std::vector<double>{115, 15, 5}));
  EXPECT_EQ(exclusive_values(tree, metric), (std::vector<double>{100, 10, 5}));
  EXPECT_EQ(tree.name_of(0), "<root>");
  EXPECT_EQ(tree.name_of(b), "f");
  ASSERT_TRUE(tree.profile_values);
  const auto of_one = tree.profile_values->of_profile(one, metric);
  ASSERT_EQ(of_one.size(), 3u);
  EXPECT_EQ(of_one[1].value, 5);
  const auto of_a = tree.profile_values->of_node(a, metric);
  ASSERT_EQ(of_a.size(), 2u);
  EXPECT_EQ(of_a[0].value, 5);
  EXPECT_EQ(of_a[1].value, 10);
  EXPECT_TRUE(tree.profile_values->of_node(b, metric).size() == 1);
}

TEST(CallTreeBuilder, PlacesThatAreDescribedAlikeAreOne) {
  CallTreeBuilder builder;
  builder.add_metric(named("m"));
  builder.add_profile({});
  const NodeIndex f = builder.child_named(0, "f\xff");
  CallPlace line;
  line.file = builder.names().intern("f.c");
  line.line = 7;
  line.kind = NodeKind::line;
  const NodeIndex seventh = builder.child(f, line);
  EXPECT_EQ(builder.child_named(0, "f\xff"), f);
  EXPECT_EQ(builder.child(f, line), seventh);
  EXPECT_NE(builder.child(0, line), seventh);
  line.line = 8;
  EXPECT_NE(builder.child(f, line), seventh);
  EXPECT_EQ(builder.described(seventh).line, 7u);
  const CallTree tree = builder.finish();
  EXPECT_EQ(tree.name_of(f), "f\xef\xbf\xbd");
  EXPECT_EQ(tree.nodes.line[seventh], 7u);
  EXPECT_EQ(tree.nodes.kind[seventh], NodeKind::line);
}

TEST(CallTreeBuilder, TakesInclusiveValuesAsTheyAre) {
  CallTreeBuilder builder;
  const MetricIndex metric = builder.add_metric(named("m"));
  builder.add_profile({});
  const NodeIndex a = builder.child(0, 0);
  const NodeIndex b = builder.child(a, 1);
  const NodeIndex c = builder.child(b, 2);
  builder.add_inclusive(0, metric, a, 10);
  builder.add_inclusive(0, metric, c, 4);  // b has none: it is what c is
  builder.add(0, metric, 0, 1);
  const CallTree tree = builder.finish({});
  EXPECT_EQ(inclusive_values(tree, metric), (std::vector<double>{11, 10, 4, 4}));
  EXPECT_TRUE(tree.profiles.empty());
  EXPECT_EQ(tree.name_of(a), "<unknown function>");
}

TEST(CallTreeBuilder, CombinesWhatIsNoSum) {
  CallTreeBuilder builder;
  const MetricIndex least = builder.add_metric(named("min"), Combine::smallest);
  const MetricIndex most = builder.add_metric(named("max"), Combine::largest);
  const MetricIndex first = builder.add_metric(named("any"), Combine::first);
  const MetricIndex only = builder.add_metric(named("avg"), Combine::only);
  for (int i = 0; i < 2; ++i) builder.add_profile({"p", {}, {}, false});
  const NodeIndex a = builder.child(0, 0);
  const NodeIndex b = builder.child(a, 0);
  for (const MetricIndex metric : {least, most, first, only}) {
    builder.add_inclusive(0, metric, a, 2);
    builder.add_inclusive(0, metric, a, 3);
    builder.add_inclusive(1, metric, a, 1);
    builder.add_inclusive(1, metric, b, 7);
  }
  const CallTree tree = builder.finish({});
  EXPECT_EQ(inclusive_value(tree, least, a), 1);
  EXPECT_EQ(inclusive_value(tree, most, a), 3);
  EXPECT_EQ(inclusive_value(tree, first, a), 2);
  EXPECT_TRUE(std::isnan(inclusive_value(tree, only, a)));
  EXPECT_EQ(inclusive_value(tree, only, b), 7);
  EXPECT_TRUE(std::isnan(inclusive_value(tree, least, 0)));  // nothing is said of what lies above
  EXPECT_FALSE(tree.metrics[most].additive);
  EXPECT_EQ(builder.ambiguous(), 1);
}

// Against sums made by walking up from every value.
TEST(CallTreeBuilder, AddsUpForAnyTree) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    CallTreeBuilder builder;
    const MetricIndex metric = builder.add_metric(named("m"));
    for (int i = 0; i < 3; ++i) builder.add_profile({"p" + std::to_string(i), {}, {}, false});
    for (uint32_t i = 1; i < 60; ++i) builder.child(static_cast<NodeIndex>(random() % builder.nodes()), i);
    std::vector<std::vector<double>> want(3, std::vector<double>(builder.nodes(), 0));
    for (int i = 0; i < 100; ++i) {
      const auto profile = static_cast<uint32_t>(random() % 3);
      const auto node = static_cast<NodeIndex>(random() % builder.nodes());
      const auto value = static_cast<double>(random() % 1000);
      builder.add(profile, metric, node, value);
      for (NodeIndex n = node; n != kNoNode; n = builder.parent(n)) want[profile][n] += value;
    }
    const CallTree tree = builder.finish({});
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      const double whole = want[0][node] + want[1][node] + want[2][node];
      const double got = inclusive_value(tree, metric, node);
      EXPECT_EQ(std::isnan(got) ? 0 : got, whole);
      double sum = 0;
      for (const ProfileValue& value : tree.profile_values->of_node(node, metric)) {
        EXPECT_EQ(value.value, want[value.profile][node]);
        sum += value.value;
      }
      EXPECT_EQ(sum, whole);
    }
  }
}

}  // namespace
}  // namespace cgpu
