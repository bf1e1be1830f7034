#include "readers/rocprof/databases.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/json_text.h"
#include "readers/common/event_tables.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/database_input.h"
#include "readers/common/sqlite/each_row.h"

namespace cgpu::rocprof {

namespace {

using sqlite::Scan;

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";
constexpr std::string_view kRegions = "rocpd_region";
/// The table of kernels of rocprof v1.
const std::string kKernels = "KERN";

bool has_tables_of_rocpd(const sqlite::Database& database) {
  return std::any_of(database.tables().begin(), database.tables().end(), [](const auto& table) {
    return table.first.starts_with(kDispatches) || table.first.starts_with(kRegions);
  });
}

bool has_tables_of_v1(const sqlite::Database& database) {
  return database.has_column(kKernels, "KernelName") && database.has_column(kKernels, "BeginNs");
}

/// A table's number, or -1 where it is null.
int64_t number_or_none(const Scan& scan, int column) {
  return scan.is_null(column) ? -1 : scan.integer(column);
}

/// What one process recorded: the tables with one guid at the end of their names. Numbers of rows are its own.
class GuidReader {
 public:
  GuidReader(sqlite::Database& database, std::string guid, Assembler& into)
      : database_(database), guid_(std::move(guid)), into_(into), run_(into.run) {}

  void read() {
    into_.begin_process(guid_);
    read_names();
    read_events();
    read_counters();
    // Calls come before what they launch.
    read_regions();
    read_kernels();
    read_copies();
    count_unread("rocpd_memory_allocate", "allocations are not read");
    count_unread("rocpd_sample", "samples are not read");
  }

 private:
  struct Event {
    StringId category = 0;
    int64_t stack = 0;
    StringId message = 0;  // of a mark of the program
  };
  struct Agent {
    int32_t device = 0;
    bool gpu = false;
  };

  template <typename Row>
  void each(std::string_view table, const std::vector<std::string>& columns, Row row) {
    each_row(database_, std::string(table) + guid_, columns, run_.notes, row);
  }

  void read_names() {
    each("rocpd_string", {"id", "string"}, [&](Scan& row) { strings_[row.integer(0)] = into_.name(row.text(1)); });
    each("rocpd_info_node", {"hostname"}, [&](Scan& row) {
      if (run_.host.empty()) run_.host = valid_utf8(row.text(0));
    });
    each("rocpd_info_process", {"id", "pid"}, [&](Scan& row) { processes_[row.integer(0)] = row.integer(1); });
    each("rocpd_info_thread", {"id", "tid"}, [&](Scan& row) { threads_[row.integer(0)] = row.integer(1); });
    each("rocpd_info_agent", {"id", "type", "type_index", "product_name", "name", "vendor_name"}, [&](Scan& row) {
      if (agents_.size() >= kMostDevices) return;
      Agent& agent = agents_[row.integer(0)];
      agent.gpu = row.text(1) == "GPU";
      const int64_t index = row.integer(2);
      agent.device = index >= 0 && index < INT32_MAX ? static_cast<int32_t>(index) : 0;
      if (agent.gpu) add_device(agent.device, row);
    });
    each("rocpd_info_kernel_symbol", {"id", "display_name", "kernel_name"}, [&](Scan& row) {
      const int column = row.is_null(1) || row.text(1).empty() ? 2 : 1;
      kernels_[row.integer(0)] = into_.name(kernel_name(row.text(column)));
    });
  }

  void add_device(int32_t id, Scan& row) {
    const bool known =
        std::any_of(run_.devices.begin(), run_.devices.end(), [&](const Device& other) { return other.id == id; });
    if (known) return;
    Device device;
    device.id = id;
    device.name = valid_utf8(row.text(3));
    if (device.name.empty()) device.name = valid_utf8(row.text(4));
    device.vendor = valid_utf8(row.text(5));
    run_.devices.push_back(std::move(device));
  }

  void read_events() {
    each("rocpd_event", {"id", "category_id", "stack_id", "extdata"}, [&](Scan& row) {
      Event& event = events_[row.integer(0)];
      event.category = text(row.integer(1));
      event.stack = row.integer(2);
      if (is_mark(event)) event.message = message_of(row.text(3));
    });
  }

  bool is_mark(const Event& event) const { return run_.timeline.names[event.category].starts_with("MARKER"); }

