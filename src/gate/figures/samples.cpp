#include "gate/figures/samples.h"

#include <algorithm>
#include <cmath>

#include "gate/statistics/drift.h"

namespace cgpu {

namespace {

double a_device(int64_t ns, const IterationFigures& iteration) {
  return iteration.devices == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(iteration.devices);
}

double a_device(int64_t ns, const RunFigures& run) {
  int64_t devices = 0;
  for (const auto& [name, count] : run.devices) devices += count;
  return devices == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(devices);
}

}  // namespace

std::vector<Quantity> quantities(bool of_iterations) {
  const auto wall = [](const IterationFigures& one) { return static_cast<double>(one.wall_ns); };
  std::vector<Quantity> all;
  if (of_iterations) {
    all.push_back({"step_time", "the typical (median) iteration", Quantity::Role::decides, wall, nullptr, true});
    all.push_back({"step_time_mean", "the mean iteration, which rare slow ones raise too", Quantity::Role::may_fail,
                   wall, nullptr, false});
  } else {
    all.push_back({"span", "from the first start to the last end", Quantity::Role::decides, nullptr,
                   [](const RunFigures& run) { return static_cast<double>(run.span_ns); }, false});
  }
  all.push_back({"busy", "in which a device op ran, of a device", Quantity::Role::explains,
                 [](const IterationFigures& one) { return a_device(one.busy_ns, one); },
                 [](const RunFigures& run) { return a_device(run.busy_ns, run); }, false});
  all.push_back({"exposed_communication", "in which communication ran and no compute, of a device",
                 Quantity::Role::explains,
                 [](const IterationFigures& one) { return a_device(one.exposed_comm_ns, one); },
                 [](const RunFigures& run) { return a_device(run.exposed_comm_ns, run); }, false});
  all.push_back({"idle", "in which nothing ran on a device", Quantity::Role::explains,
                 [](const IterationFigures& one) { return a_device(one.idle_ns, one); },
                 [](const RunFigures& run) { return a_device(run.idle_ns, run); }, false});
  return all;
}

std::vector<double> series_of(const Quantity& quantity, const RunFigures& run) {
  std::vector<double> series;
  if (!quantity.of_iteration) return series;
  for (const IterationFigures* iteration : run.steady_iterations()) series.push_back(quantity.of_iteration(*iteration));
  return series;
}

NoiseWithin noise_within(std::vector<double> series, Location location, double middle) {
  constexpr size_t kMostForDrift = 128;  // values, whose pairs are looked at
  NoiseWithin noise;
  if (series.size() < kFewestIterations) return noise;
  for (double& each : series) each /= middle;
  series = shortened(std::move(series));
  noise.error = standard_error(series, location);
  const Drift drift = drift_of(shortened(std::move(series), kMostForDrift));
  if (drift.p < kDriftChance) noise.drift = drift.end;
  return noise;
}

std::optional<Sample> sample_of(const Quantity& quantity, const std::vector<const RunFigures*>& runs, bool with_noise) {
  Sample sample;
  const bool of_iterations = quantity.of_iteration && std::all_of(runs.begin(), runs.end(), [](const RunFigures* run) {
                               return !run->steady_iterations().empty();
                             });
  if (!of_iterations && !quantity.of_run) return std::nullopt;
  const Location location = quantity.typical ? Location::median : Location::mean;
  for (const RunFigures* run : runs) {
    if (!of_iterations) {
      const double value = quantity.of_run(*run);
      if (!(value > 0)) return std::nullopt;
      sample.add(value, std::nullopt);
      continue;
    }
    const std::vector<double> series = series_of(quantity, *run);
    const double value = location_of(location, series);
    if (!(value > 0)) return std::nullopt;
    const NoiseWithin noise = with_noise ? noise_within(series, location, value) : NoiseWithin();
    sample.add(value, noise.error, noise.drift);
  }
  return sample;
}

double time_of(const RunFigures& run) {
  const auto step = sample_of(quantities(true).front(), {&run}, false);
  return step ? step->values[0] : static_cast<double>(run.span_ns);
}

std::optional<Sample> sample_of(const TimeFigures RunFigures::*times, const std::string& name,
                                const std::vector<const RunFigures*>& runs) {
  Sample sample;
  for (const RunFigures* run : runs) {
    const auto found = (run->*times).find(name);
    if (found == (run->*times).end() || found->second.total_ns <= 0 || run->steady <= 0) return std::nullopt;
    sample.add(static_cast<double>(found->second.total_ns) / static_cast<double>(run->steady), found->second.error,
               found->second.drift);
  }
  return sample;
}

std::optional<Sample> memory_of(const std::vector<const RunFigures*>& runs) {
  Sample sample;
  for (const RunFigures* run : runs) {
    if (run->peak_bytes.value_or(0) <= 0) return std::nullopt;
    sample.add(static_cast<double>(*run->peak_bytes), 0.0);
  }
  return sample;
}

}  // namespace cgpu
