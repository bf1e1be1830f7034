#include "analysis/ranks/device_sets.h"

#include <map>
#include <utility>

#include "analysis/ranks/racks.h"

namespace cgpu {

namespace {

/// Those of devices with the same key, in the order of the keys; not those without one.
template <typename KeyOf>
void append_sets(DeviceSet::Kind kind, const std::vector<RunPlace>& places, const std::vector<size_t>& runs,
                 KeyOf key_of, std::vector<DeviceSet>& sets) {
  std::map<std::decay_t<decltype(*key_of(places.front()))>, std::vector<size_t>> by_key;
  for (size_t device = 0; device < runs.size(); ++device) {
    if (const auto key = key_of(places[runs[device]])) by_key[*key].push_back(device);
  }
  for (auto& [key, devices] : by_key) {
    DeviceSet& set = sets.emplace_back();
    set.kind = kind;
    if constexpr (std::is_convertible_v<decltype(key), std::string_view>) set.name = key;
    set.devices = std::move(devices);
  }
}

std::optional<std::string_view> if_known(std::string_view name) {
  return name.empty() ? std::nullopt : std::optional(name);
}

}  // namespace

std::vector<RunPlace> places_of_runs(const Session& session, std::span<const PassedWork> passed) {
  const std::vector<std::optional<int64_t>> stages = pipeline_stages(session, passed);
  std::vector<RunPlace> places;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const std::string& host = session.runs[run].host;
    places.push_back({host, rack_of_host(host), stages[run]});
  }
  return places;
}

const char* text_of(DeviceSet::Kind kind) {
  switch (kind) {
    case DeviceSet::Kind::host:
      return "host";
    case DeviceSet::Kind::rack:
      return "rack";
    case DeviceSet::Kind::stage:
      return "stage";
    case DeviceSet::Kind::group:
      return "group";
  }
  return "";
}

std::vector<DeviceSet> sets_by_place(const std::vector<RunPlace>& places, const std::vector<size_t>& runs) {
  std::vector<DeviceSet> sets;
  append_sets(
      DeviceSet::Kind::host, places, runs, [](const RunPlace& place) { return if_known(place.host); }, sets);
  append_sets(
      DeviceSet::Kind::rack, places, runs, [](const RunPlace& place) { return if_known(place.rack); }, sets);
  append_sets(
      DeviceSet::Kind::stage, places, runs, [](const RunPlace& place) { return place.stage; }, sets);
  return sets;
}

}  // namespace cgpu
