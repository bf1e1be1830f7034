#include "comparison/alignment/alignment.h"

#include <string_view>
#include <utility>

namespace cgpu {

const char* text_of(Status status) {
  switch (status) {
    case Status::both:
      return "both";
    case Status::only_a:
      return "only_a";
    case Status::only_b:
      return "only_b";
    case Status::orphan:
      return "orphan";
  }
  return "";
}

Alignment::Alignment(const MergedWork& a, const MergedWork& b, const Labels& labels) : labels_(labels), work_{&a, &b} {
  for (const Side side : kSides) {
    nodes_[side].resize(work_[side]->nodes().size());
    for (const WorkNode& node : work_[side]->nodes()) {
      if (!is_device_work(node.kind)) levels_[side].insert(node.label);
    }
  }
  open_.push_back({kNone, kNone, {kNone, kNone}});
  while (!open_.empty()) {
    const Open next = open_.back();
    open_.pop_back();
    align(next.a, next.b, next.places);
  }
  for (uint32_t i = 0; i < replacements_.size(); ++i) align_device_work(i);
  count_top_level();
}

bool Alignment::is_transparent(Side side, uint32_t index) const {
  const WorkNode& node = work_[side]->node(index);
  if (is_device_work(node.kind) || levels_[other(side)].contains(node.label)) return false;
  if (node.kind == WorkKind::annotation) return true;
  for (uint32_t child = node.first_child; child != kNone; child = work_[side]->node(child).next_sibling) {
    const WorkKind kind = work_[side]->node(child).kind;
    if (is_device_work(kind) && kind != WorkKind::host_time) return false;  // each op of a host takes time itself
  }
  return true;
}

void Alignment::append_children(Side side, uint32_t node, std::vector<uint32_t>& list) const {
  for (const uint32_t child : work_[side]->children(node)) {
    if (is_transparent(side, child)) {
      append_children(side, child, list);
    } else {
      list.push_back(child);
    }
  }
}

void Alignment::align(uint32_t a, uint32_t b, PerSide<uint32_t> places) {
  PerSide<std::vector<uint32_t>> children;
  PerSide<std::vector<MatchKeys>> keys;
  append_children(Side::a, a, children.a);
  append_children(Side::b, b, children.b);
  for (const Side side : kSides) {
    for (const uint32_t child : children[side]) {
      keys[side].push_back(match_keys_of(work_[side]->node(child), labels_));
    }
  }
  const Pairing pairing = pair_elements(keys.a, keys.b);
  PerSide<std::vector<uint32_t>> replacement_of;
  for (const Side side : kSides) replacement_of[side].assign(children[side].size(), kNone);
  for (const Pairing::Replacement& found : pairing.replacements) {
    const auto number = static_cast<uint32_t>(replacements_.size());
    PerSide<std::vector<uint32_t>>& replacement = replacements_.emplace_back();
    for (const uint32_t place : found.a) {
      replacement.a.push_back(children.a[place]);
      replacement_of.a[place] = number;
    }
    for (const uint32_t place : found.b) {
      replacement.b.push_back(children.b[place]);
      replacement_of.b[place] = number;
    }
  }
  for (size_t i = 0; i < children.a.size(); ++i) {
    if (pairing.of_a[i] == Pairing::kUnmatched) {
      mark_unmatched(Side::a, children.a[i], places.a, replacement_of.a[i]);
      continue;
    }
    const PerSide<uint32_t> pair{children.a[i], children.b[pairing.of_a[i]]};
    PerSide<uint32_t> inner = places;
    for (const Side side : kSides) {
      AlignedNode& aligned = nodes_[side][pair[side]];
      aligned.partner = pair[other(side)];
      const WorkKind kind = work_[side]->node(pair[side]).kind;
      if (kind == WorkKind::op) inner[side] = pair[side];
      aligned.place = inner[side] == kNone ? pair[side] : inner[side];
      aligned.status = kind == WorkKind::orphan ? Status::orphan : Status::both;
    }
    if (!is_device_work(work_.a->node(pair.a).kind)) open_.push_back({pair.a, pair.b, inner});
  }
  for (size_t i = 0; i < children.b.size(); ++i) {
    if (pairing.of_b[i] == Pairing::kUnmatched) mark_unmatched(Side::b, children.b[i], places.b, replacement_of.b[i]);
  }
}

void Alignment::mark_unmatched(Side side, uint32_t index, uint32_t place, uint32_t replacement) {
  // Below an op that both have, its work is on both sides, whatever it consists of.
  const bool covered = place != kNone;
  std::vector<std::pair<uint32_t, uint32_t>> open{{index, place}};
  while (!open.empty()) {
    const auto [at, outer] = open.back();
    open.pop_back();
    const WorkNode& node = work_[side]->node(at);
    const uint32_t own = outer == kNone && node.kind == WorkKind::op ? at : outer;
    AlignedNode& aligned = nodes_[side][at];
    aligned.place = own == kNone ? at : own;
    aligned.replacement = replacement;
    aligned.status = node.kind == WorkKind::orphan ? Status::orphan
                     : covered                     ? Status::both
                     : side == Side::a             ? Status::only_a
                                                   : Status::only_b;
    for (uint32_t child = node.first_child; child != kNone; child = work_[side]->node(child).next_sibling) {
      open.emplace_back(child, own);
    }
  }
}

uint32_t Alignment::outermost_unmatched(Side side, uint32_t node) const {
  uint32_t outermost = kNone;
  for (uint32_t above = work_[side]->node(node).parent; above != kNone; above = work_[side]->node(above).parent) {
    // A transparent range or wrapper has no place.
    if (nodes_[side][above].partner != kNone || nodes_[side][above].place == kNone) break;
    if (work_[side]->node(above).kind == WorkKind::op) outermost = above;
  }
  return outermost;
}

std::vector<uint32_t> Alignment::device_work_below(Side side, const std::vector<uint32_t>& nodes) const {
  std::vector<uint32_t> found;
  std::vector<uint32_t> open(nodes.rbegin(), nodes.rend());
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    if (is_device_work(work_[side]->node(node).kind)) {
      found.push_back(node);
      continue;
    }
    const std::vector<uint32_t> children = work_[side]->children(node);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return found;
}

void Alignment::align_device_work(uint32_t number) {
  constexpr double kNearlyAll = 0.7;
  const PerSide<std::vector<uint32_t>>& replacement = replacements_[number];
  PerSide<std::vector<uint32_t>> ops;
  PerSide<std::vector<MatchKeys>> keys;
  PerSide<int64_t> all;
  for (const Side side : kSides) {
    ops[side] = device_work_below(side, replacement[side]);
    for (const uint32_t node : ops[side]) {
      keys[side].push_back(match_keys_of(work_[side]->node(node), labels_));
      all[side] += work_[side]->node(node).duration;
    }
  }
  if (is_one_kernel_on_each_side(ops)) {
    for (size_t i = 0; i < ops.a.size(); ++i) pair_device_work({ops.a[i], ops.b[i]});
    return;
  }
  const Pairing pairing = pair_elements(keys.a, keys.b);
  PerSide<int64_t> paired;
  for (size_t i = 0; i < ops.a.size(); ++i) {
    if (pairing.of_a[i] == Pairing::kUnmatched) continue;
    paired.a += work_.a->node(ops.a[i]).duration;
    paired.b += work_.b->node(ops.b[pairing.of_a[i]]).duration;
  }
  for (const Side side : kSides) {
    if (static_cast<double>(paired[side]) < kNearlyAll * static_cast<double>(all[side])) return;
  }
  for (size_t i = 0; i < ops.a.size(); ++i) {
    if (pairing.of_a[i] != Pairing::kUnmatched) pair_device_work({ops.a[i], ops.b[pairing.of_a[i]]});
  }
}

bool Alignment::is_one_kernel_on_each_side(const PerSide<std::vector<uint32_t>>& ops) const {
  if (ops.a.empty() || ops.a.size() != ops.b.size()) return false;
  bool says_nothing = false;
  for (const Side side : kSides) {
    const WorkNode& first = work_[side]->node(ops[side].front());
    const std::string_view name = labels_.text(first.label);
    says_nothing = says_nothing || (name.starts_with('<') && name.ends_with('>'));
    for (const uint32_t node : ops[side]) {
      const bool in_no_op = work_[side]->node(node).kind == WorkKind::device_op && nodes_[side][node].place == node;
      if (!in_no_op || work_[side]->node(node).label != first.label) return false;
    }
  }
  return says_nothing && work_.a->node(ops.a.front()).nature == work_.b->node(ops.b.front()).nature;
}

void Alignment::pair_device_work(const PerSide<uint32_t>& pair) {
  for (const Side side : kSides) {
    AlignedNode& aligned = nodes_[side][pair[side]];
    aligned.partner = pair[other(side)];
    aligned.replacement = kNone;
    if (aligned.status != Status::orphan) aligned.status = Status::both;
  }
}

void Alignment::count_top_level() {
  for (const Side side : kSides) {
    const MergedWork& work = *work_[side];
    for (uint32_t index = 0; index < work.nodes().size(); ++index) {
      if (work.node(index).kind != WorkKind::op) continue;
      bool top = true;
      for (uint32_t above = work.node(index).parent; above != kNone && top; above = work.node(above).parent) {
        top = work.node(above).kind != WorkKind::op;
      }
      if (!top) continue;
      ++top_level_.ops[side];
      if (nodes_[side][index].partner != kNone) ++top_level_.aligned[side];
    }
  }
}

}  // namespace cgpu
