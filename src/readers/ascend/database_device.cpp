#include <array>
#include <unordered_set>

#include "base/to_size.h"
#include "readers/ascend/database.h"
#include "readers/ascend/names.h"
#include "readers/common/int32_or_none.h"

namespace cgpu::ascend {

namespace {

/// What other tables say of a device task, by its global id.
struct TaskFacts {
  int64_t name = -1;  // ids of texts
  int64_t core = -1;
};

struct CopyFacts {
  int64_t bytes = -1;
  CopyKind kind = CopyKind::unknown;
};

class TaskReader {
 public:
  explicit TaskReader(DatabaseReader& reader) : reader_(reader), assembler_(reader.assembler) {
    reader.each("COMPUTE_TASK_INFO", {"globalTaskId", "name", "taskType"}, [&](sqlite::Scan& row) {
      computing_[row.integer(0)] = {row.integer(1), row.integer(2)};
    });
    reader.each("COMMUNICATION_TASK_INFO", {"globalTaskId", "opId"},
                [&](sqlite::Scan& row) { op_of_task_.emplace(row.integer(0), row.integer(1)); });
    reader.each("COMMUNICATION_SCHEDULE_TASK_INFO", {"globalTaskId", "name"},
                [&](sqlite::Scan& row) { scheduling_.emplace(row.integer(0), row.integer(1)); });
    reader.each("MEMCPY_INFO", {"globalTaskId", "size", "memcpyOperation"}, [&](sqlite::Scan& row) {
      copies_[row.integer(0)] = {row.is_null(1) ? -1 : row.integer(1),
                                 copy_kind_of(reader.texts.enumerated("ENUM_MEMCPY_OPERATION", row.integer(2)))};
    });
  }

  void read_tasks() {
    reader_.each_event("TASK", {"startNs", "endNs", "deviceId", "streamId", "connectionId", "globalTaskId", "taskType"},
                       [&](sqlite::Scan& row) { read_task(row); });
  }

  void read_collectives() {
    reader_.each_event("COMMUNICATION_OP",
                       {"startNs", "endNs", "opName", "connectionId", "groupName", "opId", "dataType", "count",
                        "deviceId", "rankSize"},
                       [&](sqlite::Scan& row) { read_collective(row); });
  }

 private:
  struct Place {
    int32_t device = 0;
    int64_t stream = -1;
  };

  void read_task(sqlite::Scan& row) {
    enum { kStart, kEnd, kDevice, kStream, kConnection, kTask, kType };
    const Place place{int32_or_none(row.integer(kDevice)), row.integer(kStream)};
    const int64_t task = row.integer(kTask);
    const std::string_view type = reader_.texts.text(row.integer(kType));
    std::string_view name = type;
    std::string_view core = type;
    SliceKind kind = kind_of_task(type, "");
    const auto info = computing_.find(task);
    const auto part = op_of_task_.find(task);
    if (info != computing_.end()) {
      name = reader_.texts.text(info->second.name);
      core = reader_.texts.text(info->second.core);
      kind = schedules_communication(name) ? SliceKind::other : SliceKind::kernel;
    } else if (part != op_of_task_.end()) {  // counted with its collective
      place_of_op_.try_emplace(part->second, place);
      if (is_device_op(kind)) kind = SliceKind::other;
    } else if (const auto schedule = scheduling_.find(task); schedule != scheduling_.end()) {
      name = reader_.texts.text(schedule->second);
      kind = SliceKind::other;
    } else if (kind == SliceKind::kernel && !computing_.empty()) {
      kind = SliceKind::other;  // the wrapper of tasks that are listed themselves
    }
    if (!any_place_) any_place_ = place;
    const SliceIndex slice =
        reader_.add_slice(row, assembler_.category(core, kind), name,
                          assembler_.stream_track(place.device, place.stream), connection(row, kConnection));
    if (slice == kNone) return;
    if (kind == SliceKind::synchronization) {
      assembler_.add_synchronization(slice, type, name, place.device, place.stream);
    }
    if (!is_device_op(kind)) return;
    DeviceOp op;
    op.slice = slice;
    op.device = place.device;
    op.stream = place.stream;
    if (kind == SliceKind::memset) op.copy = CopyKind::memset;
    if (kind == SliceKind::memcpy) op.copy = CopyKind::unknown;
    if (const auto copy = copies_.find(task); copy != copies_.end() && kind != SliceKind::kernel) {
      op.bytes = copy->second.bytes;
      if (kind == SliceKind::memcpy) op.copy = copy->second.kind;
    }
    assembler_.add_device_op(op);
  }

