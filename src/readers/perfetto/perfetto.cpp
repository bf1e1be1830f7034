#include "readers/perfetto/perfetto.h"

#include <algorithm>
#include <array>

#include "base/credentials.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/time_range.h"
#include "readers/common/input.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/fields.h"
#include "readers/perfetto/ftrace.h"
#include "readers/perfetto/gpu_events.h"
#include "readers/perfetto/own_export.h"
#include "readers/perfetto/track_events.h"

namespace cgpu::perfetto {

namespace {

constexpr size_t kMostSequences = size_t{1} << 18;
constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;  // ns since 1970; smaller times are no Unix times

/// What packets that are not read hold, where that has a name.
std::string content_of(uint32_t number) {
  static constexpr std::array<std::pair<uint32_t, std::string_view>, 12> kNames{{
      {packet::kProcessStatistics, "process statistics"},
      {packet::kSystemStatistics, "system statistics"},
      {packet::kProfilePacket, "heap profiles"},
      {packet::kPerfSample, "perf samples"},
      {packet::kBattery, "battery counters"},
      {packet::kAndroidLog, "Android logs"},
      {packet::kPowerRails, "power rails"},
      {packet::kStreamingProfile, "streaming profiles"},
      {packet::kGraphicsFrameEvent, "graphics frames"},
      {packet::kMemoryTrackerSnapshot, "memory snapshots"},
      {packet::kStatsdAtom, "statsd events"},
      {packet::kNetworkPacket, "network packets"},
  }};
  for (const auto& [known, name] : kNames) {
    if (known == number) return std::string(name);
  }
  return "field " + std::to_string(number);
}

class TraceReader {
 public:
  TraceReader(Run& run, TextSource& source, const std::function<void(double)>& progress)
      : run_(run), source_(source), progress_(progress) {}

  void read() {
    PacketStream packets(source_);
    Packet packet;
    for (uint64_t count = 0; packets.next(packet); ++count) {
      add(packet);
      if (into_.full()) {
        run_.notes.add("truncated_input", 1,
                       "reading stopped at the most slices that fit into half of this machine's memory", true);
        break;
      }
      if (count % 4096 == 0 && progress_ && source_.stored_bytes() > 0) {
        progress_(static_cast<double>(source_.stored_position()) / static_cast<double>(source_.stored_bytes()));
      }
    }
    if (!packets.damage().empty())
      run_.notes.add("truncated_input", 1, packets.damage() + "; what comes before it was read", true);
    run_.notes.add("damaged_input", packets.damaged_blocks(),
                   "compressed blocks of packets that could not be read to their end", packets.damaged_blocks() > 0);
    finish();
  }

  std::shared_ptr<const ArgumentTexts> texts() const { return texts_; }
  std::unordered_map<uint64_t, uint64_t> end_sources;

 private:
  /// What a packet says besides its payload.
  struct Head {
    std::optional<uint64_t> timestamp;
    std::optional<uint32_t> clock;
    uint64_t sequence = 0;
    uint64_t machine = 0;
    uint64_t flags = 0;
    bool cleared = false;
    bool dropped_before = false;
    std::string_view interned;
    std::string_view defaults;
    bool has_interned = false;
    bool has_defaults = false;
    ProtobufField payload;
  };

  bool parse(std::string_view message, Head& head) const {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      switch (field.number) {
        case packet::kTimestamp:
          head.timestamp = field.integer;
          break;
        case packet::kTimestampClock:
          head.clock = static_cast<uint32_t>(field.integer);
          break;
        case packet::kSequenceId:
          head.sequence = field.integer;
          break;
        case packet::kMachineId:
          head.machine = field.integer;
          break;
        case packet::kSequenceFlags:
          head.flags = field.integer;
          break;
        case packet::kStateCleared:
          head.cleared = field.integer != 0;
          break;
        case packet::kPreviousPacketDropped:
          head.dropped_before = field.integer != 0;
          break;
        case packet::kInternedData:
          head.interned = field.bytes;
          head.has_interned = true;
          break;
        case packet::kDefaults:
          head.defaults = field.bytes;
          head.has_defaults = true;
          break;
        case packet::kTrustedUid:
        case packet::kTrustedPid:
        case packet::kFirstOnSequence:
          break;
        default:
          if (field.is_bytes()) head.payload = field;
      }
    }
    return !fields.damaged();
  }

  void add(const Packet& packet) {
    Head head;
    if (!parse(packet.bytes, head))
      run_.notes.add("damaged_input", 1, "packets that could not be read to their end", true);
    Sequence& sequence = sequence_of(packet::sequence_key(head.machine, head.sequence));
    if (head.dropped_before) {
      if (sequence.seen) run_.notes.add("lost_events", 1, "times that the recording lost packets of a sequence");
      sequence.valid = false;
    }
    sequence.seen = true;
    if (head.cleared || (head.flags & packet::kIncrementalStateCleared) != 0) {
      sequence.clear_state();
      begin_texts(sequence, packet.place);
    }
    if (head.has_interned) intern(head.interned, sequence, packet.place);
    if (head.has_defaults) set_defaults(head.defaults, sequence);
    if (head.payload.number == 0) return;  // nothing but names
    if ((head.flags & packet::kNeedsIncrementalState) != 0 && !sequence.valid) {
      return into_.skip("skipped_event", "packets whose names were lost with other packets were left out");
    }
    PacketContext context{sequence, std::nullopt, packet.place};
    if (head.timestamp) {
      context.time =
          clocks_.trace_time(head.clock.value_or(sequence.clock.value_or(kBoottime)), sequence.key, *head.timestamp);
    }
    add_payload(head.payload, context);
  }

