#include "tiles/lanes/lane_sources.h"

#include <array>

namespace cgpu {

namespace {

constexpr int kSliceKinds = static_cast<int>(SliceKind::other) + 1;

}  // namespace

const std::vector<const LaneDeclaration*>& lane_declarations() {
  static const std::vector<const LaneDeclaration*> all = {
      &steps_lane(),     &critical_path_lane(), &layers_lane(),                   // of a run
      &busy_lane(),      &idle_lane(),          &exposed_lane(), &ranges_lane(),  // of a device
      &call_path_lane(), &counter_lane(),
  };
  return all;
}

const LaneDeclaration* lane_of(const ViewTrack& track) {
  static const auto by_kind = [] {
    std::array<const LaneDeclaration*, kViewKinds> lanes{};
    for (const LaneDeclaration* lane : lane_declarations()) lanes[static_cast<size_t>(lane->kind)] = lane;
    return lanes;
  }();
  return track.source == kNone ? by_kind[static_cast<size_t>(track.kind)] : nullptr;
}

const char* text_of(Drawing drawing) {
  switch (drawing) {
    case Drawing::slices:
      return "slices";
    case Drawing::counter:
      return "counter";
    case Drawing::activity:
      return "activity";
  }
  return "slices";
}

Drawing drawing_of(const ViewTrack& track) {
  const LaneDeclaration* lane = lane_of(track);
  return lane ? lane->drawing : Drawing::slices;
}

bool is_found_on_demand(const ViewTrack& track) {
  const LaneDeclaration* lane = lane_of(track);
  return lane && lane->is_found_on_demand;
}

std::vector<std::string> slice_kind_names() {
  std::vector<std::string> names;
  for (int kind = 0; kind < kSliceKinds; ++kind) names.emplace_back(text_of(static_cast<SliceKind>(kind)));
  for (const LaneDeclaration* lane : lane_declarations())
    names.insert(names.end(), lane->slice_kinds.begin(), lane->slice_kinds.end());
  return names;
}

uint8_t first_kind_of(const LaneDeclaration& lane) {
  size_t first = kSliceKinds;
  for (const LaneDeclaration* other : lane_declarations()) {
    if (other == &lane) break;
    first += other->slice_kinds.size();
  }
  return static_cast<uint8_t>(first);
}

}  // namespace cgpu
