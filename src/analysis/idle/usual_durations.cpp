#include "analysis/idle/usual_durations.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace cgpu {

std::unordered_map<StringId, UsualDuration> usual_durations(const Timeline& timeline,
                                                            const std::vector<SliceIndex>& slices,
                                                            const std::vector<SliceIndex>& long_ones) {
  std::vector<uint32_t> number_of(timeline.names.size(), UINT32_MAX);
  std::vector<StringId> names;
  for (const SliceIndex slice : long_ones) {
    const StringId name = timeline.slices.name[slice];
    if (number_of[name] != UINT32_MAX) continue;
    number_of[name] = static_cast<uint32_t>(names.size());
    names.push_back(name);
  }
  std::vector<std::vector<int64_t>> durations(names.size());
  const auto name_of = timeline.slices.name.values();
  for (const SliceIndex slice : slices) {
    const uint32_t number = number_of[name_of[slice]];
    if (number != UINT32_MAX) durations[number].push_back(timeline.slices.duration[slice]);
  }
  std::unordered_map<StringId, UsualDuration> found;
  for (size_t number = 0; number < names.size(); ++number) {
    std::vector<int64_t>& all = durations[number];
    const auto middle = all.begin() + static_cast<ptrdiff_t>((all.size() - 1) / 2);
    std::nth_element(all.begin(), middle, all.end());
    UsualDuration& usual = found[names[number]];
    usual.count = static_cast<uint32_t>(all.size());
    usual.duration = *middle;
    const auto is_long = [&](int64_t duration) { return duration >= kNotRunning * usual.duration; };
    usual.long_ones = static_cast<uint32_t>(std::count_if(middle, all.end(), is_long));
  }
  return found;
}

void erase_first_of_names(const Timeline& timeline, const std::vector<SliceIndex>& slices,
                          std::vector<SliceIndex>& long_ones) {
  const auto name_of = [&](SliceIndex slice) { return timeline.slices.name[slice]; };
  const auto key_of = [&](SliceIndex slice) {
    return std::pair(std::string_view(timeline.tracks[timeline.slices.track[slice]].process), name_of(slice));
  };
  const auto place_of = [&](SliceIndex slice) { return std::pair(timeline.slices.start[slice], slice); };
  std::map<std::pair<std::string_view, StringId>, SliceIndex> first;
  std::vector<bool> wanted(timeline.names.size());
  for (const SliceIndex slice : long_ones) {
    first.try_emplace(key_of(slice), slice);
    wanted[name_of(slice)] = true;
  }
  for (const SliceIndex slice : slices) {
    if (!wanted[name_of(slice)]) continue;
    const auto at = first.find(key_of(slice));
    if (at != first.end() && place_of(slice) < place_of(at->second)) at->second = slice;
  }
  std::erase_if(long_ones, [&](SliceIndex slice) { return first.at(key_of(slice)) == slice; });
}

}  // namespace cgpu
