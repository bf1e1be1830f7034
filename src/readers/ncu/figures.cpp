#include "readers/ncu/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/contains.h"

namespace cgpu::ncu {

namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";
constexpr std::string_view kCompute = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kMemory = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kL1 = "l1tex__throughput.avg.pct_of_peak_sustained_active";
constexpr std::string_view kL2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kAchieved = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kTheoretical = "sm__maximum_warps_per_active_cycle_pct";
constexpr std::string_view kRegisters = "launch__registers_per_thread";
constexpr std::string_view kStaticShared = "launch__shared_mem_per_block_static";
constexpr std::string_view kDynamicShared = "launch__shared_mem_per_block_dynamic";
constexpr std::string_view kDramRate = "dram__bytes.sum.per_second";

struct Label {
  std::string_view section;  // how its name begins: it has grown over the years
  std::string_view label;
  std::string_view metric;
};
// The second spelling is that of 2019 to 2021.
constexpr std::array<Label, 17> kLabels{{
    {"GPU Speed Of Light", "Duration", kDuration},
    {"GPU Speed Of Light", "Compute (SM) Throughput", kCompute},
    {"GPU Speed Of Light", "SOL SM", kCompute},
    {"GPU Speed Of Light", "Memory Throughput", kMemory},
    {"GPU Speed Of Light", "SOL Memory", kMemory},
    {"GPU Speed Of Light", "DRAM Throughput", kDram},
    {"GPU Speed Of Light", "SOL DRAM", kDram},
    {"GPU Speed Of Light", "L1/TEX Cache Throughput", kL1},
    {"GPU Speed Of Light", "SOL L1/TEX Cache", kL1},
    {"GPU Speed Of Light", "L2 Cache Throughput", kL2},
    {"GPU Speed Of Light", "SOL L2 Cache", kL2},
    {"Memory Workload Analysis", "Memory Throughput", kDramRate},
    {"Launch Statistics", "Registers Per Thread", kRegisters},
    {"Launch Statistics", "Static Shared Memory Per Block", kStaticShared},
    {"Launch Statistics", "Dynamic Shared Memory Per Block", kDynamicShared},
    {"Occupancy", "Theoretical Occupancy", kTheoretical},
    {"Occupancy", "Achieved Occupancy", kAchieved},
}};

std::optional<int64_t> whole(std::optional<double> value) {
  constexpr double kLimit = 9e18;
  if (!value || !(std::abs(*value) < kLimit)) return std::nullopt;
  return std::llround(*value);
}

/// Numbers of one launch by name.
class Numbers {
 public:
  Numbers(const StringPool& names, const ProfiledLaunch& launch) : names_(names) {
    for (const MetricValue& metric : launch.metrics) {
      if (metric.number) numbers_[metric.name] = *metric.number;
    }
  }

