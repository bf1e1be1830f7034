#include "tiles/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "analysis/critical_path/edge_parts.h"
#include "analysis/session_clock.h"
#include "analysis/steps/layer_parts.h"
#include "base/threads.h"
#include "kernels/kernel_class.h"
#include "tiles/critical_path.h"
#include "tiles/layer_slices.h"

namespace cgpu {

namespace {

constexpr int kSliceKinds = static_cast<int>(SliceKind::other) + 1;

/// Kinds of derived slices, numbered after those of the profile.
enum class DerivedKind : uint8_t { idle = kSliceKinds, exposed, step, range, kernel_gap, layer, layer_part };

/// Layers with a name of their own: few models have more.
constexpr uint32_t kNamedLayers = 128;

uint16_t colour_of(uint8_t kind, uint8_t detail) {
  return static_cast<uint16_t>(kind << 8 | detail);
}

/// About as many tracks as a page shows at first: their indexes are built at once.
constexpr ViewTrackId kFirstScreen = 20;

std::vector<int64_t> zeros_of(const Session& session, const std::vector<RunFacts>& facts) {
  std::vector<std::optional<Interval>> extents;
  for (const RunFacts& run : facts) extents.push_back(run.slices.extent ? run.slices.extent : run.events);
  return time_zeros(session, extents);
}

/// The order in which tracks are laid out, the most work first: idle gaps have to be found and explained, which needs
/// none of the slices of other tracks; then threads.
int turn_of(const ViewTrack& track) {
  if (track.kind == ViewKind::idle) return 0;
  if (track.kind == ViewKind::thread) return 1;
  return track.kind == ViewKind::busy ? 2 : 3;
}

/// Makes the lists of the slices of a run's tracks.
void distribute_slices(const Session& session, size_t run, const ViewTracks& tracks,
                       std::vector<std::vector<SliceIndex>>& slices) {
  std::vector<SliceIndex*> next(slices.size());  // where the next slice of a track is put
  for (ViewTrackId id = 0; id < slices.size(); ++id) {
    const ViewTrack& track = tracks.all()[id];
    if (track.run != run || track.source == kNone) continue;
    slices[id].resize(*track.slices);
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
  DerivedSlices derived;
  std::unique_ptr<IdleSlices> idle;
  std::unique_ptr<CallPaths> paths;
  const LayerSlices* layers = nullptr;  // kept with those of the other devices of the run
  std::unique_ptr<LaneIndex> lanes;
  std::unique_ptr<CounterIndex> counter;
  std::unique_ptr<Activity> activity;
};

/// What the derived tracks of a device are computed from.
struct TimelineView::Device {
  std::vector<OpIndex> ops;  // by start
  std::once_flag once;       // of the members below, which two tracks share
  std::unique_ptr<Activity> activity;
  DerivedSlices exposed;
};

struct TimelineView::OpenRun {
  std::map<int32_t, Device> devices;
  Once<std::map<int32_t, LayerSlices>> layers;  // by device
  std::unique_ptr<Frames> frames;               // where the call tree knows the places of samples
};

TimelineView::TimelineView(const SessionFacts& facts, unsigned threads, const Progress& progress)
    : TimelineView(facts, find_facts(facts, thread_count(threads)), thread_count(threads), progress) {}

TimelineView::TimelineView(const SessionFacts& facts, std::vector<RunFacts> of_runs, unsigned threads,
                           const Progress& progress)
    : facts_(facts),
      session_(facts.session()),
      zeros_(zeros_of(session_, of_runs)),
      tracks_(session_, of_runs),
      names_(session_),
      sorted_ops_(session_.runs.size()),
      frame_names_(session_.runs.size()) {
  for (int cause = 0; cause < kIdleCauses; ++cause) {
    std::string text(text_of(static_cast<IdleCause>(cause)));
    std::replace(text.begin(), text.end(), '_', ' ');
    cause_names_.push_back(names_.add(text));
  }
  kernel_gap_name_ = names_.add("kernel gap");
  name_layers();
  for (size_t run = 0; run < session_.runs.size(); ++run) {
    for (const Step& step : facts.steps(run)) step_names_.push_back(names_.add(fmt::format("step {}", step.number)));
    if (!of_runs[run].ops.in_file_order) {
      const std::vector<SliceIndex>& ops = session_.runs[run].timeline.device_ops.slice;
      for (OpIndex op = 0; op < ops.size(); ++op) sorted_ops_[run].emplace_back(ops[op], op);
      std::sort(sorted_ops_[run].begin(), sorted_ops_[run].end());
    }
    for (const std::optional<Interval>& extent : {of_runs[run].slices.extent, of_runs[run].events}) {
      if (extent) span_ = std::max(span_, extent->end - zeros_[run]);
    }
    OpenRun& opened = *opened_runs_.emplace_back(std::make_unique<OpenRun>());
    for (auto& [device, of_device] : of_runs[run].ops.devices) opened.devices[device].ops = std::move(of_device.ops);
    const std::optional<CallTree>& tree = session_.runs[run].call_tree;
    if (tree && tree->sampled_nodes && !session_.runs[run].timeline.tracks.empty()) {
      opened.frames = std::make_unique<Frames>(*tree);
      name_frames(run);
    }
  }
  for (size_t i = 0; i < tracks().size(); ++i) opened_.push_back(std::make_unique<OpenTrack>());
  lay_out_all(threads, progress);
}

TimelineView::~TimelineView() = default;

void TimelineView::name_layers() {
  if (std::none_of(tracks().begin(), tracks().end(),
                   [](const auto& track) { return track.kind == ViewKind::layers; })) {
    return;
  }
  for (uint32_t number = 0; number < kNamedLayers; ++number)
    layer_names_.push_back(names_.add(fmt::format("layer {}", number)));
  layer_names_.push_back(names_.add(fmt::format("layer {} or above", kNamedLayers)));
  for (const std::string_view part : kLayerParts) part_names_.push_back(names_.add(std::string(part)));
}

/// A frame has the number of the slices that are called so.
void TimelineView::name_frames(size_t run) {
  const CallTree& tree = *session_.runs[run].call_tree;
  std::vector<uint32_t>& names = frame_names_[run];
  names.assign(tree.nodes.size(), kNone);
  std::vector<uint32_t> known(tree.names.size(), kNone);  // by StringId of the tree
  for (NodeIndex node = 0; node < names.size(); ++node) {
    const NodeKind kind = tree.nodes.kind[node];
    if (kind != NodeKind::function && kind != NodeKind::entry) continue;
    uint32_t& number = known[tree.nodes.name[node]];
    if (tree.nodes.name[node] == 0 || number == kNone) {  // a name of 0 is made from the node's place
      const std::string text = tree.name_of(node);
      const StringId of_slices = session_.runs[run].timeline.names.find(text);
      number = of_slices == StringPool::absent ? names_.add(text) : names_.of(run, of_slices);
    }
    names[node] = number;
  }
}

void TimelineView::lay_out_all(unsigned threads, const Progress& progress) {
  std::vector<ViewTrackId> order(tracks().size());
  std::iota(order.begin(), order.end(), ViewTrackId{0});
  std::ranges::stable_sort(order, [&](ViewTrackId a, ViewTrackId b) {
    const int turn_a = turn_of(tracks()[a]);
    const int turn_b = turn_of(tracks()[b]);
    return turn_a != turn_b ? turn_a < turn_b : tracks()[a].slices.value_or(0) > tracks()[b].slices.value_or(0);
  });
  std::vector<std::once_flag> sorted_out(session_.runs.size());
  std::vector<std::vector<SliceIndex>> slices(tracks().size());
  std::mutex mutex;  // guards `done`
  size_t done = 0;
  for_each_in_parallel(threads, order.size(), [&](size_t i) {
    const ViewTrackId id = order[i];
    ViewTrack& track = tracks_[id];
    if (track.source != kNone) {
      std::call_once(sorted_out[track.run], [&] { distribute_slices(session_, track.run, tracks_, slices); });
    }
    if (track.kind == ViewKind::call_path) {
      measure_paths(track);
    } else if (id < kFirstScreen && !is_found_on_demand(track.kind)) {
      OpenTrack& opened = open(id, track.source == kNone ? nullptr : &slices[id]);
      if (opened.lanes) track.lanes = std::max<uint32_t>(opened.lanes->lanes(), 1);
    } else if (track.source != kNone) {
      track.lanes = count_lanes(times(id), slices[id], parents_of(track));
    }
    if (!progress) return;
    const std::lock_guard lock(mutex);
    progress(static_cast<double>(++done) / static_cast<double>(order.size()));
  });
}

/// The boxes take memory once the track is opened; how many there are is known before.
void TimelineView::measure_paths(ViewTrack& track) {
  const PathExtent extent = path_extent(*opened_runs_[track.run]->frames, path_samples_of(track));
  track.lanes = std::max<uint32_t>(extent.lanes, 1);
  track.slices = extent.boxes;
  if (extent.lanes < extent.longest) {
    track.name += fmt::format(" (outermost {} of {} frames)", extent.lanes, extent.longest);
  }
}

std::vector<std::string> TimelineView::kinds() {
  std::vector<std::string> kinds;
  for (int kind = 0; kind < kSliceKinds; ++kind) kinds.emplace_back(text_of(static_cast<SliceKind>(kind)));
  for (const char* kind : {"idle", "exposed_communication", "step", "range", "kernel_gap", "layer", "layer_part"})
    kinds.emplace_back(kind);
  for (const NodeKind kind :
       {NodeKind::root, NodeKind::entry, NodeKind::function, NodeKind::loop, NodeKind::line, NodeKind::instruction}) {
    kinds.emplace_back(text_of(kind));
  }
  return kinds;
}

uint8_t TimelineView::kind_of(NodeKind kind) {
  return static_cast<uint8_t>(static_cast<int>(DerivedKind::layer_part) + 1 + static_cast<int>(kind));
}

bool TimelineView::has_slices(ViewTrackId track) const {
  const ViewKind kind = tracks()[track].kind;
  return kind != ViewKind::busy && kind != ViewKind::counter;
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

const LaneIndex& TimelineView::lanes(ViewTrackId track) const {
  return *open(track).lanes;
}

SliceTimes TimelineView::times(ViewTrackId id) const {
  const ViewTrack& track = tracks()[id];
  const DerivedSlices* own = derived(id);
  const Slices& slices = session_.runs[track.run].timeline.slices;
  return own ? SliceTimes(own->start, own->duration, zeros_[track.run])
             : SliceTimes(slices.start, slices.duration, zeros_[track.run]);
}

SliceStyle TimelineView::style(ViewTrackId id, SliceIndex slice) const {
  const ViewTrack& track = tracks()[id];
  const auto derived_kind = [](DerivedKind kind) { return static_cast<uint8_t>(kind); };
  if (const DerivedSlices* own = derived(id)) {
    const uint32_t name = own->name[slice];
    switch (track.kind) {
      case ViewKind::idle:
        return {cause_names_[name], colour_of(derived_kind(DerivedKind::idle), static_cast<uint8_t>(name))};
      case ViewKind::steps:
        return {name, colour_of(derived_kind(DerivedKind::step), 0)};
      case ViewKind::call_path:
        return {frame_names_[track.run][name],
                colour_of(kind_of(session_.runs[track.run].call_tree->nodes.kind[name]), 0)};
      case ViewKind::exposed:
        return {names_.of(track.run, name), colour_of(derived_kind(DerivedKind::exposed), 0)};
      case ViewKind::critical_path:
        return style_of_path(track.run, name, own->origin[slice]);
      case ViewKind::layers:
        if (name >= LayerSlices::kFirstPart) {
          return {part_names_[name - LayerSlices::kFirstPart], colour_of(derived_kind(DerivedKind::layer_part), 0)};
        }
        return {layer_names_[std::min(name, kNamedLayers)], colour_of(derived_kind(DerivedKind::layer), 0)};
      default:
        return {names_.of(track.run, name), colour_of(derived_kind(DerivedKind::range), 0)};
    }
  }
  return style_of_slice(track.run, slice);
}

SliceStyle TimelineView::style_of_slice(size_t run, SliceIndex slice) const {
  const Timeline& timeline = session_.runs[run].timeline;
  const SliceKind kind = timeline.kind(slice);
  uint8_t kernel_class = 0;
  if (is_device_op(kind)) {
    const OpIndex op = op_of(run, slice);
    const KernelClass of_kind = kind == SliceKind::memcpy   ? KernelClass::copy
                                : kind == SliceKind::memset ? KernelClass::set
                                : op == kNone               ? KernelClass::unknown
                                              : static_cast<KernelClass>(timeline.device_ops.kernel_class[op]);
    kernel_class = static_cast<uint8_t>(of_kind);
  }
  return {names_.of(run, timeline.slices.name[slice]), colour_of(static_cast<uint8_t>(kind), kernel_class)};
}

/// Work of a device looks as it does in its stream, what the host did as gaps of that cause do.
SliceStyle TimelineView::style_of_path(size_t run, uint32_t bound_by, SliceIndex about) const {
  const std::optional<IdleCause> cause = BoundBy::cause_of(bound_by);
  SliceStyle style{kernel_gap_name_, colour_of(static_cast<uint8_t>(DerivedKind::kernel_gap), 0)};
  if (about != kNone) style = style_of_slice(run, about);
  if (!cause) return style;
  const auto number = static_cast<uint8_t>(*cause);
  return {about != kNone ? style.name : cause_names_[number],
          colour_of(static_cast<uint8_t>(DerivedKind::idle), number)};
}

std::string_view TimelineView::bound_by(ViewTrackId track, SliceIndex slice) const {
  return BoundBy::name_of(derived(track)->name[slice]);
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
  const ViewTrack& track = tracks()[id];
  if (track.source != kNone || !has_slices(id)) return nullptr;
  return &derived_of(track, open(id));
}

const DerivedSlices& TimelineView::derived_of(const ViewTrack& track, const OpenTrack& opened) const {
  if (track.kind == ViewKind::critical_path) {
    return critical_path_.get([&] { return critical_path_slices(facts_); })[track.run];
  }
  return opened.idle     ? opened.idle->slices
         : opened.paths  ? opened.paths->boxes
         : opened.layers ? opened.layers->slices
                         : opened.derived;
}

const LayerSlices& TimelineView::layers_of(const ViewTrack& track) const {
  static const LayerSlices none;
  const auto& devices = opened_runs_[track.run]->layers.get([&] {
    return layer_slices({facts_, track.run, static_cast<uint32_t>(track.run)});
  });
  const auto found = devices.find(*track.device);
  return found == devices.end() ? none : found->second;
}

const IdleSlices& TimelineView::idle(ViewTrackId track) const {
  return *open(track).idle;
}

const CallPaths& TimelineView::call_paths(ViewTrackId track) const {
  return *open(track).paths;
}

void TimelineView::for_each_box(ViewTrackId id, const std::function<void(SliceIndex, uint32_t, int64_t)>& visit) const {
  const ViewTrack& track = tracks()[id];
  const std::vector<uint32_t>& names = frame_names_[track.run];
  cgpu::for_each_box(*opened_runs_[track.run]->frames, path_samples_of(track), *track.lanes,
                     [&](SliceIndex box, NodeIndex frame, int64_t start) { visit(box, names[frame], start); });
}

NodeIndex TimelineView::node_of(size_t run, SliceIndex slice) const {
  if (!opened_runs_[run]->frames) return kNoNode;
  const Run& of = session_.runs[run];
  return of.call_tree->sampled_nodes->node_of(of.timeline.slices.source[slice]);
}

std::optional<SlicePosition> TimelineView::innermost_box(size_t run, SliceIndex slice) const {
  const NodeIndex node = node_of(run, slice);
  if (node == kNoNode) return std::nullopt;
  const TrackIndex source = session_.runs[run].timeline.slices.track[slice];
  const auto track = std::find_if(tracks().begin(), tracks().end(), [&](const ViewTrack& candidate) {
    return candidate.run == run && candidate.samples != kNone && tracks()[candidate.samples].source == source;
  });
  if (track == tracks().end()) return std::nullopt;
  const Frames& frames = *opened_runs_[run]->frames;
  const uint32_t length = std::min(frames.length(node), *track->lanes);
  NodeIndex frame = frames.of(node);
  for (uint32_t depth = std::min(frames.length(node), kMostPathLanes); depth > length; --depth) {
    frame = frames.caller(frame);
  }
  if (length == 0) return std::nullopt;
  const auto id = static_cast<ViewTrackId>(track - tracks().begin());
  const Lane lane = lanes(id).lane(length - 1);
  const DerivedSlices& boxes = call_paths(id).boxes;
  const int64_t start = session_.runs[run].timeline.slices.start[slice] - zeros_[run];
  // Of the boxes that begin together (samples without duration), the sample's own has its frame.
  for (size_t position = lane.first_starting(start + 1); position-- > 0;) {
    const SliceIndex box = lane.slice(position);
    if (boxes.name[box] == frame && lane.end(position) >= start) return find(id, box);
    if (lane.end(position) < start) break;
  }
  return std::nullopt;
}

OpIndex TimelineView::op_of(size_t run, SliceIndex slice) const {
  const std::vector<std::pair<SliceIndex, OpIndex>>& sorted = sorted_ops_[run];
  if (!sorted.empty()) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair<SliceIndex, OpIndex>(slice, 0));
    return at != sorted.end() && at->first == slice ? at->second : kNone;
  }
  const std::vector<SliceIndex>& ops = session_.runs[run].timeline.device_ops.slice;
  const auto at = std::lower_bound(ops.begin(), ops.end(), slice);
  return at != ops.end() && *at == slice ? static_cast<OpIndex>(at - ops.begin()) : kNone;
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
  const Timeline& timeline = session_.runs[track.run].timeline;
  const int64_t zero = zeros_[track.run];
  switch (track.kind) {
    case ViewKind::counter:
      opened.counter = std::make_unique<CounterIndex>(samples_of(track));
      return;
    case ViewKind::busy:
      opened.activity = std::move(active_device_of(track).activity);
      return;
    case ViewKind::idle:
      opened.idle = std::make_unique<IdleSlices>(idle_slices(facts_.idle(), track.run, timeline, device_of(track).ops));
      break;
    case ViewKind::exposed:
      opened.derived = std::move(active_device_of(track).exposed);
      break;
    case ViewKind::steps: {
      size_t name = 0;
      for (size_t run = 0; run < track.run; ++run) name += facts_.steps(run).size();
      for (const Step& step : facts_.steps(track.run)) opened.derived.add(step.time, step_names_[name++], kNone);
      break;
    }
    case ViewKind::critical_path:
      break;  // kept for all runs together
    case ViewKind::layers: {
      opened.layers = &layers_of(track);
      const DerivedSlices& layers = opened.layers->slices;
      opened.lanes = std::make_unique<LaneIndex>(SliceTimes(layers.start, layers.duration, zero), opened.layers->lane);
      return;
    }
    case ViewKind::call_path: {
      const PathExtent extent{0, *track.lanes, *track.slices};
      opened.paths = std::make_unique<CallPaths>(
          cgpu::call_paths(*opened_runs_[track.run]->frames, path_samples_of(track), extent));
      const DerivedSlices& boxes = opened.paths->boxes;
      opened.lanes = std::make_unique<LaneIndex>(SliceTimes(boxes.start, boxes.duration, zero), opened.paths->lane);
      return;
    }
    default:
      if (track.source == kNone) opened.derived = projected_ranges(timeline, device_of(track).ops);
  }
  if (track.source != kNone) {
    const SliceTimes at(timeline.slices.start, timeline.slices.duration, zero);
    opened.lanes = std::make_unique<LaneIndex>(at, slices ? std::move(*slices) : slices_of(track), parents_of(track));
    return;
  }
  const DerivedSlices& own = derived_of(track, opened);
  std::vector<SliceIndex> all(own.size());
  for (SliceIndex slice = 0; slice < all.size(); ++slice) all[slice] = slice;
  opened.lanes = std::make_unique<LaneIndex>(SliceTimes(own.start, own.duration, zero), std::move(all), SliceParents());
}

std::vector<SliceIndex> TimelineView::slices_of(const ViewTrack& track) const {
  const Timeline& timeline = session_.runs[track.run].timeline;
  std::vector<SliceIndex> slices;
  slices.reserve(*track.slices);
  for (SliceIndex slice = track.first; slice <= track.last && slices.size() < *track.slices; ++slice) {
    if (timeline.slices.track[slice] == track.source && part_of(timeline, slice) == track.part) slices.push_back(slice);
  }
  return slices;
}

SliceParents TimelineView::parents_of(const ViewTrack& track) const {
  const Timeline& timeline = session_.runs[track.run].timeline;
  if (timeline.tracks[track.source].kind == TrackKind::device_stream && track.part != TrackPart::rest) return {};
  return SliceParents(timeline.slices);
}

std::vector<CounterIndex::Sample> TimelineView::samples_of(const ViewTrack& track) const {
  const Timeline& timeline = session_.runs[track.run].timeline;
  const int64_t zero = zeros_[track.run];
  std::vector<CounterIndex::Sample> samples;
  if (track.counter) {
    const Counters& counters = timeline.counters;
    for (size_t i = 0; i < counters.time.size(); ++i) {
      if (counters.track[i] == *track.counter) samples.push_back({counters.time[i] - zero, counters.value[i]});
    }
    return samples;
  }
  for (const MemoryEvent& event : timeline.memory) {
    const int64_t total = track.reserved ? event.total_reserved : event.total_allocated;
    if (event.device == track.device && total >= 0) samples.push_back({event.time - zero, static_cast<double>(total)});
  }
  return samples;
}

std::vector<PathSample> TimelineView::path_samples_of(const ViewTrack& track) const {
  const Run& run = session_.runs[track.run];
  const TrackIndex source = tracks()[track.samples].source;
  std::vector<SliceIndex> slices;
  // The parts of a track are side by side.
  const size_t first = track.samples - std::min<size_t>(track.samples, kTrackParts - 1);
  for (size_t id = first; id < std::min<size_t>(track.samples + kTrackParts, tracks().size()); ++id) {
    const ViewTrack& part = tracks()[id];
    if (part.run != track.run || part.source != source) continue;
    const std::vector<SliceIndex> of_part = slices_of(part);
    slices.insert(slices.end(), of_part.begin(), of_part.end());
  }
  std::sort(slices.begin(), slices.end());
  return path_samples(run.timeline, *run.call_tree, slices);
}

TimelineView::Device& TimelineView::device_of(const ViewTrack& track) const {
  return opened_runs_[track.run]->devices.at(*track.device);
}

DeviceTimes TimelineView::times_of_device(const ViewTrack& track) const {
  return {session_.runs[track.run].timeline, device_of(track).ops};
}

TimelineView::Device& TimelineView::active_device_of(const ViewTrack& track) const {
  Device& device = device_of(track);
  std::call_once(device.once, [&] {
    const Timeline& timeline = session_.runs[track.run].timeline;
    DeviceTimes times(timeline, device.ops);
    device.exposed = exposed_communication(timeline, device.ops, times.exposed_communication);
    device.activity = std::make_unique<Activity>(std::move(times), zeros_[track.run]);
  });
  return device;
}

}  // namespace cgpu
