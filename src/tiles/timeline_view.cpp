#include "tiles/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <utility>

#include "analysis/rank_waits.h"
#include "analysis/session_clock.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

constexpr int kSliceKinds = static_cast<int>(SliceKind::other) + 1;

/// Kinds of derived slices, behind those of the profile.
enum class DerivedKind : uint8_t { idle = kSliceKinds, exposed, step, range };

uint16_t colour_of(uint8_t kind, uint8_t detail) {
  return static_cast<uint16_t>(kind << 8 | detail);
}

/// Tracks that a page shows at first, more or less: they are made ready at once.
constexpr ViewTrackId kFirstScreen = 20;

std::vector<std::vector<Step>> find_all_steps(const Session& session) {
  std::vector<std::vector<Step>> steps;
  for (const Run& run : session.runs) steps.push_back(find_steps(run.timeline));
  return steps;
}

std::vector<bool> which_have(const std::vector<std::vector<Step>>& steps) {
  std::vector<bool> has;
  for (const std::vector<Step>& of_run : steps) has.push_back(!of_run.empty());
  return has;
}

/// The slices of each track of the profile, by track.
std::vector<std::vector<SliceIndex>> sort_out(const Session& session, const ViewTracks& tracks) {
  std::vector<std::vector<SliceIndex>> slices(tracks.all().size());
  for (ViewTrackId id = 0; id < slices.size(); ++id) {
    if (tracks.all()[id].source != kNone) slices[id].reserve(*tracks.all()[id].slices);
  }
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const auto count = static_cast<SliceIndex>(session.runs[run].timeline.slices.size());
    for (SliceIndex slice = 0; slice < count; ++slice) slices[tracks.of(session, run, slice)].push_back(slice);
  }
  return slices;
}

}  // namespace

struct TimelineView::OpenTrack {
  std::once_flag once;
  std::atomic<bool> ready = false;
  DerivedSlices derived;
  std::unique_ptr<IdleSlices> idle;
  std::unique_ptr<LaneIndex> lanes;
  std::unique_ptr<CounterIndex> counter;
  std::unique_ptr<Activity> activity;
};

/// What two tracks of a device are made from; each takes its part.
struct TimelineView::Device {
  std::once_flag once;
  std::unique_ptr<Activity> activity;
  DerivedSlices exposed;
};

TimelineView::TimelineView(const Session& session, unsigned threads)
    : session_(session),
      zeros_(time_zeros(session)),
      steps_(find_all_steps(session)),
      tracks_(session, which_have(steps_)),
      names_(session),
      sorted_ops_(session.runs.size()),
      ops_by_device_(session.runs.size()),
      devices_(session.runs.size()),
      host_causes_(session.runs.size()) {
  for (int cause = 0; cause < kIdleCauses; ++cause) {
    cause_names_.push_back(names_.add(std::string(text_of(static_cast<IdleCause>(cause)))));
  }
  for (size_t run = 0; run < session.runs.size(); ++run) {
    for (const Step& step : steps_[run]) step_names_.push_back(names_.add(fmt::format("step {}", step.number)));
    const std::vector<SliceIndex>& ops = session.runs[run].timeline.device_ops.slice;
    if (!std::is_sorted(ops.begin(), ops.end())) {
      for (OpIndex op = 0; op < ops.size(); ++op) sorted_ops_[run].emplace_back(ops[op], op);
      std::sort(sorted_ops_[run].begin(), sorted_ops_[run].end());
    }
    if (const auto extent = extent_of(session.runs[run].timeline)) span_ = std::max(span_, extent->end - zeros_[run]);
  }
  for (size_t i = 0; i < tracks().size(); ++i) opened_.push_back(std::make_unique<OpenTrack>());
  lay_out_all(threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads);
}

TimelineView::~TimelineView() = default;

