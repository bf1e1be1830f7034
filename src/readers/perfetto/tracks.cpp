#include "readers/perfetto/tracks.h"

#include <algorithm>

#include "base/json_text.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

constexpr int kMostAncestors = 64;
constexpr size_t kMostAbove = 8;  // of these that a track names

std::optional<int64_t> integer(std::string_view message, uint32_t number) {
  const auto value = protobuf_varint(message, number);
  return value ? std::optional<int64_t>(static_cast<int64_t>(*value)) : std::nullopt;
}

/// A program's name from its first argument: the others may hold anything.
std::string program(std::string_view command) {
  const size_t slash = command.rfind('/');
  if (slash != std::string_view::npos && slash + 1 < command.size()) command.remove_prefix(slash + 1);
  return valid_utf8(command.substr(0, command.find(' ')));
}

}  // namespace

void Tracks::add_descriptor(std::string_view message) {
  Description made;
  uint64_t uuid = 0;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case track::kUuid:
        uuid = field.integer;
        break;
      case track::kParent:
        made.parent = field.integer;
        break;
      case track::kName:
      case track::kStaticName:
      case track::kAtraceName:
        made.name = valid_utf8(field.bytes);
        break;
      case track::kSiblingMerge:
        made.stands_alone = field.integer == track::SiblingMerge::kNone;
        break;
      case track::kProcess:
        made.process = integer(field.bytes, process::kPid).value_or(0);
        add_process(field.bytes);
        break;
      case track::kThread:
        made.process = integer(field.bytes, thread::kPid).value_or(0);
        made.thread = integer(field.bytes, thread::kTid).value_or(0);
        add_thread(field.bytes);
        break;
      case track::kCounter:
        made.scale.multiplier = integer(field.bytes, counter::kUnitMultiplier).value_or(1);
        made.scale.incremental = integer(field.bytes, counter::kIsIncremental).value_or(0) != 0;
        break;
      default:
        break;
    }
  }
  Description& known = descriptions_[uuid];  // a later descriptor adds to an earlier one
  if (made.name.empty()) made.name = std::move(known.name);
  if (made.parent == 0) made.parent = known.parent;
  if (!made.process) made.process = known.process;
  if (!made.thread) made.thread = known.thread;
  known = std::move(made);
}

void Tracks::add_process(std::string_view message) {
  const auto process = integer(message, process::kPid);
  if (!process) return;
  std::string_view name = protobuf_bytes(message, process::kName);
  if (!name.empty()) {
    process_names_[*process] = valid_utf8(name);
  } else if (const std::string_view command = protobuf_bytes(message, process::kCommandLine); !command.empty()) {
    process_names_.try_emplace(*process, program(command));
  }
}

void Tracks::add_thread(std::string_view message) {
  const auto process = integer(message, thread::kPid);
  const auto thread = integer(message, thread::kTid);
  if (!process || !thread) return;
  const std::string_view name = protobuf_bytes(message, thread::kName);
  if (!name.empty()) thread_names_[{*process, *thread}] = valid_utf8(name);
}

void Tracks::name_process(int64_t process, std::string_view name) {
  process_names_[process] = valid_utf8(name);
}

void Tracks::name_thread(int64_t process, int64_t thread, std::string_view name) {
  thread_names_[{process, thread}] = valid_utf8(name);
}

void Tracks::add_process_tree(std::string_view message) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (!field.is_bytes()) continue;
    const bool is_process = field.number == process_tree::kProcesses;
    const auto id = is_process ? integer(field.bytes, process_tree::process::kPid)
                               : integer(field.bytes, process_tree::thread::kTid);
    if (!id) continue;
    if (is_process) {
      process_of_thread_[*id] = *id;
      const std::string_view command = protobuf_bytes(field.bytes, process_tree::process::kCommandLine);
      if (!command.empty()) process_names_.try_emplace(*id, program(command));
    } else if (field.number == process_tree::kThreads) {
      const int64_t process = integer(field.bytes, process_tree::thread::kProcess).value_or(*id);
      process_of_thread_[*id] = process;
      const std::string_view name = protobuf_bytes(field.bytes, process_tree::thread::kName);
      if (!name.empty()) thread_names_.try_emplace({process, *id}, valid_utf8(name));
    }
  }
}

TrackIndex Tracks::add_track(std::string process, std::string thread) {
  Track& made = run_.timeline.tracks.emplace_back();
  made.process = std::move(process);
  made.thread = std::move(thread);
  return static_cast<TrackIndex>(run_.timeline.tracks.size() - 1);
}

TrackIndex Tracks::of_uuid(uint64_t uuid) {
  const auto found = by_uuid_.find(uuid);
  if (found != by_uuid_.end()) return found->second;
  const TrackIndex made = new_row(uuid);
  by_uuid_[uuid] = made;
  return made;
}

TrackIndex Tracks::new_row(uint64_t uuid) {
  const auto found = descriptions_.find(uuid);
  if (found == descriptions_.end()) return add_track("", "");
  const Description& description = found->second;
  if (description.thread) return of_thread(*description.process, *description.thread);
  if (description.process || description.name.empty() || description.stands_alone) return add_track("", "");
  const auto [at, added] = by_name_.try_emplace({description.parent, description.name}, 0);
  if (added) at->second = add_track("", "");
  return at->second;
}

