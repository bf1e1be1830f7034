// A part of a session: a window of time, steps, some ranks, some tracks. The tables of an area are those of this part.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "serve/http/answer.h"
#include "serve/profile.h"
#include "session/selection/selection.h"

namespace cgpu {

/// A selection (session/selection/selection.h) that may also name tracks of the viewer.
struct ViewSelection : Selection {
  std::optional<std::vector<ViewTrackId>> tracks;
};

/// The parts of tracks of the profile that tracks of the viewer stand for: a derived track of a device stands for the
/// device's streams.
class ChosenTracks {
 public:
  ChosenTracks(const Profile& profile, const std::vector<ViewTrackId>& tracks);
  bool has(size_t run, TrackIndex track, TrackPart part) const {
    return chosen_[run][track][static_cast<size_t>(part)];
  }
  /// Whether a track of this device is among them.
  bool has_device(size_t run, int32_t device) const;

 private:
  std::vector<std::vector<std::array<bool, kTrackParts>>> chosen_;  // by run and track
  std::vector<std::vector<int32_t>> devices_;                       // by run
};

/// The selected part of the profile's session (links/window.h) with facts of its own; the profile's session and facts
/// where nothing is left out. Call trees and measured launches, which have no times, stay with the profile.
class SelectedSession {
 public:
  /// Throws RequestError for a step or a rank that does not exist.
  SelectedSession(const Profile& profile, const ViewSelection& selection);
  const Session& session() const { return facts().session(); }
  const SessionFacts& facts() const { return part_facts_ ? *part_facts_ : whole_; }

 private:
  const SessionFacts& whole_;
  std::optional<Session> part_;
  std::optional<SessionFacts> part_facts_;
};

}  // namespace cgpu
