#include "readers/trace_event/rpd_trace.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parse_number.h"
#include "readers/common/rpd_names.h"
#include "readers/trace_event/op_kinds.h"

namespace cgpu::trace_event {

namespace {

constexpr std::string_view kArrow = "api_op";

/// The slices of a track by one of their ends.
using ByTime = std::vector<std::pair<int64_t, SliceIndex>>;

class Joiner {
 public:
  Joiner(const Parts& parts, Timeline& timeline) : parts_(parts), timeline_(timeline) {
    for (const SliceIndex op : timeline.device_ops.slice) add(starts_, op, timeline.slices.start[op]);
    for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
      if (is_call(timeline.kind(i))) add(ends_, i, timeline.slices.end(i));
    }
    for (auto* tracks : {&starts_, &ends_}) {
      for (auto& [track, slices] : *tracks) std::sort(slices.begin(), slices.end());
    }
  }

  void join() {
    std::map<StringId, const Part*> begun;
    for (const Part& part : parts_.rows) {
      if (part.kind == PartKind::flow_start && is_arrow(part)) begun.emplace(part.key, &part);
    }
    for (const Part& part : parts_.rows) {
      if ((part.kind != PartKind::flow_finish && part.kind != PartKind::flow_enclosed) || !is_arrow(part)) continue;
      const auto from = begun.find(part.key);
      if (from == begun.end()) continue;
      const SliceIndex call = call_at(*from->second);
      const SliceIndex op = op_at(part);
      if (call == kNone || op == kNone) continue;
      timeline_.slices.correlation[call] = int64_t{call} + 1;
      timeline_.slices.correlation[op] = int64_t{call} + 1;
    }
    // They are launches now.
    std::erase_if(timeline_.links, [&](const Link& link) {
      return link.kind == Link::Kind::flow && is_device_op(timeline_.kind(link.to));
    });
  }

 private:
  static void add(std::map<TrackIndex, ByTime>& tracks, TrackIndex track, int64_t time, SliceIndex slice) {
    tracks[track].emplace_back(time, slice);
  }
  void add(std::map<TrackIndex, ByTime>& tracks, SliceIndex slice, int64_t time) {
    add(tracks, timeline_.slices.track[slice], time, slice);
  }

  bool is_arrow(const Part& part) const { return timeline_.categories[part.category].name == kArrow; }

  /// An arrow begins 2 us before the end of its call, or where the op begins if that is sooner: at the call that ends
  /// 2 us later, give or take the microsecond to which times may be cut, else at the one that lasts at that moment.
  SliceIndex call_at(const Part& part) const {
    constexpr int64_t kBeforeEnd = 2000;
    constexpr int64_t kRounding = 1000;
    const auto track = ends_.find(part.track);
    if (track == ends_.end()) return kNone;
    const ByTime& calls = track->second;
    const auto first =
        std::lower_bound(calls.begin(), calls.end(), std::pair(part.time + kBeforeEnd - kRounding, SliceIndex{0}));
    SliceIndex best = kNone;
    int64_t distance = kRounding + 1;
    for (auto call = first; call != calls.end() && call->first <= part.time + kBeforeEnd + kRounding; ++call) {
      const int64_t off = std::abs(call->first - part.time - kBeforeEnd);
      if (off < distance) std::tie(best, distance) = std::pair(call->second, off);
    }
    if (best != kNone) return best;
    const auto around = std::lower_bound(calls.begin(), calls.end(), std::pair(part.time, SliceIndex{0}));
    const bool lasts = around != calls.end() && timeline_.slices.start[around->second] <= part.time;
    return lasts ? around->second : kNone;
  }

  /// Ops that begin at one moment, as it is written, take their arrows in turn.
  SliceIndex op_at(const Part& part) {
    const auto track = starts_.find(part.track);
    if (track == starts_.end()) return kNone;
    ByTime& ops = track->second;
    auto op = std::lower_bound(ops.begin(), ops.end(), std::pair(part.time, SliceIndex{0}));
    if (op == ops.end() || op->first != part.time) return kNone;
    size_t& taken = taken_[{part.track, part.time}];
    const auto turn =
        op + static_cast<std::ptrdiff_t>(std::min<size_t>(taken, static_cast<size_t>(ops.end() - op) - 1));
    ++taken;
    return turn->first == part.time ? turn->second : op->second;
  }

  const Parts& parts_;
  Timeline& timeline_;
  std::map<TrackIndex, ByTime> starts_;  // of ops
  std::map<TrackIndex, ByTime> ends_;    // of calls
  std::map<std::pair<TrackIndex, int64_t>, size_t> taken_;
};

}  // namespace

void read_rpd_trace(const Parts& parts, Run& run) {
  Timeline& timeline = run.timeline;
  std::vector<std::optional<int32_t>> gpus;
  bool any = false;
  bool threads = false;
  for (const Track& track : timeline.tracks) {
    gpus.push_back(number_behind<int32_t>("GPU", track.process_name));
    any = any || gpus.back();
    threads = threads || track.thread_name.starts_with("Hip ");
  }
  if (!any || !threads) return;
  OpKinds kinds(timeline);
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const TrackIndex track = timeline.slices.track[slice];
    const std::string_view name = timeline.name(slice);
    if (!gpus[track]) {
      kinds.set_kind(slice, rpd::kind_of_call(name));
      continue;
    }
    rpd::Op what = rpd::op_of(name);
    if (name.starts_with("Graph 0x")) what.kind = SliceKind::device_annotation;  // its kernels are below it
    if (!is_device_op(what.kind)) {
      kinds.set_kind(slice, what.kind);
      continue;
    }
    const std::string& queue = timeline.tracks[track].thread;
    int64_t stream = -1;
    std::from_chars(queue.data(), queue.data() + queue.size(), stream);
    kinds.add_op(slice, what.kind, *gpus[track], stream, what.copy);
  }
  Joiner(parts, timeline).join();
}

}  // namespace cgpu::trace_event
