#include "readers/rocprof/csv_files.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/json_text.h"
#include "base/memory_text.h"
#include "base/parse_number.h"
#include "base/rule_lines.h"
#include "readers/common/csv_table.h"

namespace cgpu::rocprof {

namespace {

class CsvFile {
 public:
  CsvFile(TextSource& source, Assembler& assembler) : table_(source), into_(assembler), run_(assembler.run) {}

  void read(CsvKind kind) {
    start_ = table_.column({"Start_Timestamp", "BeginNs"});
    end_ = table_.column({"End_Timestamp", "EndNs"});
    process_ = table_.column({"Process_Id", "PID", "pid"});
    correlation_ = table_.column({"Correlation_Id", "Correlation_ID"});
    grid_ = table_.column({"Grid_Size", "grd"});
    workgroup_ = table_.column({"Workgroup_Size", "wgp"});
    switch (kind) {
      case CsvKind::agents:
        return read_agents();
      case CsvKind::calls:
        return read_calls();
      case CsvKind::kernels:
        return read_kernels();
      case CsvKind::copies:
        return read_copies();
      case CsvKind::counters:
        return read_counters();
      case CsvKind::launches:
        return read_launches();
      default:
        break;
    }
  }
  void note_damage(const std::string& file) const { table_.note_damage(file, run_.notes); }

 private:
  std::string_view text(size_t column) const { return table_.text(column); }
  /// A whole number that is written as one.
  std::optional<int64_t> integer(size_t column) const { return parse_number(text(column)); }
  std::optional<double> number(size_t column) const { return parse_number<double>(text(column)); }
  /// The number of an agent: 4, or "Agent 4".
  std::optional<int32_t> agent_number(size_t column) const {
    const std::string_view words = text(column);
    const auto value = parse_number<int32_t>(words.substr(words.rfind(' ') + 1));
    return value && *value >= 0 ? value : std::nullopt;
  }

  /// Reads the times and ids of the record; skips one without.
  bool event(Event& event) {
    ++run_.events.read;
    const auto start = integer(start_);
    const auto end = integer(end_);
    if (!start || !end) {
      into_.skip("skipped_event", "rows without a start and an end were left out");
      return false;
    }
    event.start = *start;
    event.end = *end;
    event.process = text(process_);
    event.correlation = integer(correlation_).value_or(0);
    return true;
  }

  void read_agents() {
    const size_t id = table_.column({"Logical_Node_Id", "Node_Id"});
    const size_t type = table_.column({"Agent_Type"});
    const size_t name = table_.column({"Product_Name"});
    const size_t code_name = table_.column({"Name"});
    const size_t vendor = table_.column({"Vendor_Name"});
    const size_t units = table_.column({"Cu_Count"});
    const size_t wave = table_.column({"Wave_Front_Size"});
    while (table_.next()) {
      ++run_.events.read;
      ++run_.events.metadata;
      const auto number = agent_number(id);
      if (!number || text(type) != "GPU" || run_.devices.size() >= kMostDevices) continue;
      Device device;
      device.id = *number;
      device.name = valid_utf8(text(text(name).empty() ? code_name : name));
      device.vendor = valid_utf8(text(vendor));
      device.sm_count = integer(units);
      device.warp_size = integer(wave);
      run_.devices.push_back(std::move(device));
    }
  }

  void read_calls() {
    const size_t domain = table_.column({"Domain"});
    const size_t function = table_.column({"Function"});
    const size_t thread = table_.column({"Thread_Id"});
    for (Event call; table_.next();) {
      if (!event(call)) continue;
      into_.add_call(call, text(domain), into_.name(text(function)), valid_utf8(text(thread)));
    }
  }

