#include "serve/selection.h"

#include <algorithm>

#include "base/error.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

ChosenTracks::ChosenTracks(const Profile& profile, const std::vector<ViewTrackId>& wanted) {
  const std::vector<ViewTrack>& tracks = profile.view().tracks();
  for (const Run& run : profile.session().runs) chosen_.emplace_back(run.timeline.tracks.size());
  devices_.resize(profile.session().runs.size());
  const auto choose = [&](const ViewTrack& track) {
    chosen_[track.run][track.source][static_cast<size_t>(track.part)] = true;
  };
  for (const ViewTrackId id : wanted) {
    const ViewTrack& track = tracks[id];
    if (track.samples != kNone) {  // a call path stands for all that it is made of
      const ViewTrack& samples = tracks[track.samples];
      if (samples.device) devices_[track.run].push_back(*samples.device);
      for (const ViewTrack& other : tracks) {
        if (other.run == track.run && other.source == samples.source) choose(other);
      }
      continue;
    }
    if (track.device) devices_[track.run].push_back(*track.device);
    if (track.source != kNone) {
      choose(track);
      continue;
    }
    if (!track.device || track.lane->drawing == Drawing::counter) continue;
    for (const ViewTrack& other : tracks) {
      if (other.run == track.run && other.device == track.device && other.lane->kind == "stream") choose(other);
    }
  }
}

bool ChosenTracks::has_device(size_t run, int32_t device) const {
  return std::find(devices_[run].begin(), devices_[run].end(), device) != devices_[run].end();
}

SelectedSession::SelectedSession(const Profile& profile, const ViewSelection& wanted) : whole_(profile.facts()) {
  Selection selection = wanted;
  std::optional<ChosenTracks> chosen;
  if (wanted.tracks) {
    chosen.emplace(profile, *wanted.tracks);
    selection.takes = [&](size_t run, TrackIndex track, SliceKind kind) {
      return chosen->has(run, track, part_of(whole_.run(run).timeline, track, kind));
    };
  }
  const std::vector<Run>& runs = whole_.session().runs;
  const bool all_ranks = std::all_of(runs.begin(), runs.end(), [&](const Run& run) {
    return selection.ranks.empty() || selection.ranks.contains(run.rank);
  });
  if (all_ranks && !selection.has_window() && !selection.takes) return;
  try {
    part_ = part_of_session(whole_, selection);
  } catch (const Error& error) {
    throw RequestError(kNotFound, error.what());
  }
  part_facts_.emplace(*part_, whole_);
}

}  // namespace cgpu