void TimelineView::lay_out_all(unsigned threads) {
  std::vector<ViewTrackId> order(tracks().size());
  std::iota(order.begin(), order.end(), ViewTrackId{0});
  // Gaps have to be found and explained, which takes longest and needs none of the slices below.
  const auto sorted_out = std::stable_partition(order.begin(), order.end(), [&](ViewTrackId id) {
    return tracks()[id].kind == ViewKind::idle && id < kFirstScreen;
  });
  std::stable_sort(sorted_out, order.end(), [&](ViewTrackId a, ViewTrackId b) {
    return tracks()[a].slices.value_or(0) > tracks()[b].slices.value_or(0);
  });
  std::once_flag once;
  std::vector<std::vector<SliceIndex>> slices;
  const auto lay_out = [&](ViewTrackId id) {
    ViewTrack& track = tracks_[id];
    if (track.source != kNone) std::call_once(once, [&] { slices = sort_out(session_, tracks_); });
    if (id < kFirstScreen) {
      OpenTrack& opened = open(id, track.source == kNone ? nullptr : &slices[id]);
      if (opened.lanes) track.lanes = std::max<uint32_t>(opened.lanes->lanes(), 1);
    } else if (track.source != kNone) {
      track.lanes = count_lanes(times(id), slices[id], parents_of(track));
    }
  };
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < order.size(); i = next++) lay_out(order[i]);
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min<size_t>(threads, order.size()); ++i) others.emplace_back(work);
  work();
}

std::vector<std::string> TimelineView::kinds() {
  std::vector<std::string> kinds;
  for (int kind = 0; kind < kSliceKinds; ++kind) kinds.emplace_back(text_of(static_cast<SliceKind>(kind)));
  for (const char* kind : {"idle", "exposed_communication", "step", "range"}) kinds.emplace_back(kind);
  for (const NodeKind kind :
       {NodeKind::root, NodeKind::entry, NodeKind::function, NodeKind::loop, NodeKind::line, NodeKind::instruction}) {
    kinds.emplace_back(text_of(kind));
  }
  return kinds;
}

uint8_t TimelineView::kind_of(NodeKind kind) {
  return static_cast<uint8_t>(static_cast<int>(DerivedKind::range) + 1 + static_cast<int>(kind));
}

bool TimelineView::has_slices(ViewTrackId track) const {
  const ViewKind kind = tracks()[track].kind;
  return kind != ViewKind::busy && kind != ViewKind::counter;
}

