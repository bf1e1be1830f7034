#include "tiles/lanes/idle_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/host/launch_calls.h"
#include "table/unicode.h"
#include "table/units.h"
#include "tiles/lanes/lane_sources.h"
#include "tiles/timeline_view.h"

namespace cgpu {

namespace {

/// O(n) in the ops, which are sorted by start.
std::shared_ptr<IdleSlices> idle_slices(SessionIdle& gaps, size_t run, const Timeline& timeline,
                                        const std::vector<OpIndex>& ops) {
  auto idle = std::make_shared<IdleSlices>();
  idle->slices.reserve(ops.size());  // pages that are not used are never touched
  idle->part_begin.reserve(ops.size());
  idle->part_cause.reserve(ops.size());
  idle->part_ns.reserve(ops.size());
  std::vector<std::pair<int64_t, IdleCause>> parts;
  gaps.for_each_gap(run, ops, [&](const IdleGap& gap) {
    parts.clear();
    for (const IdleCause cause : gap.causes) parts.emplace_back(gap.times[static_cast<size_t>(cause)], cause);
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [time, cause] : parts) {
      idle->part_cause.push_back(cause);
      idle->part_ns.push_back(time);
    }
    idle->part_begin.push_back(static_cast<uint32_t>(idle->part_cause.size()));
    idle->slices.add(gap.time, static_cast<uint32_t>(parts.front().second), timeline.device_ops.slice[gap.waking_op]);
  });
  return idle;
}

/// "data loading": as the viewer writes causes.
std::string spaced(IdleCause cause) {
  std::string text(text_of(cause));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string phrase_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::synchronization:
      return "the launching thread waited for the device to finish";
    case IdleCause::blocking_copy:
      return "the launching thread was held by a copy that returns only when the data has arrived";
    case IdleCause::data_loading:
      return "the launching thread waited for the data loader";
    case IdleCause::allocation:
      return "the launching thread allocated or freed memory";
    case IdleCause::compilation:
      return "the launching thread compiled";
    case IdleCause::module_load:
      return "the launching thread loaded device code";
    case IdleCause::garbage_collection:
      return "the launching thread collected garbage";
    case IdleCause::lock:
      return "the launching thread waited for a lock";
    case IdleCause::io:
      return "the launching thread read, wrote, or waited for something to read";
    case IdleCause::not_scheduled:
      return "a call of the launching thread took over a hundred times as long as such calls do, and nothing in it "
             "explains that: the thread was probably not running";
    case IdleCause::no_work:
      return "the launching thread waited for a request, or for a person to type";
    case IdleCause::host_code:
      return "the launching thread ran other code before it launched the next op";
    case IdleCause::launch_overhead:
      return "the next op was being launched";
    case IdleCause::dependency:
      return "the next op was queued already and waited for another stream, an event, or something that the profile "
             "does not show";
    case IdleCause::other_rank:
      return "the launching thread waited for other ranks";
    case IdleCause::profiler_overhead:
      return "the profiler itself was at work";
    case IdleCause::profile_edge:
      return "the device was at work that was launched before the recording began, or the host's recording had ended";
    case IdleCause::unknown:
      return "the launch of the next op is not in the profile, so what the host did is not known";
  }
  return "";
}

/// What most of a gap's time of one cause is due to.
struct Culprit {
  std::string name;          // "" where none is known, or where it is the launch
  SliceIndex slice = kNone;  // in the timeline that is shown; kNone where it lies outside of it
};

Culprit culprit_of(const SessionFacts& facts, size_t run, const Interval& gap, SliceIndex next, IdleCause cause) {
  const Session& session = facts.session();
  const Timeline& timeline = session.runs[run].timeline;
  const auto device_of = [&](OpIndex op) { return timeline.device_ops.device[op]; };
  std::vector<OpIndex> around;  // the ops between which the gap lies
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    if (slice == next || timeline.slices.end(slice) == gap.begin) around.push_back(op);
  });
  const auto waking =
      std::find_if(around.begin(), around.end(), [&](OpIndex op) { return timeline.device_ops.slice[op] == next; });
  if (waking == around.end()) return {};
  const OpsInFullRun full_run = ops_in_full_run(session, run, {*waking});
  const int32_t device = device_of(*waking);
  std::erase_if(around, [&](OpIndex op) { return device_of(op) != device; });

  std::map<SliceIndex, int64_t> times;  // of slices of the whole
  facts.idle().for_each_gap(run, around, [&](const IdleGap& found, const std::vector<IdlePart>& parts) {
    if (found.time != gap) return;
    for (const IdlePart& part : parts) {
      if (part.cause == cause && part.culprit != kNone) times[part.culprit] += part.time.end - part.time.begin;
    }
  });
  SliceIndex most = kNone;
  for (const auto& [slice, time] : times) {
    if (most == kNone || time > times[most]) most = slice;
  }
  const Timeline& whole = full_run.timeline;
  if (most == kNone || most == launch_of(whole, whole.device_ops.slice[full_run.ops.front()])) return {};
  return {std::string(whole.name(most)), slice_in_part(session.runs[run], most)};
}

