#include "readers/rocprof_compute/rocprof_compute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/memory_text.h"
#include "base/parse_number.h"
#include "readers/common/event_tables.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/database_input.h"
#include "readers/common/sqlite/each_row.h"

namespace cgpu::rocprof_compute {

namespace {

using sqlite::Scan;
using Token = JsonReader::Token;

constexpr std::string_view kSpeedOfLight = "System Speed-of-Light";
constexpr std::string_view kShare = "Pct of Peak";

bool has_tables(const sqlite::Database& database) {
  return database.has_column("compute_kernel", "kernel_name") && database.has_column("compute_dispatch", "kernel_uuid");
}

/// A unit with the name that other profilers' values have, without a prefix, and what a value in it is multiplied by.
struct Unit {
  std::string_view name;
  double factor = 1;
};

/// Rates are those of bytes also where the unit is written with a small b: bytes by nanoseconds. Other units are as
/// they are written.
Unit unit_of(std::string_view written) {
  static constexpr auto kUnits = std::to_array<std::pair<std::string_view, Unit>>({
      {"Percent", {"%"}},
      {"Nanoseconds", {"ns"}},
      {"Bytes", {"byte"}},
      {"Gb/s", {"B/s", 1e9}},
      {"Gbps", {"B/s", 1e9}},
      {"Gflop/s", {"FLOP/s", 1e9}},
      {"Gflops", {"FLOP/s", 1e9}},
      {"Giop/s", {"IOP/s", 1e9}},
      {"Giops", {"IOP/s", 1e9}},
  });
  for (const auto& [name, unit] : kUnits) {
    if (name == written) return unit;
  }
  return {written};
}

/// A text in capitals, behind what all reasons begin with, as a word: "..._REASON_WAITCNT" is "waitcnt".
std::string word_of(std::string_view reason) {
  constexpr std::string_view kReason = "REASON_";
  if (const size_t at = reason.find(kReason); at != std::string_view::npos) reason.remove_prefix(at + kReason.size());
  std::string word(reason);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return word;
}

/// Calls visit(key, text of the value) for the numbers and texts of a JSON object.
template <typename Visit>
void each_member(std::string_view text, Visit visit) {
  MemoryText memory(text);
  JsonReader json(memory);
  if (json.next() != Token::begin_object) return;
  json.each_member([&](std::string_view key) {
    const Token token = json.next();
    if (token == Token::begin_object || token == Token::begin_array) return json.skip();
    visit(key, json.text());
  });
}

struct Definition {
  std::string name;
  std::string table;
  std::string section;
  std::string unit;
};

/// What is known of a kernel: all of its launches share it.
struct Kernel {
  std::string name;
  std::vector<MetricValue> values;
  std::map<std::pair<std::string, std::string>, double> shares;  // of the speed of light: (metric, value)
  std::optional<double> dram_rate;                               // bytes a second, and what is reachable
  std::optional<double> dram_peak;
  std::optional<double> flops;
  std::optional<double> intensity;
  std::map<std::string, double> samples;  // of program counters, by metric
};

class Reader {
 public:
  Reader(sqlite::Database& database, Run& run) : database_(database), run_(run) { run.launch_metrics.emplace(); }

  void read() {
    read_workloads();
    each("compute_kernel", {"kernel_uuid", "kernel_name"},
         [&](Scan& row) { kernels_[row.integer(0)].name = valid_utf8(row.text(1)); });
    if (kernels_.empty()) throw Error(run_.file, "is a database of rocprof-compute without a kernel");
    read_values();
    read_roofline();
    read_samples();
    read_launches();
    note_the_rest();
  }

 private:
  template <typename Visit>
  void each(const std::string& table, const std::vector<std::string>& columns, Visit visit) {
    sqlite::each_row(database_, table, columns, run_.notes, visit);
  }