  std::optional<double> operator[](std::string_view name) const {
    const auto found = numbers_.find(names_.find(name));
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

  /// Operations a second of all units that worked; absent where some were not counted. A multiply-add is two.
  std::optional<double> flops_per_s() const {
    std::optional<double> sum;
    bool half = false;
    for (const char precision : {'d', 'f', 'h'}) {
      if (const auto flops = scalar(precision)) {
        sum = sum.value_or(0) + *flops;
        half = half || precision == 'h';
      }
    }
    const std::optional<double> matrix = matrix_flops();
    if (matrix) sum = sum.value_or(0) + *matrix;
    if ((!matrix && worked("tensor")) || (!half && worked("fp16"))) return std::nullopt;
    return sum;
  }

  std::optional<double> dram_bytes_per_s() const {
    if (const auto rate = (*this)[kDramRate]) return rate;
    const auto read = (*this)["dram__bytes_read.sum.per_second"];
    const auto written = (*this)["dram__bytes_write.sum.per_second"];
    if (read && written) return *read + *written;
    return per_second((*this)["dram__bytes.sum"]);
  }

 private:
  std::optional<double> per_second(std::optional<double> count) const {
    const auto duration = (*this)[kDuration];
    if (!count || !duration || *duration <= 0) return std::nullopt;
    return *count * 1e9 / *duration;
  }

  /// Operations a second of one kind of instruction. A report that knows how many operations an instruction makes
  /// (two halves in a register) says so in a derived metric.
  std::optional<double> operations(const std::string& op) const {
    const std::string stem = "smsp__sass_thread_inst_executed_op_" + op + "_pred_on";
    const double factor = op.ends_with("fma") ? 2 : 1;
    if (const auto cycles = (*this)["smsp__cycles_elapsed.avg.per_second"]) {
      for (const char* suffix : {"_x2", "_x4"}) {
        if (const auto counted = (*this)["derived__" + stem + suffix]) return *counted * *cycles;
      }
      if (const auto executed = (*this)[stem + ".sum.per_cycle_elapsed"]) return factor * *executed * *cycles;
    }
    const auto rate = per_second((*this)[stem + ".sum"]);
    return rate ? std::optional(factor * *rate) : std::nullopt;
  }

  /// Of the vector units, in one precision; absent where a part of it was not collected.
  std::optional<double> scalar(char precision) const {
    double sum = 0;
    for (const char* op : {"add", "mul", "fma"}) {
      const auto flops = operations(precision + std::string(op));
      if (!flops) return std::nullopt;
      sum += *flops;
    }
    return sum;
  }

  /// Of the matrix units, in all floating-point precisions that were collected.
  std::optional<double> matrix_flops() const {
    std::optional<double> sum;
    for (const auto& [id, number] : numbers_) {
      const std::string_view name = names_[id];
      if (!name.starts_with("sm__ops_path_tensor_src_") || !name.ends_with(".sum.per_second")) continue;
      if (!contains(name, "_src_int")) sum = sum.value_or(0) + number;
    }
    return sum;
  }

  /// Whether a pipe of this kind executed floating-point operations (imma: integer matrices), as far as its metrics
  /// say.
  bool worked(std::string_view kind) const {
    for (const auto& [id, number] : numbers_) {
      if (number > 0 && contains(names_[id], "pipe_") && contains(names_[id], kind) && !contains(names_[id], "imma") &&
          !contains(names_[id], ".peak_sustained")) {
        return true;
      }
    }
    return false;
  }

  const StringPool& names_;
  std::unordered_map<StringId, double> numbers_;
};

}  // namespace

std::string_view metric_of_label(std::string_view section, std::string_view label) {
  for (const Label& known : kLabels) {
    if (known.label == label && section.starts_with(known.section)) return known.metric;
  }
  return "";
}

namespace {

/// What is counted, by the word for it in names of metrics, and its units. Words without a unit hide those behind them:
/// smsp__branch_targets_threads_divergent counts targets.
struct Quantity {
  std::string_view word;
  std::string_view unit;
  std::string_view per_second;
  std::string_view per_cycle;
};
constexpr std::array<Quantity, 11> kQuantities{{{"sectors", "sector", "sector/s", "sector/cycle"},
                                                {"inst", "inst", "inst/s", "inst/cycle"},
                                                {"warps", "warp", "warp/s", "warp/cycle"},
                                                {"requests", "request", "request/s", "request/cycle"},
                                                {"bytes", "byte", "byte/s", "byte/cycle"},
                                                {"cycles", "cycle", "hz", ""},
                                                {"threads", "thread", "thread/s", "thread/cycle"},
                                                {"ctas", "block", "block/s", "block/cycle"},
                                                {"targets", "", "", ""},
                                                {"passes", "", "", ""},
                                                {"samples", "", "", ""}}};

/// The first word of a metric's stem that is a quantity, as in t_sectors_pipe_lsu_mem_global_op_ld; null where there is
/// none, or where it is a part of a name of another meaning: a throughput, a rate of hits, a mean, a count times a
/// factor, a number of samples of warps.
const Quantity* quantity_of(std::string_view stem) {
  for (const std::string_view other : {"throughput", "rate", "average", "pcsamp_warps", "pred_on_x"}) {
    if (contains(stem, other)) return nullptr;
  }
  while (!stem.empty()) {
    const std::string_view word = stem.substr(0, stem.find('_'));
    stem.remove_prefix(std::min(word.size() + 1, stem.size()));
    for (const Quantity& quantity : kQuantities) {
      if (quantity.word == word) return &quantity;
    }
  }
  return nullptr;
}

/// Of metrics of the launch, whose names say no quantity.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLaunchUnits{
    {{"launch__shared_mem_", "byte"},
     {"launch__registers_per_thread", "register/thread"},
     {"launch__occupancy_limit_", "block"},
     {"launch__thread_count", "thread"}}};

}  // namespace

