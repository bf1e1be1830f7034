// A kind of derived track: which tracks of it a run has, what their slices are, and how these look.
//
// Each has a file in this folder, and its line in lane_sources.cpp. TimelineView lays the slices out, keeps them and
// makes tiles of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tiles/counter_index.h"
#include "tiles/lanes/derived_slices.h"
#include "tiles/lanes/lane_scope.h"
#include "tiles/tile.h"
#include "tiles/track_list.h"

namespace cgpu {

/// Makes the content of the tracks of one kind. All functions are called by several threads at once.
class LaneSource {
 public:
  virtual ~LaneSource() = default;

  /// Before the tracks are shown: finds out how many lanes and slices a track has, where that costs less than to make
  /// them. Returns whether it did. Called once for each track.
  virtual bool measure(ViewTrack&) const { return false; }

  /// Of tracks that are drawn as slices. Called once for each track that is shown.
  virtual std::shared_ptr<const LaneSlices> slices(const ViewTrack&) const { return nullptr; }
  /// The look of one of these slices; its kind counts from `first_kind_of` the lane (lane_sources.h).
  virtual SliceStyle style(const ViewTrack&, const LaneSlices&, SliceIndex) const { return {}; }

  /// Of tracks that are drawn as counters: the samples, in any order.
  virtual std::vector<CounterIndex::Sample> samples(const ViewTrack&) const { return {}; }
};

/// What a track is drawn from (docs/viewer-protocol.md, "Tiles"): its slices, the samples of a counter, or what its
/// device did (activity.h).
enum class Drawing : uint8_t { slices, counter, activity };

struct LaneDeclaration {
  ViewKind kind;
  Drawing drawing = Drawing::slices;
  TrackPlace place;  // where `list` is called
  /// The kinds of its slices, by which the page colours them.
  std::vector<std::string_view> slice_kinds = {};
  /// Its slices take long to find: they are made when the track is first shown, and neither searched nor exported.
  bool is_found_on_demand = false;
  /// Its slices take long, but are wanted on the first screen: they are made before those of all others.
  bool is_made_first = false;
  /// Adds the tracks at one place of a run.
  void (*list)(TrackList& tracks, const ListedAt& at) = nullptr;
  /// Null where the drawing needs none.
  std::unique_ptr<LaneSource> (*open)(LaneScope& scope) = nullptr;
};

}  // namespace cgpu
