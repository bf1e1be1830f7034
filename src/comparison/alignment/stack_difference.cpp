#include "comparison/alignment/stack_difference.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "comparison/alignment/labels.h"
#include "comparison/alignment/set_pairing.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// A frame of the result that is yet to be written.
struct FramePair {
  PerSide<std::optional<uint32_t>> node;
  uint32_t parent = StackTree::kRoot;  // in the result
};

class StackPairs {
 public:
  explicit StackPairs(const PerSide<StackTree>& trees) : trees_{&trees.a, &trees.b} {
    for (const Side side : kSides) {
      const StackTree& tree = *trees_[side];
      children_[side].resize(tree.nodes.size());
      found_.total[side] = tree.total();
      for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const StackTree::Node& node = tree.nodes[i];
        const std::string& name = tree.names[node.name];
        labels_of_[side].push_back(is_device(node) ? labels_.of_device_op(name) : labels_.of_op(name));
        if (!(node.value > 0)) continue;
        known_[side].insert(labels_of_[side].back());
        (node.parent == StackTree::kRoot ? roots_[side] : children_[side][node.parent]).push_back(i);
      }
    }
  }

  StackDifference find() {
    open(paired(roots_), StackTree::kRoot);
    while (!open_.empty()) {
      const FramePair pair = open_.back();
      open_.pop_back();
      write(pair);
    }
    return std::move(found_);
  }

 private:
  using Lists = PerSide<std::vector<uint32_t>>;

  static bool is_device(const StackTree::Node& node) { return is_device_op(static_cast<SliceKind>(node.kind)); }
  const StackTree::Node& at(Side side, uint32_t node) const { return trees_[side]->nodes[node]; }
  void write(const FramePair& pair) {
    const auto number = static_cast<uint32_t>(found_.nodes.size());
    StackDifference::Node node{.parent = pair.parent};
    Lists below;
    const Side named = pair.node.a ? Side::a : Side::b;
    node.name = name(name_of(pair));
    node.kind = at(named, *pair.node[named]).kind;
    node.kernel_class = at(named, *pair.node[named]).kernel_class;
    for (const Side side : kSides) {
      if (!pair.node[side]) continue;
      node.own_name[side] = name(trees_[side]->names[at(side, *pair.node[side]).name]);
      node.value[side] = at(side, *pair.node[side]).value;
      node.self[side] = at(side, *pair.node[side]).self;
      node.count[side] = at(side, *pair.node[side]).count;
      below[side] = children_[side][*pair.node[side]];
    }
    open(paired(below, &node.self), number);
    found_.nodes.push_back(node);
  }

  void open(const std::vector<FramePair>& pairs, uint32_t parent) {
    for (const FramePair& pair : pairs) open_.push_back({pair.node, parent});
  }

  /// The children of one frame. What transparent frames cost themselves is added to `self`; at the roots,
  /// where it would be nobody's, such a frame stays.
  std::vector<FramePair> paired(Lists children, PerSide<double>* self = nullptr) const {
    while (true) {
      const SetPairing pairing = pairing_of(children);
      Lists wider;
      bool any = false;
      for (const Side side : kSides) {
        // What the other side has here without a partner.
        std::unordered_set<Label> waiting;
        for (size_t i = 0; i < children[other(side)].size(); ++i) {
          if (!pairing.partner(other(side), i)) {
            waiting.insert(labels_of_[other(side)][children[other(side)][i]]);
          }
        }
        for (size_t i = 0; i < children[side].size(); ++i) {
          const uint32_t node = children[side][i];
          const bool through = !pairing.partner(side, i) && (self || at(side, node).self == 0) &&
                               !known_[other(side)].contains(labels_of_[side][node]) &&
                               std::any_of(children_[side][node].begin(), children_[side][node].end(),
                                           [&](uint32_t child) { return waiting.contains(labels_of_[side][child]); });
          if (!through) {
            wider[side].push_back(node);
            continue;
          }
          any = true;
          wider[side].insert(wider[side].end(), children_[side][node].begin(), children_[side][node].end());
          if (self) (*self)[side] += at(side, node).self;
        }
      }
      if (!any) return pairs_of(children, pairing);
      children = std::move(wider);
    }
  }

  static std::vector<FramePair> pairs_of(const Lists& children, const SetPairing& pairing) {
    std::vector<FramePair> pairs;
    for (size_t i = 0; i < children.a.size(); ++i) {
      FramePair& pair = pairs.emplace_back(FramePair{{children.a[i], std::nullopt}, 0});
      if (const std::optional<size_t> partner = pairing.partner(Side::a, i)) pair.node.b = children.b[*partner];
    }
    for (size_t i = 0; i < children.b.size(); ++i) {
      if (!pairing.partner(Side::b, i)) pairs.push_back({{std::nullopt, children.b[i]}, 0});
    }
    return pairs;
  }

  SetPairing pairing_of(const Lists& children) const {
    SetPairing pairing({children.a.size(), children.b.size()});
    const auto by = [&](auto key_of) -> SetPairing::KeyOf {
      return [&children, key_of](Side side, size_t i) -> uint64_t { return key_of(side, children[side][i]); };
    };
    pairing.pair_equal(by([&](Side side, uint32_t frame) {
      return std::hash<std::string>()(trees_[side]->names[at(side, frame).name]) ^ at(side, frame).kind;
    }));
    pairing.pair_unique(by([&](Side side, uint32_t frame) { return labels_.hash(labels_of_[side][frame]); }));
    pairing.pair_unique(by([&](Side side, uint32_t frame) {
      const uint8_t kernel_class = at(side, frame).kernel_class;
      const bool classed =
          kernel_class != StackTree::kNoClass && kernel_class != static_cast<uint8_t>(KernelClass::unknown);
      return classed ? uint64_t{kernel_class} + 1 : 0;
    }));
    return pairing;
  }

  std::string name_of(const FramePair& pair) const {
    if (!pair.node.a || !pair.node.b) {
      const Side side = pair.node.a ? Side::a : Side::b;
      return trees_[side]->names[at(side, *pair.node[side]).name];
    }
    const std::string& a = trees_.a->names[at(Side::a, *pair.node.a).name];
    const std::string& b = trees_.b->names[at(Side::b, *pair.node.b).name];
    if (a == b) return a;
    const Label label = labels_of_.a[*pair.node.a];
    return label == labels_of_.b[*pair.node.b] ? std::string(labels_.text(label)) : a + " -> " + b;
  }

  uint32_t name(const std::string& text) {
    const auto [known, is_new] = number_of_.try_emplace(text, static_cast<uint32_t>(found_.names.size()));
    if (is_new) found_.names.push_back(text);
    return known->second;
  }

  PerSide<const StackTree*> trees_;
  Labels labels_;
  PerSide<std::vector<Label>> labels_of_;  // by node
  PerSide<std::unordered_set<Label>> known_;
  PerSide<std::vector<std::vector<uint32_t>>> children_;  // of more than nothing
  Lists roots_;
  std::vector<FramePair> open_;
  StackDifference found_;
  std::unordered_map<std::string, uint32_t> number_of_;
};

