// /api/p/P/slice: all about one slice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "analysis/common/columns.h"
#include "analysis/common/statistics.h"
#include "base/error.h"
#include "kernels/kernel_class.h"
#include "kernels/short_name.h"
#include "serve/endpoints/endpoints.h"
#include "serve/endpoints/launch_endpoint.h"
#include "serve/endpoints/slice_waits.h"
#include "serve/http/parameters.h"
#include "table/units.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

constexpr size_t kMostOpsOrFrames = 200;  // of one launch, of one stack

/// What is known of a slice of the profile, piece by piece.
class SliceWriter {
 public:
  SliceWriter(JsonTextWriter& json, const Profile& profile, size_t run, const SlicePosition& placed)
      : json_(json),
        profile_(profile),
        run_(run),
        timeline_(profile.session().runs[run].timeline),
        placed_(placed),
        slice_(placed.slice),
        op_(profile.view().op_of(run, placed.slice)) {}

  void write() {
    write_place();
    if (op_ != kNone) write_device_op();
    write_step();
    write_stack();
    write_launch();
    write_slice_waits(json_, profile_, run_, slice_);
    write_siblings();
    write_measured_launches(json_, profile_, run_, slice_);
    write_arguments();
  }

 private:
  void member_if(const char* name, const std::string& text) {
    if (!text.empty()) json_.member(name, text);
  }

  void write_place() {
    const Track& track = timeline_.tracks[timeline_.slices.track[slice_]];
    json_.member("category", timeline_.categories[timeline_.slices.category[slice_]].name);
    member_if("thread", track.thread_name.empty() ? track.thread : track.thread_name);
    member_if("process", track.process_name.empty() ? track.process : track.process_name);
    const int64_t correlation = timeline_.slices.correlation[slice_];
    if (correlation != kNoCorrelation) json_.member("correlation", correlation);
    const uint8_t flags = timeline_.slices.flags[slice_];
    if ((flags & kImplausibleTime) != 0) json_.member("remark", "implausible time, in no total");
    if ((flags & kNeverEnded) != 0) json_.member("remark", "its end was not recorded");
    if ((flags & kClipped) != 0) json_.member("remark", "cut at the border of the window");
  }

  void write_device_op() {
    const DeviceOps& ops = timeline_.device_ops;
    json_.member("device", ops.device[op_]).member("stream", ops.stream[op_]);
    const SliceKind kind = timeline_.kind(slice_);
    if (kind == SliceKind::kernel || kind == SliceKind::device_collective) {
      json_.member("class", text_of(static_cast<KernelClass>(ops.kernel_class[op_])));
      json_.member("short_name", shown_name(short_name(timeline_.name(slice_))));
    }
    if (ops.copy[op_] != CopyKind::none) {
      std::string copy = text_of(ops.copy[op_]);
      const std::string from = text_of(ops.source[op_]);
      const std::string to = text_of(ops.destination[op_]);
      if (!from.empty() || !to.empty())
        copy += fmt::format(" ({}{}{})", from, from.empty() || to.empty() ? "" : " to ", to);
      json_.member("copy", copy);
    }
    if (ops.bytes[op_] < 0) return;
    json_.member("bytes", ops.bytes[op_]);
    if (placed_.duration > 0) {
      json_.member("bandwidth", static_cast<double>(ops.bytes[op_]) / static_cast<double>(placed_.duration));  // GB/s
    }
  }

  void write_step() {
    for (const Step& step : profile_.facts().steps(run_)) {
      const int64_t begin = step.time.begin - profile_.view().zero(run_);
      const int64_t length = step.time.end - step.time.begin;
      if (placed_.start < begin || placed_.start >= begin + length) continue;
      json_.member("step", step.number)
          .member("share_of_step_pct", 100 * static_cast<double>(placed_.duration) / static_cast<double>(length));
      return;
    }
  }

  void write_stack() {
    for (const std::unique_ptr<LaneSource>& lane : profile_.view().sources()) {
      if (lane && lane->describe_source(json_, profile_.view(), run_, slice_)) return;
    }
    json_.key("stack").begin_array();
    const SliceIndex launch = timeline_.slices.launch[slice_];
    SliceIndex at = launch != kNone ? launch : timeline_.slices.parent[slice_];
    for (size_t depth = 0; at != kNone && depth < kMostOpsOrFrames; ++depth, at = timeline_.slices.parent[at]) {
      write_position(json_, profile_.view(), run_, at);
    }
    json_.end_array();
  }

  void write_launch() {
    const SliceIndex call = timeline_.slices.launch[slice_];
    if (op_ != kNone || call != kNone) {
      json_.key("launch");
      if (call == kNone) {
        json_.null().key("delay").null();
        return;
      }
      write_position(json_, profile_.view(), run_, call);
      if (op_ == kNone) return;  // a wait: it begins while its call runs
      json_.member("delay", std::max<int64_t>(0, timeline_.slices.start[slice_] - timeline_.slices.end(call)));
      return;
    }
    if (!is_host(timeline_.kind(slice_))) return;
    const std::vector<SliceIndex> ops = profile_.facts().launched_ops(run_).of(slice_);
    if (ops.empty()) return;
    json_.key("launched").begin_array();
    for (size_t i = 0; i < std::min(ops.size(), kMostOpsOrFrames); ++i) {
      write_position(json_, profile_.view(), run_, ops[i]);
    }
    json_.end_array().member("launched_count", ops.size());
    json_.member("delay", std::max<int64_t>(0, timeline_.slices.start[ops.front()] - timeline_.slices.end(slice_)));
  }