TrackIndex Tracks::of_thread(int64_t process, int64_t thread) {
  const auto [at, added] = by_thread_.try_emplace({process, thread}, 0);
  if (added) at->second = add_track(std::to_string(process), std::to_string(thread));
  return at->second;
}

TrackIndex Tracks::of_async(int64_t process, StringId name) {
  const auto [at, added] = by_async_.try_emplace({process, name}, 0);
  if (added) at->second = add_track(std::to_string(process), valid_utf8(run_.timeline.names[name]));
  return at->second;
}

TrackIndex Tracks::of_queue(int64_t gpu, StringId queue) {
  const auto [at, added] = by_queue_.try_emplace({gpu, queue}, 0);
  if (added) {
    at->second = add_track("GPU " + std::to_string(gpu), valid_utf8(run_.timeline.names[queue]));
    run_.timeline.tracks[at->second].kind = TrackKind::device_stream;
  }
  return at->second;
}

TrackIndex Tracks::of_cpu(uint64_t cpu) {
  const auto [at, added] = by_cpu_.try_emplace(cpu, 0);
  if (added) at->second = add_track("scheduling", "CPU " + std::to_string(cpu));
  return at->second;
}

uint32_t Tracks::counter_of_uuid(uint64_t uuid) {
  Counters& counters = run_.timeline.counters;
  const auto [at, added] = counters_.try_emplace(uuid, static_cast<uint32_t>(counters.tracks.size()));
  if (added) counters.tracks.emplace_back();
  return at->second;
}

uint32_t Tracks::counter_of(const std::string& process, const std::string& name) {
  Counters& counters = run_.timeline.counters;
  const auto [at, added] = named_counters_.try_emplace({process, name}, static_cast<uint32_t>(counters.tracks.size()));
  if (added) counters.tracks.push_back({process, name});
  return at->second;
}

CounterScale Tracks::scale_of(uint64_t uuid) const {
  const auto found = descriptions_.find(uuid);
  return found == descriptions_.end() ? CounterScale() : found->second.scale;
}

std::optional<int64_t> Tracks::process_of_thread(int64_t thread) const {
  const auto found = process_of_thread_.find(thread);
  return found == process_of_thread_.end() ? std::nullopt : std::optional(found->second);
}

Tracks::Place Tracks::place_of(uint64_t uuid) const {
  Place place;
  for (int i = 0; i < kMostAncestors; ++i) {
    const auto found = descriptions_.find(uuid);
    if (found == descriptions_.end()) break;
    const Description& description = found->second;
    if (description.process) {
      place.process = description.process;
      place.thread = description.thread;
      break;
    }
    if (i > 0) place.above.push_back(description.name);
    place.root = description.name;
    if (description.parent == 0 || description.parent == uuid) break;
    uuid = description.parent;
  }
  if (!place.process && !place.above.empty()) place.above.pop_back();  // the root
  std::reverse(place.above.begin(), place.above.end());
  if (place.above.size() > kMostAbove) place.above.resize(kMostAbove);
  return place;
}

std::string Tracks::process_name(int64_t process) const {
  const auto found = process_names_.find(process);
  return found == process_names_.end() ? "" : found->second;
}

void Tracks::finish() {
  std::vector<Track>& tracks = run_.timeline.tracks;
  for (const auto& [key, index] : by_thread_) {
    Track& track = tracks[index];
    track.process_name = process_name(key.first);
    const auto name = thread_names_.find(key);
    if (name != thread_names_.end()) track.thread_name = name->second;
    if (track.kind == TrackKind::other) track.kind = TrackKind::host_thread;
  }
  for (const auto& [key, index] : by_async_) tracks[index].process_name = process_name(key.first);
  for (const auto& [uuid, index] : by_uuid_) {
    Track& track = tracks[index];
    const auto found = descriptions_.find(uuid);
    const Description* description = found == descriptions_.end() ? nullptr : &found->second;
    if (description && description->thread && !track.process.empty()) continue;
    Place place = place_of(uuid);
    track.above = std::move(place.above);
    track.process = place.process ? std::to_string(*place.process) : place.root;
    track.process_name = place.process ? process_name(*place.process) : place.root;
    const std::string name = description ? description->name : "";
    track.thread = !name.empty() ? name : "track " + std::to_string(uuid);
    track.thread_name = name;
    if (description && description->thread) {  // described after its first event
      track.thread = std::to_string(*description->thread);
      const auto known = thread_names_.find({*description->process, *description->thread});
      track.thread_name = known == thread_names_.end() ? name : known->second;
    }
  }
  for (const auto& [uuid, index] : counters_) {
    CounterTrack& counter = run_.timeline.counters.tracks[index];
    const Place place = place_of(uuid);
    counter.process = place.process ? std::to_string(*place.process) : place.root;
    const auto found = descriptions_.find(uuid);
    counter.name = found == descriptions_.end() || found->second.name.empty() ? "counter " + std::to_string(uuid)
                                                                              : found->second.name;
    if (!place.process && counter.process == counter.name) counter.process.clear();
  }
}

}  // namespace cgpu::perfetto
