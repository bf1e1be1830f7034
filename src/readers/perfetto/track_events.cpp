#include "readers/perfetto/track_events.h"

#include <algorithm>
#include <cstring>

#include "model/time_range.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

double double_of(uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::optional<int64_t> nanoseconds(int64_t us) {
  int64_t ns = 0;
  return __builtin_mul_overflow(us, int64_t{1000}, &ns) ? std::nullopt : std::optional(ns);
}

}  // namespace

void TrackEvents::parse(std::string_view message, const Sequence& sequence) {
  type_ = 0;
  track_ = sequence.track;
  name_iid_.reset();
  name_ = {};
  has_name_ = false;
  value_.reset();
  time_delta_us_.reset();
  time_absolute_us_.reset();
  category_iids_.clear();
  categories_.clear();
  annotations_.clear();
  flows_.clear();
  extra_tracks_.clear();
  extra_values_.clear();
  extra_double_tracks_.clear();
  extra_double_values_.clear();
  submitted_.clear();
  legacy_ = {};
  phase_ = 0;

  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case event::kTimeDelta:
        time_delta_us_ = static_cast<int64_t>(field.integer);
        break;
      case event::kTimeAbsolute:
        time_absolute_us_ = static_cast<int64_t>(field.integer);
        break;
      case event::kCategoryIids:
        each_varint(field, [&](uint64_t iid) { category_iids_.push_back(iid); });
        break;
      case event::kCategories:
        categories_.push_back(field.bytes);
        break;
      case event::kAnnotations:
        annotations_.push_back(field.bytes);
        break;
      case event::kLegacy:
        legacy_ = field.bytes;
        break;
      case event::kType:
        type_ = field.integer;
        break;
      case event::kNameIid:
        name_iid_ = field.integer;
        break;
      case event::kName:
        name_ = field.bytes;
        has_name_ = true;
        break;
      case event::kTrack:
        track_ = field.integer;
        break;
      case event::kCounterValue:
        value_ = static_cast<double>(static_cast<int64_t>(field.integer));
        break;
      case event::kDoubleCounterValue:
        value_ = field.number_value();
        break;
      case event::kExtraCounterTracks:
        each_varint(field, [&](uint64_t uuid) { extra_tracks_.push_back(uuid); });
        break;
      case event::kExtraCounters:
        each_varint(field, [&](uint64_t value) { extra_values_.push_back(static_cast<int64_t>(value)); });
        break;
      case event::kExtraDoubleCounterTracks:
        each_varint(field, [&](uint64_t uuid) { extra_double_tracks_.push_back(uuid); });
        break;
      case event::kExtraDoubleCounters:
        each_fixed64(field, [&](uint64_t bits) { extra_double_values_.push_back(double_of(bits)); });
        break;
      case event::kFlows:
      case event::kTerminatingFlows: {
        const bool terminating = field.number == event::kTerminatingFlows;
        each_fixed64(field, [&](uint64_t id) { flows_.emplace_back(id, terminating); });
        break;
      }
      case event::kOldFlows:
      case event::kOldTerminatingFlows: {
        const bool terminating = field.number == event::kOldTerminatingFlows;
        each_varint(field, [&](uint64_t id) { flows_.emplace_back(id, terminating); });
        break;
      }
      case event::kGpuCorrelation: {
        ProtobufMessage correlation(field.bytes);
        for (ProtobufField part; correlation.next(part);) {
          if (part.number == gpu_correlation::kSubmissions)
            each_varint(part, [&](uint64_t id) { submitted_.push_back(id); });
        }
        break;
      }
      default:
        break;
    }
  }
}

