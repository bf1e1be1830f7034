#include "readers/common/call_tree_builder.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/json_text.h"

namespace cgpu {

namespace {

constexpr uint32_t kNoPlace = UINT32_MAX;

uint64_t key_of(uint32_t high, uint32_t low) {
  return uint64_t{high} << 32 | low;
}

/// One value of one profile.
struct Entry {
  uint32_t profile;
  NodeIndex node;
  double own;
  double inclusive;  // kNoValue: what is below is not in it
};

/// False where a value had to be given up.
bool combine_into(double& sum, double value, Combine combine) {
  if (sum != sum) {
    sum = value;
    return true;
  }
  switch (combine) {
    case Combine::sum:
      sum += value;
      return true;
    case Combine::smallest:
      sum = std::min(sum, value);
      return true;
    case Combine::largest:
      sum = std::max(sum, value);
      return true;
    case Combine::first:
      return true;
    case Combine::only:
      break;
  }
  const bool given_up = std::isinf(sum) || std::isinf(value);
  if (sum != value) sum = std::numeric_limits<double>::infinity();  // shall not be shown
  return given_up || std::isfinite(sum);
}

/// Works out inclusive values, one profile after the other; the columns are as long as the tree and used again.
class Inclusive {
 public:
  explicit Inclusive(const std::vector<NodeIndex>& parents)
      : parents_(parents), sum_(parents.size(), 0), given_(parents.size(), kNoValue), seen_(parents.size(), false) {}

  /// Of the entries of one profile; nodes in ascending order. What is not finite shall not be shown.
  template <typename Iterator>
  std::vector<NodeValue> of(Iterator first, Iterator last, Combine combine) {
    std::vector<NodeIndex> touched;
    for (Iterator entry = first; entry != last; ++entry) {
      sum_[entry->node] = entry->own;
      given_[entry->node] = entry->inclusive;
      for (NodeIndex node = entry->node; node != kNoNode && !seen_[node]; node = parents_[node]) {
        seen_[node] = true;
        touched.push_back(node);
        if (combine != Combine::sum) break;
      }
    }
    std::sort(touched.begin(), touched.end());
    std::vector<NodeValue> values(touched.size());
    for (size_t i = touched.size(); i-- > 0;) {  // children come behind their parents
      const NodeIndex node = touched[i];
      const double value = given_[node] == given_[node] ? given_[node] : sum_[node];
      values[i] = {node, value};
      if (combine == Combine::sum && parents_[node] != kNoNode) sum_[parents_[node]] += value;
    }
    for (const NodeIndex node : touched) {
      sum_[node] = 0;
      given_[node] = kNoValue;
      seen_[node] = false;
    }
    return values;
  }

 private:
  const std::vector<NodeIndex>& parents_;
  std::vector<double> sum_;
  std::vector<double> given_;
  std::vector<bool> seen_;
};

}  // namespace

/// The values of single profiles, as they were given; sums are made on demand.
class CallTreeBuilder::Stored : public ProfileValues {
 public:
  Stored(const CallTree& tree, const std::vector<MetricValues>& values) : parents_(tree.nodes.parent) {
    for (const MetricValues& metric : values) {
      combine_.push_back(metric.combine);
      std::vector<Entry>& entries = entries_.emplace_back();
      entries.reserve(metric.of.size());
      for (const auto& [key, value] : metric.of) {
        entries.push_back({static_cast<uint32_t>(key >> 32), static_cast<NodeIndex>(key), value.own, value.inclusive});
      }
      std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.profile, a.node) < std::pair(b.profile, b.node);
      });
    }
  }

  /// Calls visit(profile, its inclusive values).
  template <typename Visit>
  void for_each_profile(MetricIndex metric, Visit visit) const {
    Inclusive inclusive(parents_);
    const std::vector<Entry>& entries = entries_[metric];
    for (auto first = entries.begin(); first != entries.end();) {
      const auto last = std::find_if(first, entries.end(), [&](const Entry& e) { return e.profile != first->profile; });
      visit(first->profile, inclusive.of(first, last, combine_[metric]));
      first = last;
    }
  }

  std::vector<NodeValue> of_profile(uint32_t profile, MetricIndex metric) override {
    const std::vector<Entry>& entries = entries_[metric];
    const auto first = std::lower_bound(entries.begin(), entries.end(), profile,
                                        [](const Entry& e, uint32_t wanted) { return e.profile < wanted; });
    const auto last = std::find_if(first, entries.end(), [&](const Entry& e) { return e.profile != profile; });
    std::vector<NodeValue> values = Inclusive(parents_).of(first, last, combine_[metric]);
    std::erase_if(values, [](const NodeValue& v) { return !std::isfinite(v.value); });
    return values;
  }

  std::vector<ProfileValue> of_node(NodeIndex node, MetricIndex metric) override {
    if (by_node_of_ != metric) {  // nodes are asked for one after the other
      by_node_.assign(parents_.size(), {});
      for_each_profile(metric, [&](uint32_t profile, const std::vector<NodeValue>& values) {
        for (const NodeValue& value : values) {
          if (std::isfinite(value.value)) by_node_[value.node].push_back({profile, value.value});
        }
      });
      by_node_of_ = metric;
    }
    return by_node_[node];
  }

 private:
  std::vector<NodeIndex> parents_;
  std::vector<Combine> combine_;
  std::vector<std::vector<Entry>> entries_;  // of the metrics, by profile and node
  std::optional<MetricIndex> by_node_of_;
  std::vector<std::vector<ProfileValue>> by_node_;
};