  static std::optional<double> number(const Scan& row, int column) {
    if (!row.is_number(column)) return std::nullopt;
    const double value =
        row.type(column) == ValueType::real ? row.real(column) : static_cast<double>(row.integer(column));
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

  /// The machine; command lines and paths are not read.
  void read_workloads() {
    each("compute_metadata", {"compute_version", "schema_version"}, [&](Scan& row) {
      run_.metadata.emplace_back("rocprof_compute_version", valid_utf8(row.text(0)));
      run_.format_version = valid_utf8(row.text(1));
    });
    each("compute_workload", {"name", "sys_info_extdata"}, [&](Scan& row) {
      run_.metadata.emplace_back("workload", valid_utf8(row.text(0)));
      if (!run_.devices.empty()) return;
      Device device;
      device.vendor = "AMD";
      each_member(row.text(1), [&](std::string_view key, std::string_view value) {
        if (key == "hostname") run_.host = valid_utf8(value);
        if (key == "gpu_model") device.name = valid_utf8(value);
        if (key == "cu_per_gpu") device.sm_count = parse_number(value);
        if (key == "wave_size") device.warp_size = parse_number(value);
        if (key == "gpu_arch" || key == "rocm_version") run_.metadata.emplace_back(key, valid_utf8(value));
      });
      run_.devices.push_back(std::move(device));
    });
  }

  void read_values() {
    std::unordered_map<int64_t, Definition> definitions;
    each("compute_metric_definition", {"metric_uuid", "name", "table_name", "sub_table_name", "unit"}, [&](Scan& row) {
      definitions[row.integer(0)] = {valid_utf8(row.text(1)), valid_utf8(row.text(2)), valid_utf8(row.text(3)),
                                     valid_utf8(row.text(4))};
    });
    StringPool& names = run_.launch_metrics->names;
    each("compute_kernel_metric_value", {"kernel_uuid", "metric_uuid", "value_name", "value"}, [&](Scan& row) {
      ++run_.events.read;
      const auto kernel = kernels_.find(row.integer(0));
      const auto definition = definitions.find(row.integer(1));
      if (kernel == kernels_.end() || definition == definitions.end()) {
        ++run_.events.skipped;
        run_.notes.add("skipped_event", 1,
                       "values of kernels or metrics that the database does not have were left out");
        return;
      }
      ++run_.events.counters;
      const Definition& metric = definition->second;
      const std::string which = valid_utf8(row.text(2));
      const bool plain = which.empty() || which == "Avg" || which == "Value";
      MetricValue value;
      value.name = names.intern(plain ? metric.name : metric.name + " (" + which + ")");
      value.section =
          names.intern(metric.section == metric.table || metric.section.empty() ? metric.table
                                                                                : metric.table + ": " + metric.section);
      const bool share = which == kShare;
      const Unit unit = share ? Unit{"%"} : unit_of(metric.unit);
      value.unit = unit.name.empty() ? 0 : names.intern(unit.name);
      value.number = number(row, 3);
      if (value.number) keep_figure(metric, which, *value.number, kernel->second);
      if (value.number) *value.number *= unit.factor;
      kernel->second.values.push_back(value);
    });
  }

  static void keep_figure(const Definition& metric, const std::string& which, double value, Kernel& kernel) {
    if (metric.table == kSpeedOfLight) kernel.shares[{metric.name, which}] = value;
    if (metric.table == "Wavefront") kernel.shares.emplace(std::pair(metric.name, which), value);
    if (metric.table == "Roofline" && metric.name == "HBM Bandwidth") {
      (which == "Value" ? kernel.dram_rate : kernel.dram_peak) = value * 1e9;
    }
  }

  /// Operations (10^9 a second) and operations a byte of memory.
  void read_roofline() {
    each("compute_kernel_roofline_data", {"kernel_uuid", "total_flops", "hbm_cache_data"}, [&](Scan& row) {
      const auto kernel = kernels_.find(row.integer(0));
      if (kernel == kernels_.end()) return;
      kernel->second.flops = number(row, 1);
      kernel->second.intensity = number(row, 2);
    });
  }

  /// Samples of all instructions of a kernel, by what kept its waves from issuing.
  void read_samples() {
    each("compute_pcsampling", {"kernel_uuid", "count", "count_issue", "count_stall", "stall_reason"}, [&](Scan& row) {
      ++run_.events.read;
      const auto kernel = kernels_.find(row.integer(0));
      if (kernel == kernels_.end()) {
        ++run_.events.skipped;
        run_.notes.add("skipped_event", 1, "samples of kernels that the database does not have were left out");
        return;
      }
      ++run_.events.samples;
      std::map<std::string, double>& samples = kernel->second.samples;
      constexpr std::array<const char*, 3> kCounts{"pc_samples", "pc_samples_issued", "pc_samples_not_issued"};
      for (int i = 0; i < 3; ++i) {
        if (const auto count = number(row, i + 1)) samples[kCounts[static_cast<size_t>(i)]] += *count;
      }
      each_member(row.text(4), [&](std::string_view reason, std::string_view count) {
        const auto value = parse_number<double>(count);
        const std::string word = word_of(reason);
        if (value && *value > 0 && word != "none") samples["pc_samples_stalled_" + word] += *value;
      });
    });
  }

  void read_launches() {
    std::map<int64_t, bool> listed;
    each("compute_dispatch", {"kernel_uuid", "dispatch_id", "gpu_id", "start_timestamp", "end_timestamp"},
         [&](Scan& row) {
           ++run_.events.read;
           const auto found = kernels_.find(row.integer(0));
           if (found == kernels_.end()) {
             ++run_.events.skipped;
             run_.notes.add("skipped_event", 1, "launches of kernels that the database does not have were left out");
             return;
           }
           ++run_.events.counters;
           const Kernel& kernel = found->second;
           ProfiledLaunch& launch = run_.launch_metrics->launches.emplace_back();
           launch.id = row.integer(1);
           launch.kernel = kernel.name;
           const int64_t gpu = row.integer(2);
           if (row.is_number(2) && gpu >= 0 && gpu < INT32_MAX) launch.device = static_cast<int32_t>(gpu);
           int64_t duration = 0;
           const bool timed = row.is_number(3) && row.is_number(4) &&
                              !__builtin_sub_overflow(row.integer(4), row.integer(3), &duration) && duration >= 0;
           if (timed) launch.duration_ns = duration;
           fill_figures(kernel, launch);
           if (!std::exchange(listed[found->first], true)) fill_values(kernel, launch);
         });
    if (!run_.devices.empty() && !run_.launch_metrics->launches.empty()) {
      run_.devices.front().id = run_.launch_metrics->launches.front().device.value_or(0);
    }
    const auto unlisted = static_cast<int64_t>(kernels_.size() - listed.size());
    run_.notes.add("skipped_event", unlisted, "kernels without a launch are not shown");
    run_.notes.add(
        "values_of_kernels", static_cast<int64_t>(listed.size()),
        "rocprof-compute computes values over all launches of a kernel: they are listed with the first one, and "
        "all launches of the kernel have the same figures but for their duration");
    run_.notes.add(
        "serialised_launches", static_cast<int64_t>(run_.launch_metrics->launches.size()),
        "counters are collected with one kernel at a time: durations beside them are not those of the program");
  }

  void fill_values(const Kernel& kernel, ProfiledLaunch& launch) {
    launch.metrics = kernel.values;
    StringPool& names = run_.launch_metrics->names;
    for (const auto& [metric, count] : kernel.samples) {
      MetricValue value;
      value.name = names.intern(metric);
      value.section = names.intern("PC Sampling");
      value.number = count;
      launch.metrics.push_back(value);
    }
  }

  /// The largest of some values; none where the kernel has none of them.
  static std::optional<double> largest(const Kernel& kernel, std::string_view value,
                                       std::initializer_list<std::string_view> metrics) {
    std::optional<double> most;
    for (const std::string_view metric : metrics) {
      const auto found = kernel.shares.find({std::string(metric), std::string(value)});
      if (found != kernel.shares.end()) most = std::max(most.value_or(found->second), found->second);
    }
    return most;
  }

  static void fill_figures(const Kernel& kernel, ProfiledLaunch& launch) {
    launch.compute_pct =
        largest(kernel, kShare,
                {"VALU Utilization", "MFMA Utilization", "SALU Utilization", "VMEM Utilization", "Branch Utilization"});
    launch.l1_pct = largest(kernel, kShare, {"vL1D Cache BW"});
    launch.l2_pct = largest(kernel, kShare, {"L2 Cache BW"});
    if (kernel.dram_rate && kernel.dram_peak && *kernel.dram_peak > 0) {
      launch.dram_pct = 100 * *kernel.dram_rate / *kernel.dram_peak;
    }
    launch.memory_pct = largest(
        kernel, kShare,
        {"vL1D Cache BW", "L2 Cache BW", "L2-Fabric Read BW", "L2-Fabric Write BW", "Theoretical LDS Bandwidth"});
    launch.achieved_occupancy_pct = largest(kernel, kShare, {"Wavefront Occupancy"});
    const auto whole = [&](const char* metric) -> std::optional<int64_t> {
      const auto value = largest(kernel, "Avg", {metric});
      return value && *value >= 0 && *value < 1e15 ? std::optional(std::llround(*value)) : std::nullopt;
    };
    launch.registers = whole("VGPRs");
    launch.shared_bytes = whole("LDS Allocation");
    if (kernel.flops) launch.flops_per_s = *kernel.flops * 1e9;
    const bool by_intensity = kernel.flops && kernel.intensity && *kernel.flops > 0 && *kernel.intensity > 0;
    launch.dram_bytes_per_s = by_intensity ? std::optional(*kernel.flops * 1e9 / *kernel.intensity) : kernel.dram_rate;
  }

  void note_the_rest() {
    if (database_.has("compute_workload_metric_value") && database_.has_rows("compute_workload_metric_value")) {
      run_.notes.add("unread_table", 1, "values over all kernels of a workload are not read: those of kernels are");
    }
    int64_t sampled = 0;
    for (const auto& [id, kernel] : kernels_) sampled += kernel.samples.empty() ? 0 : 1;
    run_.notes.add("summed_samples", sampled,
                   "samples of program counters are summed over the instructions of a kernel (launch_stalls); single "
                   "instructions are not shown");
  }

  sqlite::Database& database_;
  Run& run_;
  std::map<int64_t, Kernel> kernels_;
};

}  // namespace

bool is_database(const Input& input) {
  return sqlite::is_database_with(input, has_tables, [](std::string_view head) {
    return contains(head, "compute_kernel") && contains(head, "compute_dispatch");
  });
}

Run read_database(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "rocprof-compute");
  Reader(*sqlite::open_database(input, has_tables, "rocprof-compute", run), run).read();
  return run;
}

}  // namespace cgpu::rocprof_compute
