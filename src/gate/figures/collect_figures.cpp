#include "gate/figures/collect_figures.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/order_statistics.h"
#include "analysis/common/statistics.h"
#include "analysis/device/device_time.h"
#include "analysis/device/memory_peak.h"
#include "analysis/host/launch_origins.h"
#include "analysis/session_clock.h"
#include "analysis/steps/repeated_sequence.h"
#include "analysis/steps/run_layers.h"
#include "base/error.h"
#include "gate/figures/call_figures.h"
#include "gate/figures/samples.h"
#include "session/summaries/summary.h"
#include "session/table_engine.h"

namespace cgpu {

namespace {

constexpr uint32_t kNoIteration = UINT32_MAX;
const char* const kNoOp = "(in no framework op)";

/// The iterations of a rank as the gate counts them.
class Iterations {
 public:
  /// By their marks.
  explicit Iterations(const RunInSession& run) : steps_(run.facts.steps(run.index)), whole_(steps_.empty()) {
    std::vector<int64_t> walls = durations_of(steps_);
    const bool cut = !steps_.empty() && is_cut_short(steps_, steps_.size() - 1);
    complete_ = steps_.size() - (cut ? 1 : 0);
    walls.resize(complete_);
    warm_up_ = warm_up_iterations(walls);
    if (warm_up_ == 0 && complete_ > 1 && begins_with_earlier_work(run.timeline(), steps_)) warm_up_ = 1;
  }

  /// What a run without marks repeats.
  explicit Iterations(const std::vector<Interval>& repetitions) : whole_(false), complete_(repetitions.size()) {
    for (const Interval& time : repetitions) {
      steps_.push_back({.number = static_cast<int64_t>(steps_.size()), .time = time});
    }
  }

  const std::vector<Step>& steps() const { return steps_; }
  bool is_complete(size_t step) const { return step < complete_; }
  bool is_warm_up(size_t step) const { return step < warm_up_; }
  /// How many there are whose ops are counted: the steady ones; without any iterations the whole run counts as one.
  size_t steady() const { return whole_ ? 1 : complete_ - warm_up_; }
  /// Into which of them a moment falls.
  uint32_t steady_at(int64_t time) const {
    if (whole_) return 0;
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                        [](int64_t moment, const Step& step) { return moment < step.time.begin; });
    if (after == steps_.begin()) return kNoIteration;
    const auto step = static_cast<size_t>(after - steps_.begin()) - 1;
    if (time >= steps_[step].time.end || step < warm_up_ || step >= complete_) return kNoIteration;
    return static_cast<uint32_t>(step - warm_up_);
  }

 private:
  std::vector<Step> steps_;
  bool whole_;
  size_t complete_ = 0;
  size_t warm_up_ = 0;
};

/// Device time by some name, or number, and by iteration for the names that take most.
class TimesByName {
 public:
  struct Op {
    uint32_t iteration;
    StringId name;
    int64_t duration;
  };

  void add(uint32_t iteration, StringId name, int64_t duration) { ops_.push_back({iteration, name, duration}); }

  template <typename Text>
  TimeFigures take(size_t iterations, bool are_iterations, const Text& text) {
    std::unordered_map<StringId, TimeFigure> totals;
    for (const Op& op : ops_) {
      TimeFigure& figure = totals[op.name];
      ++figure.count;
      figure.total_ns += op.duration;
    }
    std::vector<std::pair<int64_t, StringId>> largest;
    for (const auto& [name, figure] : totals) largest.emplace_back(-figure.total_ns, name);
    std::sort(largest.begin(), largest.end());
    largest.resize(std::min(largest.size(), kMostNames));

    if (are_iterations && iterations >= kFewestIterations) {
      std::unordered_map<StringId, std::vector<double>> series;
      for (const auto& [total, name] : largest) series[name].assign(iterations, 0);
      for (const Op& op : ops_) {
        const auto kept = series.find(op.name);
        if (kept != series.end()) kept->second[op.iteration] += static_cast<double>(op.duration);
      }
      for (const auto& [name, values] : series) {
        const double mean = mean_of(values);
        if (!(mean > 0)) continue;
        const NoiseWithin noise = noise_within(values, Location::mean, mean);
        totals[name].error = noise.error;
        totals[name].drift = noise.drift;
      }
    }
    TimeFigures figures;
    for (const auto& [total, name] : largest) figures[text(name)].combine(totals[name]);
    return figures;
  }