  void add_payload(const ProtobufField& field, const PacketContext& context) {
    switch (field.number) {
      case packet::kTrackEvent:
        return track_events_.add(field.bytes, context);
      case packet::kTrackDescriptor:
        into_.tracks.add_descriptor(field.bytes);
        return into_.metadata();
      case packet::kProcessDescriptor:
        into_.tracks.add_process(field.bytes);
        context.sequence.process = static_cast<int32_t>(protobuf_varint(field.bytes, process::kPid).value_or(0));
        return into_.metadata();
      case packet::kThreadDescriptor:
        add_thread(field.bytes, context.sequence);
        return into_.metadata();
      case packet::kProcessTree:
        into_.tracks.add_process_tree(field.bytes);
        return into_.metadata();
      case packet::kClockSnapshot:
        clocks_.add_snapshot(field.bytes, context.sequence.key);
        return into_.metadata();
      case packet::kGpuRenderStageEvent:
        return gpu_events_.add_render_stage(field.bytes, context);
      case packet::kGpuCounterEvent:
        return gpu_events_.add_counters(field.bytes, context);
      case packet::kVulkanApiEvent:
        return gpu_events_.add_vulkan_call(field.bytes, context);
      case packet::kGpuInfo:
        return gpu_events_.add_info(field.bytes);
      case packet::kFtraceEvents:
        return ftrace_.add(field.bytes, context);
      case packet::kSystemInfo:
        add_system(field.bytes);
        return into_.metadata();
      case packet::kTraceAttributes:
        add_attributes(field.bytes);
        return into_.metadata();
      default:
        if (packet::is_about_recording(field.number)) return into_.metadata();
        into_.skip("skipped_event",
                   "packets with what this reader does not read were left out: " + content_of(field.number));
    }
  }

  Sequence& sequence_of(uint64_t key) {
    const auto found = sequences_.find(key);
    if (found != sequences_.end()) return found->second;
    if (sequences_.size() >= kMostSequences) {  // no recording has that many: one for all the rest
      run_.notes.add("damaged_input", 1, "packets of more sequences than a recording can have", true);
      return sequences_.begin()->second;
    }
    Sequence& made = sequences_[key];
    made.key = key;
    return made;
  }

  void begin_texts(Sequence& sequence, const PacketPlace& place) {
    sequence.texts = std::make_shared<AnnotationTexts>();
    texts_->begin(sequence.key, place, sequence.texts);
  }

  void intern(std::string_view message, Sequence& sequence, const PacketPlace& place) {
    if (!sequence.texts) begin_texts(sequence, place);
    Interned& names = sequence.interned;
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (!field.is_bytes()) continue;
      const uint64_t iid = protobuf_varint(field.bytes, interned::entry::kIid).value_or(0);
      const std::string_view text = protobuf_bytes(field.bytes, interned::entry::kName);
      switch (field.number) {
        case interned::kEventCategories:
          names.categories.set(iid, into_.name(text));
          break;
        case interned::kEventNames:
          names.event_names.set(iid, into_.name(text));
          break;
        case interned::kAnnotationNames:
          sequence.texts->names.set(iid, texts_->pool.intern(text));
          break;
        case interned::kStrings:
          sequence.texts->strings.set(iid, texts_->pool.intern(text));
          break;
        case interned::kComputeArgNames:
          sequence.texts->compute_names.set(iid, texts_->pool.intern(text));
          break;
        case interned::kGpuSpecifications:
          names.specifications.set(iid, into_.name(text));
          break;
        case interned::kComputeKernels: {
          const std::string_view demangled = protobuf_bytes(field.bytes, interned::kernel::kDemangledName);
          names.kernels.set(iid, into_.name(demangled.empty() ? text : demangled));
          break;
        }
        case interned::kGpuCounterDescriptors: {
          const auto gpu = protobuf_varint(field.bytes, interned::counters::kGpu);
          const std::string_view descriptor = protobuf_bytes(field.bytes, interned::counters::kDescriptor);
          names.counters.set(iid, std::make_shared<const GpuCounters>(GpuEvents::counters_of(
                                      descriptor, gpu ? static_cast<int32_t>(*gpu) : -1, into_)));
          break;
        }
        default:
          break;
      }
    }
  }

