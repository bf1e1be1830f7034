#include "tiles/lanes/lane_sources.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cgpu {

const std::vector<LaneDeclaration>& all_lanes() {
#define CGPU_LANE_OF(name) name##_lane(),
  static const std::vector<LaneDeclaration> all = {CGPU_LANES(CGPU_LANE_OF)};
#undef CGPU_LANE_OF
  return all;
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

std::optional<std::string_view> text_of(Coverage coverage) {
  if (coverage == Coverage::none) return std::nullopt;
  return coverage == Coverage::idle ? "idle" : "communication";
}

const std::vector<LaneSliceKind>& slice_kinds() {
  static const std::vector<LaneSliceKind> all = [] {
    std::vector<LaneSliceKind> kinds;
    for (size_t kind = 0; kind < kSliceKinds; ++kind) kinds.push_back({text_of(static_cast<SliceKind>(kind)), ""});
    for (const LaneDeclaration& lane : all_lanes())
      kinds.insert(kinds.end(), lane.slice_kinds.begin(), lane.slice_kinds.end());
    return kinds;
  }();
  return all;
}

uint8_t slice_kind(std::string_view name) {
  const auto found = std::ranges::find(slice_kinds(), name, &LaneSliceKind::name);
  if (found == slice_kinds().end()) throw std::out_of_range(std::string(name) + ": no lane declares such slices");
  return static_cast<uint8_t>(found - slice_kinds().begin());
}

}  // namespace cgpu