std::string_view unit_of_metric(std::string_view name) {
  if (contains(name, ".pct_of_peak") || name.ends_with(".pct") || name.ends_with("_pct")) return "%";
  for (const auto& [prefix, unit] : kLaunchUnits) {
    if (name.starts_with(prefix)) return unit;
  }
  // A name is UNIT__STEM.ROLLUP.SUBMETRIC; the unit may be missing or have dots, and sums over a kernel have no rollup.
  if (name.starts_with("launch__") || name.starts_with("device__") || name.starts_with("group:")) return "";
  const size_t unit_end = name.rfind("__");
  const std::string_view rest = unit_end == std::string_view::npos ? name : name.substr(unit_end + 2);
  const std::string_view stem = rest.substr(0, rest.find('.'));
  const std::string_view rollup = rest.substr(stem.size());
  if (rollup.ends_with(".ratio") || rollup.ends_with(".max_rate")) return "";
  if (stem == "time_duration") return "ns";
  const Quantity* quantity = quantity_of(stem);
  if (!quantity) return "";
  if (rollup.ends_with(".per_second")) return quantity->per_second;
  if (!contains(rollup, ".per_cycle") && !rollup.ends_with(".peak_sustained")) return quantity->unit;
  // What is resident is counted in every cycle: the sum over cycles, per cycle, is a number of warps.
  const bool resident = stem.ends_with("s_active") || stem.ends_with("s_eligible");
  return resident && !quantity->per_cycle.empty() ? quantity->unit : quantity->per_cycle;
}

Scale scale_of_unit(std::string_view printed) {
  static constexpr std::array<std::pair<std::string_view, int>, 8> kTimes{
      {{"ns", 0}, {"nsecond", 0}, {"us", 3}, {"usecond", 3}, {"ms", 6}, {"msecond", 6}, {"s", 9}, {"second", 9}}};
  for (const auto& [name, exponent] : kTimes) {
    if (printed == name) return {"ns", exponent};
  }
  static constexpr std::array<std::pair<char, int>, 5> kPrefixes{{{'K', 3}, {'k', 3}, {'M', 6}, {'G', 9}, {'T', 12}}};
  std::string_view base = printed;
  int exponent = 0;
  for (const auto& [letter, power] : kPrefixes) {
    if (printed.size() > 1 && printed.front() == letter) {
      base = printed.substr(1);
      exponent = power;
    }
  }
  if (base == "hz" || base == "Hz" || base == "cycle/second" || base == "cycle/s") return {"hz", exponent};
  if (base == "cycle/nsecond" || base == "cycle/ns") return {"hz", exponent + 9};
  if (base == "cycle/usecond" || base == "cycle/us") return {"hz", exponent + 6};
  if (base == "byte/second" || base == "byte/s") return {"byte/s", exponent};
  if (base == "byte" || base == "byte/block") return {std::string(base), exponent};
  return {std::string(printed), 0};
}

