// What `cgpu watch` has done, in Prometheus' text format (version 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/): metrics begin with cgpu_watch_, in seconds and bytes.
// All have the label `folder`, so that several watched folders can be collected on one machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "watch/verdict_line.h"

namespace cgpu {

struct WatchMetrics {
  std::string folder;                              // that is watched
  std::array<uint64_t, kWatchOutcomes> runs = {};  // by outcome
  size_t waiting = 0;
  double oldest_waits_s = 0;
  std::optional<VerdictLine> last = {};  // the last verdict
};

std::string prometheus_text(const WatchMetrics& metrics);

/// The inside of the quotes of a label: backslashes, quotes and line ends are escaped.
std::string prometheus_label(std::string_view value);

}  // namespace cgpu