void TrackEvents::parse_legacy(std::string_view message) {
  duration_us_.reset();
  id_.reset();
  bind_id_.reset();
  flow_direction_ = 0;
  process_override_.reset();
  thread_override_.reset();
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case legacy::kNameIid:
        if (!name_iid_) name_iid_ = field.integer;
        break;
      case legacy::kPhase:
        phase_ = static_cast<char>(field.integer);
        break;
      case legacy::kDuration:
        duration_us_ = static_cast<int64_t>(field.integer);
        break;
      case legacy::kUnscopedId:
      case legacy::kLocalId:
      case legacy::kGlobalId:
        id_ = field.integer;
        break;
      case legacy::kBindId:
        bind_id_ = field.integer;
        break;
      case legacy::kFlowDirection:
        flow_direction_ = field.integer;
        break;
      case legacy::kPid:
        process_override_ = static_cast<int32_t>(field.integer);
        break;
      case legacy::kTid:
        thread_override_ = static_cast<int32_t>(field.integer);
        break;
      default:
        break;
    }
  }
}

std::optional<int64_t> TrackEvents::time_of(const PacketContext& packet) {
  Sequence& sequence = packet.sequence;
  if (time_absolute_us_) {
    const auto ns = nanoseconds(*time_absolute_us_);
    return ns ? clocks_.trace_time_of(kMonotonic, *ns) : std::nullopt;
  }
  if (time_delta_us_) {
    if (__builtin_add_overflow(sequence.time_us, *time_delta_us_, &sequence.time_us)) return std::nullopt;
    const auto ns = nanoseconds(sequence.time_us);
    return ns ? clocks_.trace_time_of(kMonotonic, *ns) : std::nullopt;
  }
  return packet.time;
}

StringId TrackEvents::category_of(const Sequence& sequence) {
  if (category_iids_.size() == 1 && categories_.empty()) {
    const StringId* found = sequence.interned.categories.find(category_iids_[0]);
    return found ? *found : 0;
  }
  if (category_iids_.empty() && categories_.size() == 1) return into_.name(categories_[0]);
  scratch_.clear();
  const auto append = [&](std::string_view text) { scratch_.append(scratch_.empty() ? "" : ",").append(text); };
  for (const uint64_t iid : category_iids_) {
    const StringId* found = sequence.interned.categories.find(iid);
    if (found) append(into_.text(*found));
  }
  for (const std::string_view text : categories_) append(text);
  return into_.name(scratch_);
}

StringId TrackEvents::name_of(const Sequence& sequence) {
  if (has_name_ || !name_iid_) return into_.name(name_);
  const StringId* found = sequence.interned.event_names.find(*name_iid_);
  return found ? *found : into_.name("name " + std::to_string(*name_iid_));
}

void TrackEvents::read_arguments(const Sequence& sequence) {
  const TextsInUse texts{texts_.pool, sequence.texts.get()};
  for (const std::string_view annotation : annotations_) arguments_.add(annotation, texts);
}

TrackEvents::Lane TrackEvents::lane_of(const Sequence& sequence) {
  const int64_t process = process_override_.value_or(sequence.process.value_or(0));
  const bool legacy_thread = !legacy_.empty() && (process_override_ || thread_override_);
  if (!legacy_thread && track_ && (*track_ != 0 || !sequence.thread)) {
    return {into_.tracks.of_uuid(*track_), into_.lane_of_track(*track_), process};
  }
  if (!legacy_thread && !sequence.thread) return {into_.tracks.of_uuid(0), into_.lane_of_track(0), process};
  const int64_t thread = thread_override_.value_or(sequence.thread.value_or(process));
  return {into_.tracks.of_thread(process, thread), into_.lane_of_thread(process, thread), process};
}

/// Events that belong together by an id, whatever thread they are on.
TrackEvents::Lane TrackEvents::async_lane(const Sequence& sequence) {
  const StringId category = category_of(sequence);
  const StringId name = name_of(sequence);
  const int64_t process = process_override_.value_or(sequence.process.value_or(0));
  return {into_.tracks.of_async(process, name), into_.lane_of_id(process, category, id_.value_or(0)), process};
}