double larger_value(const StackDifference::Node& node) {
  return std::max(node.value.a, node.value.b);
}

void add_counts(const StackDifference::Node& from, const PerSide<double>& value, StackDifference::Node& to) {
  for (const Side side : kSides) {
    to.value[side] += value[side];
    to.count[side] += from.count[side];
    if (to.own_name[side] == kNone && value[side] > 0) to.own_name[side] = from.own_name[side];
  }
}

}  // namespace

StackDifference difference_of(const PerSide<StackTree>& trees) {
  return StackPairs(trees).find();
}

StackDifference inverted(const StackDifference& difference) {
  StackDifference turned;
  turned.names = difference.names;
  turned.total = difference.total;
  std::unordered_map<uint64_t, uint32_t> child_of;  // by parent and name
  for (const StackDifference::Node& node : difference.nodes) {
    if (node.self.a == 0 && node.self.b == 0) continue;
    uint32_t at = StackTree::kRoot;
    for (const StackDifference::Node* from = &node;; from = &difference.nodes[from->parent]) {
      const auto [known, is_new] =
          child_of.try_emplace(uint64_t{at} << 32 | from->name, static_cast<uint32_t>(turned.nodes.size()));
      if (is_new) {
        turned.nodes.push_back(
            {.parent = at, .name = from->name, .kind = from->kind, .kernel_class = from->kernel_class});
      }
      at = known->second;
      add_counts(*from, node.self, turned.nodes[at]);
      if (from->parent == StackTree::kRoot) break;
    }
    for (const Side side : kSides) turned.nodes[at].self[side] += node.self[side];
  }
  return turned;
}

StackDifference pruned(const StackDifference& difference, double share) {
  StackDifference arranged;
  arranged.names = difference.names;
  arranged.total = difference.total;
  const double least = share * std::max(difference.total.a, difference.total.b);
  const auto other_name = static_cast<uint32_t>(arranged.names.size());
  arranged.names.emplace_back("(other)");
  const auto slot = [&](uint32_t parent) { return parent == StackTree::kRoot ? difference.nodes.size() : parent; };
  std::vector<std::vector<uint32_t>> children(difference.nodes.size() + 1);
  for (uint32_t i = 0; i < difference.nodes.size(); ++i) children[slot(difference.nodes[i].parent)].push_back(i);

  struct Open {
    uint32_t from;
    uint32_t parent;
  };
  std::vector<Open> open;
  const auto enter = [&](uint32_t from, uint32_t parent) {  // the largest last, as it is taken first
    std::vector<uint32_t>& below = children[slot(from)];
    std::ranges::stable_sort(below, [&](uint32_t x, uint32_t y) {
      return larger_value(difference.nodes[x]) < larger_value(difference.nodes[y]);
    });
    for (const uint32_t child : below) open.push_back({child, parent});
  };
  enter(StackTree::kRoot, StackTree::kRoot);
  while (!open.empty()) {
    const Open here = open.back();
    const StackDifference::Node& from = difference.nodes[here.from];
    const auto number = static_cast<uint32_t>(arranged.nodes.size());
    if (larger_value(from) >= least) {
      open.pop_back();
      arranged.nodes.push_back(from);
      arranged.nodes.back().parent = here.parent;
      enter(here.from, number);
      continue;
    }
    StackDifference::Node rest{
        .parent = here.parent, .name = other_name, .kind = static_cast<uint8_t>(SliceKind::other)};
    for (; !open.empty() && open.back().parent == here.parent; open.pop_back()) {
      const StackDifference::Node& small = difference.nodes[open.back().from];
      add_counts(small, small.value, rest);
    }
    rest.own_name = {kNone, kNone};
    rest.self = rest.value;
    if (larger_value(rest) > 0) arranged.nodes.push_back(rest);
  }
  return arranged;
}

}  // namespace cgpu
