#include "links/profile_selection.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "links/window.h"

namespace cgpu {

namespace {

/// The values of some profiles of another source, numbered anew.
class SelectedValues : public ProfileValues {
 public:
  SelectedValues(std::shared_ptr<ProfileValues> all, std::vector<uint32_t> kept)
      : all_(std::move(all)), kept_(std::move(kept)) {}

  std::vector<NodeValue> of_profile(uint32_t profile, MetricIndex metric) override {
    return all_->of_profile(kept_[profile], metric);
  }

  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex metric) override {
    std::vector<ProfileValue> found;
    for (const ProfileValue& value : all_->of_node(node, metric)) {
      const auto at = std::lower_bound(kept_.begin(), kept_.end(), value.profile);
      if (at == kept_.end() || *at != value.profile) continue;
      found.push_back({static_cast<uint32_t>(at - kept_.begin()), value.value});
    }
    return found;
  }

  std::vector<std::string> scopes() override { return all_->scopes(); }

  std::vector<NodeValue> of_scope(const std::string& scope, MetricIndex metric,
                                  std::optional<uint32_t> profile) override {
    if (profile) return all_->of_scope(scope, metric, kept_[*profile]);
    std::vector<NodeValue> all;
    for (const uint32_t kept : kept_) {
      const std::vector<NodeValue> one = all_->of_scope(scope, metric, kept);
      all.insert(all.end(), one.begin(), one.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const NodeValue& a, const NodeValue& b) { return a.node < b.node; });
    std::vector<NodeValue> sums;
    for (const NodeValue& value : all) {
      if (sums.empty() || sums.back().node != value.node) {
        sums.push_back(value);
      } else {
        sums.back().value += value.value;
      }
    }
    return sums;
  }

 private:
  std::shared_ptr<ProfileValues> all_;
  std::vector<uint32_t> kept_;
};

void keep_values(Metric& metric, MetricIndex index, ProfileValues& values, const std::vector<uint32_t>& profiles,
                 NodeIndex nodes) {
  std::vector<double> sums(nodes, kNoValue);
  for (const uint32_t profile : profiles) {
    for (const NodeValue& value : values.of_profile(profile, index)) {
      double& sum = sums[value.node];
      if (sum != sum) {
        sum = value.value;
      } else {
        sum = metric.additive ? sum + value.value : std::max(sum, value.value);
      }
    }
  }
  metric.node.clear();
  metric.value.clear();
  for (NodeIndex node = 0; node < nodes; ++node) {
    if (sums[node] != sums[node]) continue;
    metric.node.push_back(node);
    metric.value.push_back(sums[node]);
  }
}

}  // namespace

void select_profiles(CallTree& tree, const std::vector<uint32_t>& profiles) {
  if (profiles.size() == tree.profiles.size() || !tree.profile_values) return;
  for (MetricIndex m = 0; m < tree.metrics.size(); ++m) {
    if (!tree.metrics[m].measured()) continue;
    keep_values(tree.metrics[m], m, *tree.profile_values, profiles, tree.nodes.size());
  }
  std::vector<CallProfile> kept;
  for (const uint32_t profile : profiles) kept.push_back(std::move(tree.profiles[profile]));
  tree.profiles = std::move(kept);
  tree.profile_values = std::make_shared<SelectedValues>(tree.profile_values, profiles);
}

std::vector<int64_t> ranks_inside(const Run& run) {
  std::set<int64_t> ranks;
  if (run.call_tree) {
    for (const CallProfile& profile : run.call_tree->profiles) {
      if (profile.rank) ranks.insert(*profile.rank);
    }
  }
  for (const Track& track : run.timeline.tracks) {
    if (track.rank) ranks.insert(*track.rank);
  }
  return {ranks.begin(), ranks.end()};
}

void select_ranks_inside(Run& run, const std::vector<int64_t>& ranks) {
  const auto is_kept = [&](int64_t rank) { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); };
  if (run.call_tree) {
    std::vector<uint32_t> profiles;
    for (uint32_t i = 0; i < run.call_tree->profiles.size(); ++i) {
      const std::optional<int64_t> rank = run.call_tree->profiles[i].rank;
      if (rank && is_kept(*rank)) profiles.push_back(i);
    }
    select_profiles(*run.call_tree, profiles);
  }
  select_tracks(run, [&](const Track& track) { return !track.rank || is_kept(*track.rank); });
  if (ranks.size() != 1) return;
  run.rank = ranks.front();
  run.rank_known = true;
}

}  // namespace cgpu