void TrackEvents::add(std::string_view message, const PacketContext& packet) {
  parse(message, packet.sequence);
  if (!legacy_.empty()) parse_legacy(legacy_);
  if (phase_ == 'M') return legacy_names(packet);
  const auto time = time_of(packet);
  if (!time || !is_time(*time)) {
    return into_.skip("skipped_event", "track events without a time on a clock that is known were left out");
  }
  process_override_ = legacy_.empty() ? std::nullopt : process_override_;
  thread_override_ = legacy_.empty() ? std::nullopt : thread_override_;
  arguments_.clear();
  extra_counters(packet.sequence, *time);
  switch (type_) {
    case event::kSliceBegin:
      return begin(packet, *time, lane_of(packet.sequence), std::nullopt);
    case event::kSliceEnd:
      return end(packet, *time, lane_of(packet.sequence).lane);
    case event::kInstant:
      return instant(packet, *time, lane_of(packet.sequence).track);
    case event::kCounter:
      return counter(packet.sequence, *time);
    case 0:
      if (phase_ != 0) return legacy(packet, *time);
      break;
    default:
      break;
  }
  into_.skip("skipped_event", "track events of a type that this reader does not know were left out");
}

void TrackEvents::begin(const PacketContext& packet, int64_t time, const Lane& lane, std::optional<int64_t> duration) {
  NewSlice slice;
  slice.start = time;
  slice.duration = duration;
  slice.lane = lane.lane;
  slice.track = lane.track;
  slice.name = name_of(packet.sequence);
  slice.category = category_of(packet.sequence);
  slice.source = source_of(packet.place, texts_);
  const SliceKind by_category = into_.kind_of_category(slice.category);
  const bool submits = !submitted_.empty() && !is_call(by_category);
  SliceKind kind = submits ? SliceKind::runtime_call : into_.kind_of_slice(by_category, slice.category, slice.name);
  const bool uncategorised = slice.category == 0 && kind == SliceKind::other && !annotations_.empty();
  if (uncategorised || Assembler::wants_arguments(kind)) read_arguments(packet.sequence);
  if (uncategorised) kind = into_.kind_by_arguments(slice.name, arguments_);
  const SliceIndex made = into_.add_slice(slice, kind, arguments_);
  for (const uint64_t id : submitted_) into_.add_submission(id, made);
  add_flows(time, made, kNone);
}

void TrackEvents::end(const PacketContext& packet, int64_t time, LaneIndex lane) {
  const auto source = annotations_.empty() ? std::nullopt : std::optional(source_of(packet.place, texts_));
  const uint32_t number = into_.add_end(lane, time, source, !flows_.empty());
  add_flows(time, kNone, number);
}

void TrackEvents::add_flows(int64_t time, SliceIndex slice, uint32_t end) {
  for (const auto& [id, terminating] : flows_) into_.add_flow(id, time, slice, end, terminating);
  if (legacy_.empty() || !bind_id_) return;
  // Flows of legacy events have a numbering of their own.
  constexpr uint64_t kLegacy = uint64_t{1} << 63;
  if ((flow_direction_ & legacy::kFlowInOut) != 0) {
    into_.add_flow(*bind_id_ ^ kLegacy, time, slice, end, flow_direction_ == legacy::kFlowIn);
  }
}

void TrackEvents::instant(const PacketContext& packet, int64_t time, TrackIndex track) {
  const StringId name = name_of(packet.sequence);
  if (into_.text(name) == "[memory]") read_arguments(packet.sequence);
  into_.add_instant(time, name, track, arguments_);
  add_flows(time, kNone, kNone);
}

void TrackEvents::add_value(Sequence& sequence, uint64_t track, int64_t time, double value) {
  const CounterScale scale = into_.tracks.scale_of(track);
  if (scale.incremental) {
    double& total = sequence.incremental_counters[track];
    total += value;
    value = total;
  }
  into_.add_counter(into_.tracks.counter_of_uuid(track), time, value * static_cast<double>(scale.multiplier));
}

void TrackEvents::counter(Sequence& sequence, int64_t time) {
  if (!value_ || !track_) return into_.skip("skipped_event", "counter events without a value or a track were left out");
  add_value(sequence, *track_, time, *value_);
}