std::string TimelineView::tile(ViewTrackId track, const TilePlace& place) const {
  return encode_tile(lanes(track), times(track), place, [&](SliceIndex slice) { return look(track, slice); });
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

SliceLook TimelineView::look(ViewTrackId id, SliceIndex slice) const {
  const ViewTrack& track = tracks()[id];
  const auto derived_kind = [](DerivedKind kind) { return static_cast<uint8_t>(kind); };
  if (const DerivedSlices* own = derived(id)) {
    const uint32_t name = own->name[slice];
    switch (track.kind) {
      case ViewKind::idle:
        return {cause_names_[name], colour_of(derived_kind(DerivedKind::idle), static_cast<uint8_t>(name))};
      case ViewKind::steps:
        return {name, colour_of(derived_kind(DerivedKind::step), 0)};
      case ViewKind::exposed:
        return {names_.of(track.run, name), colour_of(derived_kind(DerivedKind::exposed), 0)};
      default:
        return {names_.of(track.run, name), colour_of(derived_kind(DerivedKind::range), 0)};
    }
  }
  const Timeline& timeline = session_.runs[track.run].timeline;
  const SliceKind kind = timeline.kind(slice);
  uint8_t kernel_class = 0;
  if (is_device_op(kind)) {
    const OpIndex op = op_of(track.run, slice);
    const KernelClass of_kind = kind == SliceKind::memcpy   ? KernelClass::copy
                                : kind == SliceKind::memset ? KernelClass::set
                                : op == kNone               ? KernelClass::unknown
                                              : static_cast<KernelClass>(timeline.device_ops.kernel_class[op]);
    kernel_class = static_cast<uint8_t>(of_kind);
  }
  return {names_.of(track.run, timeline.slices.name[slice]), colour_of(static_cast<uint8_t>(kind), kernel_class)};
}

std::optional<Placed> TimelineView::find(ViewTrackId track, SliceIndex slice) const {
  if (track >= tracks().size() || !has_slices(track)) return std::nullopt;
  const uint32_t lane = lanes(track).lane_of(slice);
  if (lane == kNone) return std::nullopt;
  const SliceTimes at = times(track);
  return Placed{track, slice, lane, at.start(slice), at.duration(slice), look(track, slice).name};
}

Placed TimelineView::place(size_t run, SliceIndex slice) const {
  return *find(track_of(run, slice), slice);
}

const DerivedSlices* TimelineView::derived(ViewTrackId id) const {
  const ViewTrack& track = tracks()[id];
  if (track.source != kNone || !has_slices(id)) return nullptr;
  const OpenTrack& opened = open(id);
  return opened.idle ? &opened.idle->slices : &opened.derived;
}

const IdleSlices& TimelineView::idle(ViewTrackId track) const {
  return *open(track).idle;
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
      opened.activity = std::move(device_of(track).activity);
      return;
    case ViewKind::idle:
      opened.idle = std::make_unique<IdleSlices>(make_idle(track));
      break;
    case ViewKind::exposed:
      opened.derived = std::move(device_of(track).exposed);
      break;
    case ViewKind::steps: {
      size_t name = 0;
      for (size_t run = 0; run < track.run; ++run) name += steps_[run].size();
      for (const Step& step : steps_[track.run]) opened.derived.add(step.time, step_names_[name++], kNone);
      break;
    }
    default:
      if (track.source == kNone) opened.derived = projected_ranges(timeline, ops_of(track));
  }
  if (track.source != kNone) {
    const SliceTimes at(timeline.slices.start, timeline.slices.duration, zero);
    opened.lanes = std::make_unique<LaneIndex>(at, slices ? std::move(*slices) : slices_of(track), parents_of(track));
    return;
  }
  const DerivedSlices& own = opened.idle ? opened.idle->slices : opened.derived;
  std::vector<SliceIndex> all(own.size());
  for (SliceIndex slice = 0; slice < all.size(); ++slice) all[slice] = slice;
  opened.lanes = std::make_unique<LaneIndex>(SliceTimes(own.start, own.duration, zero), std::move(all), nullptr);
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

std::function<SliceIndex(SliceIndex)> TimelineView::parents_of(const ViewTrack& track) const {
  const Timeline& timeline = session_.runs[track.run].timeline;
  if (timeline.tracks[track.source].kind == TrackKind::device_stream && track.part != TrackPart::rest) return nullptr;
  return [&slices = timeline.slices](SliceIndex slice) {
    const SliceIndex parent = slices.parent[slice];  // of work that was handed on, a slice of another thread
    return parent != kNone && slices.track[parent] == slices.track[slice] ? parent : kNone;
  };
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

IdleSlices TimelineView::make_idle(const ViewTrack& track) const {
  const std::vector<OpIndex>& ops = ops_of(track);
  const std::lock_guard lock(causes_mutex_);
  std::unique_ptr<HostCauses>& causes = host_causes_[track.run];
  const Timeline& timeline = session_.runs[track.run].timeline;
  if (!causes) causes = std::make_unique<HostCauses>(timeline, rank_waits(session_)[track.run]);
  return idle_slices(timeline, ops, *causes);
}

TimelineView::Device& TimelineView::device_of(const ViewTrack& track) const {
  const std::vector<OpIndex>& ops = ops_of(track);
  Device& device = [&]() -> Device& {
    const std::lock_guard lock(mutex_);
    return devices_[track.run][*track.device];
  }();
  std::call_once(device.once, [&] {
    const Timeline& timeline = session_.runs[track.run].timeline;
    const DeviceTimes times(timeline, ops);
    device.activity = std::make_unique<Activity>(times, zeros_[track.run]);
    device.exposed = exposed_communication(timeline, ops, times.exposed_communication);
  });
  return device;
}

const std::vector<OpIndex>& TimelineView::ops_of(const ViewTrack& track) const {
  const std::lock_guard lock(mutex_);
  std::map<int32_t, std::vector<OpIndex>>& by_device = ops_by_device_[track.run];
  if (by_device.empty()) by_device = ops_by_device(session_.runs[track.run].timeline);
  return by_device[*track.device];
}

}  // namespace cgpu