  /// Durations of all slices of this name and kind.
  std::vector<int64_t> siblings() const {
    std::vector<int64_t> durations;
    const SliceKind kind = timeline_.kind(slice_);
    for (size_t run = 0; run < profile_.session().runs.size(); ++run) {
      const Timeline& timeline = profile_.session().runs[run].timeline;
      const StringId name = timeline.names.find(timeline_.name(slice_));
      if (name == StringPool::absent) continue;
      const auto& names = timeline.slices.name;
      for (SliceIndex i = 0; i < names.size(); ++i) {
        if (names[i] == name && timeline.kind(i) == kind) durations.push_back(timeline.slices.duration[i]);
      }
    }
    std::sort(durations.begin(), durations.end());
    return durations;
  }

  void write_siblings() {
    const std::vector<int64_t> sorted = siblings();
    int64_t total = 0;
    for (const int64_t duration : sorted) {
      if (__builtin_add_overflow(total, duration, &total)) total = INT64_MAX;
    }
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), placed_.duration) - sorted.begin();
    const auto up_to = std::upper_bound(sorted.begin(), sorted.end(), placed_.duration) - sorted.begin();
    const auto count = static_cast<double>(sorted.size());
    json_.key("siblings")
        .begin_object()
        .member("count", sorted.size())
        .member("total", total)
        .member("mean", static_cast<double>(total) / count)
        .member("median", quantile_of_sorted(sorted, 0.5))
        .member("min", sorted.front())
        .member("max", sorted.back())
        .member("rank_pct", 100 * static_cast<double>(below + up_to) / 2 / count);
    write_histogram(sorted);
    json_.end_object();
  }

  /// Bars of equal width from the shortest to the longest.
  void write_histogram(const std::vector<int64_t>& sorted) {
    constexpr int kHistogramBars = 32;
    if (sorted.size() < 2 || sorted.front() == sorted.back()) return;
    const double low = static_cast<double>(sorted.front());
    const double width = (static_cast<double>(sorted.back()) - low) / kHistogramBars;
    std::vector<double> edges;
    std::vector<uint64_t> counts;
    auto at = sorted.begin();
    for (int bar = 0; bar < kHistogramBars; ++bar) {
      edges.push_back(low + bar * width);
      const double end = low + (bar + 1) * width;
      const auto next =
          bar + 1 == kHistogramBars ? sorted.end() : std::partition_point(at, sorted.end(), [&](int64_t duration) {
            return static_cast<double>(duration) < end;
          });
      counts.push_back(static_cast<uint64_t>(next - at));
      at = next;
    }
    edges.push_back(static_cast<double>(sorted.back()));
    json_.key("histogram").begin_object().member("edges", edges).member("counts", counts).end_object();
  }

  void write_arguments() {
    json_.key("arguments").begin_array();
    std::string failure;
    try {
      for (const Argument& argument : profile_.arguments(run_, slice_)) {
        json_.begin_object().member("key", argument.key).member("value", argument.value).end_object();
      }
    } catch (const Error& error) {
      failure = error.what();
    }
    json_.end_array();
    if (!failure.empty()) json_.member("arguments_error", failure);
  }

  JsonTextWriter& json_;
  const Profile& profile_;
  size_t run_;
  const Timeline& timeline_;
  const SlicePosition& placed_;
  SliceIndex slice_;
  OpIndex op_;
};

}  // namespace

SlicePosition position_of(const Profile& profile, const Parameters& parameters) {
  const int64_t track = parameters.required_integer("track", 0, UINT32_MAX);
  const int64_t slice = parameters.required_integer("slice", 0, UINT32_MAX);
  const auto placed = profile.view().find(static_cast<ViewTrackId>(track), static_cast<SliceIndex>(slice));
  if (!placed) throw RequestError(kNotFound, fmt::format("there is no slice {} on a track {}", slice, track));
  return *placed;
}

std::optional<std::vector<ViewTrackId>> tracks_of(const Profile& profile, const Parameters& parameters) {
  const auto last = static_cast<int64_t>(profile.view().tracks().size()) - 1;
  const auto wanted = parameters.integers("track", 0, last);
  if (!wanted) return std::nullopt;
  const std::set<int64_t> sorted(wanted->begin(), wanted->end());
  return std::vector<ViewTrackId>(sorted.begin(), sorted.end());
}

Answer answer_slice(const Profile& profile, const Request& request) {
  const SlicePosition placed = position_of(profile, Parameters(request, {"track", "slice"}));
  const TimelineView& view = profile.view();
  const ViewTrack& track = view.tracks()[placed.track];
  const SliceStyle style = view.style(placed.track, placed.slice);
  JsonTextWriter json;
  json.begin_object()
      .member("track", placed.track)
      .member("slice", placed.slice)
      .member("lane", placed.lane)
      .member("name", view.names()[placed.name])
      .member("kind", slice_kinds()[style.colour >> 8].name)
      .member("start", placed.start)
      .member("duration", placed.duration);
  if (const DerivedSlices* derived = view.derived(placed.track)) {
    view.source(track)->describe(json, view, placed);
    if (const SliceIndex origin = derived->origin[placed.slice]; origin != kNone) {
      json.member("origin_is", track.lane->origin).key("origin");
      write_position(json, view, track.run, origin);
    }
  } else {
    SliceWriter(json, profile, track.run, placed).write();
  }
  json.end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