  /// What the program called a mark: {"message":"step 1"}; 0 where there is nothing.
  StringId message_of(std::string_view extdata) {
    constexpr std::string_view kKey = "\"message\"";
    const size_t key = extdata.find(kKey);
    if (key == std::string_view::npos) return 0;
    std::string_view value = trim_json(extdata.substr(key + kKey.size()));
    if (!value.starts_with(':')) return 0;
    value = trim_json(value.substr(1));
    if (!value.starts_with('"')) return 0;
    size_t end = 1;
    while (end < value.size() && value[end] != '"') end += value[end] == '\\' ? 2 : 1;
    return end < value.size() ? into_.name(unescape_json(value.substr(1, end - 1))) : 0;
  }

  void read_counters() {
    std::unordered_map<int64_t, std::string> names;
    each("rocpd_info_pmc", {"id", "symbol", "name"}, [&](Scan& row) {
      const int column = row.is_null(2) || row.text(2).empty() ? 1 : 2;
      names[row.integer(0)] = std::string(row.text(column));
    });
    each("rocpd_pmc_event", {"event_id", "pmc_id", "value"}, [&](Scan& row) {
      ++run_.events.read;
      ++run_.events.counters;
      const auto name = names.find(row.integer(1));
      counters_[row.integer(0)].emplace_back(
          name == names.end() ? "counter " + std::to_string(row.integer(1)) : name->second, row.real(2));
    });
  }

  void read_regions() {
    each(kRegions, {"start", "end", "name_id", "pid", "tid", "event_id"}, [&](Scan& row) {
      const auto event = events_.find(row.integer(5));
      const Event what = event == events_.end() ? Event() : event->second;
      rocprof::Event call;
      if (!begin(row, 0, 3, row.integer(5), call)) return;
      const StringId name = what.message != 0 ? what.message : text(row.integer(2));
      into_.add_call(call, run_.timeline.names[what.category], name, std::to_string(known(threads_, row.integer(4))));
    });
  }

  void read_kernels() {
    each(kDispatches,
         {"start", "end", "pid", "agent_id", "kernel_id", "queue_id", "stream_id", "event_id", "dispatch_id",
          "grid_size_x", "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z"},
         [&](Scan& row) {
           rocprof::Event kernel;
           if (!begin(row, 0, 2, row.integer(7), kernel)) return;
           const auto symbol = kernels_.find(row.integer(4));
           const StringId name =
               symbol == kernels_.end() ? into_.name("kernel " + std::to_string(row.integer(4))) : symbol->second;
           const Place place{agent(row.integer(3)).device, number_or_none(row, 5), number_or_none(row, 6)};
           const auto sizes = sizes_of_items({row.integer(9), row.integer(10), row.integer(11)},
                                             {row.integer(12), row.integer(13), row.integer(14)});
           into_.add_kernel(kernel, name, place, sizes);
           if (const auto counted = counters_.find(row.integer(7)); counted != counters_.end()) {
             add_counters(row.integer(8), kernel, name, place, sizes, counted->second);
           }
         });
  }

  using Counters = std::vector<std::pair<std::string, double>>;
  void add_counters(int64_t dispatch, const rocprof::Event& kernel, StringId name, const Place& place,
                    const std::optional<LaunchSizes>& sizes, const Counters& counters) {
    CountedLaunch launch;
    launch.process = kernel.process;
    launch.dispatch = dispatch;
    launch.kernel = run_.timeline.names[name];
    launch.device = place.device;
    launch.queue = place.queue;
    launch.set_duration(kernel.start, kernel.end);
    launch.sizes = sizes;
    ProfiledLaunch& made = into_.launch(launch);
    for (const auto& [counter, value] : counters) into_.add_counter(made, "counters", counter, value);
  }

  void read_copies() {
    each("rocpd_memory_copy", {"start", "end", "pid", "src_agent_id", "dst_agent_id", "size", "stream_id", "event_id"},
         [&](Scan& row) {
           rocprof::Event copy;
           if (!begin(row, 0, 2, row.integer(7), copy)) return;
           const Agent from = agent(row.integer(3));
           const Agent to = agent(row.integer(4));
           const std::string direction =
               std::string(from.gpu ? "DEVICE" : "HOST") + "_TO_" + (to.gpu ? "DEVICE" : "HOST");
           into_.add_copy(copy, direction, from.device, to.device, number_or_none(row, 6), number_or_none(row, 5));
         });
  }

