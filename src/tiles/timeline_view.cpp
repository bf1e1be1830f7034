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

/// The order in which tracks are laid out, the most work first.
int turn_of(const ViewTrack& track) {
  const LaneDeclaration* lane = lane_of(track);
  if (lane && lane->is_made_first) return 0;
  if (track.kind == ViewKind::thread) return 1;
  return lane && lane->drawing == Drawing::activity ? 2 : 3;
}

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
  for (const LaneDeclaration* lane : lane_declarations()) {
    if (lane->open) sources_[static_cast<size_t>(lane->kind)] = lane->open(scope_);
  }
  for (size_t i = 0; i < tracks().size(); ++i) opened_.push_back(std::make_unique<OpenTrack>());
  lay_out_all(thread_count(threads), progress);
}

TimelineView::~TimelineView() = default;

const LaneSource* TimelineView::source_of(const ViewTrack& track) const {
  return track.source == kNone ? sources_[static_cast<size_t>(track.kind)].get() : nullptr;
}

const CallPathLane& TimelineView::call_path_lane() const {
  return dynamic_cast<const CallPathLane&>(*sources_[static_cast<size_t>(ViewKind::call_path)]);
}

void TimelineView::lay_out_all(unsigned threads, const Progress& progress) {
  std::vector<ViewTrackId> order(tracks().size());
  std::iota(order.begin(), order.end(), ViewTrackId{0});
  std::ranges::stable_sort(order, [&](ViewTrackId a, ViewTrackId b) {
    const int turn_a = turn_of(tracks()[a]);
    const int turn_b = turn_of(tracks()[b]);
    return turn_a != turn_b ? turn_a < turn_b : tracks()[a].slices.value_or(0) > tracks()[b].slices.value_or(0);
  });
  std::vector<std::once_flag> sorted_out(session().runs.size());
  std::vector<std::vector<SliceIndex>> slices(tracks().size());
  std::mutex mutex;  // guards `done`
  size_t done = 0;
  for_each_in_parallel(threads, order.size(), [&](size_t i) {
    const ViewTrackId id = order[i];
    ViewTrack& track = scope_.tracks()[id];
    const LaneSource* source = source_of(track);
    if (track.source != kNone) {
      std::call_once(sorted_out[track.run], [&] { distribute_slices(session(), track.run, scope_.tracks(), slices); });
    }
    const bool is_measured = source && source->measure(track);
    if (!is_measured && id < kFirstScreen && !is_found_on_demand(track)) {
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
  return drawing_of(tracks()[track]) == Drawing::slices;
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
  if (track.kind != ViewKind::call_path) return nullptr;
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
  return source_of(track)->style(track, lane_slices(id), slice);
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

const LaneSlices& TimelineView::lane_slices(ViewTrackId track) const {
  return *open(track).slices;
}

std::optional<SlicePosition> TimelineView::innermost_box(size_t run, SliceIndex slice) const {
  const NodeIndex node = call_path_lane().node_of(run, slice);
  if (node == kNoNode) return std::nullopt;
  const TrackIndex source = session().runs[run].timeline.slices.track[slice];
  const auto track = std::find_if(tracks().begin(), tracks().end(), [&](const ViewTrack& candidate) {
    return candidate.run == run && candidate.samples != kNone && tracks()[candidate.samples].source == source;
  });
  if (track == tracks().end()) return std::nullopt;
  const Frames& frames = *call_path_lane().frames(run);
  const uint32_t length = std::min(frames.length(node), *track->lanes);
  NodeIndex frame = frames.of(node);
  for (uint32_t depth = std::min(frames.length(node), kMostPathLanes); depth > length; --depth) {
    frame = frames.caller(frame);
  }
  if (length == 0) return std::nullopt;
  const auto id = static_cast<ViewTrackId>(track - tracks().begin());
  const Lane lane = lanes(id).lane(length - 1);
  const DerivedSlices& boxes = *derived(id);
  const int64_t start = session().runs[run].timeline.slices.start[slice] - zero(run);
  // Of the boxes that begin together (samples without duration), the sample's own has its frame.
  for (size_t position = lane.first_starting(start + 1); position-- > 0;) {
    const SliceIndex box = lane.slice(position);
    if (boxes.name[box] == frame && lane.end(position) >= start) return find(id, box);
    if (lane.end(position) < start) break;
  }
  return std::nullopt;
}

std::vector<CounterIndex::Sample> TimelineView::samples_of(const ViewTrack& track) const {
  return source_of(track)->samples(track);
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
  switch (drawing_of(track)) {
    case Drawing::counter:
      opened.counter = std::make_unique<CounterIndex>(samples_of(track));
      return;
    case Drawing::activity:
      opened.activity = std::make_unique<Activity>(scope_.device_times(track), zero(track.run));
      return;
    case Drawing::slices:
      break;
  }
  opened.slices = source_of(track)->slices(track);
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
