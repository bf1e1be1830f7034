#include "analysis/common/samples.h"

#include <map>
#include <numeric>

namespace cgpu {

std::vector<TrackIndex> threads_beside(const Timeline& timeline) {
  using Names = std::pair<std::string_view, std::string_view>;  // process, thread
  std::map<Names, TrackIndex> threads;
  const std::vector<Track>& tracks = timeline.tracks;
  for (TrackIndex track = 0; track < tracks.size(); ++track) {
    if (tracks[track].kind == TrackKind::host_thread)
      threads.emplace(Names(tracks[track].process, tracks[track].thread), track);
  }
  std::vector<TrackIndex> found(tracks.size());
  std::iota(found.begin(), found.end(), TrackIndex{0});
  for (TrackIndex track = 0; track < tracks.size(); ++track) {
    if (tracks[track].kind != TrackKind::other) continue;
    const auto thread = threads.find(Names(tracks[track].process, tracks[track].thread));
    if (thread != threads.end()) found[track] = thread->second;
  }
  return found;
}

}  // namespace cgpu
