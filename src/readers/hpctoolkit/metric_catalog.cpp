#include "readers/hpctoolkit/metric_catalog.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/rule_lines.h"

namespace cgpu {

extern const std::string_view builtin_hpctoolkit_metrics;  // metric_catalog.txt

namespace hpctoolkit {

namespace {

struct Known {
  std::string_view name;
  std::string_view about;
  std::string_view stall;  // the reason, where instructions waited for something
};

/// In the order in which they are shown.
std::vector<Known> read_catalog() {
  std::vector<Known> catalog;
  each_rule_line(builtin_hpctoolkit_metrics, [&](std::string_view line, int) {
    const std::string_view name = take_word(line);
    const size_t bar = std::min(line.find('|'), line.size());
    catalog.push_back({name, trim(line.substr(0, bar)), trim(line.substr(std::min(bar + 1, line.size())))});
  });
  return catalog;
}
const std::vector<Known>& catalog() {
  static const std::vector<Known> known = read_catalog();
  return known;
}

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
  const auto known = std::find_if(catalog().begin(), catalog().end(), [&](const Known& k) { return k.name == name; });
  return known == catalog().end() ? 0 : static_cast<size_t>(known - catalog().begin()) + 1;
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
  metric.about = catalog()[place - 1].about;
  metric.stall_reason = catalog()[place - 1].stall;
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

}  // namespace hpctoolkit
}  // namespace cgpu
