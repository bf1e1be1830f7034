#include "tiles/track_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "tiles/lanes/lane_source.h"

namespace cgpu {

TrackList::TrackList(const Session& session, size_t run, const RunFacts& facts, std::vector<ViewTrack>& tracks)
    : run_(session.runs[run]), number_(run), facts_(facts), is_part_(session.whole != nullptr), tracks_(tracks) {
  if (session.runs.size() == 1) return;
  const auto twins = std::count_if(session.runs.begin(), session.runs.end(),
                                   [&](const Run& other) { return other.rank == run_.rank; });
  group_.push_back(twins > 1
                       ? fmt::format("rank {} ({})", run_.rank, std::filesystem::path(run_.file).filename().string())
                       : fmt::format("rank {}", run_.rank));
}

void TrackList::add_all(const LaneDeclaration& lane, const ListedAt& at) {
  lane_ = &lane;
  lane.list(*this, at);
  lane_ = nullptr;
}

ViewTrack& TrackList::add(const std::string& group, const std::string& name) {
  ViewTrack& track = tracks_.emplace_back();
  track.lane = lane_;
  track.run = number_;
  track.group = group_;
  track.group.push_back(group);
  track.name = name;
  return track;
}

std::string TrackList::name_of_device(int32_t id) const {
  if (id < 0) return "Host";
  const std::vector<Device>& devices = run_.devices;
  const auto device = std::find_if(devices.begin(), devices.end(), [&](const Device& d) { return d.id == id; });
  const bool are_npus = !devices.empty() && devices.front().vendor == "Huawei";
  const std::string name = device == devices.end() || device->name.empty() ? "" : ": " + device->name;
  return fmt::format("{} {}{}", are_npus ? "NPU" : "GPU", id, name);
}

std::string TrackList::name_of_process(const Track& track) {
  // Some profilers write -1 for what has no number.
  const bool has_number = !track.process.empty() && track.process != "-1";
  if (track.process_name.empty()) {
    return !has_number ? "Program" : is_digits(track.process) ? "Process " + track.process : track.process;
  }
  if (!has_number || track.process_name.find(track.process) != std::string::npos) return track.process_name;
  return fmt::format("{} ({})", track.process_name, track.process);
}

void TrackList::number_equal_names() {
  std::map<std::pair<std::vector<std::string>, std::string>, int> seen;
  for (ViewTrack& track : tracks_) {
    if (track.run != number_) continue;
    const int number = ++seen[{track.group, track.name}];
    if (number > 1) track.name += fmt::format(" ({})", number);
  }
}

}  // namespace cgpu
