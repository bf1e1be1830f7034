#include "readers/xplane/xplane.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/time_range.h"
#include "readers/common/input.h"
#include "readers/common/protobuf_stream.h"
#include "readers/common/timeline_builder.h"
#include "readers/common/xla_names.h"
#include "readers/xplane/fields.h"
#include "readers/xplane/plane.h"

namespace cgpu::xplane {

namespace {

constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;
constexpr uint64_t kMostPlane = uint64_t{8} << 30;
constexpr size_t kMostDevices = 4096;

// ---------------------------------------------------------------- names

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

/// cuLaunchKernel, but not custom_call.
SliceKind kind_of_host_event(std::string_view name) {
  if (name.starts_with("hip") || name.starts_with("cuda")) {
    const size_t prefix = name.starts_with("hip") ? 3 : 4;
    return name.size() > prefix && is_capital(name[prefix]) ? SliceKind::runtime_call : SliceKind::framework_op;
  }
  if (name.starts_with("cu") && name.size() > 2 && is_capital(name[2])) return SliceKind::driver_call;
  if (name.starts_with("hsa_")) return SliceKind::driver_call;
  return SliceKind::framework_op;
}

MemoryKind memory_of(std::string_view text) {
  if (text == "pageable") return MemoryKind::pageable;
  if (text == "pinned") return MemoryKind::pinned;
  if (text == "device") return MemoryKind::device;
  if (text == "array") return MemoryKind::array;
  if (text == "managed") return MemoryKind::managed;
  return MemoryKind::unknown;
}

/// The value of "key:value" in a text of such pairs.
std::string_view value_of(std::string_view details, std::string_view key) {
  for (size_t at = details.find(key); at != std::string_view::npos; at = details.find(key, at + 1)) {
    if (at > 0 && details[at - 1] != ' ') continue;
    const std::string_view rest = details.substr(at + key.size());
    if (!rest.starts_with(':')) continue;
    return rest.substr(1, rest.find(' ') - 1);
  }
  return {};
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr != text.data() ? std::optional(value) : std::nullopt;
}

/// The number behind "GPU:" and the like at the end of a plane's name.
int32_t device_of(std::string_view plane_name) {
  const auto number = whole_number(plane_name.substr(plane_name.rfind(':') + 1));
  return number && *number >= 0 && *number <= INT32_MAX ? static_cast<int32_t>(*number) : 0;
}

/// Nanoseconds of a time in picoseconds, half to even; absent where it cannot be true.
std::optional<int64_t> nanoseconds(Int128 picoseconds) {
  if (picoseconds < 0) return std::nullopt;
  Int128 whole = picoseconds / 1000;
  const auto rest = static_cast<int>(picoseconds % 1000);
  if (rest > 500 || (rest == 500 && whole % 2 != 0)) ++whole;
  if (whole > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(whole);
}

// ---------------------------------------------------------------- reading

/// An event as it is written.
struct Event {
  uint64_t metadata = 0;
  int64_t offset = 0;  // ps
  int64_t duration = 0;
  bool sum = false;  // of several occurrences, without a time
};

class Reader {
 public:
  Reader(const Input& input, Run& run) : source_(*input.source), run_(run), into_(run) {}

  void read() {
    ProtobufStream space(source_, kMostPlane);
    int64_t planes = 0;
    for (ProtobufField field; space.next(field);) {
      if (!field.is_bytes()) continue;
      if (field.number == space::kPlanes) {
        ++planes;
        read_plane(Plane(field.bytes));
      } else if (field.number == space::kHosts && run_.host.empty()) {
        run_.host = valid_utf8(field.bytes);
      } else if (field.number == space::kErrors || field.number == space::kWarnings) {
        run_.notes.add("profiler_message", 1, "the profiler says: " + valid_utf8(field.bytes).substr(0, 300));
      }
    }
    if (planes == 0) throw Error(run_.file, "holds no plane of an XPlane profile");
    if (space.stop() != ProtobufStream::Stop::end)
      run_.notes.add("truncated_input", 1, "the profile ends inside a plane", true);
    if (!source_.damage().empty()) run_.notes.add("truncated_input", 1, source_.damage(), true);
    finish_clock();
  }

 private:
  void read_plane(const Plane& plane) {
    if (plane.damaged()) damage("a plane is damaged: what comes behind the damage is lost");
    const std::string_view name = plane.name();
    if (name == "Task Environment") {
      for (const Stat& stat : plane.stats()) {
        if (stat.name == "profile_start_time" && stat.integer && *stat.integer > 0) start_ = *stat.integer;
      }
    }
    if (name == "/host:metadata" && plane.kinds() > 0) {
      run_.metadata.emplace_back("hlo_modules", std::to_string(plane.kinds()));
    }
    const bool device = name.starts_with("/device:") && !name.starts_with("/device:CPU");
    if (device) add_device(plane);
    const bool has_streams = std::any_of(plane.lines().begin(), plane.lines().end(), [](std::string_view line) {
      return protobuf_bytes(line, line::kName).starts_with("Stream");
    });
    for (const std::string_view line : plane.lines()) read_line(plane, line, device, has_streams);
  }

  void damage(const char* what) { run_.notes.add("damaged_input", 1, what, true); }

  void add_device(const Plane& plane) {
    Device device;
    device.id = device_of(plane.name());
    int64_t major = -1;
    int64_t minor = 0;
    for (const Stat& stat : plane.stats()) {
      if (stat.name == "device_vendor") device.vendor = valid_utf8(stat.text);
      if (stat.name == "device_type_string" || stat.name == "gpu_device_name") device.name = valid_utf8(stat.text);
      if (stat.name == "core_count") device.sm_count = stat.integer;
      if (stat.name == "memory_size") device.memory_bytes = stat.integer;
      if (stat.name == "compute_cap_major") major = stat.integer.value_or(-1);
      if (stat.name == "compute_cap_minor") minor = stat.integer.value_or(0);
    }
    if (device.vendor == "Nvidia") device.vendor = "NVIDIA";
    if (major >= 0) device.compute_capability = std::to_string(major) + "." + std::to_string(minor);
    const bool known = std::any_of(run_.devices.begin(), run_.devices.end(),
                                   [&](const Device& other) { return other.id == device.id; });
    if (!known && run_.devices.size() < kMostDevices) run_.devices.push_back(std::move(device));
  }

  void read_line(const Plane& plane, std::string_view line, bool device, bool has_streams) {
    uint64_t id = 0;
    int64_t base = 0;
    std::string_view name;
    std::string_view display_name;
    bool any = false;
    ProtobufMessage head(line);
    for (ProtobufField field; head.next(field);) {
      if (field.number == line::kId) id = field.integer;
      if (field.number == line::kTimestamp) base = static_cast<int64_t>(field.integer);
      if (field.number == line::kName) name = field.bytes;
      if (field.number == line::kDisplayName) display_name = field.bytes;
      any = any || field.number == line::kEvents;
    }
    if (head.damaged()) damage("a line of a plane is damaged: what comes behind the damage is lost");
    if (!any) return;
    latest_base_ = std::max(latest_base_, base);

    LineUse use;
    use.base = base;
    use.name = name;
    if (device) {
      use.device = device_of(plane.name());
      use.ops = has_streams ? name.starts_with("Stream") : name == "XLA Ops";
      const auto number = name.starts_with("Stream #") ? whole_number(name.substr(8)) : std::nullopt;
      use.stream = number.value_or(static_cast<int64_t>(id & INT64_MAX));
      use.track = use.ops ? into_.stream_track(use.device, use.stream) : add_other_track(plane, name, id);
      if (use.ops) run_.timeline.tracks[use.track].thread_name = valid_utf8(name);
    } else if (plane.name().starts_with("/host:")) {
      use.host = true;
      use.track = into_.thread_track(valid_utf8(plane.name()), std::to_string(id));
      run_.timeline.tracks[use.track].thread_name = valid_utf8(display_name.empty() ? name : display_name);
    } else {
      use.track = add_other_track(plane, name, id);
    }
    ProtobufMessage events(line);
    for (ProtobufField field; events.next(field);) {
      if (field.number == line::kEvents && field.is_bytes()) read_event(plane, use, field.bytes);
    }
  }

  /// What a line is read as.
  struct LineUse {
    int64_t base = 0;  // ns
    std::string_view name;
    bool host = false;
    bool ops = false;  // what keeps a device busy
    int32_t device = 0;
    int64_t stream = 0;
    TrackIndex track = 0;
  };

  TrackIndex add_other_track(const Plane& plane, std::string_view name, uint64_t id) {
    Track track;
    track.process = valid_utf8(plane.name());
    track.thread = name.empty() ? std::to_string(id) : valid_utf8(name);
    run_.timeline.tracks.push_back(std::move(track));
    return static_cast<TrackIndex>(run_.timeline.tracks.size() - 1);
  }

  void read_event(const Plane& plane, const LineUse& line, std::string_view message) {
    ++run_.events.read;
    Event event;
    stats_.clear();
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == event::kMetadata) event.metadata = field.integer;
      if (field.number == event::kOffset) event.offset = static_cast<int64_t>(field.integer);
      if (field.number == event::kDuration) event.duration = static_cast<int64_t>(field.integer);
      if (field.number == event::kOccurrences) event.sum = true;
      if (field.number == event::kStats && field.is_bytes()) stats_.push_back(plane.stat(field.bytes));
    }
    if (fields.damaged()) damage("an event is damaged: what comes behind the damage is lost");
    if (event.sum)
      return into_.skip("skipped_event", "sums over several occurrences, which have no time, were left out");
    const Int128 begin = Int128{line.base} * 1000 + event.offset;
    const auto start = nanoseconds(begin);
    const auto end = nanoseconds(begin + event.duration);
    if (!start || !end || event.duration < 0 || !is_time(*end)) {
      return into_.skip("invalid_number", "events whose time cannot be true (beyond a century) were left out");
    }
    const EventKind* kind = plane.kind(event.metadata);
    if (kind == nullptr) run_.notes.add("unnamed_event", 1, "events whose name is lost are called \"unknown event\"");
    std::string_view name = kind ? kind->name : "unknown event";
    if (line.ops) return add_op(line, name, *start, *end);
    if (!line.host) {
      // What the profiler derives from the streams: modules, steps, operations by name.
      return add_slice(line, name, *start, *end, SliceKind::device_annotation);
    }
    if (name == "MemoryAllocation" || name == "MemoryDeallocation") {
      if (add_memory(*start, name == "MemoryAllocation")) return;
    }
    const auto correlation = integer("correlation_id");
    if (event.duration == 0 && !correlation) {
      ++run_.events.instants;
      run_.timeline.instants.push_back(
          {*start, run_.timeline.names.intern(valid_utf8(name)), line.track, InstantScope::thread});
      return;
    }
    if (const auto step = integer("step_num")) return add_step(line, name, *step, *start, *end);
    SliceKind what = kind_of_host_event(name);
    if (name.starts_with('$')) {
      name.remove_prefix(1);
      what = SliceKind::python_function;
    } else if (what == SliceKind::framework_op && correlation && has("context_id")) {
      what = SliceKind::driver_call;  // that launched something, by the name of which it is called
    }
    add_slice(line, name, *start, *end, what, correlation.value_or(kNoCorrelation));
  }