CallTreeBuilder::CallTreeBuilder() {
  child(kNoNode, kNoPlace);
}

NodeIndex CallTreeBuilder::child(NodeIndex parent, uint32_t place) {
  const auto [at, is_new] = children_.try_emplace(key_of(parent, place), tree_.nodes.size());
  if (is_new) {
    tree_.nodes.parent.push_back(parent);
    places_.push_back(place);
  }
  return at->second;
}

NodeIndex CallTreeBuilder::child(NodeIndex parent, const CallPlace& place) {
  const auto [at, is_new] = numbers_.try_emplace(place, static_cast<uint32_t>(described_.size()));
  if (is_new) described_.push_back(place);
  return child(parent, at->second);
}

NodeIndex CallTreeBuilder::child_named(NodeIndex parent, std::string_view name) {
  CallPlace place;
  place.name = names().intern(valid_utf8(name));
  return child(parent, place);
}

MetricIndex CallTreeBuilder::add_metric(Metric description, Combine combine) {
  description.additive = combine == Combine::sum;
  tree_.metrics.push_back(std::move(description));
  values_.emplace_back().combine = combine;
  return static_cast<MetricIndex>(tree_.metrics.size() - 1);
}

uint32_t CallTreeBuilder::add_profile(CallProfile profile) {
  tree_.profiles.push_back(std::move(profile));
  return static_cast<uint32_t>(tree_.profiles.size() - 1);
}

void CallTreeBuilder::add(uint32_t profile, MetricIndex metric, NodeIndex node, double value) {
  values_[metric].of[key_of(profile, node)].own += value;
}

void CallTreeBuilder::add_inclusive(uint32_t profile, MetricIndex metric, NodeIndex node, double value) {
  MetricValues& values = values_[metric];
  double& sum = values.of[key_of(profile, node)].inclusive;
  if (!combine_into(sum, value, values.combine)) ++ambiguous_;
}

CallTree CallTreeBuilder::finish() {
  return finish(described_);
}

CallTree CallTreeBuilder::finish(const std::vector<CallPlace>& places) {
  CallNodes& nodes = tree_.nodes;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    const bool known = places_[node] < places.size();
    const CallPlace place = known ? places[places_[node]] : CallPlace{};
    nodes.kind.push_back(node == 0 ? NodeKind::root : place.kind);
    nodes.relation.push_back(node == 0 || place.kind == NodeKind::function ? NodeRelation::call
                                                                           : NodeRelation::lexical);
    nodes.name.push_back(place.name);
    nodes.file.push_back(place.file);
    nodes.module.push_back(place.module);
    nodes.line.push_back(place.line);
  }
  auto stored = std::make_shared<Stored>(tree_, values_);
  for (MetricIndex m = 0; m < tree_.metrics.size(); ++m) {
    std::vector<double> whole(nodes.size(), kNoValue);
    stored->for_each_profile(m, [&](uint32_t, const std::vector<NodeValue>& values) {
      for (const NodeValue& value : values) {
        if (!combine_into(whole[value.node], value.value, values_[m].combine)) ++ambiguous_;
      }
    });
    Metric& metric = tree_.metrics[m];
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
      if (!std::isfinite(whole[node])) continue;
      metric.node.push_back(node);
      metric.value.push_back(whole[node]);
    }
  }
  if (tree_.profiles.size() == 1 && tree_.profiles.front().name.empty()) tree_.profiles.clear();
  if (!tree_.profiles.empty()) tree_.profile_values = std::move(stored);
  return std::move(tree_);
}

}  // namespace cgpu
