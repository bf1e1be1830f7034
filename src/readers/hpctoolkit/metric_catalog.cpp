#include "readers/hpctoolkit/metric_catalog.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace cgpu::hpctoolkit {

namespace {

struct Known {
  std::string_view name;
  std::string_view about;
  std::string_view stall = {};  // the reason, where instructions waited for something
};

// In the order in which they are shown. After HPCToolkit's gpu-metrics.h.
constexpr auto kCatalog = std::to_array<Known>({
    {"CPUTIME", "processor time"},
    {"REALTIME", "real time, whether running or not"},
    {"WALLCLOCK", "wall clock time of the process, as early versions sampled it"},
    {"GPUOP", "time of all operations on the device: kernels, copies, memory, synchronisation"},
    {"GKER", "time of kernels on the device"},
    {"GXCOPY", "time of copies that the program asked for"},
    {"GICOPY", "time of copies that unified memory made"},
    {"GMEM", "time of allocating and freeing device memory"},
    {"GMSET", "time of setting memory"},
    {"GSYNC", "time of synchronisation"},
    {"GKER:COUNT", "kernels launched"},
    {"GKER:OCC_THR",
     "theoretical occupancy: warps that fit on a multiprocessor beside each other, of those it can hold"},
    {"GKER:BLKS", "blocks of a kernel, on average"},
    {"GKER:BLK_THR", "threads of a block, on average"},
    {"GKER:THR_REG", "registers of a thread, on average"},
    {"GKER:BLK_SM", "shared memory of a block, on average"},
    {"GKER:STMEM", "static memory of a kernel, on average"},
    {"GKER:DYMEM", "dynamic memory of a kernel, on average"},
    {"GKER:LMEM", "local memory of a kernel, on average"},
    {"GKER:FGP_ACT", "warps that fit on a multiprocessor beside each other, on average"},
    {"GKER:FGP_MAX", "warps that a multiprocessor can hold, on average"},
    {"GXCOPY_BYTES", "bytes of copies that the program asked for, of all kinds"},
    {"GXCOPY:COUNT", "copies that the program asked for"},
    {"GXCOPY:H2D", "bytes copied from host to device"},
    {"GXCOPY:D2H", "bytes copied from device to host"},
    {"GXCOPY:D2D", "bytes copied within a device"},
    {"GXCOPY:P2P", "bytes copied between devices"},
    {"GXCOPY:H2H", "bytes copied within the host"},
    {"GXCOPY:H2A", "bytes copied from host to array"},
    {"GXCOPY:A2H", "bytes copied from array to host"},
    {"GXCOPY:A2A", "bytes copied from array to array"},
    {"GXCOPY:A2D", "bytes copied from array to device"},
    {"GXCOPY:D2A", "bytes copied from device to array"},
    {"GXCOPY:UNK", "bytes copied, direction unknown"},
    {"GICOPY:COUNT", "copies that unified memory made"},
    {"GICOPY:H2D", "bytes that unified memory moved to the device"},
    {"GICOPY:D2H", "bytes that unified memory moved to the host"},
    {"GICOPY:D2D", "bytes that unified memory moved between devices"},
    {"GICOPY:UNK", "bytes that unified memory moved, direction unknown"},
    {"GICOPY:CPU_PF", "page faults on the processor"},
    {"GICOPY:GPU_PF", "page faults on the device"},
    {"GICOPY:THRASH", "pages that went back and forth"},
    {"GICOPY:THROT", "accesses held up to stop pages going back and forth"},
    {"GICOPY:RMAP", "pages mapped from the other side"},
    {"GMEM:COUNT", "allocations and releases"},
    {"GMEM:PAG", "bytes of pageable memory allocated or freed"},
    {"GMEM:PIN", "bytes of pinned memory allocated or freed"},
    {"GMEM:DEV", "bytes of device memory allocated or freed"},
    {"GMEM:ARY", "bytes of array memory allocated or freed"},
    {"GMEM:MAN", "bytes of managed memory allocated or freed"},
    {"GMEM:DST", "bytes of static device memory allocated or freed"},
    {"GMEM:MST", "bytes of static managed memory allocated or freed"},
    {"GMEM:UNK", "bytes of memory of unknown kind allocated or freed"},
    {"GMSET:COUNT", "times memory was set"},
    {"GMSET:PAG", "bytes of pageable memory set"},
    {"GMSET:PIN", "bytes of pinned memory set"},
    {"GMSET:DEV", "bytes of device memory set"},
    {"GMSET:ARY", "bytes of array memory set"},
    {"GMSET:MAN", "bytes of managed memory set"},
    {"GMSET:DST", "bytes of static device memory set"},
    {"GMSET:MST", "bytes of static managed memory set"},
    {"GMSET:UNK", "bytes of memory of unknown kind set"},
    {"GSYNC:COUNT", "synchronisations"},
    {"GSYNC:EVT", "time of synchronising with an event"},
    {"GSYNC:STRE", "time of streams waiting for an event"},
    {"GSYNC:STR", "time of synchronising with a stream"},
    {"GSYNC:CTX", "time of synchronising with a context"},
    {"GSYNC:UNK", "time of synchronising, kind unknown"},
    {"GINS", "cycles of instructions on the device: samples times the sampling period"},
    {"GINS:STL_ANY", "cycles in which the sampled instruction waited"},
    {"GINS:STL_NONE", "cycles in which the sampled instruction did not wait"},
    {"GINS:STL_IFET", "waited for the next instruction to be fetched, or for a branch", "instruction_fetch"},
    {"GINS:STL_IDEP", "waited for the result of another instruction", "execution_dependency"},
    {"GINS:STL_GMEM", "waited for global memory", "memory_dependency"},
    {"GINS:STL_TMEM", "waited because the queue of the texture unit was full", "texture"},
    {"GINS:STL_SYNC", "waited at a barrier or for memory to be synchronised", "synchronization"},
    {"GINS:STL_CMEM", "waited for constant or immediate memory", "constant_memory"},
    {"GINS:STL_PIPE", "waited for a unit that computes", "pipe_busy"},
    {"GINS:STL_MTHR", "waited because the queue of requests to global memory was full", "memory_throttle"},
    {"GINS:STL_NSEL", "was ready, but another warp was chosen", "not_selected"},
    {"GINS:STL_SLP", "slept", "sleep"},
    {"GINS:STL_OTHR", "waited for something else", "other"},
    {"GINS:BLK_EXEC_CNT", "times a block of instructions was executed"},
    {"GINS:BLK_LAT", "latency of blocks of instructions"},
    {"GINS:BLK_SIMD_ACT", "active SIMD lanes of blocks of instructions"},
    {"GINS:LAT", "latency of instructions"},
    {"GINS:LAT_COV", "latency that was covered by other work"},
    {"GINS:LAT_UCV", "latency that was not covered"},
    {"GINS:SIMD_TOT", "SIMD lanes of instructions"},
    {"GINS:SIMD_ACT", "SIMD lanes that were active"},
    {"GINS:SIMD_WST", "SIMD lanes that were wasted"},
    {"GINS:SIMD_SLS", "SIMD lanes lost to scalar instructions"},
    {"GSAMP:UTIL", "samples that were taken, of those that a fully busy device would have given"},
    {"GSAMP:TOT", "samples taken"},
    {"GSAMP:EXP", "samples expected of a fully busy device"},
    {"GSAMP:DRP", "samples dropped"},
    {"GSAMP:PER", "sampling period in cycles; a setting, the same everywhere"},
});

/// scale * sum(numerator) / sum(denominator), without a denominator a plain sum.
struct Ratio {
  std::string_view name;
  std::string_view unit;
  std::vector<std::string_view> numerator;
  std::vector<std::string_view> denominator = {};
  double scale = 1;
  std::optional<double> limit = {};
};

const std::vector<Ratio>& ratios() {
  static const std::vector<Ratio> list{
      {"GKER:OCC_THR", "%", {"GKER:FGP_ACT_ACUMU"}, {"GKER:FGP_MAX_ACUMU"}, 100},
      {"GKER:BLKS", "", {"GKER:BLKS_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:BLK_THR", "", {"GKER:BLK_THR_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:THR_REG", "", {"GKER:THR_REG_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:BLK_SM", "B", {"GKER:BLK_SM_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:STMEM", "B", {"GKER:STMEM_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:DYMEM", "B", {"GKER:DYMEM_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:LMEM", "B", {"GKER:LMEM_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:FGP_ACT", "", {"GKER:FGP_ACT_ACUMU"}, {"GKER:COUNT"}},
      {"GKER:FGP_MAX", "", {"GKER:FGP_MAX_ACUMU"}, {"GKER:COUNT"}},
      {"GSAMP:UTIL", "%", {"GSAMP:TOT"}, {"GSAMP:EXP"}, 100, 100},
      {"GXCOPY_BYTES",
       "B",
       {"GXCOPY:UNK", "GXCOPY:H2D", "GXCOPY:D2H", "GXCOPY:H2A", "GXCOPY:A2H", "GXCOPY:A2A", "GXCOPY:A2D", "GXCOPY:D2A",
        "GXCOPY:D2D", "GXCOPY:H2H", "GXCOPY:P2P"}},
  };
  return list;
}

/// A metric that is computed, before it is known where the others are.
struct Computed {
  Metric metric;                    // the operands of its formula are numbers of `inputs`
  std::vector<std::string> inputs;  // names
};

using MetricsByName = std::map<std::string, MetricIndex>;

/// None where what it is made of was not measured.
std::optional<Computed> computed_of(const Ratio& ratio, const MetricsByName& measured) {
  Computed result;
  Formula& formula = result.metric.formula;
  const auto push_sum = [&](const std::vector<std::string_view>& names) {
    uint32_t count = 0;
    for (const std::string_view name : names) {
      if (measured.count(std::string(name)) == 0) continue;
      formula.push_operand(static_cast<uint32_t>(result.inputs.size()));
      result.inputs.emplace_back(name);
      ++count;
    }
    if (count > 0) formula.push(Formula::Op::sum, count);
    return count > 0;
  };
  if (!push_sum(ratio.numerator)) return std::nullopt;
  if (ratio.scale != 1) {
    formula.push_constant(ratio.scale);
    formula.push(Formula::Op::product, 2);
  }
  if (!ratio.denominator.empty()) {
    if (!push_sum(ratio.denominator)) return std::nullopt;
    formula.push(Formula::Op::divide, 2);
  }
  if (ratio.limit) {
    formula.push_constant(*ratio.limit);
    formula.push(Formula::Op::minimum, 2);
  }
  result.metric.name = ratio.name;
  result.metric.unit = ratio.unit;
  return result;
}

/// None where one of the metrics in it was not measured.
std::optional<Computed> computed_of(const TaxonomyMetric& of, const MetricsByName& measured) {
  Computed result;
  result.metric = metric_of_stored_name(of.name);
  for (const std::string& input : of.inputs) {
    result.inputs.push_back(metric_of_stored_name(input).name);
    if (measured.count(result.inputs.back()) == 0) return std::nullopt;
  }
  if (of.percent && result.metric.unit.empty()) result.metric.unit = "%";
  if (result.metric.about.empty()) result.metric.about = of.about;
  result.metric.formula = of.formula;
  return result;
}

/// 0 for a metric that is not in the catalogue, so that these come first: the user asked for them by name.
size_t place_in_catalog(std::string_view name) {
  const auto known = std::find_if(kCatalog.begin(), kCatalog.end(), [&](const Known& k) { return k.name == name; });
  return known == kCatalog.end() ? 0 : static_cast<size_t>(known - kCatalog.begin()) + 1;
}

void describe(Metric& metric) {
  constexpr std::string_view kAccumulated = "_ACUMU";
  if (metric.name.ends_with(kAccumulated)) {
    metric.about = "sum over kernels, from which the average is computed";
    metric.visible = false;
  }
  metric.additive = metric.name != "GSAMP:PER";
  const size_t place = place_in_catalog(metric.name);
  if (place == 0) return;
  metric.about = kCatalog[place - 1].about;
  metric.stall_reason = kCatalog[place - 1].stall;
}

}  // namespace

Metric metric_of_stored_name(std::string_view stored) {
  Metric metric;
  const size_t open = stored.rfind(" (");
  if (open != std::string_view::npos && stored.ends_with(')')) {
    metric.name = stored.substr(0, open);
    metric.unit = stored.substr(open + 2, stored.size() - open - 3);
  } else {
    metric.name = stored;
    if (stored.ends_with("cpu-clock") || stored.ends_with("task-clock")) metric.unit = "ns";
  }
  describe(metric);
  return metric;
}

std::vector<MetricIndex> arrange_metrics(std::vector<Metric>& metrics, const std::vector<TaxonomyMetric>& taxonomy) {
  MetricsByName known;
  for (MetricIndex i = 0; i < metrics.size(); ++i) known.try_emplace(metrics[i].name, i);
  const MetricsByName measured = known;
  std::vector<Computed> computed;
  const auto add = [&](std::optional<Computed> metric) {
    if (metric && known.try_emplace(metric->metric.name, 0).second) computed.push_back(*std::move(metric));
  };
  for (const TaxonomyMetric& metric : taxonomy) {
    if (!metric.is_measured()) {
      add(computed_of(metric, measured));
    } else if (const auto at = measured.find(metric_of_stored_name(metric.name).name); at != measured.end()) {
      Metric& same = metrics[at->second];
      if (same.about.empty() && metric.about != metric.name) same.about = metric.about;
    }
  }
  for (const Ratio& ratio : ratios()) add(computed_of(ratio, measured));

  struct Entry {
    size_t place;
    MetricIndex old;
    Metric metric;
    std::vector<std::string> inputs;
  };
  std::vector<Entry> entries;
  for (Computed& one : computed) {
    describe(one.metric);
    entries.push_back({place_in_catalog(one.metric.name), kComputed, std::move(one.metric), std::move(one.inputs)});
  }
  for (MetricIndex i = 0; i < metrics.size(); ++i) {
    entries.push_back({place_in_catalog(metrics[i].name), i, std::move(metrics[i]), {}});
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) { return a.place < b.place; });

  metrics.clear();
  std::vector<MetricIndex> old;
  MetricsByName place;  // of the measured ones
  for (Entry& entry : entries) {
    if (entry.old != kComputed) place.try_emplace(entry.metric.name, static_cast<MetricIndex>(metrics.size()));
    old.push_back(entry.old);
    metrics.push_back(std::move(entry.metric));
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    for (const std::string& input : entries[i].inputs) metrics[i].parts.push_back(place.at(input));
  }
  return old;
}

void choose_main_metric(CallTree& tree) {
  constexpr auto kTimes =
      std::to_array<std::string_view>({"CPUTIME", "REALTIME", "WALLCLOCK", "perf::task-clock", "perf::cpu-clock",
                                       "cycles", "perf::cycles", "GPUOP", "GKER"});
  for (const std::string_view name : kTimes) {
    const auto metric = tree.find_metric(name);
    if (!metric || !tree.has_values(*metric)) continue;
    tree.main_metric = metric;
    tree.metrics[*metric].aliases.emplace_back("time");
    return;
  }
  for (MetricIndex i = 0; i < tree.metrics.size() && !tree.main_metric; ++i) {
    if (tree.metrics[i].visible && tree.metrics[i].additive && tree.has_values(i)) tree.main_metric = i;
  }
}

}  // namespace cgpu::hpctoolkit
