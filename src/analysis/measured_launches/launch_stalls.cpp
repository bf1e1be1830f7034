// Table `launch_stalls`: why warps of a kernel waited, for each launch that a kernel profiler measured. O(1) a metric.
//
// Nsight Compute has a metric a reason: how many warps waited for it on average for each instruction that was issued,
// which is counted of all warps, and, where that was not collected, samples of warps (`smsp__pcsamp_...`). Its reasons
// have the names of table `stalls`, so that profiles of different tools can be compared; the profiler's own word is
// beside. rocprof-compute has samples of AMD's devices (`pc_samples_stalled_...`).
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/measured_launches/launch_columns.h"
#include "analysis/tables.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

struct StallReason {
  std::string_view word;    // of the profiler
  std::string_view reason;  // as in `stalls`
  std::string_view about;
};

// Meanings: Nsight Compute's Kernel Profiling Guide, "Warp Stall Reasons".
constexpr std::array kReasons = {
    StallReason{"long_scoreboard", "memory_dependency", "waited for global, local, texture or surface memory"},
    StallReason{"short_scoreboard", "execution_dependency",
                "waited for shared memory, special functions or a dynamic branch"},
    StallReason{"wait", "execution_dependency", "waited a fixed number of cycles for the instruction before"},
    StallReason{"barrier", "synchronization", "waited at a barrier for other warps of the block"},
    StallReason{"membar", "synchronization", "waited for a memory fence"},
    StallReason{"warpgroup_arrive", "synchronization", "waited for the other warps of a warp group"},
    StallReason{"gmma", "synchronization", "waited for the other warps of a warp group"},
    StallReason{"imc_miss", "constant_memory", "waited for constant memory that was not in its cache"},
    StallReason{"tex_throttle", "texture", "waited because the queue of the texture unit was full"},
    StallReason{"math_pipe_throttle", "pipe_busy", "waited for a unit that computes"},
    StallReason{"lg_throttle", "memory_throttle", "waited because the queue of global and local memory was full"},
    StallReason{"mio_throttle", "memory_throttle",
                "waited because the queue of shared memory and special functions was full"},
    StallReason{"no_instruction", "instruction_fetch", "waited for the next instruction to be fetched"},
    StallReason{"no_instructions", "instruction_fetch", "waited for the next instruction to be fetched"},
    StallReason{"branch_resolving", "instruction_fetch", "waited for the target of a branch"},
    StallReason{"not_selected", "not_selected", "was ready, but another warp was chosen"},
    StallReason{"sleeping", "sleep", "slept"},
    StallReason{"dispatch_stall", "other", "waited because the dispatcher held instructions back"},
    StallReason{"drain", "other", "waited at its end for its last writes to memory"},
    StallReason{"misc", "other", "waited for something else"},
    // AMD's, of rocprofiler-sdk's samples of program counters.
    StallReason{"waitcnt", "memory_dependency", "waited for memory that an instruction before had asked for"},
    StallReason{"alu_dependency", "execution_dependency", "waited for the result of an instruction before"},
    StallReason{"barrier_wait", "synchronization", "waited at a barrier for other waves of the workgroup"},
    StallReason{"no_instruction_available", "instruction_fetch", "waited for the next instruction to be fetched"},
    StallReason{"arbiter_not_win", "not_selected", "was ready, but another wave was chosen"},
    StallReason{"arbiter_win_ex_stall", "pipe_busy", "was chosen, but the unit that executes was busy"},
    StallReason{"sleep_wait", "sleep", "slept"},
    StallReason{"internal_instruction", "other", "executed an instruction that the wave handles itself"},
    StallReason{"other_wait", "other", "waited for something else"},
};

constexpr std::string_view kSamples = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kNotIssued = "_not_issued";
constexpr std::string_view kSamplesOfAmd = "pc_samples_stalled_";
constexpr std::string_view kAverage = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kAverageEnd = "_per_issue_active.ratio";

