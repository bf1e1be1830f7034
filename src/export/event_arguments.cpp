#include "export/event_arguments.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "model/export_marks.h"
#include "model/transfer_list.h"

namespace cgpu {

namespace {

enum : size_t {
  kCorrelation,
  kDevice,
  kStream,
  kBytes,
  kCopyKind,
  kSourceMemory,
  kDestinationMemory,
  kCollectiveName,
  kGroupName,
  kGroupRanks,
  kElementType,
  kElementsIn,
  kElementsOut,
  kGroupSize,
  kSequence,
  kSourceRank,
  kDestinationRank,
  kTransferList,
  kAwaits,
  kAwaitsDevice,
  kAwaitsStream,
};
constexpr std::array<std::string_view, 21> kColumns{"correlation",
                                                    "device",
                                                    "stream",
                                                    "bytes",
                                                    "copy_kind",
                                                    "source_memory",
                                                    "destination_memory",
                                                    "Collective name",
                                                    "Process Group Name",
                                                    "Process Group Ranks",
                                                    "dtype",
                                                    "In msg nelems",
                                                    "Out msg nelems",
                                                    "Group size",
                                                    "Seq",
                                                    "Src Rank",
                                                    "Dst Rank",
                                                    "transfers",
                                                    "awaits",
                                                    "awaits_device",
                                                    "awaits_stream"};

}  // namespace

EventArguments::EventArguments(const Run& run, bool from_profile, Joined joined)
    : run_(run),
      reader_(from_profile ? run.arguments.get() : nullptr),
      op_of_(run.timeline.slices.size(), kNone),
      columns_(kColumns.size()) {
  const DeviceOps& ops = run.timeline.device_ops;
  for (uint32_t op = 0; op < ops.size(); ++op) op_of_[ops.slice[op]] = op;
  for (size_t i = 0; i < kColumns.size(); ++i) {
    columns_[i].number = reader_.number_of(std::string(kColumns[i]));
    columns_[i].renamed = std::string(kColumns[i]) + " (profile)";
    columns_[i].renamed_number = reader_.number_of(columns_[i].renamed);
  }
  is_more_.resize(run.timeline.slices.size());
  const std::vector<Collective>& collectives = run.timeline.collectives;
  for (size_t first = 0, end = 0; first < collectives.size(); first = end) {
    while (end < collectives.size() && collectives[end].slice == collectives[first].slice) ++end;
    collectives_.emplace(collectives[first].slice, std::span(collectives).subspan(first, end - first));
    is_more_[collectives[first].slice] = true;
  }
  for (const Synchronization& one : run.timeline.synchronizations) {
    waits_.emplace(one.slice, &one);
    is_more_[one.slice] = true;
  }
  if (joined == Joined::by_correlation) find_foreign_ids();
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
  if (id != kNoCorrelation && !is_foreign(slice)) add_number(kCorrelation, id);
  if (op != kNone) add_device_op(op);
  if (!is_more_[slice]) return arguments_;
  if (const auto found = collectives_.find(slice); found != collectives_.end()) {
    add_collectives(found->second);
  }
  if (const auto found = waits_.find(slice); found != waits_.end()) add_wait(*found->second);
  return arguments_;
}

void EventArguments::add_device_op(uint32_t op) {
  const DeviceOps& ops = run_.timeline.device_ops;
  add_number(kDevice, ops.device[op]);
  add_number(kStream, ops.stream[op]);
  if (ops.bytes[op] >= 0) add_number(kBytes, ops.bytes[op]);
  if (ops.copy[op] != CopyKind::none) add_text(kCopyKind, text_of(ops.copy[op]));
  if (ops.source[op] != MemoryKind::none) add_text(kSourceMemory, text_of(ops.source[op]));
  if (ops.destination[op] != MemoryKind::none) add_text(kDestinationMemory, text_of(ops.destination[op]));
}

void EventArguments::add_collectives(std::span<const Collective> of_op) {
  const StringPool& names = run_.timeline.names;
  const Collective& collective = of_op.front();
  const bool several = of_op.size() > 1 && is_transfer(collective);
  if (collective.name != 0 && !several) add_text(kCollectiveName, names[collective.name]);
  const bool by_ranks = std::any_of(arguments_.begin(), arguments_.end(), [&](const ArgumentView& argument) {
    return argument.number == columns_[kGroupRanks].number && argument.value == names[collective.group];
  });
  if (collective.group != 0 && !by_ranks) add_text(kGroupName, names[collective.group]);
  if (collective.type != 0) add_text(kElementType, names[collective.type]);
  if (several) {
    transfers_ = text_of_transfers(of_op);
    add_text(kTransferList, transfers_);
  } else {
    if (collective.elements_in >= 0) add_number(kElementsIn, collective.elements_in);
    if (collective.elements_out >= 0) add_number(kElementsOut, collective.elements_out);
  }
  if (collective.group_size >= 0) add_number(kGroupSize, collective.group_size);
  if (collective.sequence >= 0) add_number(kSequence, collective.sequence);
  if (several) return;
  if (collective.from >= 0) add_number(kSourceRank, collective.from);
  if (collective.to >= 0) add_number(kDestinationRank, collective.to);
}

void EventArguments::add_wait(const Synchronization& wait) {
  add_text(kAwaits, export_marks::kAwaited[static_cast<size_t>(wait.kind)]);
  if (wait.device >= 0) add_number(kAwaitsDevice, wait.device);
  if (wait.stream >= 0) add_number(kAwaitsStream, wait.stream);
}

void EventArguments::add_number(size_t which, int64_t value) {
  Column& column = columns_[which];
  const auto end = std::to_chars(column.digits.data(), column.digits.data() + column.digits.size(), value).ptr;
  add_column(which, {column.digits.data(), static_cast<size_t>(end - column.digits.data())}, true);
}

void EventArguments::add_text(size_t which, std::string_view value) {
  add_column(which, value, false);
}

void EventArguments::add_column(size_t which, std::string_view value, bool json) {
  const Column& column = columns_[which];
  for (ArgumentView& argument : arguments_) {
    if (argument.number != column.number) continue;
    if (argument.value == value) return;
    argument.number = column.renamed_number;
    argument.key = column.renamed;
  }
  arguments_.push_back({column.number, kColumns[which], value, json});
}

std::string_view written_category(const Category& category) {
  const std::string_view of_kind = export_marks::category_of(category.kind);
  if (!of_kind.empty()) return of_kind;
  return category.name.empty() || export_marks::kind_of(category.name) ? export_marks::kOtherCategory
                                                                       : std::string_view(category.name);
}

}  // namespace cgpu