std::string quoted(std::string_view name) {
  constexpr size_t kWidth = 80;
  return shorten(printable(name), kWidth);
}

class IdleLane : public LaneSource {
 public:
  explicit IdleLane(LaneScope& scope) : scope_(scope), cause_names_(add_cause_names(scope.names())) {}

  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    return idle_slices(scope_.facts().idle(), track.run, scope_.timeline_of(track), scope_.device_ops(track));
  }

  SliceStyle style(const ViewTrack&, const LaneSlices& of, SliceIndex slice) const override {
    const uint32_t cause = of.slices.name[slice];
    return {cause_names_[cause], colour_of(kind_, static_cast<uint8_t>(cause))};
  }

  /// The device, the causes, a sentence, the call that launched the op after the gap, with its delay, the slice that
  /// most of the time is due to (as in table idle_hosts), and the stack of that slice of the host, else of the call.
  void describe(JsonTextWriter& json, const TimelineView& view, const SlicePosition& gap) const override {
    const ViewTrack& track = view.tracks()[gap.track];
    const Timeline& timeline = scope_.timeline_of(track);
    const IdleSlices& idle = view.derived_as<IdleSlices>(gap.track);
    const SliceIndex next = idle.slices.origin[gap.slice];
    const SliceIndex launch = launch_of(timeline, next);
    const uint32_t first = idle.part_begin[gap.slice];
    const uint32_t last = idle.part_begin[gap.slice + 1];
    const IdleCause cause = idle.part_cause[first];
    const int64_t begin = idle.slices.start[gap.slice];
    const Interval time{begin, begin + idle.slices.duration[gap.slice]};
    const Culprit culprit = launch == kNone ? Culprit() : culprit_of(scope_.facts(), track.run, time, next, cause);
    const SliceIndex named = culprit.slice;

    std::string why = fmt::format("For {} of these {}, {}", format_ns(idle.part_ns[first]), format_ns(gap.duration),
                                  phrase_of(cause));
    if (!culprit.name.empty()) why += fmt::format(" ({})", quoted(culprit.name));
    if (last - first > 1) {
      why += "; the rest:";
      for (uint32_t part = first + 1; part < last; ++part) {
        why += fmt::format("{} {} {}", part > first + 1 ? "," : "", spaced(idle.part_cause[part]),
                           format_ns(idle.part_ns[part]));
      }
    }
    why += fmt::format(". The gap ended with {}.", quoted(timeline.name(next)));

    json.member("device", *track.device).member("label", text_of(cause)).key("causes").begin_array();
    for (uint32_t part = first; part < last; ++part) {
      json.begin_object()
          .member("cause", text_of(idle.part_cause[part]))
          .member("duration", idle.part_ns[part])
          .end_object();
    }
    json.end_array().member("why", why).key("launch");
    if (launch == kNone) {
      json.null();
    } else {
      write_position(json, view, track.run, launch);
      json.member("delay", std::max<int64_t>(0, timeline.slices.start[next] - timeline.slices.end(launch)));
    }
    if (named != kNone) {
      json.key("cause_slice");
      write_position(json, view, track.run, named);
    }
    json.key("stack").begin_array();
    const bool is_host_slice = named != kNone && is_host(timeline.kind(named));
    for (SliceIndex at = is_host_slice ? named : launch; at != kNone; at = timeline.slices.parent[at]) {
      write_position(json, view, track.run, at);
    }
    json.end_array();
  }

  std::vector<std::pair<uint32_t, std::string>> synonyms() const override {
    std::vector<std::pair<uint32_t, std::string>> found;
    for (int cause = 0; cause < kIdleCauses; ++cause)
      found.emplace_back(cause_names_[static_cast<size_t>(cause)], text_of(static_cast<IdleCause>(cause)));
    return found;
  }
  bool can_match(const ViewTrack&, const NameMatches& matches) const override { return matches.has_any(cause_names_); }

 private:
  const LaneScope& scope_;
  uint8_t kind_ = slice_kind("idle");
  std::vector<uint32_t> cause_names_;
};

}  // namespace

std::vector<uint32_t> add_cause_names(SharedNames& names) {
  std::vector<uint32_t> added;
  for (int cause = 0; cause < kIdleCauses; ++cause) added.push_back(names.add(spaced(static_cast<IdleCause>(cause))));
  return added;
}

LaneDeclaration idle_lane() {
  return {.kind = "idle",
          .place = TrackPlace::of_device,
          .coverage = Coverage::idle,
          .slice_kinds = {{"idle", "cause"}},
          .origin = "What ended it",
          .layout_order = 0,  // it takes long, and needs none of the slices of other tracks
          .list =
              [](TrackList& tracks, const ListedAt& at) {
                ViewTrack& track = tracks.add(tracks.name_of_device(*at.device), "idle");
                track.device = at.device;
                track.lanes = 1;
              },
          .open = open_lane<IdleLane>};
}

}  // namespace cgpu
