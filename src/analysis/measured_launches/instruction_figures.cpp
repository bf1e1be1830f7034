#include "analysis/measured_launches/instruction_figures.h"

#include <algorithm>

#include "analysis/common/columns.h"

namespace cgpu {

namespace {

constexpr std::string_view kSamples = "smsp__pcsamp_sample_count";
constexpr std::string_view kStalled = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kNotIssued = "_not_issued";
constexpr std::string_view kSelected = "selected";  // it issued, and did not wait
constexpr std::string_view kExecuted = "inst_executed";
constexpr std::string_view kThreadExecuted = "thread_inst_executed";

void add_to(std::optional<uint64_t>& sum, const std::optional<uint64_t>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

/// Which figures the profile has of a launch: these are 0 at instructions without a count.
struct Collected {
  bool samples = false;  // as a metric of their own; else they are the sum of the reasons
  bool reasons = false;
  bool not_issued = false;
  bool executed = false;
  bool thread_executed = false;

  Collected(const StringPool& names, const ProfiledLaunch& launch) {
    for (const MetricValue& metric : launch.metrics) {
      const std::string_view name = names[metric.name];
      samples = samples || name == kSamples;
      executed = executed || name == kExecuted;
      thread_executed = thread_executed || name == kThreadExecuted;
      if (!name.starts_with(kStalled)) continue;
      (name.ends_with(kNotIssued) ? not_issued : reasons) = true;
    }
  }
  InstructionFigures zeros() const {
    InstructionFigures figures;
    if (samples || reasons) figures.samples = 0;
    if (not_issued) figures.not_issued = 0;
    if (executed) figures.executed = 0;
    if (thread_executed) figures.thread_executed = 0;
    return figures;
  }
};

void count(std::string_view metric, uint64_t value, const Collected& collected, InstructionFigures& figures) {
  if (metric == kSamples) add_to(figures.samples, value);
  if (metric == kExecuted) add_to(figures.executed, value);
  if (metric == kThreadExecuted) add_to(figures.thread_executed, value);
  if (!metric.starts_with(kStalled)) return;
  const std::string_view word = metric.substr(kStalled.size());
  if (word.ends_with(kNotIssued)) return add_to(figures.not_issued, value);
  if (!collected.samples) add_to(figures.samples, value);
  if (word != kSelected) figures.stalls[word] += value;
}

}  // namespace

void InstructionFigures::add(const InstructionFigures& other) {
  instructions += other.instructions;
  add_to(samples, other.samples);
  add_to(not_issued, other.not_issued);
  add_to(executed, other.executed);
  add_to(thread_executed, other.thread_executed);
  for (const auto& [word, value] : other.stalls) stalls[word] += value;
}

std::vector<MeasuredInstruction> measured_instructions(const LaunchMetrics& measured, const ProfiledLaunch& launch) {
  std::vector<MeasuredInstruction> all;
  if (launch.instruction_counts.empty()) return all;
  const Collected collected(measured.names, launch);
  InstructionFigures zeros = collected.zeros();
  zeros.instructions = 1;
  std::map<int64_t, MeasuredInstruction> by_offset;
  const DeviceCode& code = measured.codes[launch.code - 1];
  int64_t offset = 0;
  for (const DeviceInstruction& instruction : code.instructions) {
    by_offset[offset] = {offset, &instruction, zeros};
    offset += code.instruction_bytes;
  }
  for (const InstructionCount& each : launch.instruction_counts) {
    const auto at = static_cast<int64_t>(each.address - code.address);
    const auto found = by_offset.try_emplace(at, MeasuredInstruction{at, nullptr, zeros}).first;
    count(measured.names[each.metric], each.value, collected, found->second.figures);
  }
  for (auto& [at, instruction] : by_offset) all.push_back(std::move(instruction));
  return all;
}

std::vector<Column> figure_columns() {
  return {main_column(count_column("samples", "samples of warps that were here")),
          count_column("not_issued", "of these, those in which the scheduler issued no instruction"),
          count_column("executed", "times that a warp executed an instruction here"),
          count_column("thread_executed", "the same of threads"),
          text_column("stall", "why most of the warps here waited, in the profiler's word"),
          count_column("stall_samples", "samples of warps that waited for that")};
}

void append_figures(const InstructionFigures& figures, std::vector<Cell>& cells) {
  const auto number = [](const std::optional<uint64_t>& value) {
    return value ? Cell(static_cast<int64_t>(*value)) : Cell();
  };
  for (const auto& value : {figures.samples, figures.not_issued, figures.executed, figures.thread_executed}) {
    cells.push_back(number(value));
  }
  const auto most = std::ranges::max_element(figures.stalls, {}, [](const auto& stall) { return stall.second; });
  const bool is_stalled = most != figures.stalls.end() && most->second > 0;
  cells.push_back(is_stalled ? cell(most->first) : Cell());
  cells.push_back(is_stalled ? Cell(static_cast<int64_t>(most->second)) : Cell());
}

}  // namespace cgpu
