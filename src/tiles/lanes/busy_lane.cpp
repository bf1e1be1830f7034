// How busy a device was (activity.h).
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

LaneDeclaration busy_lane() {
  return {.kind = "busy",
          .place = TrackPlace::of_device,
          .drawing = Drawing::activity,
          .layout_order = 2,
          .list = [](TrackList& tracks, const ListedAt& at) {
            ViewTrack& track = tracks.add(tracks.name_of_device(*at.device), "busy");
            track.device = at.device;
            track.lanes = 1;
          }};
}

}  // namespace cgpu
