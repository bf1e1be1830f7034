#include "export/run_description.h"

#include <optional>
#include <string>
#include <utility>

#include "kernels/kernel_class.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

/// Members that say nothing are left out.
void add(JsonTextWriter& json, const char* key, const std::string& text) {
  if (!text.empty()) json.member(key, text);
}
template <typename Number>
void add(JsonTextWriter& json, const char* key, const std::optional<Number>& number) {
  if (number) json.member(key, *number);
}
void add_flag(JsonTextWriter& json, const char* key, bool flag) {
  if (flag) json.member(key, true);
}
/// write(element) writes the value of an element.
template <typename Elements, typename Write>
void add_list(JsonTextWriter& json, const char* key, const Elements& elements, Write write) {
  if (elements.empty()) return;
  json.key(key).begin_array();
  for (const auto& element : elements) write(element);
  json.end_array();
}

const char* text_of(TrackKind kind) {
  return kind == TrackKind::host_thread ? "thread" : kind == TrackKind::device_stream ? "stream" : "other";
}

void write_device(JsonTextWriter& json, const Device& device) {
  json.begin_object().member("id", device.id);
  add(json, "name", device.name);
  add(json, "vendor", device.vendor);
  add(json, "sm_count", device.sm_count);
  add(json, "memory_bytes", device.memory_bytes);
  add(json, "warp_size", device.warp_size);
  add(json, "compute_capability", device.compute_capability);
  json.end_object();
}

void write_group(JsonTextWriter& json, const ParallelGroup& group) {
  json.begin_object();
  add(json, "name", group.name);
  add(json, "description", group.description);
  add(json, "backend", group.backend);
  json.member("size", group.size);
  add_list(json, "ranks", group.ranks, [&](int64_t rank) { json.value(rank); });
  if (group.place) json.member("place", *group.place);
  json.end_object();
}

void write_step(JsonTextWriter& json, const StepTrace& step) {
  json.begin_object().member("device", step.device);
  add(json, "step", step.step);
  add(json, "computing", step.computing);
  add(json, "communication", step.communication);
  add(json, "not_overlapped", step.not_overlapped);
  add(json, "overlapped", step.overlapped);
  add(json, "free", step.free);
  json.end_object();
}

void write_track(JsonTextWriter& json, const Track& track) {
  json.begin_object().member("kind", text_of(track.kind));
  add(json, "process", track.process);
  add(json, "thread", track.thread);
  add(json, "process_name", track.process_name);
  add(json, "thread_name", track.thread_name);
  add(json, "rank", track.rank);
  add_list(json, "above", track.above, [&](const std::string& name) { json.value(name); });
  json.end_object();
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

void write_note(JsonTextWriter& json, const Note& note) {
  json.begin_object().member("code", note.code).member("count", note.count).member("text", note.text);
  add_flag(json, "damage", note.damage);
  json.end_object();
}

}  // namespace

std::string run_description(const Run& run) {
  JsonTextWriter json;
  json.begin_object().member("rank", run.rank);
  add_flag(json, "rank_known", run.rank_known);
  add(json, "world_size", run.world_size);
  add(json, "host", run.host);
  add(json, "profile_format", recorded_format(run));
  add_list(json, "metadata", run.metadata,
           [&](const auto& fact) { json.begin_array().value(fact.first).value(fact.second).end_array(); });
  add_list(json, "notes", notes_of(run).all(), [&](const Note& note) { write_note(json, note); });
  add_flag(json, "kernels_compute", kernels_compute(run.timeline));
  add_list(json, "devices", run.devices, [&](const Device& device) { write_device(json, device); });
  add_list(json, "groups", run.groups, [&](const ParallelGroup& group) { write_group(json, group); });
  add_list(json, "step_traces", run.step_traces, [&](const StepTrace& step) { write_step(json, step); });
  add_list(json, "tracks", run.timeline.tracks, [&](const Track& track) { write_track(json, track); });
  add_list(json, "counters", run.timeline.counters.tracks, [&](const CounterTrack& counter) {
    json.begin_object();
    add(json, "process", counter.process);
    add(json, "name", counter.name);
    json.end_object();
  });
  json.end_object();
  return std::move(json).text();
}

}  // namespace cgpu
