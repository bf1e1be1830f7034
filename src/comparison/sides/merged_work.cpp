#include "comparison/sides/merged_work.h"

namespace cgpu {

std::vector<uint32_t> MergedWork::children(uint32_t parent) const {
  std::vector<uint32_t> list;
  for (uint32_t child = parent == kNone ? first_root_ : nodes_[parent].first_child; child != kNone;
       child = nodes_[child].next_sibling) {
    list.push_back(child);
  }
  return list;
}

uint32_t MergedWork::new_node(const WorkItem& item, uint32_t parent) {
  nodes_.push_back({.parent = parent,
                    .device = item.device,
                    .label = item.label,
                    .shapes = item.shapes,
                    .kind = item.kind,
                    .kernel_class = item.kernel_class,
                    .nature = item.nature});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

std::vector<uint32_t> MergedWork::add(const RunWork& work, size_t iterations) {
  std::vector<uint32_t> node_of_item(work.items().size(), kNone);
  struct Level {
    uint32_t parent;
    std::span<const uint32_t> items;
  };
  std::vector<Level> open;
  std::vector<MatchKeys> there;
  std::vector<MatchKeys> coming;
  for (uint32_t iteration = 0; iteration < iterations; ++iteration) {
    open.push_back({kNone, work.roots(iteration)});
    while (!open.empty()) {
      const Level level = open.back();
      open.pop_back();
      const std::vector<uint32_t> known = children(level.parent);
      there.clear();
      coming.clear();
      for (const uint32_t node : known) there.push_back(match_keys_of(nodes_[node], labels_));
      for (const uint32_t item : level.items) coming.push_back(match_keys_of(work.item(item), labels_));
      const Pairing pairing = pair_elements(there, coming, budget_);
      uint32_t before = kNone;  // the node of the item before
      for (size_t i = 0; i < level.items.size(); ++i) {
        const WorkItem& item = work.item(level.items[i]);
        uint32_t node = pairing.of_b[i] == Pairing::kUnmatched ? kNone : known[pairing.of_b[i]];
        if (node == kNone) {
          node = new_node(item, level.parent);
          uint32_t& place = before == kNone ? first_child(level.parent) : nodes_[before].next_sibling;
          nodes_[node].next_sibling = place;
          place = node;
        }
        before = node;
        node_of_item[level.items[i]] = node;
        if (is_device_work(item.kind)) {
          ++nodes_[node].count;
          nodes_[node].duration += item.duration;
        } else {
          open.push_back({node, work.children(level.items[i])});
        }
      }
    }
  }
  return node_of_item;
}

}  // namespace cgpu
