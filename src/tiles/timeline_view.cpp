#include "tiles/timeline_view.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "base/threads.h"
#include "base/to_size.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

/// About as many tracks as a page shows at first: their indexes are built at once.
constexpr ViewTrackId kFirstScreen = 20;

/// Makes the lists of the slices of a run's tracks.
void distribute_slices(const Session& session, size_t run, const ViewTracks& tracks,
                       std::vector<std::vector<SliceIndex>>& slices) {
  std::vector<SliceIndex*> next(slices.size());  // where the next slice of a track is put
  for (ViewTrackId id = 0; id < slices.size(); ++id) {
    const ViewTrack& track = tracks.all()[id];
    if (track.run != run || track.source == kNone) continue;
    slices[id].resize(to_size(*track.slices));
    next[id] = slices[id].data();
  }
  const Timeline& timeline = session.runs[run].timeline;
  const SliceKinds kinds = timeline.kinds();
  const auto sources = timeline.slices.track.values();
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const TrackPart part = part_of(timeline, sources[slice], kinds[slice]);
    *next[tracks.of(run, sources[slice], part)]++ = slice;
  }
}

}  // namespace

struct TimelineView::OpenTrack {
  std::once_flag once;
  std::atomic<bool> ready = false;
  std::shared_ptr<const LaneSlices> slices;  // of a derived track
  std::unique_ptr<LaneIndex> lanes;
  std::unique_ptr<CounterIndex> counter;
  std::unique_ptr<Activity> activity;
  std::mutex depth_mutex;  // guards `at_depth`
  std::shared_ptr<const FramesAtDepth> at_depth;
};

TimelineView::TimelineView(const SessionFacts& facts, unsigned threads, const Progress& progress)
    : scope_(facts, find_facts(facts, thread_count(threads))) {
  for (const LaneDeclaration& lane : all_lanes()) sources_.push_back(lane.open ? lane.open(scope_) : nullptr);
  for (size_t i = 0; i < tracks().size(); ++i) opened_.push_back(std::make_unique<OpenTrack>());
  lay_out_all(thread_count(threads), progress);
}

TimelineView::~TimelineView() = default;

const LaneSource* TimelineView::source(const ViewTrack& track) const {
  return track.source == kNone ? sources_[static_cast<size_t>(track.lane - all_lanes().data())].get() : nullptr;
}

void TimelineView::lay_out_all(unsigned threads, const Progress& progress) {
  std::vector<ViewTrackId> order(tracks().size());
  std::iota(order.begin(), order.end(), ViewTrackId{0});
  std::ranges::stable_sort(order, [&](ViewTrackId a, ViewTrackId b) {
    const int order_a = tracks()[a].lane->layout_order;
    const int order_b = tracks()[b].lane->layout_order;
    return order_a != order_b ? order_a < order_b : tracks()[a].slices.value_or(0) > tracks()[b].slices.value_or(0);
  });
  std::vector<std::once_flag> sorted_out(session().runs.size());
  std::vector<std::vector<SliceIndex>> slices(tracks().size());
  std::mutex mutex;  // guards `done`
  size_t done = 0;
  for_each_in_parallel(threads, order.size(), [&](size_t i) {
    const ViewTrackId id = order[i];
    ViewTrack& track = scope_.tracks()[id];
    const LaneSource* lane = source(track);
    if (track.source != kNone) {
      std::call_once(sorted_out[track.run], [&] { distribute_slices(session(), track.run, scope_.tracks(), slices); });
    }
    const bool is_measured = lane && lane->measure(track);
    if (!is_measured && id < kFirstScreen && !track.lane->is_found_on_demand) {
      OpenTrack& opened = open(id, track.source == kNone ? nullptr : &slices[id]);
      if (opened.lanes) track.lanes = std::max<uint32_t>(opened.lanes->lanes(), 1);
    } else if (!is_measured && track.source != kNone) {
      track.lanes = count_lanes(times(id), slices[id], parents_of(track));
    }
    if (!progress) return;
    const std::lock_guard lock(mutex);
    progress(static_cast<double>(++done) / static_cast<double>(order.size()));
  });
}

bool TimelineView::has_slices(ViewTrackId track) const {
  return tracks()[track].lane->drawing == Drawing::slices;
}

std::string TimelineView::tile(ViewTrackId track, const TilePlace& place) const {
  return encode_tile(lanes(track), times(track), place, [&](SliceIndex slice) { return style(track, slice); });
}

std::string TimelineView::counter_tile(ViewTrackId track, const TilePlace& place) const {
  return open(track).counter->tile(place);
}

std::string TimelineView::activity_tile(ViewTrackId track, const TilePlace& place) const {
  return open(track).activity->tile(place);
}

std::shared_ptr<const FramesAtDepth> TimelineView::at_depth(ViewTrackId id, uint32_t depth) const {
  const ViewTrack& track = tracks()[id];
  if (track.samples == kNone) return nullptr;
  OpenTrack& opened = open(id);
  const uint32_t shown = std::clamp<uint32_t>(depth, 1, std::max<uint32_t>(*track.lanes, 1));
  const std::lock_guard lock(opened.depth_mutex);
  if (!opened.at_depth || opened.at_depth->depth() != shown) {
    opened.at_depth = std::make_shared<FramesAtDepth>(derived_as<CallPaths>(id), shown, zero(track.run));
  }
  return opened.at_depth;
}

