#include "export/reduce_dependencies.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace cgpu {

namespace {

class DependencyReducer {
 public:
  explicit DependencyReducer(ChakraGraph& graph) : graph_(graph), is_in_chain_(graph.nodes.size()) {
    for (const ChakraNode& node : graph.nodes) {
      if (chains_.size() < kMostChains) chains_.try_emplace(node.track, Chain{chains_.size()});
    }
    reached_.resize(graph.nodes.size() * chains_.size());
  }

  void reduce() {
    std::vector<uint32_t> kept;
    std::vector<uint32_t> ends;
    kept.reserve(graph_.dependencies.size());
    ends.reserve(graph_.nodes.size());
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      const std::span<const uint32_t> all = graph_.dependencies_of(node);
      for (const uint32_t dependency : all) {
        if (!follows_from_others(dependency, all)) kept.push_back(dependency);
      }
      ends.push_back(static_cast<uint32_t>(kept.size()));
      reach(node, all);
    }
    for (size_t node = 0; node < ends.size(); ++node) graph_.nodes[node].end_dependency = ends[node];
    graph_.dependencies = std::move(kept);
  }

 private:
  static constexpr size_t kMostChains = 32;
  struct Chain {
    size_t number;
    uint32_t last = ChakraNode::kNoNode;
  };

  /// By chain: 1 + the last node of it that has ended when this one has.
  uint32_t* row(uint32_t node) { return reached_.data() + size_t{node} * chains_.size(); }

  bool follows_from_others(uint32_t dependency, std::span<const uint32_t> all) {
    if (all.size() < 2 || !is_in_chain_[dependency]) return false;
    const size_t chain = chains_.at(graph_.nodes[dependency].track).number;
    return std::any_of(all.begin(), all.end(),
                       [&](uint32_t other) { return other != dependency && row(other)[chain] > dependency; });
  }

  void reach(uint32_t node, std::span<const uint32_t> all) {
    uint32_t* const own = row(node);
    for (const uint32_t dependency : all) {
      const uint32_t* const other = row(dependency);
      for (size_t chain = 0; chain < chains_.size(); ++chain) own[chain] = std::max(own[chain], other[chain]);
    }
    const auto found = chains_.find(graph_.nodes[node].track);
    if (found == chains_.end()) return;
    Chain& chain = found->second;
    // A node that does not wait for the one before it on its track is in no chain: nothing follows from it.
    if (chain.last != ChakraNode::kNoNode && own[chain.number] != chain.last + 1) return;
    is_in_chain_[node] = true;
    chain.last = node;
    own[chain.number] = node + 1;
  }

  ChakraGraph& graph_;
  std::unordered_map<TrackIndex, Chain> chains_;
  std::vector<bool> is_in_chain_;
  std::vector<uint32_t> reached_;
};

}  // namespace

void reduce_dependencies(ChakraGraph& graph) {
  DependencyReducer(graph).reduce();
}

}  // namespace cgpu
