// The declaration of a kind of track: its name, and what it is drawn from. A derived kind also lists its tracks, makes
// their slices, colours and describes them.
//
// Each kind of derived track has a file in this folder, and its line in lane_sources.h. TimelineView lays the slices
// out, keeps them and makes tiles of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table/json_text_writer.h"
#include "tiles/counter_index.h"
#include "tiles/lanes/derived_slices.h"
#include "tiles/lanes/lane_scope.h"
#include "tiles/tile.h"
#include "tiles/track_list.h"

namespace cgpu {

struct SlicePosition;
class TimelineView;

/// What a search by name knows before it looks at the slices of a lane.
struct NameMatches {
  const std::vector<uint8_t>& names;         // by their numbers, whether they match
  std::array<bool, kSliceKinds> kinds = {};  // whether a slice of the run is called so, by SliceKind
  bool has(SliceKind kind) const { return kinds[static_cast<size_t>(kind)]; }
  bool has_any(const std::vector<uint32_t>& numbers) const {
    return std::any_of(numbers.begin(), numbers.end(), [&](uint32_t number) { return names[number] != 0; });
  }
};

/// Makes the content of the tracks of one kind. All functions are called by several threads at once.
class LaneSource {
 public:
  virtual ~LaneSource() = default;

  /// Before the tracks are shown: finds out how many lanes and slices a track has, where that costs less than to make
  /// them. Returns whether it did. Called once for each track.
  virtual bool measure(ViewTrack&) const { return false; }

  /// Of tracks that are drawn as slices. Called once for each track that is shown.
  virtual std::shared_ptr<const LaneSlices> slices(const ViewTrack&) const { return nullptr; }
  /// The look of one of these slices; its kind is the slice_kind (lane_sources.h) of one that the lane declares.
  virtual SliceStyle style(const ViewTrack&, const LaneSlices&, SliceIndex) const { return {}; }

  /// Writes what only the lane knows of one of these slices (docs/viewer-protocol.md, "A slice").
  virtual void describe(JsonTextWriter&, const TimelineView&, const SlicePosition&) const {}
  /// The same of a slice of the profile that a track is made from. Returns whether it wrote its stack.
  virtual bool describe_source(JsonTextWriter&, const TimelineView&, size_t /*run*/, SliceIndex) const { return false; }

  /// Other texts by which a search finds a name: the number of the name, and the text.
  virtual std::vector<std::pair<uint32_t, std::string>> synonyms() const { return {}; }
  /// Whether a search can find slices of a track. False where that is known without a look at them.
  virtual bool can_match(const ViewTrack&, const NameMatches&) const { return true; }
  /// Calls visit(slice, number of its name, start on the run's clock) for each slice without making those of the
  /// track. Returns false where the lane cannot: then slices() are asked.
  using Visit = std::function<void(SliceIndex, uint32_t, int64_t)>;
  virtual bool for_each_name(const ViewTrack&, const Visit&) const { return false; }

  /// Of tracks that are drawn as counters: the samples, in any order.
  virtual std::vector<CounterIndex::Sample> samples(const ViewTrack&) const { return {}; }
};

/// What a track is drawn from (docs/viewer-protocol.md, "Tiles"): its slices, the samples of a counter, or what its
/// device did (activity.h).
enum class Drawing : uint8_t { slices, counter, activity };
const char* text_of(Drawing drawing);  // "slices", ...

/// Which share of the time of its device a track shows ("Tiles", coverage).
enum class Coverage : uint8_t { none, idle, communication };
std::optional<std::string_view> text_of(Coverage coverage);  // "idle", ...; absent for none

/// A kind of slices of a lane.
struct LaneSliceKind {
  std::string_view name;
  /// How the page colours it, as `looks` in docs/viewer-protocol.md ("The session"). Empty: as the page
  /// colours that kind of the profile, else plain.
  std::string_view look;
};

struct LaneDeclaration {
  std::string_view kind;
  TrackPlace place = TrackPlace::of_run;  // where `list` is called
  Drawing drawing = Drawing::slices;
  Coverage coverage = Coverage::none;
  std::vector<LaneSliceKind> slice_kinds = {};
  /// Heading of the slice that one of these is derived from (DerivedSlices::origin), in its details.
  std::string_view origin = "What it is about";
  /// Its slices take long to find: they are made when the track is first shown, and neither searched nor exported.
  bool is_found_on_demand = false;
  bool is_exported = true;  // to Perfetto
  /// Tracks are laid out in ascending order of this: 0 for those that take longest.
  uint8_t layout_order = 3;
  /// Adds the tracks at one place of a run.
  void (*list)(TrackList& tracks, const ListedAt& at) = nullptr;
  /// Null where the drawing needs none.
  std::unique_ptr<LaneSource> (*open)(LaneScope& scope) = nullptr;
};

/// LaneDeclaration::open of a class.
template <typename Source>
std::unique_ptr<LaneSource> open_lane(LaneScope& scope) {
  return std::make_unique<Source>(scope);
}

}  // namespace cgpu
