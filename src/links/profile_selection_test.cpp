#include "links/profile_selection.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "links/test_run.h"

namespace cgpu {
namespace {

using test::RunBuilder;

/// Values of three profiles at two nodes: 10 profile + node + 1, times ten for the scope "function".
class Numbered : public ProfileValues {
 public:
  std::vector<NodeValue> of_profile(uint32_t profile, MetricIndex) override {
    return {{0, 10.0 * profile + 1}, {1, 10.0 * profile + 2}};
  }
  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex) override {
    std::vector<ProfileValue> found;
    for (uint32_t profile = 0; profile < 3; ++profile) found.push_back({profile, 10.0 * profile + node + 1});
    return found;
  }
  std::vector<std::string> scopes() override { return {"function"}; }
  std::vector<NodeValue> of_scope(const std::string&, MetricIndex, std::optional<uint32_t> profile) override {
    return {{1, 100.0 * profile.value_or(1000)}};
  }
};

/// Profiles of rank 4, 5 and 5; a track of each, and one of nobody.
RunBuilder two_ranks() {
  RunBuilder b;
  for (TrackIndex track = 0; track < 4; ++track) b.add(SliceKind::other, "sample", 10 * track, 10 * track + 5, track);
  b.add_op(SliceKind::kernel, "k", 100, 110, 1, 0, 7, 2);
  b.finish();
  for (const TrackIndex track : {0, 1, 2}) b.run.timeline.tracks[track].rank = track == 0 ? 4 : 5;
  CallTree& tree = b.run.call_tree.emplace();
  tree.nodes.parent = {kNoNode, 0};
  tree.metrics.resize(2);
  tree.metrics[1].additive = false;
  for (Metric& metric : tree.metrics) {
    metric.node = {0, 1};
    metric.value = {-1, -1};
  }
  for (const int64_t rank : {4, 5, 5}) {
    CallProfile profile;
    profile.rank = rank;
    tree.profiles.push_back(profile);
  }
  tree.profile_values = std::make_shared<Numbered>();
  return b;
}

TEST(ProfileSelection, ValuesAreThoseOfTheSelectedProfiles) {
  RunBuilder b = two_ranks();
  CallTree& tree = *b.run.call_tree;
  select_profiles(tree, {0, 2});
  EXPECT_EQ(tree.profiles.size(), 2u);
  EXPECT_EQ(tree.metrics[0].value, (std::vector<double>{22, 24}));
  EXPECT_EQ(tree.metrics[1].value, (std::vector<double>{21, 22}));  // a setting: not added up
  const auto of_node = tree.profile_values->of_node(1, 0);
  ASSERT_EQ(of_node.size(), 2u);
  EXPECT_EQ(of_node[1].profile, 1u);  // numbered anew
  EXPECT_EQ(of_node[1].value, 22);
  EXPECT_EQ(tree.profile_values->of_profile(1, 0)[0].value, 21);
  EXPECT_EQ(tree.profile_values->of_scope("function", 0, std::nullopt)[0].value, 200);
  EXPECT_EQ(tree.profile_values->of_scope("function", 0, 1)[0].value, 200);
  EXPECT_EQ(tree.profile_values->scopes(), std::vector<std::string>{"function"});
}

TEST(ProfileSelection, ARankOfSeveral) {
  RunBuilder b = two_ranks();
  EXPECT_EQ(ranks_inside(b.run), (std::vector<int64_t>{4, 5}));
  select_ranks_inside(b.run, {5});
  EXPECT_EQ(b.run.rank, 5);
  EXPECT_EQ(b.run.call_tree->profiles.size(), 2u);
  EXPECT_EQ(b.run.call_tree->metrics[0].value, (std::vector<double>{32, 34}));
  // Its two tracks, and the one that names no rank.
  EXPECT_EQ(b.run.timeline.slices.track, (std::vector<TrackIndex>{1, 2, 3, 2}));
  EXPECT_EQ(b.run.timeline.device_ops.slice, std::vector<SliceIndex>{3});

  RunBuilder other = two_ranks();
  select_ranks_inside(other.run, {4});
  EXPECT_EQ(other.run.timeline.slices.size(), 2u);
  EXPECT_EQ(other.run.timeline.device_ops.size(), 0u);
  EXPECT_EQ(ranks_inside(RunBuilder().run), std::vector<int64_t>());

  RunBuilder both = two_ranks();
  const size_t slices = both.run.timeline.slices.size();
  select_ranks_inside(both.run, {4, 5});
  EXPECT_FALSE(both.run.rank_known);
  EXPECT_EQ(both.run.timeline.slices.size(), slices);
  EXPECT_EQ(ranks_inside(both.run), (std::vector<int64_t>{4, 5}));
}

}  // namespace
}  // namespace cgpu