  void read_collective(sqlite::Scan& row) {
    enum { kStart, kEnd, kName, kConnection, kGroup, kOp, kDataType, kCount, kDevice, kRanks };
    const std::string_view name = reader_.texts.text(row.integer(kName));
    GroupLabel group;
    if (row.is_text(kGroup)) {
      group = reader_.facts.label_of_id(group_id(row.text(kGroup)));
    } else if (!row.is_null(kGroup) && !reader_.texts.text(row.integer(kGroup)).empty()) {
      group = reader_.facts.label_of_id(group_id(reader_.texts.text(row.integer(kGroup))));
    } else {
      group = reader_.facts.group_of(name);
    }
    if (group.size < 0 && row.integer(kRanks) > 0 && row.integer(kRanks) < INT32_MAX) {
      group.size = static_cast<int32_t>(row.integer(kRanks));
    }
    const auto tasks = place_of_op_.find(row.integer(kOp));
    Place place = tasks != place_of_op_.end() ? tasks->second : any_place_.value_or(Place{});
    if (tasks == place_of_op_.end()) place.stream = assembler_.stream_of_group(group.text);
    if (!row.is_null(kDevice)) place.device = int32_or_none(row.integer(kDevice));
    const SliceIndex slice =
        reader_.add_slice(row, assembler_.category("communication", SliceKind::device_collective), name,
                          assembler_.group_track(place.device, group.text), connection(row, kConnection));
    if (slice == kNone) return;
    DeviceOp op;
    op.slice = slice;
    op.device = place.device;
    op.stream = place.stream;
    assembler_.add_device_op(op);
    const std::string type(reader_.texts.enumerated("ENUM_HCCL_DATA_TYPE", row.integer(kDataType)));
    assembler_.add_collective(slice, {name, group, type, row.is_null(kCount) ? -1 : row.integer(kCount)});
  }

  static int64_t connection(const sqlite::Scan& row, int column) {
    return row.is_null(column) ? kNoCorrelation : row.integer(column);
  }

  DatabaseReader& reader_;
  Assembler& assembler_;
  std::unordered_map<int64_t, TaskFacts> computing_;
  std::unordered_map<int64_t, int64_t> op_of_task_;
  std::unordered_map<int64_t, int64_t> scheduling_;
  std::unordered_map<int64_t, CopyFacts> copies_;
  std::unordered_map<int64_t, Place> place_of_op_;
  std::optional<Place> any_place_;
};

/// What the profiler derived: kept, but nothing of ours is computed from it.
void read_overlap(DatabaseReader& reader) {
  const uint16_t category = reader.assembler.category("overlap analysis", SliceKind::other);
  reader.each_event("OVERLAP_ANALYSIS", {"startNs", "endNs", "deviceId", "type"}, [&](sqlite::Scan& row) {
    enum { kStart, kEnd, kDevice, kType };
    static constexpr std::array kNames = {"Computing", "Communication", "Communication(Not Overlapped)", "Free"};
    const auto type = static_cast<uint64_t>(row.integer(kType));
    const char* name = type < kNames.size() ? kNames[to_size(type)] : "unknown";
    const auto device = int32_or_none(row.integer(kDevice));
    reader.add_slice(
        row, category, name,
        reader.assembler.track(TrackKind::other, "Overlap Analysis of NPU " + std::to_string(device), name));
  });
}

}  // namespace

void read_device_tables(DatabaseReader& reader) {
  TaskReader tasks(reader);
  tasks.read_tasks();
  tasks.read_collectives();
  read_overlap(reader);
}

}  // namespace cgpu::ascend