void TrackEvents::extra_counters(Sequence& sequence, int64_t time) {
  const auto& tracks = extra_tracks_.empty() ? sequence.extra_counters : extra_tracks_;
  for (size_t i = 0; i < std::min(tracks.size(), extra_values_.size()); ++i) {
    add_value(sequence, tracks[i], time, static_cast<double>(extra_values_[i]));
  }
  const auto& double_tracks = extra_double_tracks_.empty() ? sequence.extra_double_counters : extra_double_tracks_;
  for (size_t i = 0; i < std::min(double_tracks.size(), extra_double_values_.size()); ++i) {
    add_value(sequence, double_tracks[i], time, extra_double_values_[i]);
  }
}

/// Events in the phases of the Chrome trace format.
void TrackEvents::legacy(const PacketContext& packet, int64_t time) {
  switch (phase_) {
    case 'B':
      return begin(packet, time, lane_of(packet.sequence), std::nullopt);
    case 'E':
      return end(packet, time, lane_of(packet.sequence).lane);
    case 'X': {
      const auto duration = nanoseconds(duration_us_.value_or(0));
      if (!duration || *duration < 0 || !is_time(*duration)) {
        return into_.skip("invalid_number", "slices whose duration cannot be true were left out");
      }
      return begin(packet, time, lane_of(packet.sequence), *duration);
    }
    case 'b':
    case 'S':
      return begin(packet, time, async_lane(packet.sequence), std::nullopt);
    case 'e':
    case 'F':
      return end(packet, time, async_lane(packet.sequence).lane);
    case 'i':
    case 'I':
    case 'R':
      return instant(packet, time, lane_of(packet.sequence).track);
    case 'n':
    case 'T':
    case 'p':
      return instant(packet, time, async_lane(packet.sequence).track);
    case 's':
    case 't':
    case 'f':
      return legacy_flow(packet.sequence, time);
    case 'C':
      return legacy_counter(packet, time);
    default:
      return into_.skip("skipped_event", "legacy events of a phase that this reader does not know were left out");
  }
}

/// Ends of arrows that are events of their own: only those from a launch to its kernel can be placed.
void TrackEvents::legacy_flow(const Sequence& sequence, int64_t time) {
  into_.add_flow_event(id_.value_or(bind_id_.value_or(0)), time, lane_of(sequence).track, phase_,
                       into_.text(category_of(sequence)));
}

void TrackEvents::legacy_counter(const PacketContext& packet, int64_t time) {
  const std::string process = std::to_string(process_override_.value_or(packet.sequence.process.value_or(0)));
  const std::string name(into_.text(name_of(packet.sequence)));
  const TextsInUse texts{texts_.pool, packet.sequence.texts.get()};
  bool any = false;
  for (const std::string_view annotation : annotations_) {
    const auto [key, value] = number_of(annotation, texts);
    if (!value) continue;
    const bool alone = annotations_.size() == 1;
    into_.add_counter(into_.tracks.counter_of(process, alone ? name : name + " " + std::string(key)), time, *value);
    any = true;
  }
  if (!any) into_.skip("skipped_event", "counter events without a value or a track were left out");
}

/// Names of processes and threads.
void TrackEvents::legacy_names(const PacketContext& packet) {
  const Sequence& sequence = packet.sequence;
  const TextsInUse texts{texts_.pool, sequence.texts.get()};
  const std::string_view what = into_.text(name_of(sequence));
  const int64_t process = process_override_.value_or(sequence.process.value_or(0));
  const int64_t thread = thread_override_.value_or(sequence.thread.value_or(process));
  for (const std::string_view annotation : annotations_) {
    const Argument argument = argument_of(annotation, texts);
    if (argument.key != "name") continue;
    if (what == "process_name") into_.tracks.name_process(process, argument.value);
    if (what == "thread_name") into_.tracks.name_thread(process, thread, argument.value);
  }
  into_.metadata();
}

}  // namespace cgpu::perfetto