 private:
  std::vector<Op> ops_;
};

/// What device ops count to.
struct NamesOfOps {
  explicit NamesOfOps(const RunInSession& run)
      : op(find_launch_origins_in_part(run.facts, run.index, LaunchOrigin::op)),
        module(find_launch_origins_in_part(run.facts, run.index, LaunchOrigin::module)),
        layer(layer_of_ops(run)) {}
  TextsOfOps op;
  TextsOfOps module;
  LayerOfOps layer;
};

void add_device_ops(const RunInSession& run, const NamesOfOps& names, const Iterations& iterations,
                    WorkFigures& figures) {
  const Timeline& timeline = run.timeline();
  TimesByName ops;
  TimesByName classes;
  TimesByName kernels;
  TimesByName layers;
  TimesByName modules;
  for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    if (!is_plausible(timeline, slice)) continue;
    const uint32_t iteration = iterations.steady_at(timeline.slices.start[slice]);
    if (iteration == kNoIteration) continue;
    const int64_t duration = timeline.slices.duration[slice];
    ops.add(iteration, names.op.of_op[op], duration);
    classes.add(iteration, static_cast<StringId>(class_of(timeline, op)), duration);
    kernels.add(iteration, timeline.slices.name[slice], duration);
    const int64_t layer = names.layer.of_op[op];
    if (names.layer.count > 0 && layer != kNoLayer) layers.add(iteration, static_cast<uint32_t>(layer), duration);
    if (names.module.of_op[op] != StringPool::absent) modules.add(iteration, names.module.of_op[op], duration);
  }
  const size_t count = iterations.steady();
  const bool are_iterations = !iterations.steps().empty();
  figures.ops = ops.take(count, are_iterations, [&](StringId id) {
    return std::string(id == StringPool::absent ? kNoOp : names.op.texts[id]);
  });
  figures.classes = classes.take(count, are_iterations,
                                 [](StringId id) { return std::string(text_of(static_cast<KernelClass>(id))); });
  figures.kernels = kernels.take(count, are_iterations, [&](StringId id) { return std::string(timeline.names[id]); });
  figures.layers = layers.take(count, are_iterations,
                               [&](uint32_t layer) { return fmt::format("layer {} of {}", layer, names.layer.count); });
  figures.modules =
      modules.take(count, are_iterations, [&](StringId id) { return std::string(names.module.texts[id]); });
  figures.steady = static_cast<int64_t>(iterations.steady());
}

void add_whole(const Timeline& timeline, RunFigures& figures) {
  if (const auto extent = extent_of(timeline)) figures.span_ns = extent->end - extent->begin;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    const DeviceTime time = device_time(timeline, ops);
    figures.busy_ns += time.busy.length();
    figures.exposed_comm_ns += time.exposed_communication.length();
    figures.idle_ns += time.span.end - time.span.begin - time.busy.length();
  }
}

void add_iterations(const RunInSession& run, const Iterations& iterations, WorkFigures& figures) {
  const std::vector<Step>& steps = iterations.steps();
  std::vector<IterationFigures> all(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    all[i].wall_ns = steps[i].time.end - steps[i].time.begin;
    all[i].complete = iterations.is_complete(i);
    all[i].warm_up = iterations.is_warm_up(i);
  }
  for (const auto& [device, ops] : ops_by_device(run.timeline())) {
    const DeviceTime time = device_time(run.timeline(), ops);
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto& [begin, end] = steps[i].time;
      const int64_t busy_ns = time.busy.clip(begin, end).length();
      all[i].combine(
          {0, busy_ns, time.exposed_communication.clip(begin, end).length(), end - begin - busy_ns, 1, true, false});
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) figures.iterations[steps[i].number] = all[i];
}

void add_identity(const Run& run, RunFigures& figures) {
  figures.formats[run.format] = 1;
  figures.ranks = 1;
  figures.world_size = run.world_size.value_or(0);
  for (const int32_t used : used_devices(run)) {
    const auto known = std::find_if(run.devices.begin(), run.devices.end(),
                                    [used](const Device& device) { return device.id == used; });
    ++figures.devices[known == run.devices.end() ? std::string() : known->name];
  }
}

/// By which power of ten a frequency's unit is a hertz; absent for what is none.
std::optional<double> hertz_of(const std::string& unit) {
  if (unit == "Hz") return 1;
  if (unit == "kHz") return 1e3;
  if (unit == "MHz") return 1e6;
  if (unit == "GHz") return 1e9;
  return std::nullopt;
}

