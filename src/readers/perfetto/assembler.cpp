#include "readers/perfetto/assembler.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/json_text.h"
#include "readers/common/int32_or_none.h"
#include "readers/common/kineto_categories.h"

namespace cgpu::perfetto {

namespace {

constexpr size_t kMostCategories = 1000;  // a trace with more is not written by a profiler; the rest share one entry

/// What other readers call their categories, for traces that were exported from such profiles.
constexpr std::array<std::pair<std::string_view, SliceKind>, 11> kMoreCategories{{
    {"runtime", SliceKind::runtime_call},
    {"driver", SliceKind::driver_call},
    {"memcpy", SliceKind::memcpy},
    {"memset", SliceKind::memset},
    {"os call", SliceKind::os_call},
    {"os runtime", SliceKind::os_call},
    {"framework_op", SliceKind::framework_op},
    {"annotation", SliceKind::annotation},
    {"device_annotation", SliceKind::device_annotation},
    {"synchronization", SliceKind::synchronization},
    {"profiler overhead", SliceKind::overhead},
}};

/// The number at the end of a name: "stream 7", "GPU 0".
std::optional<int64_t> trailing_number(std::string_view text) {
  size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + digits, end, value);
  return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace

/// Slices that fit into half of the machine's memory.
size_t Assembler::most_slices() {
  const auto pages = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr uint64_t bytes_a_slice = 150;  // with its two ends, while reading
  return static_cast<size_t>(std::min<uint64_t>(pages * page / 2 / bytes_a_slice, kNone - 1));
}

StringId Assembler::name(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  return timeline_.names.intern(plain ? text : valid_utf8(text));
}

SliceKind Assembler::kind_by_text(std::string_view categories) {
  // An event may be of several categories: the first that is known tells.
  while (!categories.empty()) {
    const std::string_view one = categories.substr(0, categories.find(','));
    categories.remove_prefix(std::min(one.size() + 1, categories.size()));
    if (const SliceKind kind = kineto::kind_of_category(one); kind != SliceKind::other) return kind;
    for (const auto& [known, kind] : kMoreCategories) {
      if (known == one) return kind;
    }
  }
  return SliceKind::other;
}

SliceKind Assembler::kind_of_category(StringId category) {
  const auto [at, added] = kinds_.try_emplace(category, SliceKind::other);
  if (added) at->second = kind_by_text(text(category));
  return at->second;
}

SliceKind Assembler::kind_of_slice(SliceKind by_category, StringId category, StringId name) const {
  return kineto::kind_of(by_category, text(category), text(name));
}

bool Assembler::wants_arguments(SliceKind kind) {
  return is_call(kind) || is_device_op(kind) || kind == SliceKind::synchronization || kind == SliceKind::framework_op;
}

SliceKind Assembler::kind_by_arguments(StringId name, const KnownArguments& arguments) const {
  const std::string_view called = text(name);
  const bool correlated = arguments.has(Arg::correlation);
  if (correlated && arguments.has(Arg::stream) && arguments.has(Arg::device)) {
    if (kineto::kind_of_synchronization(called)) return SliceKind::synchronization;
    if (called.starts_with("Memcpy")) return SliceKind::memcpy;
    return called.starts_with("Memset") ? SliceKind::memset : SliceKind::kernel;
  }
  if (correlated && !arguments.has(Arg::stream)) {
    const bool driver = called.starts_with("cu") && called.size() > 2 && called[2] >= 'A' && called[2] <= 'Z';
    return driver ? SliceKind::driver_call : SliceKind::runtime_call;
  }
  const bool op = arguments.has(Arg::external_id) && !arguments.has(Arg::stream);
  return op && !called.starts_with("ProfilerStep#") ? SliceKind::framework_op : SliceKind::other;
}

uint16_t Assembler::category(StringId text, SliceKind kind) {
  std::vector<Category>& known = timeline_.categories;
  if (text == 0 && kind != SliceKind::other) text = timeline_.names.intern(text_of(kind));
  if (known.size() >= kMostCategories && !categories_.contains({text, kind})) text = 0;
  const auto [at, added] = categories_.try_emplace({text, kind}, static_cast<uint16_t>(known.size()));
  if (added) known.push_back({std::string(timeline_.names[text]), kind});
  return at->second;
}

SliceIndex Assembler::add_slice(const NewSlice& slice, SliceKind kind, const KnownArguments& arguments) {
  const SliceIndex index = run_.add_slice({.start = slice.start,
                                           .duration = slice.duration.value_or(0),
                                           .source = slice.source,
                                           .name = slice.name,
                                           .track = slice.track,
                                           .category = category(slice.category, kind)});
  last_time_ = std::max(last_time_, slice.start + slice.duration.value_or(0));
  if (!slice.duration) lanes_[slice.lane].push_back({slice.start, index, kNone});

  if (is_call(kind) || is_device_op(kind) || kind == SliceKind::synchronization) {
    const int64_t correlation = arguments.integer(Arg::correlation).value_or(kNoCorrelation);
    timeline_.slices.correlation[index] = correlation;
    const auto external = arguments.integer(Arg::external_id);
    if (external && (is_call(kind) || correlation == kNoCorrelation)) {
      timeline_.hints.external.push_back({index, *external});
    }
  } else if (kind == SliceKind::framework_op) {
    const auto number = arguments.integer(Arg::sequence_number);
    if (number && *number >= 0) {
      timeline_.hints.sequence.push_back({index, arguments.integer(Arg::forward_thread).value_or(0) != 0, *number});
    }
    if (arguments.has(Arg::source_rank) || arguments.has(Arg::destination_rank)) {
      timeline_.hints.transfers.push_back(collective_of(index, arguments, timeline_));
    }
  }
  if (is_device_op(kind)) add_device_op(index, kind, arguments);
  return index;
}

void Assembler::add_device_op(SliceIndex slice, SliceKind kind, const KnownArguments& arguments) {
  constexpr int64_t kUnknown = INT64_MIN;  // until the names of tracks are known
  const bool by_direction = kind == SliceKind::memcpy && arguments.has(Arg::direction);
  const kineto::Transfer transfer = by_direction ? kineto::transfer_of_direction(arguments.text(Arg::direction))
                                                 : kineto::transfer_of(kind, timeline_.name(slice));
  const auto device = arguments.integer(Arg::device);
  const auto bytes = arguments.integer(by_direction && !arguments.has(Arg::bytes) ? Arg::size : Arg::bytes);
  timeline_.device_ops.append({.slice = slice,
                               .device = device ? int32_or_none(device) : INT32_MIN,
                               .stream = arguments.integer(Arg::stream).value_or(kUnknown),
                               .bytes = bytes.value_or(-1),
                               .copy = transfer.kind,
                               .source = transfer.source,
                               .destination = transfer.destination});
  add_collective(slice, arguments, timeline_);
}

uint32_t Assembler::add_end(LaneIndex lane, int64_t time, std::optional<uint64_t> source, bool wants_number) {
  uint32_t number = kNone;
  if ((source || wants_number) && ends_.size() < kNone) {
    number = static_cast<uint32_t>(ends_.size());
    ends_.push_back({source, kNone});
  }
  lanes_[lane].push_back({time, kNone, number});
  last_time_ = std::max(last_time_, time);
  return number;
}

void Assembler::add_instant(int64_t time, StringId name, TrackIndex track, const KnownArguments& arguments) {
  if (timeline_.names[name] == "[memory]") {
    timeline_.memory.push_back(memory_event_of(time, arguments));
    timeline_.memory.back().track = track;
    ++run_.events.memory;
    return;
  }
  timeline_.instants.push_back({time, name, track, InstantScope::thread});
  ++run_.events.instants;
  last_time_ = std::max(last_time_, time);
}

void Assembler::add_counter(uint32_t counter, int64_t time, double value) {
  Counters& counters = timeline_.counters;
  counters.track.push_back(counter);
  counters.time.push_back(time);
  counters.value.push_back(value);
  ++run_.events.counters;
}

void Assembler::add_flow(uint64_t id, int64_t time, SliceIndex slice, uint32_t end, bool terminating) {
  flows_.push_back({id, time, slice, end, terminating});
  ++run_.events.flows;
}

void Assembler::add_flow_event(uint64_t id, int64_t time, TrackIndex track, char phase, std::string_view category) {
  ++run_.events.flows;
  const bool forward_backward = category == "fwdbwd";
  const bool launch = category == "ac2g" || category.starts_with("async");
  if (phase == 't' || (!forward_backward && !launch)) return;
  timeline_.hints.flows.push_back({static_cast<int64_t>(id), time, track, phase == 's', forward_backward});
}

void Assembler::skip(const char* code, const std::string& why, int64_t count) {
  run_.events.skipped += count;
  run_.notes.add(code, count, why);
}

LaneIndex Assembler::lane_of_track(uint64_t uuid) {
  const auto [at, added] = lane_of_uuid_.try_emplace(uuid, static_cast<LaneIndex>(lanes_.size()));
  if (added) lanes_.emplace_back();
  return at->second;
}

LaneIndex Assembler::lane_of_thread(int64_t process, int64_t thread) {
  const auto [at, added] = lane_of_thread_.try_emplace({process, thread}, static_cast<LaneIndex>(lanes_.size()));
  if (added) lanes_.emplace_back();
  return at->second;
}

LaneIndex Assembler::lane_of_id(int64_t process, StringId category, uint64_t id) {
  const auto [at, added] = lane_of_id_.try_emplace({process, category, id}, static_cast<LaneIndex>(lanes_.size()));
  if (added) lanes_.emplace_back();
  return at->second;
}

void Assembler::pair_lane(LaneIndex lane) {
  std::vector<Edge>& edges = lanes_[lane];
  const auto earlier = [](const Edge& a, const Edge& b) { return a.time < b.time; };
  if (!std::is_sorted(edges.begin(), edges.end(), earlier)) std::stable_sort(edges.begin(), edges.end(), earlier);
  Slices& slices = timeline_.slices;
  std::vector<SliceIndex> open;
  for (const Edge& edge : edges) {
    if (edge.slice != kNone) {
      open.push_back(edge.slice);
      continue;
    }
    if (open.empty()) {
      ++unmatched_ends_;
      continue;
    }
    const SliceIndex slice = open.back();
    open.pop_back();
    slices.duration[slice] = edge.time - slices.start[slice];
    if (edge.end != kNone) ends_[edge.end].slice = slice;
    ++run_.events.ends;
  }
  const bool without_ends = without_ends_.contains(lane);
  for (const SliceIndex slice : open) {
    slices.duration[slice] = without_ends ? 0 : last_time_ - slices.start[slice];
    slices.flags[slice] |= kNeverEnded;
    ++(without_ends ? without_end_ : never_ended_);
  }
  edges = {};
}

void Assembler::join_flows() {
  for (FlowStep& step : flows_) {
    if (step.slice == kNone && step.end != kNone) step.slice = ends_[step.end].slice;
  }
  std::stable_sort(flows_.begin(), flows_.end(), [](const FlowStep& a, const FlowStep& b) {
    return std::pair(a.id, a.time) < std::pair(b.id, b.time);
  });
  const Slices& slices = timeline_.slices;
  std::vector<LinkHints::Flow>& hints = timeline_.hints.flows;
  const auto hint = [&](int64_t number, SliceIndex from, SliceIndex to, bool forward_backward) {
    hints.push_back({number, slices.start[from], slices.track[from], true, forward_backward});
    hints.push_back({number, slices.start[to], slices.track[to], false, forward_backward});
  };
  const auto has_sequence = [&](SliceIndex slice) {
    const std::vector<LinkHints::Sequence>& all = timeline_.hints.sequence;
    const auto at = std::lower_bound(all.begin(), all.end(), slice,
                                     [](const LinkHints::Sequence& one, SliceIndex i) { return one.slice < i; });
    return at != all.end() && at->slice == slice;
  };
  int64_t number = int64_t{1} << 62;  // apart from those of the profile
  int64_t unmatched = 0;
  for (size_t i = 0; i < flows_.size();) {
    SliceIndex before = kNone;
    SliceIndex call = kNone;
    size_t steps = 0;
    const uint64_t id = flows_[i].id;
    for (bool going_on = true; going_on && i < flows_.size() && flows_[i].id == id; ++i, ++steps) {
      const SliceIndex slice = flows_[i].slice;
      going_on = !flows_[i].terminating;
      if (slice == kNone) {
        ++unmatched;
        continue;
      }
      const SliceKind kind = timeline_.kind(slice);
      if (is_call(kind)) call = slice;
      if (is_device_op(kind) && call != kNone) {
        hint(++number, call, slice, false);
      } else if (before != kNone && before != slice) {
        if (has_sequence(before) && has_sequence(slice)) {
          hint(++number, before, slice, true);
        } else {
          timeline_.links.push_back({Link::Kind::flow, before, slice});
        }
      }
      before = slice;
    }
    if (steps == 1) ++unmatched;
  }
  flows_ = {};
  run_.notes.add("unmatched_flow", unmatched, "ends of flows without a beginning, or without a slice at either end");
}

/// Where the profile has no correlation ids, the number of the submission is one.
void Assembler::join(SliceIndex call, SliceIndex op, std::optional<int64_t> number) {
  timeline_.hints.launches.push_back({call, op});
  auto& correlation = timeline_.slices.correlation;
  if (!number || correlation[op] != kNoCorrelation) return;
  if (correlation[call] == kNoCorrelation) correlation[call] = *number;
  correlation[op] = correlation[call];
}

void Assembler::join_submissions() {
  const auto& ids = timeline_.slices.correlation;
  const bool ids_in_use = std::any_of(ids.begin(), ids.end(), [](int64_t id) { return id != kNoCorrelation; });
  for (const Submission& one : submissions_) {
    const auto op = gpu_events_.find(one.event);
    if (op == gpu_events_.end()) continue;
    join(one.call, op->second, ids_in_use ? std::nullopt : std::optional(static_cast<int64_t>(one.event)));
  }
}

/// Devices and streams that no argument names, from the names of tracks.
void Assembler::place_device_ops() {
  DeviceOps& ops = timeline_.device_ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    Track& track = timeline_.tracks[timeline_.slices.track[ops.slice[i]]];
    track.kind = TrackKind::device_stream;
    if (ops.device[i] == INT32_MIN) {
      const auto named = trailing_number(track.process_name);
      ops.device[i] = int32_or_none(named ? named : trailing_number(track.process));
    }
    if (ops.stream[i] == INT64_MIN) {
      const auto named = trailing_number(track.thread_name);
      ops.stream[i] = named ? *named : trailing_number(track.thread).value_or(-1);
    }
  }
}

/// What a program marks in its trace is an annotation of it, unless a profiler wrote it, which has annotations too.
void Assembler::settle_kinds() {
  const bool profiler =
      std::any_of(kinds_.begin(), kinds_.end(), [](const auto& one) { return one.second != SliceKind::other; });
  for (const auto& [key, index] : categories_) {
    Category& category = timeline_.categories[index];
    // What cgpu itself derives and exports (cgpu.idle, ...) is none either.
    const bool of_a_program = kinds_.contains(key.first) && !category.name.starts_with("cgpu.");
    if (!profiler && of_a_program && category.kind == SliceKind::other) category.kind = SliceKind::annotation;
  }
  for (size_t i = 0; i < timeline_.slices.size(); ++i) {
    TrackKind& kind = timeline_.tracks[timeline_.slices.track[i]].kind;
    const Category& of_slice = timeline_.categories[timeline_.slices.category[i]];
    const bool uncategorised = of_slice.name.empty() || of_slice.name == text_of(SliceKind::framework_op);
    if (kind == TrackKind::device_stream && uncategorised && is_host(of_slice.kind)) {
      // Ranges of the host that the profiler shows on the streams, too.
      timeline_.slices.category[i] = category(0, SliceKind::device_annotation);
    }
    if (kind == TrackKind::other && is_host(timeline_.kind(static_cast<SliceIndex>(i)))) kind = TrackKind::host_thread;
  }
}

void Assembler::finish(std::unordered_map<uint64_t, uint64_t>& end_sources) {
  for (LaneIndex lane = 0; lane < lanes_.size(); ++lane) pair_lane(lane);
  for (const End& end : ends_) {
    if (end.source && end.slice != kNone) end_sources[timeline_.slices.source[end.slice]] = *end.source;
  }
  run_.notes.add("unmatched_begin", never_ended_,
                 "slices whose end is not in the file last until the last moment of the trace");
  run_.notes.add("unmatched_begin", without_end_,
                 "marks of the kernel's tracer were recorded without their ends: they are kept with duration 0");
  skip("unmatched_end", "ends of slices whose beginning is not in the file were left out", unmatched_ends_);
  tracks.finish();
  join_flows();
  join_submissions();
  place_device_ops();
  settle_kinds();
}

}  // namespace cgpu::perfetto
