#include "export/event_arguments.h"

#include <algorithm>
#include <numeric>

namespace cgpu {

EventArguments::EventArguments(const Run& run, bool from_profile)
    : run_(run), source_(from_profile ? run.arguments.get() : nullptr), op_of_(run.timeline.slices.size(), kNone) {
  const DeviceOps& ops = run.timeline.device_ops;
  for (uint32_t op = 0; op < ops.size(); ++op) op_of_[ops.slice[op]] = op;
}

const std::vector<std::vector<Argument>>& EventArguments::of(std::span<const SliceIndex> slices) {
  group_.assign(slices.size(), {});
  if (source_ != nullptr) {
    const std::vector<uint64_t>& position = run_.timeline.slices.source;
    std::vector<uint32_t> order(slices.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return position[slices[a]] < position[slices[b]]; });
    for (const uint32_t i : order) group_[i] = source_->arguments(position[slices[i]]);
  }
  for (size_t i = 0; i < slices.size(); ++i) add_columns(slices[i], group_[i]);
  return group_;
}

void EventArguments::add_columns(SliceIndex slice, std::vector<Argument>& arguments) const {
  const auto add = [&](std::string_view key, int64_t value) {
    if (find_argument(arguments, key) == nullptr) arguments.push_back({std::string(key), std::to_string(value), true});
  };
  const Timeline& timeline = run_.timeline;
  if (timeline.slices.correlation[slice] != Slices::kNoCorrelation) {
    add("correlation", timeline.slices.correlation[slice]);
  }
  const uint32_t op = op_of_[slice];
  if (op == kNone) return;
  add("device", timeline.device_ops.device[op]);
  add("stream", timeline.device_ops.stream[op]);
  if (timeline.device_ops.bytes[op] >= 0) add("bytes", timeline.device_ops.bytes[op]);
}

const std::string* find_argument(const std::vector<Argument>& arguments, std::string_view key) {
  for (const Argument& argument : arguments) {
    if (argument.key == key) return &argument.value;
  }
  return nullptr;
}

std::string_view category_of(const Timeline& timeline, SliceIndex slice) {
  switch (timeline.kind(slice)) {
    case SliceKind::framework_op:
      return "cpu_op";
    case SliceKind::annotation:
      return "user_annotation";
    case SliceKind::python_function:
      return "python_function";
    case SliceKind::runtime_call:
      return "cuda_runtime";
    case SliceKind::driver_call:
      return "cuda_driver";
    case SliceKind::kernel:
    case SliceKind::device_collective:
      return "kernel";
    case SliceKind::memcpy:
      return "gpu_memcpy";
    case SliceKind::memset:
      return "gpu_memset";
    case SliceKind::device_annotation:
      return "gpu_user_annotation";
    case SliceKind::overhead:
      return "overhead";
    case SliceKind::synchronization:
      return "cuda_sync";
    case SliceKind::os_call:
    case SliceKind::profiler_span:
    case SliceKind::other:
      break;
  }
  return timeline.categories[timeline.slices.category[slice]].name;
}

}  // namespace cgpu
