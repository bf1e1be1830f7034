#include "readers/perfetto/ftrace.h"

#include <algorithm>

#include "base/parse_number.h"
#include "base/to_size.h"
#include "model/time_range.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

std::vector<uint64_t> packed(const ProtobufField& field) {
  std::vector<uint64_t> values;
  each_varint(field, [&](uint64_t value) { values.push_back(value); });
  return values;
}

/// The text up to the next bar, which is taken off.
std::string_view take_part(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('|'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

}  // namespace

void Ftrace::add(std::string_view message, const PacketContext& packet) {
  const uint64_t cpu = protobuf_varint(message, ftrace_bundle::kCpu).value_or(0);
  if (protobuf_varint(message, ftrace_bundle::kClock).value_or(0) != 0) {
    return into_.skip("skipped_event", "bundles of the kernel tracer on a clock of its own were left out");
  }
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field) && !into_.full();) {
    if (field.number == ftrace_bundle::kEvents && field.is_bytes()) add_event(field.bytes, cpu, packet);
    if (field.number == ftrace_bundle::kLostEvents && field.integer != 0) {
      into_.note("lost_events", "times that the kernel's tracer lost events of a processor");
    }
    if (field.number == ftrace_bundle::kCompactSched && field.is_bytes()) add_columns(field.bytes, cpu, packet);
  }
}

std::optional<int64_t> Ftrace::trace_time(int64_t boottime) {
  const auto time = clocks_.trace_time_of(kBoottime, boottime);
  return time && is_time(*time) ? time : std::nullopt;
}

void Ftrace::add_event(std::string_view message, uint64_t cpu, const PacketContext& packet) {
  std::optional<int64_t> time;
  int64_t thread = 0;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == ftrace_event::kTimestamp) time = trace_time(static_cast<int64_t>(field.integer));
    if (field.number == ftrace_event::kPid) thread = static_cast<int32_t>(field.integer);
    if (field.number <= ftrace_event::kPid || !field.is_bytes()) continue;
    if (!time) {
      into_.skip("invalid_number", "events of the kernel tracer without a time that can be used were left out");
    } else if (field.number == ftrace_event::kPrint) {
      add_mark(protobuf_bytes(field.bytes, ftrace_print::kText), thread, *time, packet);
    } else if (field.number == ftrace_event::kSchedSwitch) {
      switch_to(cpu, *time, static_cast<int32_t>(protobuf_varint(field.bytes, sched_switch::kNextPid).value_or(0)),
                protobuf_bytes(field.bytes, sched_switch::kNextName), packet);
    } else {
      into_.skip("skipped_event", "events of the kernel tracer besides scheduling and marks were left out");
    }
    return;
  }
  into_.skip("skipped_event", "events of the kernel tracer without content were left out");
}

TrackIndex Ftrace::track_of(int64_t thread, int64_t process) {
  return into_.tracks.of_thread(into_.tracks.process_of_thread(thread).value_or(process), thread);
}

void Ftrace::add_mark(std::string_view text, int64_t thread, int64_t time, const PacketContext& packet) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
  const std::string_view kind = take_part(text);
  const auto process = parse_number(take_part(text));
  if (kind.size() != 1 || (!process && kind != "E")) {
    return into_.skip("skipped_event", "texts in the kernel's trace that are no marks were left out");
  }
  const int64_t of = process.value_or(thread);
  const TrackIndex track = track_of(thread, of);
  NewSlice slice;
  slice.start = time;
  slice.source = source_of(packet.place, texts_);
  slice.category = into_.name("atrace");
  switch (kind[0]) {
    case 'B':
      slice.lane = into_.lane_of_thread(0, thread);
      marked_.insert(slice.lane);
      slice.track = track;
      slice.name = into_.name(text);
      into_.add_slice(slice, SliceKind::annotation, none_);
      return;
    case 'E':
      any_end_ = true;
      into_.add_end(into_.lane_of_thread(0, thread), time, std::nullopt, false);
      return;
    case 'S':
    case 'F': {
      const std::string_view name = take_part(text);
      slice.name = into_.name(name);
      slice.lane = into_.lane_of_id(of, slice.name, static_cast<uint64_t>(parse_number(text).value_or(0)));
      slice.track = into_.tracks.of_async(of, slice.name);
      if (kind[0] == 'S') {
        into_.add_slice(slice, SliceKind::annotation, none_);
      } else {
        into_.add_end(slice.lane, time, std::nullopt, false);
      }
      return;
    }
    case 'C': {
      const std::string_view name = take_part(text);
      const auto value = parse_number(text);
      if (!value) break;
      into_.add_counter(into_.tracks.counter_of(std::to_string(of), std::string(into_.text(into_.name(name)))), time,
                        static_cast<double>(*value));
      return;
    }
    case 'I':
      into_.add_instant(time, into_.name(text), track, none_);
      return;
    case 'N': {  // an instant on a track that has a name
      const TrackIndex named = into_.tracks.of_async(of, into_.name(take_part(text)));
      into_.add_instant(time, into_.name(text), named, none_);
      return;
    }
    default:
      break;
  }
  into_.skip("skipped_event", "texts in the kernel's trace that are no marks were left out");
}

/// Recordings may filter marks by their text, and then have no ends at all: nothing is known of how long they lasted.
void Ftrace::finish() {
  if (any_end_) return;
  for (const LaneIndex lane : marked_) into_.without_ends(lane);
}

void Ftrace::switch_to(uint64_t cpu, int64_t time, int64_t thread, std::string_view name, const PacketContext& packet) {
  Running& now = running_[cpu];
  if (now.thread != 0 && time >= now.since) {
    NewSlice slice;
    slice.start = now.since;
    slice.duration = time - now.since;
    slice.name = now.name;
    slice.category = into_.name("sched");
    slice.track = into_.tracks.of_cpu(cpu);
    slice.source = now.source;
    into_.add_slice(slice, SliceKind::other, none_);
  }
  now = {time, thread, into_.name(name), source_of(packet.place, texts_)};
}

/// FtraceEventBundle.CompactSched: times as differences, names by number.
void Ftrace::add_columns(std::string_view message, uint64_t cpu, const PacketContext& packet) {
  std::vector<uint64_t> times;
  std::vector<uint64_t> threads;
  std::vector<uint64_t> names;
  std::vector<std::string_view> texts;
  int64_t wakings = 0;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (!field.is_bytes()) continue;
    if (field.number == compact_sched::kSwitchTimestamp) times = packed(field);
    if (field.number == compact_sched::kSwitchNextPid) threads = packed(field);
    if (field.number == compact_sched::kInternTable) texts.push_back(field.bytes);
    if (field.number == compact_sched::kSwitchNextName) names = packed(field);
    if (field.number == compact_sched::kWakingTimestamp) wakings = static_cast<int64_t>(packed(field).size());
  }
  int64_t time = 0;
  const size_t rows = std::min({times.size(), threads.size(), names.size()});
  for (size_t i = 0; i < rows && !into_.full(); ++i) {
    const bool fits = !__builtin_add_overflow(time, static_cast<int64_t>(times[i]), &time);
    const auto at = fits ? trace_time(time) : std::nullopt;
    if (!at) {
      into_.skip("invalid_number", "events of the kernel tracer without a time that can be used were left out",
                 static_cast<int64_t>(rows - i));
      break;
    }
    switch_to(cpu, *at, static_cast<int32_t>(threads[i]), names[i] < texts.size() ? texts[to_size(names[i])] : "",
              packet);
  }
  into_.skip("skipped_event", "events of the kernel tracer besides scheduling and marks were left out", wakings);
}

}  // namespace cgpu::perfetto
