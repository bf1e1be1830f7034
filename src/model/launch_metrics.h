// Launch metrics: what a kernel profiler measured of single launches, each replayed on its own.
//
// Such a profiler serialises launches, flushes caches and fixes clocks, so its durations say how kernels compare with
// the hardware, not when they ran or how long they took in the program. They are kept apart from the timeline. What
// every profiler of this kind can measure is in members of ProfiledLaunch (absent is not zero); all that was
// collected is in its list of named metrics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/string_pool.h"

namespace cgpu {

/// One metric of one launch: a number in `unit`, or a text.
struct MetricValue {
  StringId name = 0;     // as the profiler calls it
  StringId section = 0;  // the group under which the profiler shows it, 0 where it does not
  StringId unit = 0;     // "ns", "%", "byte", "byte/s", ...; 0 for none or unknown
  std::optional<double> number;
  StringId text = 0;  // where it is no number
};

/// One finding of the profiler's own rules.
struct RuleResult {
  std::string rule;      // identifier
  std::string section;   // what it is about
  std::string severity;  // "optimization", "warning", "error", "information"
  std::string message;
  std::optional<double> speedup_pct;  // what the profiler estimates that could be gained
  std::string speedup_scope;  // "kernel": of its duration; "unit": of the part that the rule looks at; "" unknown
};

struct ProfiledLaunch {
  int64_t id = 0;  // number of the launch in the profile
  std::string kernel;
  std::optional<std::array<int64_t, 3>> grid;   // blocks
  std::optional<std::array<int64_t, 3>> block;  // threads
  std::optional<int32_t> device;
  std::optional<int64_t> stream;
  std::optional<int64_t> registers;     // a thread
  std::optional<int64_t> shared_bytes;  // static and dynamic shared memory a block
  std::optional<int64_t> duration_ns;   // serialised
  // Shares of what the device could sustain.
  std::optional<double> compute_pct;
  std::optional<double> memory_pct;
  std::optional<double> dram_pct;
  std::optional<double> l1_pct;
  std::optional<double> l2_pct;
  std::optional<double> achieved_occupancy_pct;
  std::optional<double> theoretical_occupancy_pct;
  // The place in the roofline.
  std::optional<double> flops_per_s;       // multiply-add counts as two; all units that worked, or absent
  std::optional<double> dram_bytes_per_s;  // both directions

  std::vector<MetricValue> metrics;  // in the order of the profile
  std::vector<RuleResult> rules;
};

struct LaunchMetrics {
  StringPool names;  // of metrics, sections, units and texts
  std::vector<ProfiledLaunch> launches;
};

}  // namespace cgpu
