// Table `memory_at_peak`: who had asked for what was allocated when most was. An allocation is in use until the event
// that releases its address. O(n log n) in the events and in the slices of the threads that ask.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/open_slices.h"
#include "analysis/device/memory_levels.h"
#include "analysis/host/module_calls.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

constexpr std::string_view kBeforeRecording = "(allocated before the recording)";

TableOption who_asked_option() {
  return {"by",
          TableOption::Kind::choice,
          "op",
          "Who asked: the outermost framework op, the module, or the innermost Python function with a source line",
          {"op", "module", "frame"}};
}

/// What is in use on a device when most is.
struct AtPeak {
  int64_t time = 0;
  int64_t total = 0;                // as the profile states it, else what is known
  std::vector<MemoryEvent> in_use;  // what was allocated in the recording
};

/// `events`: of one device, in order of time. Nothing where no event has an address.
std::optional<AtPeak> at_peak(const std::vector<MemoryEvent>& events, const DeviceMemory& memory) {
  const auto has_address = [](const MemoryEvent& event) { return event.address != 0; };
  if (std::none_of(events.begin(), events.end(), has_address)) return std::nullopt;
  const auto peak =
      std::max_element(memory.levels.begin(), memory.levels.end(),
                       [](const MemoryLevel& a, const MemoryLevel& b) { return a.allocated < b.allocated; });
  if (peak == memory.levels.end()) return std::nullopt;
  // Levels are those of the events that state a total, or of all.
  size_t levels = static_cast<size_t>(peak - memory.levels.begin()) + 1;
  std::unordered_map<int64_t, MemoryEvent> in_use;  // by address
  for (const MemoryEvent& event : events) {
    if (levels == 0) break;
    if (!memory.states_totals || event.total_allocated >= 0) --levels;
    if (!has_address(event)) continue;
    if (event.bytes > 0) in_use.insert_or_assign(event.address, event);
    if (event.bytes < 0) in_use.erase(event.address);
  }
  AtPeak found{peak->time, peak->allocated, {}};
  int64_t known = 0;
  for (const auto& [address, event] : in_use) {
    known += event.bytes;
    found.in_use.push_back(event);
  }
  if (!memory.states_totals) found.total = known;
  return found;
}

/// The name of who asked for memory.
class Asking {
 public:
  Asking(const Timeline& timeline, std::string by) : timeline_(timeline), by_(std::move(by)), open_(timeline) {
    if (by_ == "module") modules_.emplace(timeline);
  }

  std::string name_of(const MemoryEvent& event) {
    const SliceIndex innermost = open_.innermost(event.track, event.time);
    if (innermost == kNone) return none();
    if (by_ == "module") {
      const SliceIndex call = modules_->is_call(innermost) ? innermost : modules_->around(innermost);
      return call == kNone ? none() : modules_->path(call);
    }
    const SliceKind wanted = by_ == "op" ? SliceKind::framework_op : SliceKind::python_function;
    SliceIndex found = kNone;
    for (SliceIndex slice = innermost; slice != kNone && timeline_.slices.track[slice] == event.track;
         slice = timeline_.slices.parent[slice]) {
      if (timeline_.kind(slice) != wanted) continue;
      if (by_ == "op") {
        found = slice;
      } else if (!timeline_.name(slice).starts_with("<built-in")) {
        return std::string(timeline_.name(slice));  // of those, all are alike
      }
    }
    return found == kNone ? none() : std::string(timeline_.name(found));
  }

 private:
  std::string none() const { return by_ == "op" ? "(no op)" : by_ == "module" ? "(no module)" : "(no function)"; }

  const Timeline& timeline_;
  const std::string by_;
  OpenSlices open_;
  std::optional<ModuleCalls> modules_;
};

struct Asked {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t largest = 0;
};

void append_device(const RunInSession& run, int32_t device, const AtPeak& peak, Asking& asking, Table& table) {
  std::map<std::string, Asked> by_name;
  int64_t before = peak.total;
  for (const MemoryEvent& event : peak.in_use) {
    Asked& asked = by_name[asking.name_of(event)];
    ++asked.count;
    asked.bytes += event.bytes;
    asked.largest = std::max(asked.largest, event.bytes);
    before -= event.bytes;
  }
  std::vector<std::pair<std::string, Asked>> rows(by_name.begin(), by_name.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  // Where releases are missing, more seems to be in use than the profile states: then that is the whole.
  const int64_t whole = peak.total - std::min<int64_t>(before, 0);
  const auto append = [&](std::string_view name, Cell count, int64_t bytes, Cell largest) {
    table.append({run.run().rank, int64_t{device}, peak.time, cell(name), std::move(count), bytes, std::move(largest),
                  percent_of(bytes, whole)});
  };
  for (const auto& [name, asked] : rows) append(name, asked.count, asked.bytes, asked.largest);
  if (before > 0) append(kBeforeRecording, Cell(), before, Cell());
}

void append_at_peak(const RunInSession& run, const TableOptions& options, Table& table) {
  const Timeline& timeline = run.timeline();
  if (timeline.memory.empty()) return;
  std::map<int32_t, std::vector<MemoryEvent>> events;
  for (const MemoryEvent& event : memory_events_in_order(timeline)) events[event.device].push_back(event);
  Asking asking(timeline, options.text(who_asked_option()));
  for (const auto& [device, memory] : memory_of_devices(timeline)) {
    if (const std::optional<AtPeak> peak = at_peak(events[device], memory)) {
      append_device(run, device, *peak, asking, table);
    }
  }
}

}  // namespace

Analysis memory_at_peak_analysis() {
  return {.name = "memory_at_peak",
          .about = "what was allocated on each device when most was, by who had asked for it",
          .columns = {rank_column(), number_column("device", "number of the device, -1 for the host"),
                      moment_column("time_ns", "when most is allocated"),
                      key_column("name", "the op, module or function in which it was allocated (--by)"),
                      count_column("allocations", "that are in use then; absent for those before the recording"),
                      bytes_column("bytes", "that these hold; those of a device add up to its peak_allocated_bytes"),
                      bytes_column("largest_bytes", "the largest of them"),
                      real_column("pct", "%", "share of bytes in all that is allocated on the device then")},
          .options = {who_asked_option()},
          .applies = [](const ProfileCounts& counts) { return counts.memory_events > 0; },
          .needs =
              "events of the memory allocator with addresses (PyTorch: record with profile_memory; memory "
              "snapshots have them by stack in call_tree, metric at_peak)",
          .fold = fold_of<RowsByRun<append_at_peak>>};
}

}  // namespace cgpu
