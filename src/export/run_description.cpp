#include "export/run_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/kernel_class.h"
#include "table/json.h"

namespace cgpu {

namespace {

/// One object, member by member; members that say nothing are left out.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { out_ += '}'; }

  void text(const char* key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    append_json_string(out_, value);
  }
  template <typename Number>
  void number(const char* key, const std::optional<Number>& value) {
    if (!value) return;
    begin(key);
    fmt::format_to(std::back_inserter(out_), "{}", *value);
  }
  void number(const char* key, int64_t value) { number(key, std::optional(value)); }
  void flag(const char* key, bool value) {
    if (!value) return;
    begin(key);
    out_ += "true";
  }
  /// write(element) appends an element.
  template <typename Elements, typename Write>
  void list(const char* key, const Elements& elements, Write write) {
    if (elements.empty()) return;
    begin(key);
    out_ += '[';
    bool first = true;
    for (const auto& element : elements) {
      if (!first) out_ += ", ";
      first = false;
      write(element);
    }
    out_ += ']';
  }

 private:
  void begin(const char* key) {
    if (!first_) out_ += ", ";
    first_ = false;
    fmt::format_to(std::back_inserter(out_), "\"{}\": ", key);
  }

  std::string& out_;
  bool first_ = true;
};

const char* text_of(TrackKind kind) {
  return kind == TrackKind::host_thread ? "thread" : kind == TrackKind::device_stream ? "stream" : "other";
}

void append_device(std::string& out, const Device& device) {
  Object object(out);
  object.number("id", device.id);
  object.text("name", device.name);
  object.text("vendor", device.vendor);
  object.number("sm_count", device.sm_count);
  object.number("memory_bytes", device.memory_bytes);
  object.number("warp_size", device.warp_size);
  object.text("compute_capability", device.compute_capability);
}

void append_group(std::string& out, const ParallelGroup& group) {
  Object object(out);
  object.text("name", group.name);
  object.text("description", group.description);
  object.text("backend", group.backend);
  object.number("size", group.size);
  object.list("ranks", group.ranks, [&](int64_t rank) { out += std::to_string(rank); });
}

void append_step(std::string& out, const StepTrace& step) {
  Object object(out);
  object.number("device", step.device);
  object.text("step", step.step);
  object.number("computing", step.computing);
  object.number("communication", step.communication);
  object.number("not_overlapped", step.not_overlapped);
  object.number("overlapped", step.overlapped);
  object.number("free", step.free);
}

void append_track(std::string& out, const Track& track) {
  Object object(out);
  object.text("kind", text_of(track.kind));
  object.text("process", track.process);
  object.text("thread", track.thread);
  object.text("process_name", track.process_name);
  object.text("thread_name", track.thread_name);
  object.number("rank", track.rank);
  object.list("above", track.above, [&](const std::string& name) { append_json_string(out, name); });
}

/// LinkHints::kernels_compute, as it shows.
bool kernels_compute(const Timeline& timeline) {
  const DeviceOps& ops = timeline.device_ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto kernel_class = static_cast<KernelClass>(ops.kernel_class[i]);
    const bool moves = kernel_class == KernelClass::copy || kernel_class == KernelClass::set;
    if (moves && ops.kind[i] == OpKind::compute) return true;
  }
  return false;
}

}  // namespace

std::string run_description(const Run& run) {
  std::string out;
  {
    Object object(out);
    object.number("rank", run.rank);
    object.flag("rank_known", run.rank_known);
    object.number("world_size", run.world_size);
    object.text("host", run.host);
    object.text("profile_format", run.format);
    object.flag("kernels_compute", kernels_compute(run.timeline));
    object.list("devices", run.devices, [&](const Device& device) { append_device(out, device); });
    object.list("groups", run.groups, [&](const ParallelGroup& group) { append_group(out, group); });
    object.list("step_traces", run.step_traces, [&](const StepTrace& step) { append_step(out, step); });
    object.list("tracks", run.timeline.tracks, [&](const Track& track) { append_track(out, track); });
    object.list("counters", run.timeline.counters.tracks, [&](const CounterTrack& counter) {
      Object one(out);
      one.text("process", counter.process);
      one.text("name", counter.name);
    });
  }
  return out;
}

}  // namespace cgpu