  static void set_defaults(std::string_view message, Sequence& sequence) {
    if (const auto clock = protobuf_varint(message, packet::kTimestampClock)) {
      sequence.clock = static_cast<uint32_t>(*clock);
    }
    const std::string_view events = protobuf_bytes(message, packet::kTrackEvent);
    sequence.extra_counters.clear();
    sequence.extra_double_counters.clear();
    ProtobufMessage fields(events);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == event::kTrack) sequence.track = field.integer;
      if (field.number == event::kExtraCounterTracks) {
        each_varint(field, [&](uint64_t uuid) { sequence.extra_counters.push_back(uuid); });
      }
      if (field.number == event::kExtraDoubleCounterTracks) {
        each_varint(field, [&](uint64_t uuid) { sequence.extra_double_counters.push_back(uuid); });
      }
    }
  }

  /// The thread that wrote the sequence, in traces from before there were tracks.
  void add_thread(std::string_view message, Sequence& sequence) {
    into_.tracks.add_thread(message);
    sequence.process = static_cast<int32_t>(protobuf_varint(message, thread::kPid).value_or(0));
    sequence.thread = static_cast<int64_t>(protobuf_varint(message, thread::kTid).value_or(0));
    sequence.time_us = static_cast<int64_t>(protobuf_varint(message, thread::kReferenceTimestamp).value_or(0));
  }

  void add_fact(const std::string& key, std::string_view value) {
    constexpr size_t kMostFacts = 200;
    if (value.empty() || run_.metadata.size() >= kMostFacts) return;
    if (is_secret_key(key) || is_secret_value(value)) {
      run_.notes.add("credentials_present", 1, "facts of the header that look like credentials are not shown");
      return;
    }
    run_.metadata.emplace_back(key, valid_utf8(value));
  }

  void add_system(std::string_view message) {
    const std::string_view machine = protobuf_bytes(message, system_info::kUtsname);
    if (!machine.empty()) {
      const auto part = [&](uint32_t number) { return std::string(protobuf_bytes(machine, number)); };
      add_fact("system", part(utsname::kSystem) + " " + part(utsname::kRelease) + " " + part(utsname::kMachine));
    }
    add_fact("tracing_service", protobuf_bytes(message, system_info::kTracingServiceVersion));
    if (run_.host.empty()) run_.host = valid_utf8(protobuf_bytes(message, system_info::kMachineName));
  }

  /// What the writer says of the whole trace; of our own exports also what Run has a place for.
  void add_attributes(std::string_view message) {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number != trace_attributes::kAttributes || !field.is_bytes()) continue;
      const std::string key = valid_utf8(protobuf_bytes(field.bytes, attribute::kKey));
      const auto number = protobuf_varint(field.bytes, attribute::kLong);
      if (key == "rank" && number) {
        run_.rank = static_cast<int64_t>(*number);
        run_.rank_known = true;
      } else if (key == "world_size" && number) {
        run_.world_size = static_cast<int64_t>(*number);
      } else if (key == "host" && !number) {
        run_.host = valid_utf8(protobuf_bytes(field.bytes, attribute::kString));
      } else {
        add_fact(key, number ? std::to_string(static_cast<int64_t>(*number))
                             : std::string(protobuf_bytes(field.bytes, attribute::kString)));
      }
    }
  }

  void finish() {
    gpu_events_.finish();
    ftrace_.finish();
    into_.finish(end_sources);
    run_.notes.add("damaged_input", clocks_.damaged_snapshots(), "snapshots of clocks that could not be used",
                   clocks_.damaged_snapshots() > 0);
    EventCounts& events = run_.events;
    events.read = events.slices + events.ends + events.instants + events.samples + events.memory + events.counters +
                  events.flows + events.metadata + events.skipped;
    const std::vector<int64_t>& start = run_.timeline.slices.start;
    const auto offset = clocks_.unix_offset();
    if (!offset || !is_time(*offset)) return;
    const int64_t first = start.empty() ? 0 : *std::min_element(start.begin(), start.end());
    run_.clock_base = *offset;
    run_.clock_is_unix = first + *offset > kYear2001;
  }

  Run& run_;
  TextSource& source_;
  const std::function<void(double)>& progress_;
  std::shared_ptr<ArgumentTexts> texts_ = std::make_shared<ArgumentTexts>();
  std::unordered_map<uint64_t, Sequence> sequences_;
  Clocks clocks_;
  Assembler into_{run_};
  TrackEvents track_events_{into_, *texts_, clocks_};
  GpuEvents gpu_events_{run_, into_, *texts_};
  Ftrace ftrace_{into_, *texts_, clocks_};
};

}  // namespace

bool is_trace(const Input& input) {
  return looks_like_trace(input.head);
}

Run read_trace(const Input& input, const ReadOptions& options) {
  if (runs_of_export(input) > 0) return read_export(input, options);
  Run run = new_run(input.path, "perfetto");
  TraceReader reader(run, *input.source, options.progress);
  reader.read();
  if (run.events.read == 0) {
    if (!input.source->damage().empty()) throw Error(input.path, input.source->damage());
    throw Error(input.path, "is no Perfetto trace, or is cut off before its first event");
  }
  add_source(*input.source, run);
  run.arguments = make_argument_source(input.source, input.path, reader.texts(), std::move(reader.end_sources));
  return run;
}

}  // namespace cgpu::perfetto