  std::optional<int64_t> integer(std::string_view name) const {
    for (const Stat& stat : stats_) {
      if (stat.name == name && stat.integer) return stat.integer;
    }
    return std::nullopt;
  }
  bool has(std::string_view name) const {
    return std::any_of(stats_.begin(), stats_.end(), [&](const Stat& stat) { return stat.name == name; });
  }
  std::string_view text(std::string_view name) const {
    for (const Stat& stat : stats_) {
      if (stat.name == name) return stat.text;
    }
    return {};
  }

  void add_slice(const LineUse& line, std::string_view name, int64_t start, int64_t end, SliceKind kind,
                 int64_t correlation = kNoCorrelation) {
    into_.add_slice({.start = start,
                     .correlation = correlation,
                     .name = run_.timeline.names.intern(valid_utf8(name)),
                     .track = line.track,
                     .category = into_.category(category_of(kind), kind)},
                    end);
  }

  /// A mark of an iteration (jax.profiler.StepTraceAnnotation), named as the framework's profiler of PyTorch names its
  /// own; what the program calls it is the category.
  void add_step(const LineUse& line, std::string_view name, int64_t step, int64_t start, int64_t end) {
    into_.add_slice({.start = start,
                     .name = run_.timeline.names.intern("ProfilerStep#" + std::to_string(step)),
                     .track = line.track,
                     .category = into_.category(valid_utf8(name), SliceKind::annotation)},
                    end);
  }

