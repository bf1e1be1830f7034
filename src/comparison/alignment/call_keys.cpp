#include "comparison/alignment/call_keys.h"

#include <bit>
#include <functional>
#include <string>
#include <string_view>

#include "analysis/common/folded_names.h"

namespace cgpu {

namespace {

/// Of two keys in this order; never 0.
uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t key = (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9;  // as SplitMix64 ends
  key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
  key ^= key >> 31;
  return key == 0 ? 1 : key;
}

uint64_t hash_of(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

}  // namespace

std::vector<CallKeys> call_keys(const CallTree& tree, const std::vector<double>& inclusive, Labels& labels) {
  const CallNodes& nodes = tree.nodes;
  std::vector<CallKeys> all(nodes.size());
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    CallKeys& keys = all[node];
    const std::string name = name_in_all_builds(tree.name_of(node));
    const auto kind = static_cast<uint64_t>(nodes.kind[node]);
    keys.name = mixed(mixed(kind, hash_of(name)), hash_of(tree.names[nodes.file[node]]));
    const uint32_t call_line = nodes.call_line.empty() ? 0 : nodes.call_line[node];
    keys.exact = mixed(mixed(keys.name, nodes.line[node]), call_line);
    if (!is_inside_function(nodes.kind[node])) keys.function = mixed(kind, hash_of(without_binary(name)));
    keys.common = mixed(kind, labels.hash(labels.of_op(without_binary(name))));
    keys.subtree = mixed(keys.exact, std::bit_cast<uint64_t>(inclusive[node]));
  }
  for (NodeIndex node = nodes.size(); node-- > 1;) {  // children come after their parents; sums know no order
    CallKeys& parent = all[nodes.parent[node]];
    const CallKeys& keys = all[node];
    parent.subtree += mixed(keys.subtree, 1);
    parent.children += mixed(keys.name, 1);
    if (!is_inside_function(nodes.kind[nodes.parent[node]])) continue;
    parent.callees += is_inside_function(nodes.kind[node]) ? keys.callees : mixed(keys.function, 1);
  }
  return all;
}

}  // namespace cgpu
