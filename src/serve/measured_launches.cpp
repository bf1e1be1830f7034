#include "serve/measured_launches.h"

#include <algorithm>

#include "analysis/analysis.h"
#include "hardware/stated_peaks.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

std::string without_spaces(std::string name) {
  std::erase(name, ' ');
  return name;
}

std::optional<LaunchShape> shape_of(const ProfiledLaunch& launch) {
  if (!launch.grid || !launch.block) return std::nullopt;
  LaunchShape shape;
  for (size_t axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = static_cast<uint32_t>((*launch.grid)[axis]);
    shape.block[axis] = static_cast<uint32_t>((*launch.block)[axis]);
  }
  return shape;
}

std::optional<DevicePeaks> peaks_of(const Run& run, const ProfiledLaunch& launch) {
  for (const Device& device : run.devices) {
    if (run.devices.size() == 1 || device.id == launch.device.value_or(0))
      return find_device_peaks(device.name, device.stated_peaks);
  }
  return std::nullopt;
}

/// Williams et al., "Roofline" (CACM 52(4), 2009): what can be reached is the lesser of the rate of arithmetic and of
/// what memory delivers at this intensity.
void add_ceiling(MeasuredLaunch& launch, const DevicePeaks& peaks) {
  double rate = 0;
  for (const PeakRate& peak : peaks.flops) {
    if (peak.type.starts_with("int") || peak.type.starts_with("uint") || peak.flops < *launch.flops_per_s) continue;
    if (rate != 0 && peak.flops > rate) continue;
    launch.ceiling = peak.flops == rate ? launch.ceiling + ", " + peak.type : peak.type;
    rate = peak.flops;
  }
  if (rate == 0) return;
  if (peaks.memory_bandwidth) rate = std::min(rate, *launch.intensity * *peaks.memory_bandwidth);
  launch.ceiling_pct = 100 * *launch.flops_per_s / rate;
}

std::optional<double> number(const Cell& cell) {
  return std::holds_alternative<double>(cell) ? std::optional(std::get<double>(cell)) : std::nullopt;
}

}  // namespace

const char* text_of(LaunchMatch match) {
  switch (match) {
    case LaunchMatch::none:
      return "none";
    case LaunchMatch::short_name_and_shape:
      return "short name and shape";
    case LaunchMatch::name:
      return "name";
    case LaunchMatch::name_and_shape:
      return "name and shape";
  }
  return "none";
}

LaunchMatch compare(const KernelLaunch& a, const KernelLaunch& b) {
  const bool same_shape = a.shape && b.shape && a.shape->grid == b.shape->grid && a.shape->block == b.shape->block;
  if (without_spaces(a.name) == without_spaces(b.name)) {
    return same_shape ? LaunchMatch::name_and_shape : LaunchMatch::name;
  }
  const bool same_short_name = same_shape && base_kernel_name(a.name) == base_kernel_name(b.name);
  return same_short_name ? LaunchMatch::short_name_and_shape : LaunchMatch::none;
}

MeasuredLaunches::MeasuredLaunches(const SessionFacts& facts) {
  const Table table = make_table(find_analysis("launch_metrics"), facts);  // a row a launch, in this order
  const size_t kernel = table.column("kernel");
  const size_t bound = table.column("bound");
  const size_t intensity = table.column("intensity");
  size_t row = 0;
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& profiled : run.launch_metrics->launches) {
      MeasuredLaunch launch;
      launch.rank = run.rank;
      launch.id = profiled.id;
      launch.kernel = {std::get<std::string>(table.cell(row, kernel)), shape_of(profiled)};
      launch.duration_ns = profiled.duration_ns;
      if (const ColumnValues& bounds = table.values(bound); !bounds.is_absent(row)) launch.bound = bounds.text(row);
      launch.intensity = number(table.cell(row, intensity));
      if (launch.intensity.value_or(0) > 0) {
        launch.flops_per_s = profiled.flops_per_s;
        if (const auto peaks = peaks_of(run, profiled)) add_ceiling(launch, *peaks);
      } else {
        launch.intensity.reset();
      }
      by_short_name_[base_kernel_name(launch.kernel.name)].push_back(launches_.size());
      launches_.push_back(std::move(launch));
      ++row;
    }
  }
}

MeasuredLaunches::Found MeasuredLaunches::of(const KernelLaunch& launch) const {
  Found found;
  const auto known = by_short_name_.find(base_kernel_name(launch.name));
  if (known == by_short_name_.end()) return found;
  for (const size_t index : known->second) {
    const LaunchMatch match = compare(launch, launches_[index].kernel);
    if (match == LaunchMatch::none || match < found.match) continue;
    if (match > found.match) found = {match, {}};
    found.launches.push_back(&launches_[index]);
  }
  return found;
}

const MeasuredLaunch* MeasuredLaunches::find(int64_t rank, int64_t id) const {
  const auto at = std::find_if(launches_.begin(), launches_.end(),
                               [&](const MeasuredLaunch& launch) { return launch.rank == rank && launch.id == id; });
  return at == launches_.end() ? nullptr : &*at;
}

}  // namespace cgpu
