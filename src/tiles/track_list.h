// The tracks of a run while they are listed (view_tracks.h), as lanes see them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tiles/run_facts.h"
#include "tiles/view_tracks.h"

namespace cgpu {

/// Where in a run tracks can be added: above its devices, on top of each device, below each track of the profile, and
/// at the end.
enum class TrackPlace : uint8_t { of_run, of_device, below_track, at_end };

/// What is listed there.
struct ListedAt {
  std::optional<int32_t> device = {};  // of_device
  const DeviceFacts* of_device = nullptr;
  ViewTrackId track = kNone;  // below_track: that of the profile, the one with the work where it has parts
  std::string name = {};      // below_track: its name, without that of a part
};

class TrackList {
 public:
  TrackList(const Session& session, size_t run, const RunFacts& facts, std::vector<ViewTrack>& tracks);

  const Run& run() const { return run_; }
  const RunFacts& facts() const { return facts_; }
  /// Whether the session is a part of another.
  bool is_part() const { return is_part_; }

  /// Adds those of a kind at one place.
  void add_all(const LaneDeclaration& lane, const ListedAt& at);
  /// Adds one of that kind, else of none yet.
  ViewTrack& add(const std::string& group, const std::string& name);
  ViewTrack& operator[](ViewTrackId id) { return tracks_[id]; }
  ViewTrackId last() const { return static_cast<ViewTrackId>(tracks_.size() - 1); }

  /// "GPU 0: NVIDIA A100".
  std::string name_of_device(int32_t device) const;
  /// "python (1234)", as the threads of a process are grouped.
  static std::string name_of_process(const Track& track);

  /// Numbers tracks of equal name in one group, such as streams of several processes on one device.
  void number_equal_names();

 private:
  const Run& run_;
  size_t number_;
  const RunFacts& facts_;
  bool is_part_;
  std::vector<ViewTrack>& tracks_;
  std::vector<std::string> group_;
  const LaneDeclaration* lane_ = nullptr;  // whose tracks are added
};

}  // namespace cgpu
