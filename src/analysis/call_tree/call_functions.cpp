#include "analysis/call_tree/call_functions.h"

#include <map>
#include <tuple>

namespace cgpu {

namespace {

/// Calls enter(node) before and leave(node) after everything below it.
template <typename Enter, typename Leave>
void walk(const CallNodes& nodes, Enter enter, Leave leave) {
  std::vector<NodeIndex> first_child(nodes.size(), kNoNode), next_sibling(nodes.size(), kNoNode);
  for (NodeIndex node = nodes.size(); node-- > 1;) {
    next_sibling[node] = first_child[nodes.parent[node]];
    first_child[nodes.parent[node]] = node;
  }
  NodeIndex node = nodes.size() == 0 ? kNoNode : 0;
  while (node != kNoNode) {
    enter(node);
    if (first_child[node] != kNoNode) {
      node = first_child[node];
      continue;
    }
    while (node != kNoNode) {
      leave(node);
      if (next_sibling[node] != kNoNode) {
        node = next_sibling[node];
        break;
      }
      node = nodes.parent[node];
    }
  }
}

}  // namespace

CallFunctions functions_of(const CallTree& tree) {
  const CallNodes& nodes = tree.nodes;
  CallFunctions result;
  result.function.resize(nodes.size(), kNoFunction);
  result.caller.resize(nodes.size(), kNoFunction);
  result.outermost.resize(nodes.size(), false);

  std::map<std::tuple<NodeKind, StringId, StringId, uint32_t, StringId>, FunctionIndex> known;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    const NodeIndex parent = nodes.parent[node];
    if (!result.is_function(tree, node)) {
      result.function[node] = result.function[parent];
      continue;
    }
    const auto key =
        std::tuple(nodes.kind[node], nodes.name[node], nodes.file[node], nodes.line[node], nodes.module[node]);
    const auto [at, is_new] = known.try_emplace(key, static_cast<FunctionIndex>(result.example.size()));
    if (is_new) result.example.push_back(node);
    result.function[node] = at->second;
    if (parent != kNoNode) result.caller[node] = result.function[parent];
  }

  std::vector<uint32_t> open(result.example.size(), 0);  // by function: its nodes around the place where the walk is
  walk(
      nodes,
      [&](NodeIndex node) {
        if (result.is_function(tree, node)) result.outermost[node] = open[result.function[node]]++ == 0;
      },
      [&](NodeIndex node) {
        if (result.is_function(tree, node)) --open[result.function[node]];
      });
  return result;
}

}  // namespace cgpu
