// From Nsight Compute's metrics to the figures that every profiled launch has: by name, by label, with units.
#pragma once

#include <string>
#include <string_view>

#include "model/run.h"

namespace cgpu::ncu {

/// The name of the metric that the details page shows under `label` in `section`; "" where it is not needed here.
/// The label alone does not tell: "Memory Throughput" is a share in one section and bytes a second in another.
std::string_view metric_of_label(std::string_view section, std::string_view label);

/// The unit that a metric's name implies: "%", "ns", "byte", "byte/s", "cycle", "hz", "sector", "inst",
/// "warp", "request", "thread", "block" and the rates of these; "" where it implies none.
/// Reports do not store units.
std::string_view unit_of_metric(std::string_view name);

/// A printed unit as a power of ten of a base unit: "usecond" is 10^3 "ns". Unknown units are their own base.
struct Scale {
  std::string unit;
  int exponent = 0;
};
Scale scale_of_unit(std::string_view printed);

/// "This is @section:Occupancy:the occupancy@." without the markers of its links.
std::string without_links(std::string_view message);

/// Sets the named members of a launch from its metrics. Of several metrics of one name the last counts.
void fill_figures(const StringPool& names, ProfiledLaunch& launch);

/// Notes occupancies above 100 %, which are artefacts of the measurement, and figures that are absent, with the option
/// that would have collected them.
void check_figures(Run& run);

}  // namespace cgpu::ncu
