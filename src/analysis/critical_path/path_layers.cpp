#include "analysis/critical_path/path_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cgpu {

namespace {

std::string name_of(const PlacedOp& op) {
  const std::string sequence = op.sequence > 1 ? fmt::format("sequence {}, ", op.sequence) : "";
  const std::string layer = op.layer == kNoLayer ? "no layer" : fmt::format("{}layer {}", sequence, op.layer);
  return op.part.empty() ? layer : fmt::format("{}: {}", layer, op.part);
}

}  // namespace

const PathLayers::RunPlaces& PathLayers::places_of(size_t run) {
  if (runs_[run]) return *runs_[run];
  RunPlaces& places = runs_[run].emplace();
  const RunLayers layers = find_layers({facts_, run});
  if (layers.found_by.empty()) return places;
  const Slices& slices = facts_.run(run).timeline.slices;
  std::map<std::string, uint32_t> numbers;
  for (const PlacedOp& op : layers.ops) {
    const auto [at, is_new] = numbers.try_emplace(name_of(op), static_cast<uint32_t>(places.names.size()));
    if (is_new) places.names.push_back(at->first);
    places.of_slice[op.slice] = at->second;
    if (op.launch == kNone || !places.of_slice.try_emplace(op.launch, at->second).second) continue;
    places.launches[slices.track[op.launch]].emplace_back(slices.start[op.launch], at->second);
  }
  for (auto& [thread, launches] : places.launches) std::sort(launches.begin(), launches.end());
  return places;
}

std::string PathLayers::of(const EdgePart& part) {
  const RunPlaces& places = places_of(part.run);
  const auto known = places.of_slice.find(part.slice);
  if (known != places.of_slice.end()) return places.names[known->second];
  const auto thread = places.launches.find(part.thread);
  if (thread == places.launches.end()) return "";
  const auto next =
      std::lower_bound(thread->second.begin(), thread->second.end(), std::pair(part.time.end, uint32_t{0}));
  return next == thread->second.end() ? "" : places.names[next->second];
}

}  // namespace cgpu
