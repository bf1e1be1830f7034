// Sums over the rows of a table that several places of the report use. O(rows).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/phrases.h"
#include "table/table.h"

namespace cgpu {

/// What a step is made of: columns of `steps` that add up to duration_ns.
struct StepPart {
  std::string_view column;
  std::string_view name;
};
inline constexpr std::array<StepPart, 8> kStepParts = {{{"kernel_ns", "kernel"},
                                                        {"communication_ns", "communication"},
                                                        {"memcpy_ns", "memcpy"},
                                                        {"memset_ns", "memset"},
                                                        {"runtime_ns", "runtime"},
                                                        {"dataloader_ns", "dataloader"},
                                                        {"cpu_ns", "cpu"},
                                                        {"other_ns", "other"}}};

/// The steps that a statement about steps is made of: the complete ones, all where none is.
struct StepFacts {
  std::vector<RowView> rows;
  size_t incomplete = 0;  // left out
  double median = 0;      // ns
  std::optional<RowView> shortest;
  std::optional<RowView> longest;
  int64_t total = 0;             // ns
  std::vector<NamedTime> parts;  // of the total
};
/// `steps` must have rows; the facts point into it.
StepFacts step_facts(const Table& steps);

/// The whole of `gpu_time` over its devices.
struct DeviceTime {
  int64_t span = 0;
  int64_t busy = 0;
  int64_t compute = 0;
  int64_t exposed_comm = 0;
  int64_t exposed_memory = 0;
  int64_t idle = 0;
};
DeviceTime device_time(const Table& gpu_time);

/// Idle time by cause, summed over the devices, largest first.
std::vector<NamedTime> idle_causes(const Table& idle);

/// What the host did, or did not, in idle time of this cause: "the host waited for the device".
std::string_view meaning_of_cause(std::string_view cause);

}  // namespace cgpu
