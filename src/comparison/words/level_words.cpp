#include "comparison/words/level_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace cgpu {

namespace {

/// The names of annotations and ops of a side.
std::unordered_set<Label> levels_of(const Comparison& comparison, Side side) {
  std::unordered_set<Label> levels;
  for (const Comparison::Group& group : comparison.groups()) {
    for (const WorkNode& node : group.work[side]->nodes()) {
      if (!is_device_work(node.kind)) levels.insert(node.label);
    }
  }
  return levels;
}

/// "## Call CompiledFxGraph " of "## Call CompiledFxGraph f3fij8ipav ##": up to the first word with a digit.
std::string_view without_hash(std::string_view name) {
  const size_t digit = std::min(name.find_first_of("0123456789"), name.size());
  const size_t space = name.substr(0, digit).rfind(' ');
  return name.substr(0, digit == name.size() || space == std::string_view::npos ? digit : space + 1);
}

struct Level {
  Label label = 0;
  double share = 0;  // of the durations of the device ops of its side
};

/// The annotation or op with most device work in it of those that are not in `theirs`; of several with the same the
/// outermost.
Level largest_level(const Comparison& comparison, Side side, const std::unordered_set<Label>& theirs) {
  std::unordered_map<Label, int64_t> times;
  Level largest;
  int64_t most = 0;
  int64_t all = 0;
  for (const Comparison::Group& group : comparison.groups()) {
    const MergedWork& work = *group.work[side];
    for (const WorkNode& node : work.nodes()) {
      if (!is_device_work(node.kind)) continue;
      all += node.duration;
      std::unordered_set<Label> counted;  // a level within one of its name is the same
      for (uint32_t above = node.parent; above != kNone; above = work.node(above).parent) {
        const Label label = work.node(above).label;
        if (!theirs.contains(label) && counted.insert(label).second) times[label] += node.duration;
      }
    }
  }
  // Again from the inside out, so that the outermost of several comes last.
  for (const Comparison::Group& group : comparison.groups()) {
    const MergedWork& work = *group.work[side];
    for (const WorkNode& node : work.nodes()) {
      if (!is_device_work(node.kind)) continue;
      for (uint32_t above = node.parent; above != kNone; above = work.node(above).parent) {
        const auto found = times.find(work.node(above).label);
        if (found == times.end() || found->second < most) continue;
        most = found->second;
        largest.label = found->first;
      }
    }
  }
  if (all > 0) largest.share = static_cast<double>(most) / static_cast<double>(all);
  return largest;
}

}  // namespace

std::string level_words(const Comparison& comparison) {
  constexpr double kMost = 0.5;
  if (comparison.host(Side::a) != nullptr || comparison.host(Side::b) != nullptr) return {};
  const PerSide<std::unordered_set<Label>> levels{levels_of(comparison, Side::a), levels_of(comparison, Side::b)};
  if (levels.a.empty() || levels.b.empty()) return {};
  const PerSide<Level> largest{largest_level(comparison, Side::a, levels.b),
                               largest_level(comparison, Side::b, levels.a)};
  if (largest.a.label != 0 && largest.b.label != 0 &&
      without_hash(comparison.text(largest.a.label)) == without_hash(comparison.text(largest.b.label))) {
    return {};
  }
  std::string words;
  for (const Side side : kSides) {
    const Level& level = largest[side];
    if (level.share < kMost) continue;
    words += fmt::format("{:.0f} % of the device work of {} lies in {}, which {} does not have.\n", 100 * level.share,
                         side == Side::a ? "A" : "B", comparison.text(level.label), side == Side::a ? "B" : "A");
  }
  return words;
}

}  // namespace cgpu
