#include "readers/perfetto/gpu_events.h"

#include <algorithm>

#include "base/credentials.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "base/to_size.h"
#include "model/time_range.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

constexpr size_t kMostDevices = 4096;

/// What a stage is where it has no kernel: copies and memsets go by what they are called.
SliceKind kind_by_name(std::string_view name) {
  const auto begins = [&](std::string_view start) {
    return name.size() >= start.size() &&
           std::equal(start.begin(), start.end(), name.begin(), [](char a, char b) { return a == (b | 0x20); });
  };
  if (begins("memcpy") || begins("copy")) return SliceKind::memcpy;
  if (begins("memset")) return SliceKind::memset;
  return SliceKind::kernel;
}

}  // namespace

/// A render stage as its event gives it.
struct GpuEvents::Stage {
  std::optional<uint64_t> event;
  uint64_t duration = 0;
  uint64_t queue_iid = 0;
  uint64_t stage_iid = 0;
  uint64_t queue_id = 0;
  uint64_t stage_id = 0;
  uint64_t kernel = 0;
  std::optional<uint64_t> submission;
  std::optional<int64_t> gpu;
  std::string_view name;
  uint64_t name_iid = 0;
};

/// The name of a queue or stage by the number that the sequence gave it, else by its place in the trace's own list.
StringId GpuEvents::specification(const Sequence& sequence, uint64_t iid, const std::vector<StringId>& by_id,
                                  uint64_t id) {
  if (iid == 0) return id < by_id.size() ? by_id[to_size(id)] : 0;
  const StringId* found = sequence.interned.specifications.find(iid);
  return found ? *found : 0;
}

void GpuEvents::add_specifications(std::string_view message) {
  constexpr size_t kMost = 10000;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    const bool queue = field.number == specifications::kQueues;
    if (!queue && field.number != specifications::kStages) continue;
    std::vector<StringId>& names = queue ? queues_ : stages_;
    if (names.size() < kMost) names.push_back(into_.name(protobuf_bytes(field.bytes, description::kName)));
  }
}

void GpuEvents::add_render_stage(std::string_view message, const PacketContext& packet) {
  const Sequence& sequence = packet.sequence;
  const TextsInUse texts{texts_.pool, sequence.texts.get()};
  Stage stage;
  bool specifications_only = false;
  arguments_.clear();
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case stage::kEventId:
        stage.event = field.integer;
        break;
      case stage::kDuration:
        stage.duration = field.integer;
        break;
      case stage::kQueueId:
        stage.queue_id = field.integer;
        break;
      case stage::kStageId:
        stage.stage_id = field.integer;
        break;
      case stage::kExtraData:
        arguments_.add(protobuf_bytes(field.bytes, extra_data::kName), protobuf_bytes(field.bytes, extra_data::kValue));
        break;
      case stage::kSpecifications:
        add_specifications(field.bytes);
        specifications_only = true;
        break;
      case stage::kSubmission:
        stage.submission = field.integer;
        break;
      case stage::kGpu:
        stage.gpu = static_cast<int32_t>(field.integer);
        break;
      case stage::kQueueIid:
        stage.queue_iid = field.integer;
        break;
      case stage::kStageIid:
        stage.stage_iid = field.integer;
        break;
      case stage::kName:
        stage.name = field.bytes;
        break;
      case stage::kNameIid:
        stage.name_iid = field.integer;
        break;
      case stage::kKernelIid:
        stage.kernel = field.integer;
        break;
      case stage::kLaunch: {
        ProtobufMessage parts(field.bytes);
        for (ProtobufField part; parts.next(part);) {
          if (part.number == launch::kArguments) arguments_.add_compute(part.bytes, texts);
        }
        break;
      }
      default:
        break;
    }
  }
  if (specifications_only && !stage.event && stage.duration == 0) return into_.metadata();
  const auto duration = static_cast<int64_t>(stage.duration);
  if (!packet.time || !is_time(*packet.time) || duration < 0 || !is_time(duration)) {
    return into_.skip("skipped_event", "render stages without a usable time were left out");
  }

  const StringId queue = specification(sequence, stage.queue_iid, queues_, stage.queue_id);
  const StringId named_stage = specification(sequence, stage.stage_iid, stages_, stage.stage_id);
  const StringId what = named_stage != 0 ? named_stage : into_.name("gpu_render_stage");
  const StringId* kernel = stage.kernel != 0 ? sequence.interned.kernels.find(stage.kernel) : nullptr;
  const StringId* named = stage.name_iid != 0 ? sequence.interned.event_names.find(stage.name_iid) : nullptr;
  NewSlice slice;
  slice.name = kernel && *kernel != 0 ? *kernel : named ? *named : !stage.name.empty() ? into_.name(stage.name) : what;
  slice.start = *packet.time;
  slice.duration = duration;
  const uint64_t queue_number = stage.queue_iid != 0 ? stage.queue_iid : stage.queue_id;
  slice.track = into_.tracks.of_queue(stage.gpu.value_or(arguments_.integer(Arg::device).value_or(0)),
                                      queue != 0 ? queue : into_.name("queue " + std::to_string(queue_number)));
  slice.category = what;
  slice.source = source_of(packet.place, texts_);
  SliceKind kind = into_.kind_of_slice(into_.kind_of_stage(what), what, slice.name);
  if (kind == SliceKind::other) kind = kernel ? SliceKind::kernel : kind_by_name(into_.text(slice.name));
  if (stage.gpu || !arguments_.has(Arg::device)) arguments_.set_integer(Arg::device, stage.gpu.value_or(0));
  const SliceIndex made = into_.add_slice(slice, kind, arguments_);
  if (stage.event) into_.add_gpu_event(*stage.event, made);
  if (stage.submission) submitted_.emplace_back(*stage.submission, made);
}

