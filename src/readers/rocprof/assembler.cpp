#include "readers/rocprof/assembler.h"

#include <algorithm>

#include "base/json_text.h"
#include "model/time_range.h"

namespace cgpu::rocprof {

namespace {

SliceKind kind_of_call(std::string_view domain) {
  if (domain.starts_with("HIP_")) return SliceKind::runtime_call;
  if (domain.starts_with("HSA_")) return SliceKind::driver_call;
  return SliceKind::annotation;  // of the program, or of a library
}

CopyKind copy_of(std::string_view direction, bool same_device) {
  if (direction.ends_with("HOST_TO_DEVICE")) return CopyKind::HtoD;
  if (direction.ends_with("DEVICE_TO_HOST")) return CopyKind::DtoH;
  if (direction.ends_with("DEVICE_TO_DEVICE")) return same_device ? CopyKind::DtoD : CopyKind::PtoP;
  if (direction.ends_with("HOST_TO_HOST")) return CopyKind::HtoH;
  return CopyKind::unknown;
}

MemoryKind side_of(bool host, CopyKind copy) {
  if (copy == CopyKind::unknown) return MemoryKind::unknown;
  return host ? MemoryKind::host : MemoryKind::device;
}

}  // namespace

std::string_view kernel_name(std::string_view text) {
  for (const std::string_view suffix : {" [clone .kd]", " (.kd)", ".kd"}) {
    if (text.ends_with(suffix)) return text.substr(0, text.size() - suffix.size());
  }
  return text;
}

void CountedLaunch::set_duration(int64_t start, int64_t end) {
  int64_t between = 0;
  if (!__builtin_sub_overflow(end, start, &between) && between >= 0) duration = between;
}

void Assembler::begin_process(std::string name) {
  process_ = std::move(name);
  callers_.clear();
}

StringId Assembler::name(std::string_view text) {
  return run.timeline.names.intern(valid_utf8(text));
}

/// (process, correlation id) as one number, as long as launches are not linked.
int64_t Assembler::key_of(const Event& event) {
  if (event.correlation <= 0 || event.correlation > UINT32_MAX) return kNoCorrelation;
  std::string process = event.process;
  if (process.empty() && callers_.size() == 1) process = *callers_.begin();
  if (process.empty() && callers_.size() > 1) {
    run.notes.add("ambiguous_process", 1,
                  "kernels and copies whose file does not say which of several processes launched them have no launch");
    return kNoCorrelation;
  }
  const auto next = static_cast<int64_t>(processes_.size());
  const int64_t number = processes_.try_emplace({process_, process}, next).first->second;
  if (number > 0) run.timeline.hints.correlation_has_process = true;
  return number << LinkHints::kProcessOfCorrelation | event.correlation;
}

void Assembler::add_call(const Event& event, std::string_view domain, StringId name, const std::string& thread) {
  callers_.insert(event.process);
  const SliceKind kind = kind_of_call(domain);
  const TrackIndex track = builder_.thread_track(event.process.empty() ? process_ : event.process, thread);
  if (kind == SliceKind::annotation && event.start == event.end && is_time(event.start)) {
    ++run.events.instants;
    run.timeline.instants.push_back({event.start, name, track, InstantScope::thread});
    return;
  }
  // Marks and ranges have correlation ids too, but launch nothing.
  const int64_t key = key_of(event);
  builder_.add_slice({.start = event.start,
                      .correlation = is_call(kind) ? key : kNoCorrelation,
                      .name = name,
                      .track = track,
                      .category = builder_.category(domain, kind)},
                     event.end);
}

void Assembler::add_op(const Event& event, StringId name, SliceKind kind, const Place& place, DeviceOp op,
                       uint64_t source) {
  op.slice = builder_.add_slice({.start = event.start,
                                 .correlation = key_of(event),
                                 .source = source,
                                 .name = name,
                                 .category = builder_.category(text_of(kind), kind)},
                                event.end);
  if (op.slice == kNone) return;
  op.device = place.device;
  run.timeline.device_ops.append(op);
  places_.push_back(place);
}

void Assembler::add_kernel(const Event& event, StringId name, const Place& place,
                           const std::optional<LaunchSizes>& sizes) {
  if (sizes) run.arguments = arguments_;
  add_op(event, name, SliceKind::kernel, place, {}, sizes ? arguments_->source_of(*sizes) : kNoSource);
}

void Assembler::add_copy(const Event& event, std::string_view direction, int32_t source, int32_t destination,
                         int64_t stream, int64_t bytes) {
  DeviceOp op;
  op.copy = copy_of(direction, source == destination);
  const bool from_host = op.copy == CopyKind::HtoD || op.copy == CopyKind::HtoH;
  const bool to_host = op.copy == CopyKind::DtoH || op.copy == CopyKind::HtoH;
  op.source = side_of(from_host, op.copy);
  op.destination = side_of(to_host, op.copy);
  op.bytes = std::max<int64_t>(bytes, -1);
  std::string name = "Memcpy ";
  name += op.copy == CopyKind::unknown ? std::string(direction) : text_of(op.copy);
  add_op(event, this->name(name), SliceKind::memcpy, {from_host ? destination : source, -1, stream}, op);
}

ProfiledLaunch& Assembler::launch(const CountedLaunch& description) {
  if (!run.launch_metrics) run.launch_metrics.emplace();
  std::vector<ProfiledLaunch>& all = run.launch_metrics->launches;
  const auto key = std::pair(process_ + '\n' + description.process, description.dispatch);
  const auto [at, added] = launches_.try_emplace(key, all.size());
  if (added) all.emplace_back().id = description.dispatch;
  ProfiledLaunch& launch = all[at->second];
  const auto take = [](auto& to, const auto& from) {
    if (!to && from) to = *from;
  };
  if (launch.kernel.empty()) launch.kernel = valid_utf8(kernel_name(description.kernel));
  take(launch.device, description.device);
  take(launch.stream, description.queue);
  take(launch.registers, description.registers);
  take(launch.shared_bytes, description.shared_bytes);
  take(launch.duration_ns, description.duration);
  if (description.sizes) {
    take(launch.grid, std::optional(description.sizes->grid));
    take(launch.block, std::optional(description.sizes->block));
  }
  return launch;
}

void Assembler::add_counter(ProfiledLaunch& launch, std::string_view section, std::string_view name, double value) {
  StringPool& names = run.launch_metrics->names;
  MetricValue made;
  made.name = names.intern(valid_utf8(name));
  made.section = names.intern(section);
  made.number = value;
  const auto number = static_cast<uint64_t>(&launch - run.launch_metrics->launches.data());
  const auto [at, added] = counters_.try_emplace(number << 32 | made.name, launch.metrics.size());
  if (added) {
    launch.metrics.push_back(made);
  } else {
    *launch.metrics[at->second].number += value;
  }
}

void Assembler::finish() {
  DeviceOps& ops = run.timeline.device_ops;
  const bool streams = std::any_of(places_.begin(), places_.end(), [](const Place& place) { return place.stream > 0; });
  for (size_t i = 0; i < places_.size(); ++i) {
    ops.stream[i] = streams ? places_[i].stream : places_[i].queue;
    run.timeline.slices.track[ops.slice[i]] = builder_.stream_track(ops.device[i], ops.stream[i]);
  }
  if (run.launch_metrics) {
    run.notes.add(
        "serialised_launches", static_cast<int64_t>(run.launch_metrics->launches.size()),
        "counters are collected with one kernel at a time: durations beside them are not those of the program");
  }
}

}  // namespace cgpu::rocprof