void add_shapes(const Table& shapes, RunFigures& figures) {
  std::map<std::string, std::set<std::string>> of_op;
  const size_t name = shapes.column("name");
  const size_t text = shapes.column("shapes");
  const size_t device_ns = shapes.column("device_self_ns");
  for (const RowView row : shapes.rows()) {
    if (!std::holds_alternative<std::string>(row[text])) continue;
    const std::string op = std::get<std::string>(row[name]);
    of_op[op].insert(std::get<std::string>(row[text]));
    figures.shapes[op].device_ns += std::get<int64_t>(row[device_ns]);
  }
  for (auto& [op, figure] : figures.shapes) {
    for (const std::string& each : of_op[op]) figure.shapes.push_back(XXH3_64bits(each.data(), each.size()));
    std::sort(figure.shapes.begin(), figure.shapes.end());
  }
}

void add_clocks(const Table& counters, RunFigures& figures) {
  for (const RowView row : counters.rows()) {
    const Cell unit = row[counters.column("unit")];
    if (!std::holds_alternative<std::string>(unit)) continue;
    const auto hertz = hertz_of(std::get<std::string>(unit));
    if (!hertz) continue;
    double& mean = figures.clocks[std::get<std::string>(row[counters.column("name")])];
    mean = std::max(mean, std::get<double>(row[counters.column("mean")]) * *hertz);
  }
}

/// What is found in tables, made for FigureCollector::tables().
void add_tables(const std::vector<Table>& tables, RunFigures& figures) {
  add_shapes(tables[0], figures);
  add_clocks(tables[1], figures);
  figures.peak_bytes = peak_of_devices(tables[2]);
}

/// What is known when all ranks are together.
void add_session(const Session& session, RunFigures& all) {
  all.world_size = std::max(all.world_size, all.ranks);
  for (const Run& run : session.runs) {
    const auto extent = extent_of(run);
    if (!run.clock_is_unix || !extent) continue;
    const int64_t begin = extent->begin + run.clock_base;
    all.recorded = std::min(all.recorded.value_or(begin), begin);
  }
}

/// Says why there are call trees, or no timeline, and no figures of call paths. Throws Error, if it is so.
void check_call_trees(const Session& session, const OpenOptions& open, const std::string& metric) {
  const std::vector<const CallTree*> trees = stored_trees(session);
  if (trees.empty() && metric.empty()) return;
  if (trees.empty()) throw Error(open.inputs.front(), "has no call tree for --metric");
  const CallTree& tree = *trees.front();
  std::vector<std::string> there_are;
  for (MetricIndex i = 0; i < tree.metrics.size(); ++i) {
    if (tree.metrics[i].visible && tree.has_values(i)) there_are.push_back(tree.metrics[i].name);
  }
  if (there_are.empty()) throw Error(open.inputs.front(), "has a call tree without values");
  throw Error(open.inputs.front(), metric.empty()
                                       ? "has a call tree without a metric that is its main one: --metric names another"
                                       : fmt::format("has no values of the metric '{}' in its call tree; there are {}",
                                                     metric, fmt::join(there_are, ", ")));
}

/// Throws Error where a summary has another metric than the one that is wanted: it keeps the main one alone.
void check_metric_of_summary(const std::string& kept, const std::string& wanted, const OpenOptions& open) {
  if (wanted.empty()) return;
  if (kept.empty()) throw Error(open.inputs.front(), "has no call tree for --metric");
  CallTree tree;
  tree.metrics.emplace_back().name = kept;
  if (tree.find_metric(wanted)) return;
  throw Error(open.inputs.front(),
              fmt::format("is a summary, which has of its call tree the metric '{}' alone: give the profile for '{}'",
                          kept, wanted));
}

}  // namespace

size_t warm_up_iterations(const std::vector<int64_t>& wall_ns) {
  const size_t most = wall_ns.size() / 2;
  if (most == 0) return 0;
  std::vector<int64_t> later(wall_ns.begin() + static_cast<std::ptrdiff_t>(most), wall_ns.end());
  const double usual = median(later);
  for (int64_t& each : later) each = std::abs(each - static_cast<int64_t>(usual));
  // Far longer: by a quarter, and by six deviations as the later ones vary (1.48 median deviations are one).
  const double limit = usual + std::max(0.25 * usual, 6 * 1.4826 * median(later));
  size_t count = 0;
  while (count < most && limit < static_cast<double>(wall_ns[count])) ++count;
  return count;
}

