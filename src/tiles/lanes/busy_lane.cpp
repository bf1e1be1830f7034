// How busy a device was (activity.h).
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

const LaneDeclaration& busy_lane() {
  static const LaneDeclaration lane{.kind = ViewKind::busy,
                                    .drawing = Drawing::activity,
                                    .place = TrackPlace::of_device,
                                    .list = [](TrackList& tracks, const ListedAt& at) {
                                      ViewTrack& track =
                                          tracks.add(ViewKind::busy, tracks.name_of_device(*at.device), "busy");
                                      track.device = at.device;
                                      track.lanes = 1;
                                    }};
  return lane;
}

}  // namespace cgpu
