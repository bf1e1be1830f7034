// The kinds of derived tracks. A lane is added by its file in this folder, its kind in view_tracks.h and its line in
// lane_sources.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tiles/lanes/lane_source.h"

namespace cgpu {

const LaneDeclaration& steps_lane();
const LaneDeclaration& critical_path_lane();
const LaneDeclaration& layers_lane();
const LaneDeclaration& busy_lane();
const LaneDeclaration& idle_lane();
const LaneDeclaration& exposed_lane();
const LaneDeclaration& ranges_lane();
const LaneDeclaration& call_path_lane();
const LaneDeclaration& counter_lane();

/// All of them; those of one place in the order in which they are listed there.
const std::vector<const LaneDeclaration*>& lane_declarations();
/// That of a track; null for one of the profile.
const LaneDeclaration* lane_of(const ViewTrack& track);

const char* text_of(Drawing drawing);  // "slices", ...
/// What a track is drawn from.
Drawing drawing_of(const ViewTrack& track);
/// LaneDeclaration::is_found_on_demand; false for tracks of the profile.
bool is_found_on_demand(const ViewTrack& track);

/// The names of the kinds that the high byte of a colour numbers: of slices of the profile, then of each lane.
std::vector<std::string> slice_kind_names();
/// The number of the first of a lane's slice_kinds among them.
uint8_t first_kind_of(const LaneDeclaration& lane);

}  // namespace cgpu
