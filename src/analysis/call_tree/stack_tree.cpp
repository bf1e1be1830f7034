#include "analysis/call_tree/stack_tree.h"

#include <algorithm>
#include <utility>

#include "analysis/steps/step_times.h"
#include "base/ascii.h"

namespace cgpu {

namespace {
constexpr std::string_view kNoLaunch = "(launch not in the profile)";
}  // namespace

uint32_t StackTree::name(std::string_view text) {
  const auto [at, is_new] = number_of_.try_emplace(std::string(text), static_cast<uint32_t>(names.size()));
  if (is_new) names.emplace_back(text);
  return at->second;
}

size_t StackTree::slot_of(uint64_t key) const {
  const size_t mask = child_of_.size() - 1;
  size_t at = (key * 0x9E3779B97F4A7C15U) >> 32 & mask;
  while (child_of_[at].key != key && child_of_[at].key != UINT64_MAX) at = (at + 1) & mask;
  return at;
}

uint32_t StackTree::child(uint32_t parent, uint32_t name, uint8_t kind) {
  if (2 * nodes.size() >= child_of_.size()) {
    child_of_.assign(std::max<size_t>(64, 2 * child_of_.size()), {});
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      const uint64_t key = uint64_t{nodes[node].parent} << 32 | nodes[node].name;
      child_of_[slot_of(key)] = {key, node};
    }
  }
  const uint64_t key = uint64_t{parent} << 32 | name;
  Slot& slot = child_of_[slot_of(key)];
  if (slot.key != key) {
    slot = {key, static_cast<uint32_t>(nodes.size())};
    nodes.push_back({parent, name, kind, kNoClass, 0, 0, 0});
  }
  return slot.node;
}

void StackTree::add_up() {
  for (Node& node : nodes) node.value = node.self;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent != kRoot) nodes[nodes[i].parent].value += nodes[i].value;
  }
}

double StackTree::total() const {
  double total = 0;
  for (const Node& node : nodes) total += node.parent == kRoot ? node.value : 0;
  return total;
}

void StackFolder::enter(const Timeline& timeline) {
  if (timeline_ == &timeline) return;
  timeline_ = &timeline;
  category_counts_.clear();
  for (const Category& category : timeline.categories) {
    const bool is_left_out = is_call(category.kind) && calls_ == CallFrames::left_out;
    category_counts_.push_back(is_host(category.kind) && !is_left_out ? 1 : 0);
  }
  name_of_.assign(timeline.names.size(), UINT32_MAX);
  known_ = {};
  known_.resize(timeline.slices.size());
  root_of_.assign(timeline.tracks.size(), kUnasked);
}

uint32_t StackFolder::find_node_of(SliceIndex slice) {
  const SliceIndex parent = timeline_->slices.parent[slice];
  uint32_t node = parent == kNone ? kUnasked : known_node_of(parent);
  if (node != kUnasked) {  // mostly so where slices are asked for in the order of the file
    if (counts(slice)) node = fold(slice, node);
    known_[slice] = node + kKnown;
    return node;
  }
  above_.clear();
  for (; slice != kNone && known_node_of(slice) == kUnasked; slice = timeline_->slices.parent[slice]) {
    above_.push_back(slice);
  }
  node = StackTree::kRoot;
  if (slice != kNone) {
    node = known_node_of(slice);
  } else if (threads_ == ThreadFrames::apart && !above_.empty()) {
    node = root_of(timeline_->slices.track[above_.back()]);
  }
  for (; !above_.empty(); above_.pop_back()) {
    if (counts(above_.back())) node = fold(above_.back(), node);
    known_[above_.back()] = node + kKnown;
  }
  return node;
}

uint32_t StackFolder::above_device_op(SliceIndex call) {
  if (call != kNone) return node_of(call);
  return tree_.child(StackTree::kRoot, tree_.name(kNoLaunch), static_cast<uint8_t>(SliceKind::other));
}

uint32_t StackFolder::fold(SliceIndex slice, uint32_t above) {
  uint32_t& name = name_of_[timeline_->slices.name[slice]];
  if (name == UINT32_MAX) name = tree_.name(frame_name(timeline_->name(slice)));
  return tree_.child(above, name, static_cast<uint8_t>(timeline_->kind(slice)));
}

uint32_t StackFolder::root_of(TrackIndex track) {
  if (root_of_[track] == kUnasked) {
    const Track& thread = timeline_->tracks[track];
    std::string name = "thread " + thread.thread;
    if (!thread.thread_name.empty() && thread.thread_name != thread.thread) name += " (" + thread.thread_name + ")";
    if (!thread.process.empty() && thread.process != thread.thread) name += " of process " + thread.process;
    root_of_[track] = tree_.child(StackTree::kRoot, tree_.name(name), static_cast<uint8_t>(SliceKind::other));
  }
  return root_of_[track];
}

/// "ProfilerStep" for "ProfilerStep#17" where steps are merged.
std::string_view StackFolder::frame_name(std::string_view name) const {
  if (steps_ == StepFrames::apart || !name.starts_with(kStepMark)) return name;
  const std::string_view number = name.substr(kStepMark.size());
  return is_digits(number) ? kStepMark.substr(0, kStepMark.size() - 1) : name;
}

}  // namespace cgpu