  void read_kernels() {
    const size_t name = table_.column({"Kernel_Name"});
    const size_t agent = table_.column({"Agent_Id"});
    const size_t queue = table_.column({"Queue_Id"});
    const size_t stream = table_.column({"Stream_Id"});
    const auto columns = [&](std::string_view of) {
      std::array<size_t, 3> found{};
      for (size_t axis = 0; axis < found.size(); ++axis) found[axis] = table_.column({std::string(of) + "XYZ"[axis]});
      return found;
    };
    const std::array<size_t, 3> items = columns("Grid_Size_");
    const std::array<size_t, 3> items_of_block = columns("Workgroup_Size_");
    const auto sizes = [&](const std::array<size_t, 3>& of) {
      return std::array{integer(of[0]).value_or(0), integer(of[1]).value_or(0), integer(of[2]).value_or(0)};
    };
    for (Event kernel; table_.next();) {
      if (!event(kernel)) continue;
      into_.add_kernel(kernel, into_.name(kernel_name(text(name))),
                       {agent_number(agent).value_or(0), integer(queue).value_or(-1), integer(stream).value_or(-1)},
                       sizes_of_items(sizes(items), sizes(items_of_block)));
    }
  }

  void read_copies() {
    const size_t direction = table_.column({"Direction"});
    const size_t source = table_.column({"Source_Agent_Id"});
    const size_t destination = table_.column({"Destination_Agent_Id"});
    const size_t stream = table_.column({"Stream_Id"});
    for (Event copy; table_.next();) {
      if (!event(copy)) continue;
      into_.add_copy(copy, valid_utf8(text(direction)), agent_number(source).value_or(0),
                     agent_number(destination).value_or(0), integer(stream).value_or(-1), -1);
    }
  }

  /// What both kinds of counter files say of a launch.
  CountedLaunch counted(size_t dispatch, size_t name, size_t agent, size_t queue, size_t registers, size_t shared) {
    CountedLaunch launch;
    launch.process = text(process_);
    launch.dispatch = integer(dispatch).value_or(-1);
    launch.kernel = text(name);
    launch.device = agent_number(agent);
    launch.queue = integer(queue);
    launch.registers = integer(registers);
    launch.shared_bytes = integer(shared);
    const auto start = integer(start_);
    const auto end = integer(end_);
    if (start && end) launch.set_duration(*start, *end);
    if (!text(start_).empty() && !start) {
      run_.notes.add("invalid_number", 1, "launches whose times are rounded or no numbers have no duration");
    }
    return launch;
  }

  /// Sizes that are products of their dimensions.
  void add_geometry(ProfiledLaunch& launch) {
    if (!launch.metrics.empty()) return;
    for (const auto& [name, column] : {std::pair("Grid_Size", grid_), std::pair("Workgroup_Size", workgroup_)}) {
      if (const auto value = number(column)) into_.add_counter(launch, "launch", name, *value);
    }
  }

  void read_counters() {
    const size_t dispatch = table_.column({"Dispatch_Id"});
    const size_t kernel = table_.column({"Kernel_Name"});
    const size_t agent = table_.column({"Agent_Id"});
    const size_t queue = table_.column({"Queue_Id"});
    const size_t registers = table_.column({"VGPR_Count"});
    const size_t shared = table_.column({"LDS_Block_Size"});
    const size_t name = table_.column({"Counter_Name"});
    const size_t value = table_.column({"Counter_Value"});
    while (table_.next()) {
      ++run_.events.read;
      const auto counted_value = number(value);
      if (!counted_value || !integer(dispatch)) {
        into_.skip("skipped_event", "rows without a launch and a value were left out");
        continue;
      }
      ++run_.events.counters;
      ProfiledLaunch& launch = into_.launch(counted(dispatch, kernel, agent, queue, registers, shared));
      add_geometry(launch);
      into_.add_counter(launch, "counters", text(name), *counted_value);
    }
  }

