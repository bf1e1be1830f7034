// Launch metrics: what a kernel profiler measured of single launches, each replayed on its own.
//
// Such a profiler serialises launches, flushes caches and fixes clocks, so its durations say how kernels compare with
// the hardware, not when they ran or how long they took in the program. They are kept apart from the timeline. What
// every profiler of this kind can measure is in members of ProfiledLaunch (absent is not zero); all that was
// collected is in its list of named metrics.
#pragma once

#include <array>
#include <cstddef>
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

/// A metric that a section of the profiler's page shows.
struct SectionMetric {
  StringId chart = 0;   // title of the chart that has it; 0 where it is in the head of the section
  StringId label = 0;   // what the section calls it
  StringId metric = 0;  // its name
};

/// A section as the profiler shows it: which metrics, under which labels.
struct LaunchSection {
  StringId name = 0;   // identifier, which rules refer to
  StringId title = 0;  // as shown
  StringId about = 0;  // what it is for, in the profiler's words; 0 unknown
  uint64_t order = 0;  // sections are shown in ascending order
  std::vector<SectionMetric> metrics;
};

/// A machine instruction of a kernel.
struct DeviceInstruction {
  StringId operation = 0;  // such as "@P0 EXIT": guard and name of the operation; 0 unknown
  StringId file = 0;       // the source that it was compiled from; 0 unknown
  uint32_t line = 0;       // of `file`, from 1; 0 unknown
  uint32_t ptx_line = 0;   // of the PTX that it was assembled from, from 1; 0 unknown
};

/// The machine code of a kernel, with the functions that it calls.
struct DeviceCode {
  std::string function;            // name as the linker has it
  uint64_t address = 0;            // of the first instruction, where measured addresses count from
  uint32_t instruction_bytes = 0;  // size of each instruction
  std::vector<DeviceInstruction> instructions;
  size_t ptx = 0;  // number in LaunchMetrics::ptx, from 1; 0 where the profile has none
};

/// What a metric counted at one instruction; 0 is left out.
struct InstructionCount {
  uint64_t address = 0;  // of the instruction
  StringId metric = 0;
  uint64_t value = 0;
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
  std::vector<LaunchSection> sections;               // in the order of the profile; empty where it describes none
  size_t code = 0;                                   // number in LaunchMetrics::codes, from 1; 0 unknown
  std::vector<InstructionCount> instruction_counts;  // by metric, then by address
};

struct LaunchMetrics {
  StringPool names;  // of metrics, sections, units, operations, files and texts
  std::vector<ProfiledLaunch> launches;
  std::vector<DeviceCode> codes;
  std::vector<std::vector<std::string>> ptx;  // lines of texts
};

}  // namespace cgpu