/// The profiler's word for the reason that a metric counts, where it is one of this kind: samples, or averages.
std::string_view word_in(std::string_view metric, bool samples) {
  if (samples && metric.starts_with(kSamplesOfAmd)) return metric.substr(kSamplesOfAmd.size());
  const std::string_view start = samples ? kSamples : kAverage;
  if (!metric.starts_with(start)) return {};
  std::string_view word = metric.substr(start.size());
  if (samples) return word.ends_with(kNotIssued) ? std::string_view() : word;
  if (!word.ends_with(kAverageEnd)) return {};
  word.remove_suffix(kAverageEnd.size());
  return word;
}

/// A warp that issued did not wait.
bool is_stall(std::string_view word) {
  return !word.empty() && word != "selected";
}

StallReason reason_of(std::string_view word) {
  const auto* known =
      std::find_if(kReasons.begin(), kReasons.end(), [&](const StallReason& each) { return each.word == word; });
  return known == kReasons.end() ? StallReason{word, "other", "waited for something that only the profiler names"}
                                 : *known;
}

struct LaunchStall {
  std::string_view word;
  std::string_view metric;
  double value = 0;
};

std::vector<LaunchStall> stalls_of(const StringPool& names, const ProfiledLaunch& launch, bool samples) {
  std::vector<LaunchStall> stalls;
  for (const MetricValue& metric : launch.metrics) {
    const std::string_view word = word_in(names[metric.name], samples);
    if (!is_stall(word) || !metric.number || !(*metric.number >= 0)) continue;
    // A profile can have the same metric in several sections.
    const bool known =
        std::any_of(stalls.begin(), stalls.end(), [&](const LaunchStall& each) { return each.word == word; });
    if (!known) stalls.push_back({word, names[metric.name], *metric.number});
  }
  return stalls;
}

double total_of(const std::vector<LaunchStall>& stalls) {
  double total = 0;
  for (const LaunchStall& stall : stalls) total += stall.value;
  return total;
}

Table launch_stalls_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const bool base_names = has_base_names(options);
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    const StringPool& names = run.launch_metrics->names;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      bool samples = false;
      std::vector<LaunchStall> stalls = stalls_of(names, launch, samples);
      if (total_of(stalls) <= 0) {
        samples = true;
        stalls = stalls_of(names, launch, samples);
      }
      const double total = total_of(stalls);
      std::ranges::stable_sort(stalls, [](const LaunchStall& a, const LaunchStall& b) { return a.value > b.value; });
      const std::string full = full_kernel_name(launch.kernel);
      const std::string kernel = base_names ? base_kernel_name(full) : full;
      for (const LaunchStall& stall : stalls) {
        if (stall.value == 0) continue;
        const StallReason reason = reason_of(stall.word);
        table.append({run.rank, launch.id, kernel, cell(reason.reason), cell(stall.word), 100 * stall.value / total,
                      stall.value, samples ? "samples" : "warps an instruction", cell(reason.about),
                      cell(stall.metric)});
      }
    }
  }
  return table;
}

}  // namespace

Analysis launch_stalls_analysis() {
  return {.name = "launch_stalls",
          .about = "why warps of kernels waited, by launch that a kernel profiler measured; most first",
          .subject = Subject::launches,
          .columns = {rank_column(), launch_column(), key_column("kernel", "name of the device function"),
                      key_column("reason", "what was waited for, in the words of the table stalls"),
                      key_column("stall", "what the profiler calls it"),
                      real_column("pct", "%", "share of all that waited in this launch"),
                      real_column("value", "", "in `unit`"),
                      text_column("unit",
                                  "warps that waited for each instruction that was issued; or, where these were not "
                                  "counted, samples of warps"),
                      text_column("about", "what that means"), key_column("metric", "the metric it is from")},
          .options = {kNamesOption},
          .applies = [](const ProfileCounts& counts) { return counts.launch_stall_metrics > 0; },
          .whole = launch_stalls_table};
}

}  // namespace cgpu