std::string TimelineView::tile_at_depth(ViewTrackId track, uint32_t depth, const TilePlace& place) const {
  const std::shared_ptr<const FramesAtDepth> frames = at_depth(track, depth);
  if (!frames) return tile(track, place);
  const std::vector<SliceIndex>& boxes = frames->pieces().box;
  const auto style_of = [&](SliceIndex piece) { return style(track, boxes[piece]); };
  return encode_tile(frames->lanes(), frames->times(), place, style_of, &boxes);
}

const LaneIndex& TimelineView::lanes(ViewTrackId track) const {
  return *open(track).lanes;
}

SliceTimes TimelineView::times(ViewTrackId id) const {
  const ViewTrack& track = tracks()[id];
  const DerivedSlices* own = derived(id);
  const Slices& slices = scope_.timeline_of(track).slices;
  return own ? SliceTimes(own->start, own->duration, zero(track.run))
             : SliceTimes(slices.start, slices.duration, zero(track.run));
}

SliceStyle TimelineView::style(ViewTrackId id, SliceIndex slice) const {
  const ViewTrack& track = tracks()[id];
  if (track.source != kNone) return scope_.style_of(track.run, slice);
  return source(track)->style(track, lane_slices(id), slice);
}

std::optional<SlicePosition> TimelineView::find(ViewTrackId track, SliceIndex slice) const {
  if (track >= tracks().size() || !has_slices(track)) return std::nullopt;
  const uint32_t lane = lanes(track).lane_of(slice);
  if (lane == kNone) return std::nullopt;
  const SliceTimes at = times(track);
  return SlicePosition{track, slice, lane, at.start(slice), at.duration(slice), style(track, slice).name};
}

SlicePosition TimelineView::place(size_t run, SliceIndex slice) const {
  return *find(track_of(run, slice), slice);
}

const DerivedSlices* TimelineView::derived(ViewTrackId id) const {
  if (tracks()[id].source != kNone || !has_slices(id)) return nullptr;
  return &lane_slices(id).slices;
}

SliceIndex TimelineView::parent(ViewTrackId id, SliceIndex slice) const {
  const ViewTrack& track = tracks()[id];
  if (track.source != kNone) return scope_.timeline_of(track).slices.parent[slice];
  const std::vector<SliceIndex>& parents = lane_slices(id).parent;
  return parents.empty() ? kNone : parents[slice];
}

const LaneSlices& TimelineView::lane_slices(ViewTrackId track) const {
  return *open(track).slices;
}

void write_position(JsonTextWriter& json, const TimelineView& view, const SlicePosition& placed) {
  json.begin_object()
      .member("track", placed.track)
      .member("slice", placed.slice)
      .member("lane", placed.lane)
      .member("name", shown_name(view.names()[placed.name]))
      .member("start", placed.start)
      .member("duration", placed.duration)
      .end_object();
}

void write_position(JsonTextWriter& json, const TimelineView& view, size_t run, SliceIndex slice) {
  write_position(json, view, view.place(run, slice));
}

std::string shown_name(std::string_view name) {
  constexpr size_t kLongest = 1024;
  if (name.size() <= kLongest) return std::string(name);
  size_t end = kLongest;
  while (end > kLongest - 4 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return std::string(name.substr(0, end)) + "...";
}

std::vector<CounterIndex::Sample> TimelineView::samples_of(const ViewTrack& track) const {
  return source(track)->samples(track);
}

TimelineView::Cost TimelineView::cost() const {
  Cost cost;
  for (const std::unique_ptr<OpenTrack>& track : opened_) {
    if (!track->ready || !track->lanes) continue;
    cost.bytes += track->lanes->bytes();
    cost.slices += track->lanes->slices();
  }
  return cost;
}

TimelineView::OpenTrack& TimelineView::open(ViewTrackId track, std::vector<SliceIndex>* slices) const {
  OpenTrack& opened = *opened_[track];
  std::call_once(opened.once, [&] {
    build(track, opened, slices);
    opened.ready = true;
  });
  return opened;
}

void TimelineView::build(ViewTrackId id, OpenTrack& opened, std::vector<SliceIndex>* slices) const {
  const ViewTrack& track = tracks()[id];
  if (track.source != kNone) {
    const Slices& own = scope_.timeline_of(track).slices;
    opened.lanes =
        std::make_unique<LaneIndex>(SliceTimes(own.start, own.duration, zero(track.run)),
                                    slices ? std::move(*slices) : scope_.slices_of(track), parents_of(track));
    return;
  }
  switch (track.lane->drawing) {
    case Drawing::counter:
      opened.counter = std::make_unique<CounterIndex>(samples_of(track));
      return;
    case Drawing::activity:
      opened.activity = std::make_unique<Activity>(scope_.device_times(track), zero(track.run));
      return;
    case Drawing::slices:
      break;
  }
  opened.slices = source(track)->slices(track);
  const DerivedSlices& own = opened.slices->slices;
  const SliceTimes at(own.start, own.duration, zero(track.run));
  if (!opened.slices->lane.empty()) {
    opened.lanes = std::make_unique<LaneIndex>(at, opened.slices->lane);
    return;
  }
  std::vector<SliceIndex> all(own.size());
  std::iota(all.begin(), all.end(), SliceIndex{0});
  opened.lanes = std::make_unique<LaneIndex>(at, std::move(all), SliceParents());
}

SliceParents TimelineView::parents_of(const ViewTrack& track) const {
  const Timeline& timeline = scope_.timeline_of(track);
  if (timeline.tracks[track.source].kind == TrackKind::device_stream && track.part != TrackPart::rest) return {};
  return SliceParents(timeline.slices);
}

}  // namespace cgpu
