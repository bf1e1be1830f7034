// What a kernel profiler counted at the single instructions of a launch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "model/launch_metrics.h"
#include "table/table.h"

namespace cgpu {

/// Sums over instructions. What was not collected is absent.
struct InstructionFigures {
  uint64_t instructions = 0;
  std::optional<uint64_t> samples;              // of warps that were at one of them
  std::optional<uint64_t> not_issued;           // of these, those at which the scheduler issued nothing
  std::optional<uint64_t> executed;             // times that a warp executed one of them
  std::optional<uint64_t> thread_executed;      // the same of threads
  std::map<std::string_view, uint64_t> stalls;  // samples by the profiler's word for why warps waited; not `selected`

  void add(const InstructionFigures& other);
};

/// An instruction of a launch.
struct MeasuredInstruction {
  int64_t offset = 0;                              // bytes from the start of the kernel
  const DeviceInstruction* instruction = nullptr;  // null where the profile has no code of it
  InstructionFigures figures;
};

/// The instructions of a launch in ascending order of their offsets: all of its code, and whatever else has counts.
std::vector<MeasuredInstruction> measured_instructions(const LaunchMetrics& measured, const ProfiledLaunch& launch);

/// The columns of the figures, and their cells.
std::vector<Column> figure_columns();
void append_figures(const InstructionFigures& figures, std::vector<Cell>& cells);

}  // namespace cgpu