  /// A column that says what was launched and when, not what was counted.
  static bool is_fact(std::string_view column) {
    // Files that were joined have columns twice, numbered.
    const size_t number = column.rfind('_');
    if (number != std::string_view::npos && is_digits(column.substr(number + 1))) column = column.substr(0, number);
    std::string_view facts =
        "Dispatch_ID Kernel_Name GPU_ID queue-id Queue_ID queue-index pid PID tid TID Grid_Size "
        "Workgroup_Size LDS_Per_Workgroup Scratch_Per_Workitem Arch_VGPR Accum_VGPR SGPR wave_size Wave_Size "
        "sig obj DispatchNs Start_Timestamp End_Timestamp CompleteNs Correlation_ID XCC_Index Index "
        "KernelName gpu-id grd wgp lds scr arch_vgpr accum_vgpr sgpr BeginNs EndNs DurationNs Node_ID "
        "Queue_Index";
    while (!facts.empty()) {
      if (take_word(facts) == column) return true;
    }
    return false;
  }

  void read_launches() {
    const size_t dispatch = table_.column({"Dispatch_ID", "Index"});
    const size_t kernel = table_.column({"Kernel_Name", "KernelName"});
    const size_t agent = table_.column({"GPU_ID", "gpu-id"});
    const size_t queue = table_.column({"Queue_ID", "queue-id"});
    const size_t registers = table_.column({"Arch_VGPR", "arch_vgpr"});
    const size_t shared = table_.column({"LDS_Per_Workgroup", "lds"});
    std::vector<std::pair<size_t, std::string>> counters;
    for (size_t i = 0; i < table_.header().size(); ++i) {
      if (!is_fact(table_.header()[i])) counters.emplace_back(i, table_.header()[i]);
    }
    while (table_.next()) {
      ++run_.events.read;
      if (!integer(dispatch) || text(kernel).empty()) {
        into_.skip("skipped_event", "rows without a launch and its kernel were left out");
        continue;
      }
      ++run_.events.counters;
      ProfiledLaunch& launch = into_.launch(counted(dispatch, kernel, agent, queue, registers, shared));
      add_geometry(launch);
      for (const auto& [column, name] : counters) {
        if (column >= table_.fields()) break;
        if (const auto value = number(column)) into_.add_counter(launch, "counters", name, *value);
      }
    }
  }

  CsvTable table_;
  Assembler& into_;
  Run& run_;
  size_t start_ = CsvTable::kAbsent;
  size_t end_ = CsvTable::kAbsent;
  size_t process_ = CsvTable::kAbsent;
  size_t correlation_ = CsvTable::kAbsent;
  size_t grid_ = CsvTable::kAbsent;
  size_t workgroup_ = CsvTable::kAbsent;
};

}  // namespace

CsvKind csv_kind_of(std::string_view head) {
  MemoryText text(head);
  const CsvTable table(text);
  const bool timed = table.has({"Start_Timestamp", "End_Timestamp"});
  if (table.has({"Domain", "Function"}) && timed) return CsvKind::calls;
  if (table.has({"Kind", "Kernel_Name", "Correlation_Id"}) && timed) return CsvKind::kernels;
  if (table.has({"Direction", "Source_Agent_Id"}) && timed) return CsvKind::copies;
  if (table.has({"Dispatch_Id", "Counter_Name", "Counter_Value"})) return CsvKind::counters;
  if (table.has({"Dispatch_ID", "Kernel_Name", "GPU_ID"})) return CsvKind::launches;
  if (table.has({"Index", "KernelName", "gpu-id"})) return CsvKind::launches;
  if (table.has({"Node_Id", "Agent_Type", "Vendor_Name"})) return CsvKind::agents;
  if (table.has({"Name", "Calls", "TotalDurationNs", "Percentage"})) return CsvKind::statistics;
  if (table.has({"Kind", "Operation", "Agent_Id", "Allocation_Size"})) return CsvKind::allocations;
  return CsvKind::none;
}

void read_csv(TextSource& source, CsvKind kind, const std::string& file, Assembler& assembler) {
  CsvFile csv(source, assembler);
  csv.read(kind);
  csv.note_damage(file);
}

}  // namespace cgpu::rocprof