GpuCounters GpuEvents::counters_of(std::string_view message, int64_t gpu, Assembler& into) {
  GpuCounters counters;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number != counter_descriptor::kSpecs || !field.is_bytes()) continue;
    const auto id = protobuf_varint(field.bytes, counter_spec::kId);
    if (id) counters[*id] = {into.name(protobuf_bytes(field.bytes, counter_spec::kName)), gpu};
  }
  return counters;
}

void GpuEvents::add_counters(std::string_view message, const PacketContext& packet) {
  const GpuCounters* names = &counters_;
  std::shared_ptr<const GpuCounters> of_sequence;
  const int64_t gpu = static_cast<int32_t>(protobuf_varint(message, counter_event::kGpu).value_or(0));
  if (const auto iid = protobuf_varint(message, counter_event::kDescriptorIid)) {
    const auto* found = packet.sequence.interned.counters.find(*iid);
    of_sequence = found ? *found : std::make_shared<const GpuCounters>();
    names = of_sequence.get();
  }
  bool any = false;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == counter_event::kDescriptor && field.is_bytes()) {
      for (const auto& [id, counter] : counters_of(field.bytes, -1, into_)) counters_[id] = counter;
      any = true;
      into_.metadata();
    }
    if (field.number != counter_event::kCounters || !field.is_bytes()) continue;
    any = true;
    uint64_t id = 0;
    std::optional<double> value;
    ProtobufMessage parts(field.bytes);
    for (ProtobufField part; parts.next(part);) {
      if (part.number == gpu_counter::kId) id = part.integer;
      if (part.number == gpu_counter::kInt) value = static_cast<double>(static_cast<int64_t>(part.integer));
      if (part.number == gpu_counter::kDouble) value = part.number_value();
    }
    if (!value || !packet.time || !is_time(*packet.time)) {
      into_.skip("skipped_event", "samples of GPU counters without a value or a usable time were left out");
      continue;
    }
    const auto found = names->find(id);
    const bool known = found != names->end();
    const int64_t device = known && found->second.gpu >= 0 ? found->second.gpu : gpu;
    const std::string name = known ? std::string(into_.text(found->second.name)) : "counter " + std::to_string(id);
    into_.add_counter(into_.tracks.counter_of("GPU " + std::to_string(device), name), *packet.time, *value);
  }
  if (!any) into_.metadata();
}

void GpuEvents::add_vulkan_call(std::string_view message, const PacketContext& packet) {
  const std::string_view submit = protobuf_bytes(message, vulkan_event::kQueueSubmit);
  if (submit.empty()) return into_.metadata();  // names of objects
  const auto duration = static_cast<int64_t>(protobuf_varint(submit, queue_submit::kDuration).value_or(0));
  if (!packet.time || !is_time(*packet.time) || duration < 0 || !is_time(duration)) {
    return into_.skip("skipped_event", "submissions without a usable time were left out");
  }
  NewSlice slice;
  slice.start = *packet.time;
  slice.duration = duration;
  slice.name = into_.name("vkQueueSubmit");
  slice.category = into_.name("vulkan");
  slice.track = into_.tracks.of_thread(static_cast<int64_t>(protobuf_varint(submit, queue_submit::kPid).value_or(0)),
                                       static_cast<int64_t>(protobuf_varint(submit, queue_submit::kTid).value_or(0)));
  slice.source = source_of(packet.place, texts_);
  arguments_.clear();
  const SliceIndex made = into_.add_slice(slice, SliceKind::runtime_call, arguments_);
  if (const auto submission = protobuf_varint(submit, queue_submit::kSubmission))
    vulkan_calls_.try_emplace(*submission, made);
}

void GpuEvents::add_info(std::string_view message) {
  into_.metadata();
  int32_t number = 0;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number != gpu_info::kGpus || !field.is_bytes() || run_.devices.size() >= kMostDevices) continue;
    Device device;
    device.id = number;
    ProtobufMessage facts(field.bytes);
    for (ProtobufField fact; facts.next(fact);) {
      if (fact.number == gpu::kName) device.name = valid_utf8(fact.bytes);
      if (fact.number == gpu::kVendor) device.vendor = valid_utf8(fact.bytes);
      if (fact.number != gpu::kExtraInfo) continue;
      const std::string_view key = protobuf_bytes(fact.bytes, key_value::kKey);
      const std::string_view value = protobuf_bytes(fact.bytes, key_value::kValue);
      // As the PyTorch profiler calls them.
      if (key == "numSms") device.sm_count = parse_number(value);
      if (key == "totalGlobalMem") device.memory_bytes = parse_number(value);
      if (key == "warpSize") device.warp_size = parse_number(value);
      if (key == "computeCapability") device.compute_capability = valid_utf8(value);
    }
    ++number;
    if (!field.bytes.empty()) run_.devices.push_back(std::move(device));  // else a number without a device
  }
}

void GpuEvents::finish() {
  for (const auto& [submission, op] : submitted_) {
    const auto call = vulkan_calls_.find(submission);
    if (call == vulkan_calls_.end()) continue;
    into_.join(call->second, op, static_cast<int64_t>(submission));
  }
}

}  // namespace cgpu::perfetto
