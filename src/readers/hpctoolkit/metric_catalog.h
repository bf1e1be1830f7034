// What HPCToolkit's metrics mean: units, descriptions, and those that are computed from others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/call_tree.h"
#include "readers/hpctoolkit/taxonomy.h"

namespace cgpu::hpctoolkit {

/// "GKER (sec)" is GKER in sec. Metrics of `perf` have their unit in no name: clocks are nanoseconds.
Metric metric_of_stored_name(std::string_view stored);

/// Puts the measured metrics into the order of the catalogue (unknown ones first, as they came) and adds those that are
/// computed: as the database says (`taxonomy`), and those that the catalogue knows beyond that: averages per kernel,
/// occupancy, sampling utilisation, bytes copied. Gives, for each new index, the old one, or kComputed.
inline constexpr MetricIndex kComputed = UINT32_MAX;
std::vector<MetricIndex> arrange_metrics(std::vector<Metric>& metrics,
                                         const std::vector<TaxonomyMetric>& taxonomy = {});

/// The metric to look at first: time on the processors, else time on the devices, else the first with values. It
/// answers to the name `time` if it is one.
void choose_main_metric(CallTree& tree);

}  // namespace cgpu::hpctoolkit