  /// The format has no categories: the kinds are used instead.
  static std::string_view category_of(SliceKind kind) {
    return kind == SliceKind::framework_op ? std::string_view("host_event") : std::string_view(text_of(kind));
  }

  void add_op(const LineUse& line, std::string_view name, int64_t start, int64_t end) {
    const SliceKind kind = xla::kind_of_device_event(name);
    DeviceOp op;
    op.device = line.device;
    op.stream = line.stream;
    const std::string_view details = text("memcpy_details");
    const std::string_view filled = text("memset_details");
    if (kind == SliceKind::memcpy) {
      op.copy = xla::copy_of(name);
      op.source = memory_of(value_of(details, "kind_src"));
      op.destination = memory_of(value_of(details, "kind_dst"));
      op.bytes = whole_number(value_of(details, "size")).value_or(-1);
    } else if (kind == SliceKind::memset) {
      op.copy = CopyKind::memset;
      op.destination = memory_of(value_of(filled, "kind"));
      op.bytes = whole_number(value_of(filled, "num_bytes")).value_or(-1);
    }
    op.bytes = std::max<int64_t>(op.bytes, -1);
    // Kernels of AMD are named by their descriptors.
    if (kind == SliceKind::kernel && name.ends_with(".kd")) name.remove_suffix(3);
    op.slice = into_.add_slice({.start = start,
                                .correlation = integer("correlation_id").value_or(kNoCorrelation),
                                .name = run_.timeline.names.intern(valid_utf8(name)),
                                .track = line.track,
                                .category = into_.category(text_of(kind), kind)},
                               end);
    if (op.slice != kNone) run_.timeline.device_ops.append(op);
  }

