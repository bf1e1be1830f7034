#include "readers/ascend/tables.h"

#include <optional>

#include "base/decimal.h"
#include "base/rule_lines.h"
#include "model/time_range.h"
#include "readers/ascend/names.h"
#include "readers/common/csv_table.h"
#include "readers/common/int32_or_none.h"

namespace cgpu::ascend {

namespace {

/// A table whose values may have blanks around them: times end in a tab.
class Table : public CsvTable {
 public:
  using CsvTable::CsvTable;

  std::string_view text(size_t column) const { return trim(CsvTable::text(column)); }
  std::optional<int64_t> integer(size_t column) const {
    const auto decimal = Decimal::parse(text(column));
    return decimal ? decimal->scaled(0) : std::nullopt;
  }
  /// Of a column in microseconds.
  std::optional<int64_t> nanoseconds(size_t column) const { return nanoseconds_from_microseconds(text(column)); }
  /// Of a column in KB or MB, which are powers of two: `unit` bytes.
  std::optional<int64_t> bytes(size_t column, int64_t unit) const {
    auto decimal = Decimal::parse(text(column));
    constexpr Int128 kMost = Int128{1} << 100;
    if (!decimal || decimal->digits > kMost || decimal->digits < -kMost) return std::nullopt;
    decimal->digits *= unit;
    return decimal->scaled(0);
  }
};

constexpr int64_t kKilobyte = 1024;
constexpr int64_t kMegabyte = 1024 * 1024;

/// "NPU:4".
int32_t device_of(std::string_view text) {
  const size_t colon = text.rfind(':');
  const auto decimal = Decimal::parse(colon == std::string_view::npos ? text : text.substr(colon + 1));
  const auto number = decimal ? decimal->scaled(0) : std::nullopt;
  return number && *number >= 0 && *number <= INT32_MAX ? static_cast<int32_t>(*number) : 0;
}

}  // namespace

bool is_kernel_list(std::string_view head) {
  const std::string_view header = head.substr(0, head.find('\n'));
  const auto has = [&](std::string_view name) { return header.find(name) != std::string_view::npos; };
  return (has("Accelerator Core") && has("Start Time(us)") && has("Duration(us)")) ||
         (has("Task Start Time") && has("Task Duration(us)"));
}

void read_kernel_list(TextSource& source, const Facts& facts, Assembler& assembler) {
  Table table(source);
  const size_t name = table.column({"Name", "Op Name"});
  const size_t type = table.column({"Accelerator Core", "Task Type"});
  const size_t start = table.column({"Start Time(us)", "Task Start Time(us)", "Task Start Time"});
  const size_t duration = table.column({"Duration(us)", "Task Duration(us)"});
  const size_t device = table.column({"Device_id", "Device ID"});
  const size_t stream = table.column({"Stream ID"});
  Run& run = assembler.run;
  while (!assembler.full() && table.next()) {
    ++run.events.read;
    const auto begin = table.nanoseconds(start);
    const auto length = table.nanoseconds(duration);
    int64_t end = 0;
    if (!begin || !length || __builtin_add_overflow(*begin, *length, &end)) {
      assembler.skip("skipped_event", "rows without a start and a duration were left out");
      continue;
    }
    const std::string_view text = table.text(name);
    const std::string_view core = table.text(type);
    const bool collective = core == "COMMUNICATION" || core == "HCCL" || is_communication_name(text);
    const SliceKind kind = collective ? SliceKind::device_collective : kind_of_task(core, text);
    DeviceOp op;
    op.device = int32_or_none(table.integer(device).value_or(facts.device.value_or(0)));
    const GroupLabel group = collective ? facts.group_of(text) : GroupLabel{};
    op.stream = collective ? assembler.stream_of_group(group.text) : table.integer(stream).value_or(-1);
    const TrackIndex track =
        collective ? assembler.group_track(op.device, group.text) : assembler.stream_track(op.device, op.stream);
    const SliceIndex slice =
        assembler.add_slice(*begin, end, assembler.category(core, kind), assembler.timeline.names.intern(text), track,
                            kNoCorrelation, kNoSource);
    if (slice == kNone || !is_device_op(kind)) continue;
    op.slice = slice;
    assembler.add_device_op(op);
    if (collective) assembler.add_collective(slice, {text, group, "", -1});
  }
  table.note_damage("the list of kernels", run.notes);
}

void read_memory_record(TextSource& source, Assembler& assembler) {
  Table table(source);
  const size_t component = table.column({"Component"});
  const size_t time = table.column({"Timestamp(us)"});
  const size_t allocated = table.column({"Total Allocated(MB)"});
  const size_t reserved = table.column({"Total Reserved(MB)"});
  const size_t device = table.column({"Device Type"});
  while (table.next()) {
    const auto at = table.nanoseconds(time);
    if (!at) {
      ++assembler.run.events.read;
      assembler.skip("skipped_event", "memory records without a time were left out");
      continue;
    }
    assembler.add_memory_record(std::string(table.text(component)), device_of(table.text(device)), *at,
                                table.bytes(allocated, kMegabyte), table.bytes(reserved, kMegabyte));
  }
  table.note_damage("memory_record.csv", assembler.run.notes);
}

void read_operator_memory(TextSource& source, Assembler& assembler) {
  Table table(source);
  const size_t size = table.column({"Size(KB)"});
  const size_t device = table.column({"Device Type"});
  struct Half {
    size_t time;
    size_t allocated;
    size_t reserved;
    int sign;
  };
  const Half halves[] = {{table.column({"Allocation Time(us)"}), table.column({"Allocation Total Allocated(MB)"}),
                          table.column({"Allocation Total Reserved(MB)"}), 1},
                         {table.column({"Release Time(us)"}), table.column({"Release Total Allocated(MB)"}),
                          table.column({"Release Total Reserved(MB)"}), -1}};
  Run& run = assembler.run;
  while (table.next()) {
    const auto bytes = table.bytes(size, kKilobyte);
    for (const Half& half : halves) {
      const auto time = table.nanoseconds(half.time);
      if (!time || !bytes || !is_time(*time) || *bytes < 0) continue;  // still in use, or from before
      ++run.events.read;
      ++run.events.memory;
      run.timeline.memory.push_back({*time, half.sign * *bytes, table.bytes(half.allocated, kMegabyte).value_or(-1),
                                     table.bytes(half.reserved, kMegabyte).value_or(-1),
                                     device_of(table.text(device))});
    }
  }
  table.note_damage("operator_memory.csv", run.notes);
}

}  // namespace cgpu::ascend