  /// Time, process and correlation of a row whose start and end are in the columns from `start` on.
  bool begin(const Scan& row, int start, int process, int64_t event_id, rocprof::Event& event) {
    ++run_.events.read;
    if (!row.is_number(start) || !row.is_number(start + 1)) {
      into_.skip("skipped_event", "records without a start and an end were left out");
      return false;
    }
    event.start = row.integer(start);
    event.end = row.integer(start + 1);
    event.process = std::to_string(known(processes_, row.integer(process)));
    const auto found = events_.find(event_id);
    event.correlation = found == events_.end() ? 0 : found->second.stack;
    return true;
  }

  void count_unread(std::string_view table, const char* why) {
    each(table, {"id"}, [&](Scan&) {
      ++run_.events.read;
      into_.skip("skipped_event", why);
    });
  }

  Agent agent(int64_t id) const {
    const auto at = agents_.find(id);
    return at == agents_.end() ? Agent() : at->second;
  }
  StringId text(int64_t id) const {
    const auto at = strings_.find(id);
    return at == strings_.end() ? 0 : at->second;
  }
  static int64_t known(const std::unordered_map<int64_t, int64_t>& numbers, int64_t id) {
    const auto at = numbers.find(id);
    return at == numbers.end() ? id : at->second;
  }

  sqlite::Database& database_;
  std::string guid_;  // with the underscore before it
  Assembler& into_;
  Run& run_;
  std::unordered_map<int64_t, StringId> strings_;
  std::unordered_map<int64_t, StringId> kernels_;
  std::unordered_map<int64_t, int64_t> processes_;  // the system's numbers
  std::unordered_map<int64_t, int64_t> threads_;
  std::unordered_map<int64_t, Agent> agents_;
  std::unordered_map<int64_t, Event> events_;
  std::unordered_map<int64_t, Counters> counters_;  // of an event
};

/// The guids of the database, each with the underscore before it; "" for tables without.
std::vector<std::string> guids_of(const sqlite::Database& database) {
  std::vector<std::string> guids;
  for (const auto& [table, columns] : database.tables()) {
    for (const std::string_view begin : {kDispatches, kRegions}) {
      if (table.starts_with(begin)) guids.push_back(table.substr(begin.size()));
    }
  }
  std::sort(guids.begin(), guids.end());
  guids.erase(std::unique(guids.begin(), guids.end()), guids.end());
  return guids;
}

void read_v1(sqlite::Database& database, Assembler& into) {
  Run& run = into.run;
  each_row(database, kKernels, {"KernelName", "gpu-id", "queue-id", "pid", "BeginNs", "EndNs"}, run.notes,
           [&](Scan& row) {
             ++run.events.read;
             if (!row.is_number(4) || !row.is_number(5)) {
               return into.skip("skipped_event", "records without a start and an end were left out");
             }
             std::string_view name = row.text(0);
             if (name.size() >= 2 && name.starts_with('"') && name.ends_with('"')) {
               name = name.substr(1, name.size() - 2);
             }
             const int64_t device = row.integer(1);
             const bool small = device >= 0 && device < INT32_MAX;
             into.add_kernel({row.integer(4), row.integer(5), std::to_string(row.integer(3)), 0},
                             into.name(kernel_name(name)),
                             {small ? static_cast<int32_t>(device) : 0, number_or_none(row, 2), -1});
           });
  std::string unread;
  for (const auto& [table, columns] : database.tables()) {
    if (table != kKernels && database.has_rows(table)) unread += (unread.empty() ? "" : ", ") + table;
  }
  if (!unread.empty()) {
    run.notes.add("unread_table", 1, "tables of rocprof v1 that are not read: " + valid_utf8(unread.substr(0, 200)));
  }
}

}  // namespace

bool is_database(const Input& input) {
  return sqlite::is_database_with(
      input,
      [](const sqlite::Database& database) { return has_tables_of_rocpd(database) || has_tables_of_v1(database); },
      [](std::string_view head) {
        return head.find("rocpd_") != std::string_view::npos ||
               head.find("CREATE TABLE KERN") != std::string_view::npos;
      });
}

std::string read_database(const Input& input, Assembler& assembler) {
  const sqlite::DatabaseInput file(input);
  sqlite::Database database(file.path(), input.path);
  Run& run = assembler.run;
  sqlite::add_database(input, database, run);
  if (has_tables_of_rocpd(database)) {
    for (const std::string& guid : guids_of(database)) GuidReader(database, guid, assembler).read();
    return "rocpd";
  }
  if (!has_tables_of_v1(database)) throw Error(input.path, "is an SQLite database without the tables of rocprof");
  read_v1(database, assembler);
  return "rocprof v1 database";
}

}  // namespace cgpu::rocprof
