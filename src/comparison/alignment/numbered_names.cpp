#include "comparison/alignment/numbered_names.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/common/folded_names.h"
#include "base/ascii.h"

namespace cgpu {

namespace {

/// More names than these that are alike but for their numbers are ids.
constexpr size_t kMostOfAGroup = 128;

struct NumberedName {
  std::string whole;
  PerSide<size_t> uses;
};
/// Names that are alike but for their numbers, by these.
using NumberedNames = std::map<std::vector<std::string>, NumberedName>;

/// "stage#" of "stage1", with {"1"}; numbers without zeros in front, so that longer ones are larger.
std::string without_numbers(std::string_view name, std::vector<std::string>& numbers) {
  std::string text;
  for (size_t at = 0; at < name.size();) {
    if (!is_digit(name[at])) {
      text += name[at++];
      continue;
    }
    size_t end = at;
    while (end < name.size() && is_digit(name[end])) ++end;
    while (at + 1 < end && name[at] == '0') ++at;
    numbers.emplace_back(name.substr(at, end - at));
    text += '#';
    at = end;
  }
  return text;
}

bool is_smaller(const std::vector<std::string>& x, const std::vector<std::string>& y) {
  return std::lexicographical_compare(
      x.begin(), x.end(), y.begin(), y.end(),
      [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
}

void count_names(const Session& session, Side side, std::unordered_map<std::string, NumberedNames>& groups) {
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    std::vector<size_t> uses(timeline.names.size());
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!is_device_op(timeline.kind(slice))) ++uses[timeline.slices.name[slice]];
    }
    for (StringId name = 0; name < uses.size(); ++name) {
      const std::string_view text = timeline.names[name];
      if (uses[name] == 0 || std::none_of(text.begin(), text.end(), is_digit)) continue;
      std::string folded = folded_name(text);
      std::vector<std::string> numbers;
      const std::string group = without_numbers(folded, numbers);
      if (numbers.empty()) continue;
      NumberedName& known = groups[group][numbers];
      known.whole = std::move(folded);
      known.uses[side] += uses[name];
    }
  }
}

/// Whether the side that has more names of a group has all of the other one, and does not just count on.
bool are_parts_of_names(const NumberedNames& group) {
  PerSide<size_t> names;
  size_t both = 0;
  bool recur = false;
  const std::vector<std::string>* last_of_both = nullptr;
  for (const auto& [numbers, name] : group) {
    for (const Side side : kSides) names[side] += name.uses[side] > 0 ? 1 : 0;
    if (name.uses.a == 0 || name.uses.b == 0) continue;
    ++both;
    recur = recur || (name.uses.a > 1 && name.uses.b > 1);
    if (last_of_both == nullptr || is_smaller(*last_of_both, numbers)) last_of_both = &numbers;
  }
  if (both == 0 || both < std::min(names.a, names.b) || group.size() < 2 || group.size() > kMostOfAGroup) return false;
  if (recur || names.a == names.b) return true;
  return std::any_of(group.begin(), group.end(), [&](const auto& one) {
    const PerSide<size_t>& uses = one.second.uses;
    return (uses.a == 0 || uses.b == 0) && is_smaller(one.first, *last_of_both);
  });
}

}  // namespace

std::unordered_set<std::string> numbered_names(const PerSide<const Session*>& sessions) {
  std::unordered_map<std::string, NumberedNames> groups;
  for (const Side side : kSides) count_names(*sessions[side], side, groups);
  std::unordered_set<std::string> kept;
  for (const auto& [text, group] : groups) {
    if (!are_parts_of_names(group)) continue;
    for (const auto& [numbers, name] : group) kept.insert(name.whole);
  }
  return kept;
}

}  // namespace cgpu