std::string without_links(std::string_view message) {
  std::string text;
  while (true) {
    // A link is @KIND:TARGET:TEXT@, or @url:TEXT:TARGET@.
    const size_t begin = message.find('@');
    const size_t end = begin == std::string_view::npos ? begin : message.find('@', begin + 1);
    if (end == std::string_view::npos) return text.append(message);
    const std::string_view link = message.substr(begin + 1, end - begin - 1);
    const size_t first = link.find(':');
    const size_t second = first == std::string_view::npos ? first : link.find(':', first + 1);
    if (second == std::string_view::npos) {
      text.append(message.substr(0, end));
      message.remove_prefix(end);
      continue;
    }
    text.append(message.substr(0, begin));
    if (link.starts_with("url:")) {
      text.append(link.substr(first + 1, second - first - 1)).append(" (").append(link.substr(second + 1)).append(")");
    } else {
      text.append(link.substr(second + 1));
    }
    message.remove_prefix(end + 1);
  }
}

void fill_figures(const StringPool& names, ProfiledLaunch& launch) {
  const Numbers number(names, launch);
  launch.duration_ns = whole(number[kDuration]);
  launch.compute_pct = number[kCompute];
  launch.memory_pct = number[kMemory];
  launch.dram_pct = number[kDram];
  launch.l1_pct = number[kL1];
  launch.l2_pct = number[kL2];
  launch.achieved_occupancy_pct = number[kAchieved];
  launch.theoretical_occupancy_pct = number[kTheoretical];
  launch.registers = whole(number[kRegisters]);
  const auto of_static = number[kStaticShared];
  const auto of_dynamic = number[kDynamicShared];
  if (of_static && of_dynamic) launch.shared_bytes = whole(*of_static + *of_dynamic);
  if (const auto device = whole(number["launch__device_id"]);
      device && !launch.device && std::in_range<int32_t>(*device)) {
    launch.device = static_cast<int32_t>(*device);
  }
  if (!launch.stream) launch.stream = whole(number["launch__stream_id"]);
  launch.flops_per_s = number.flops_per_s();
  launch.dram_bytes_per_s = number.dram_bytes_per_s();
}

namespace {

/// The profiler replays a launch and counts resident warps and cycles in different passes; of short kernels their
/// quotient can exceed what the hardware holds.
void note_occupancies(Run& run) {
  int64_t above = 0;
  for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
    for (const std::optional<double>& share : {launch.achieved_occupancy_pct, launch.theoretical_occupancy_pct}) {
      above += share && *share > 100 ? 1 : 0;
    }
  }
  run.notes.add(
      "occupancy_above_100", above,
      "occupancies above 100 % are shown as measured: Nsight Compute counts warps and cycles in different passes "
      "over the kernel, which do not agree for short kernels");
}

}  // namespace

void check_figures(Run& run) {
  note_occupancies(run);
  struct Group {
    const char* figures;
    const char* option;
    bool (*absent)(const ProfiledLaunch&);
  };
  static constexpr std::array<Group, 5> kGroups{{
      {"duration, compute, memory, DRAM and cache throughput", "--section SpeedOfLight (a part of --set basic)",
       [](const ProfiledLaunch& launch) {
         return !launch.duration_ns || !launch.compute_pct || !launch.memory_pct || !launch.dram_pct ||
                !launch.l1_pct || !launch.l2_pct;
       }},
      {"the achieved occupancy", "--section Occupancy (a part of --set basic)",
       [](const ProfiledLaunch& launch) { return !launch.achieved_occupancy_pct; }},
      {"registers", "--section LaunchStats (a part of --set basic)",
       [](const ProfiledLaunch& launch) { return !launch.registers; }},
      {"the rate of memory traffic (and with it the intensity)",
       "--section MemoryWorkloadAnalysis (a part of --set detailed)",
       [](const ProfiledLaunch& launch) { return !launch.dram_bytes_per_s; }},
      {"floating-point operations of all units that worked", "--set roofline (not shown by --page details)",
       [](const ProfiledLaunch& launch) { return !launch.flops_per_s; }},
  }};
  for (const Group& group : kGroups) {
    int64_t count = 0;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) count += group.absent(launch) ? 1 : 0;
    if (count == 0) continue;
    run.notes.add(
        "not_collected", count,
        fmt::format("launches without {}, or a part of it, which `ncu` collects with {}", group.figures, group.option));
  }
}

}  // namespace cgpu::ncu