std::vector<WantedTable> FigureCollector::tables() {
  return {{&find_analysis("op_shapes")}, {&find_analysis("counters")}, {&find_analysis("memory")}};
}

void FigureCollector::collect(const RunInSession& run) {
  RunFigures& figures = ranks_[run.number];
  figures = {};
  add_identity(run.run(), figures);
  add_whole(run.timeline(), figures);
  const NamesOfOps names(run);
  const Iterations marked(run);
  add_iterations(run, marked, figures);
  add_device_ops(run, names, marked, figures);
  if (marked.steps().empty()) {
    if (const std::vector<Interval> found = find_repetitions(run.timeline()); !found.empty()) {
      const Iterations repetitions(found);
      WorkFigures& repeated = figures.repeated.emplace();
      add_iterations(run, repetitions, repeated);
      add_device_ops(run, names, repetitions, repeated);
    }
  }
  if (run.run().call_tree) figures.calls = call_figures(*run.run().call_tree, metric_, kMostCallPaths);
}

std::unique_ptr<FigureCollector> FigureCollector::of_name(const std::string& name) {
  if (!name.starts_with(kName)) return nullptr;
  return std::make_unique<FigureCollector>(name.substr(std::string(kName).size()));
}

std::string FigureCollector::take_bytes(uint32_t number) {
  const auto node = ranks_.extract(number);
  MessageWriter message;
  message(node.mapped());
  return message.take();
}

void FigureCollector::put_bytes(uint32_t number, const std::string& bytes) {
  MessageReader(bytes, "the figures of a rank")(ranks_[number]);
}

RunFigures FigureCollector::take_run(uint32_t number, const std::vector<Table>& tables) {
  auto node = ranks_.extract(number);
  RunFigures figures = node.empty() ? RunFigures() : std::move(node.mapped());
  add_tables(tables, figures);
  figures.calls.keep_largest(kMostKeptCallPaths);
  return figures;
}

RunFigures FigureCollector::take(const Session& session, const std::vector<Table>& tables) {
  RunFigures all;
  for (const auto& [number, figures] : ranks_) all.combine(figures);
  ranks_.clear();
  add_tables(tables, all);
  add_session(session, all);
  return all;
}

RunFigures figures_in(const SummarySession& kept) {
  RunFigures all;
  kept.for_each_record([&](const RunRecord& record) {
    RunFigures figures;
    if (record.encoding == RecordEncoding::message) {
      MessageReader(record.figures, record.run.file)(figures);
    } else {
      PositionalReader(record.figures, record.run.file)(figures);
    }
    all.combine(figures);
  });
  add_session(kept.session(), all);
  return all;
}

RunFigures figures_of(const SessionFacts& facts) {
  FigureCollector collector;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    collector.collect({facts, run, static_cast<uint32_t>(run)});
  }
  std::vector<Table> tables;
  for (const WantedTable& wanted : FigureCollector::tables()) {
    tables.push_back(make_table(*wanted.analysis, facts, wanted.options));
  }
  return collector.take(facts.session(), tables);
}

RunFigures collect_figures(const ProfileSource& source, const WantedFigures& wanted, Table* info) {
  const WantedTable wanted_info{&find_analysis("info")};
  const OpenOptions& open = source.options();
  if (source.summary()) {
    if (info != nullptr) *info = source.summary()->tables({wanted_info}).front();
    RunFigures figures = figures_in(*source.summary());
    check_metric_of_summary(figures.calls.metric, wanted.metric, open);
    return figures;
  }
  FigureCollector collector(wanted.metric);
  std::vector<WantedTable> tables = FigureCollector::tables();
  if (info != nullptr) tables.push_back(wanted_info);
  const MadeTables made = make_tables(source, tables, &collector);
  RunFigures figures = collector.take(*made.session, made.tables);
  if (wanted.without_timeline && figures.calls.metric.empty()) check_call_trees(*made.session, open, wanted.metric);
  if (figures.span_ns == 0 && !wanted.without_timeline)
    throw Error(open.inputs.front(), "has no timeline, so that no time of it can be compared");
  if (figures.span_ns == 0 && figures.calls.metric.empty())
    throw Error(open.inputs.front(), "has neither a timeline nor a call tree with values, which could be compared");
  if (info != nullptr) *info = made.tables.back();
  return figures;
}

}  // namespace cgpu