  /// What the allocators of XLA say: "GPU_0_bfc", or one of the host.
  bool add_memory(int64_t time, bool allocation) {
    const auto bytes = integer("allocation_bytes");
    const std::string_view allocator = text("allocator_name");
    if (!bytes || *bytes < 0) return false;
    MemoryEvent event;
    event.time = time;
    event.bytes = allocation ? *bytes : -*bytes;
    event.total_allocated = std::max<int64_t>(integer("bytes_allocated").value_or(-1), -1);
    if (allocator.starts_with("GPU_") || allocator.starts_with("TPU_")) event.device = device_of(allocator.substr(4));
    run_.timeline.memory.push_back(event);
    ++run_.events.memory;
    return true;
  }

  /// Newer profiles count from the start of the recording, older ones from 1970.
  void finish_clock() {
    if (latest_base_ > kYear2001) {
      run_.clock_is_unix = true;
    } else if (start_ > kYear2001 && is_time(start_)) {
      run_.clock_is_unix = true;
      run_.clock_base = start_;
    }
  }

  TextSource& source_;
  Run& run_;
  TimelineBuilder into_;
  std::vector<Stat> stats_;  // of the event
  int64_t start_ = 0;        // of the recording, since 1970
  int64_t latest_base_ = 0;
};

}  // namespace

bool is_profile(const Input& input) {
  if (!input.source) return false;
  // The first field is a plane, which need not lie in the head as a whole: it begins with its number and its name.
  std::string_view head(input.head);
  if (take_tag(head) != ProtobufTag{space::kPlanes, WireType::bytes} || !take_varint(head)) return false;
  ProtobufMessage plane(head);
  for (ProtobufField field; plane.next(field);) {
    if (field.number == plane::kId && field.is_varint()) continue;
    const std::string_view name = field.bytes;
    return field.number == plane::kName &&
           (name.starts_with("/host:") || name.starts_with("/device:") || name == "Task Environment");
  }
  return false;
}

Run read_profile(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "xplane");
  Reader(input, run).read();
  run.input_bytes = input.source->stored_bytes();
  run.text_bytes = input.source->text_position();
  return run;
}

}  // namespace cgpu::xplane
