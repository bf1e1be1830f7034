#include "gate/figures/figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/steps/repeated_sequence.h"

namespace cgpu {

void IterationFigures::combine(const IterationFigures& other) {
  wall_ns = std::max(wall_ns, other.wall_ns);
  busy_ns += other.busy_ns;
  exposed_comm_ns += other.exposed_comm_ns;
  idle_ns += other.idle_ns;
  devices += other.devices;
  complete = complete && other.complete;
  warm_up = warm_up || other.warm_up;
}

void TimeFigure::combine(const TimeFigure& other) {
  count += other.count;
  total_ns += other.total_ns;
  if (other.error) error = std::max(error.value_or(0), *other.error);
  const auto size = [](double rise) { return std::pair(std::abs(rise), rise); };
  drift = std::max(size(drift), size(other.drift)).second;
}

void ShapeFigure::combine(const ShapeFigure& other) {
  std::vector<uint64_t> both;
  std::set_union(shapes.begin(), shapes.end(), other.shapes.begin(), other.shapes.end(), std::back_inserter(both));
  shapes = std::move(both);
  device_ns += other.device_ns;
}

std::string_view CallFigures::function_of(std::string_view path) {
  const size_t last = path.rfind(kBelow);
  return last == std::string_view::npos ? path : path.substr(last + std::string_view(kBelow).size());
}

void CallFigures::combine(const CallFigures& other) {
  if (other.metric.empty() || (!metric.empty() && metric < other.metric)) return;
  if (metric != other.metric) {
    *this = other;
    return;
  }
  const auto add = [&](double& value, double more) { value = is_sum ? value + more : std::max(value, more); };
  if (other.whole) {
    if (!whole) whole = 0;
    add(*whole, *other.whole);
  }
  for (const auto& [path, figure] : other.paths) {
    CallFigure& here = paths[path];
    add(here.inclusive, figure.inclusive);
    add(here.exclusive, figure.exclusive);
  }
}

void CallFigures::keep_largest(size_t most) {
  if (paths.size() <= most) return;
  std::vector<std::pair<double, const std::string*>> largest;
  for (const auto& [path, figure] : paths) largest.emplace_back(-figure.inclusive, &path);
  std::ranges::stable_sort(largest, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<std::string, CallFigure> kept;
  for (size_t i = 0; i < most; ++i) kept.insert(paths.extract(*largest[i].second));
  paths = std::move(kept);
}

void WorkFigures::combine(const WorkFigures& other) {
  for (const auto& [number, figures] : other.iterations) {
    const auto [at, is_new] = iterations.try_emplace(number, figures);
    if (!is_new) at->second.combine(figures);
  }
  steady += other.steady;
  for (const auto& [name, time] : other.ops) ops[name].combine(time);
  for (const auto& [name, time] : other.classes) classes[name].combine(time);
  for (const auto& [name, time] : other.kernels) kernels[name].combine(time);
  for (const auto& [name, time] : other.layers) layers[name].combine(time);
  for (const auto& [path, time] : other.modules) modules[path].combine(time);
}

std::vector<const IterationFigures*> WorkFigures::steady_iterations() const {
  std::vector<const IterationFigures*> steady_ones;
  for (const auto& [number, figures] : iterations) {
    if (figures.complete && !figures.warm_up) steady_ones.push_back(&figures);
  }
  return steady_ones;
}

void RunFigures::combine(const RunFigures& other) {
  if (ranks == 0) {
    repeated = other.repeated;
  } else if (repeated && other.repeated) {
    repeated->combine(*other.repeated);
  } else if (other.ranks > 0) {
    repeated.reset();
  }
  WorkFigures::combine(other);
  for (const auto& [format, count] : other.formats) formats[format] += count;
  for (const auto& [device, count] : other.devices) devices[device] += count;
  ranks += other.ranks;
  world_size = std::max(world_size, other.world_size);
  if (other.recorded) recorded = std::min(recorded.value_or(*other.recorded), *other.recorded);
  span_ns = std::max(span_ns, other.span_ns);
  busy_ns += other.busy_ns;
  exposed_comm_ns += other.exposed_comm_ns;
  idle_ns += other.idle_ns;
  for (const auto& [op, shape] : other.shapes) shapes[op].combine(shape);
  for (const auto& [counter, mean] : other.clocks) {
    double& largest = clocks[counter];
    largest = std::max(largest, mean);
  }
  if (other.peak_bytes) peak_bytes = std::max(peak_bytes.value_or(0), *other.peak_bytes);
  calls.combine(other.calls);
}

void compare_by_repetitions(const std::vector<RunFigures*>& runs) {
  bool unequally = false;
  bool nothing_else = true;
  for (const RunFigures* run : runs) {
    if (run->has_iterations() || !run->repeated) return;
    const auto count = static_cast<int64_t>(run->repeated->iterations.size());
    unequally = unequally || run->repeated->iterations.size() != runs.front()->repeated->iterations.size();
    int64_t repeated_ns = 0;
    for (const auto& [number, iteration] : run->repeated->iterations) repeated_ns += iteration.busy_ns;
    nothing_else = nothing_else && is_all_repeated(run->busy_ns, repeated_ns, count);
  }
  if (!unequally && !nothing_else) return;
  for (RunFigures* run : runs) {
    static_cast<WorkFigures&>(*run) = std::move(*run->repeated);
    run->repeated.reset();
    run->by_repetition = true;
  }
}

}  // namespace cgpu
