#include "export/event_arguments.h"

#include <charconv>
#include <string>

namespace cgpu {

namespace {

enum : size_t { kCorrelation, kDevice, kStream, kBytes };
constexpr std::array<std::string_view, 4> kColumns{"correlation", "device", "stream", "bytes"};

}  // namespace

EventArguments::EventArguments(const Run& run, bool from_profile)
    : run_(run), reader_(from_profile ? run.arguments.get() : nullptr), op_of_(run.timeline.slices.size(), kNone) {
  const DeviceOps& ops = run.timeline.device_ops;
  for (uint32_t op = 0; op < ops.size(); ++op) op_of_[ops.slice[op]] = op;
  for (size_t i = 0; i < kColumns.size(); ++i) columns_[i].number = reader_.number_of(std::string(kColumns[i]));
  find_foreign_ids();
}

void EventArguments::find_foreign_ids() {
  const Timeline& timeline = run_.timeline;
  const Slices& slices = timeline.slices;
  std::unordered_set<int64_t> orphans;
  for (const SliceIndex op : timeline.device_ops.slice) {
    if (slices.launch[op] == kNone && slices.correlation[op] != kNoCorrelation) {
      orphans.insert(slices.correlation[op]);
    }
  }
  if (orphans.empty()) return;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_call(timeline.kind(slice)) || !orphans.contains(slices.correlation[slice])) continue;
    foreign_ids_.insert(slices.correlation[slice]);
  }
}

std::span<const ArgumentView> EventArguments::with_columns(SliceIndex slice, std::span<const ArgumentView> arguments) {
  arguments_.assign(arguments.begin(), arguments.end());
  const Timeline& timeline = run_.timeline;
  const uint32_t op = op_of_[slice];
  const int64_t id = timeline.slices.correlation[slice];
  const bool foreign = op != kNone && timeline.slices.launch[slice] == kNone && foreign_ids_.contains(id);
  if (id != kNoCorrelation && !foreign) add_column(kCorrelation, id);
  if (op == kNone) return arguments_;
  add_column(kDevice, timeline.device_ops.device[op]);
  add_column(kStream, timeline.device_ops.stream[op]);
  if (timeline.device_ops.bytes[op] >= 0) add_column(kBytes, timeline.device_ops.bytes[op]);
  return arguments_;
}

void EventArguments::add_column(size_t which, int64_t value) {
  Column& column = columns_[which];
  for (const ArgumentView& argument : arguments_) {
    if (argument.number == column.number) return;
  }
  const auto end = std::to_chars(column.digits.data(), column.digits.data() + column.digits.size(), value).ptr;
  const auto size = static_cast<size_t>(end - column.digits.data());
  arguments_.push_back({column.number, kColumns[which], {column.digits.data(), size}, true});
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
