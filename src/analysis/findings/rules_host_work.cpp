// Rules about what sampled hosts do besides the code of the user (call_tree/host_work.h): waiting, memory, garbage.
//
// Told where it takes Thresholds::sampled_share of the main metric. What threads that never come to code of the user do
// (workers of a pool that sleep) slows nobody down and does not count, but for the collection of garbage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "table/units.h"

namespace cgpu {

namespace {

struct ActivityRule {
  std::vector<FrameRole> roles;
  const char* rule;
  const char* what;  // "... of CPUTIME is spent WHAT"
  const char* suggestion;
  bool is_normal = false;  // may be what the thread is for: no warning
};

const std::vector<ActivityRule>& activity_rules() {
  static const std::vector<ActivityRule> rules{
      {{FrameRole::garbage_collection},
       "garbage_collection",
       "collecting garbage",
       "Collect less often: no gc.collect() in the loop, gc.freeze() after start-up, higher thresholds "
       "(gc.set_threshold in Python, GOGC in Go); make fewer objects that live long"},
      {{FrameRole::allocation, FrameRole::page_fault},
       "allocation",
       "allocating and releasing memory",
       "Reuse buffers in the place of new ones in the loop; against page faults keep memory that was freed (mallopt "
       "M_TRIM_THRESHOLD, jemalloc, tcmalloc) and use huge pages"},
      {{FrameRole::lock},
       "lock_contention",
       "in locks",
       "Hold the lock for less time, divide what it protects, or give each thread data of its own"},
      {{FrameRole::thread_wait},
       "thread_wait",
       "waiting for other threads",
       "See what the thread waits for: it is a loss where it could do some of that work itself",
       true},
      {{FrameRole::device_wait},
       "synchronization",
       "waiting for a device",
       "Record the device too: whether it was busy meanwhile, this profile does not say",
       true},
      {{FrameRole::mpi},
       "exposed_communication",
       "in communication with other ranks",
       "See which ranks come late (table imbalance), overlap communication with work, send fewer and larger messages"},
      {{FrameRole::mpi_setup},
       "start_up",
       "starting and ending MPI",
       "Nothing to do where the program runs for long. MPI_Finalize also waits for ranks that come late (table imbalance)",
       true},
      {{FrameRole::io},
       "io",
       "reading, writing or waiting for files and connections",
       "Read ahead or write on another thread, in fewer and larger pieces"},
      {{FrameRole::openmp_wait},
       "barrier_wait",
       "waiting for the other threads of an OpenMP team",
       "Balance the work of the threads between barriers (schedule(dynamic) or guided), or need fewer barriers "
       "(nowait)"},
  };
  return rules;
}

/// "malloc 12.00%, free 3.00%": the largest of them, as shares of `whole`.
std::string largest_shares(const std::map<std::string, double>& values, double whole) {
  std::vector<std::pair<std::string, double>> sorted(values.begin(), values.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t kShown = 3;
  std::vector<std::string> parts;
  for (size_t i = 0; i < sorted.size() && i < kShown; ++i) {
    const std::string& name = sorted[i].first;  // empty of what no function called
    if (!name.empty()) parts.push_back(fmt::format("{} {}", name, format_percent(100 * sorted[i].second / whole)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What devices did in all, of a profile that measured that, in the unit of the main metric: what kernels took where it
/// tells that apart (HPCToolkit's GKER), else all operations (GPUOP; Caliper's "time (gpu)").
std::optional<double> time_of_devices(RuleContext& context, const std::string& main_metric) {
  const CallTree& tree = *context.sampled_tree();
  const auto unit_of = [&](const std::string& name) {
    const auto metric = std::ranges::find(tree.metrics, name, &Metric::name);
    return metric == tree.metrics.end() ? std::nullopt : std::optional(metric->unit);
  };
  for (const char* name : {"GKER", "GPUOP", "time (gpu)"}) {
    const double worked = context.sum_of_metric(name);
    if (worked > 0 && unit_of(name) == unit_of(main_metric)) return worked;
  }
  return std::nullopt;
}

/// Whether the device was busy while hosts waited for it, in the place of the advice to record it.
void compare_with_devices(RuleContext& context, double waited, const std::string& metric, Finding& finding) {
  const std::optional<double> worked = time_of_devices(context, metric);
  if (!worked) return;
  const bool is_busy = *worked >= 0.7 * waited;
  finding.evidence +=
      fmt::format("; devices worked for {} of that time in all", format_percent(100 * *worked / waited));
  finding.suggestion = is_busy
                           ? "The devices were at work for about as long: make their kernels faster, or give the host "
                             "other work meanwhile"
                           : "The devices were idle for most of it: give them more to do at a time, and let the host "
                             "go on without waiting for each piece";
}

void add_activity(RuleContext& context, const WorkSums& work, const ActivityRule& rule, const std::string& metric,
                  std::vector<Finding>& findings) {
  WorkSums::OfActivity all;
  for (const FrameRole role : rule.roles) {
    const auto found = work.activities.find(role);
    if (found == work.activities.end()) continue;
    all.value += found->second.value;
    for (const auto& [name, value] : found->second.entries) all.entries[name] += value;
    for (const auto& [name, value] : found->second.callers) all.callers[name] += value;
  }
  const double share = all.value / work.whole;
  if (!(share >= context.thresholds().sampled_share)) return;
  // Another rule may have said the same of frames with which HPCToolkit marks such waiting.
  const bool is_reported =
      std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.rule == rule.rule; });
  if (is_reported) return;
  Finding finding{.rule = rule.rule,
                  .title = fmt::format("{} of {} is spent {} ({})", format_percent(100 * share), metric, rule.what,
                                       largest_name(all.entries)),
                  .evidence = largest_shares(all.entries, work.whole),
                  .suggestion = rule.suggestion,
                  .command = "callers",
                  .confidence = rule.is_normal ? Confidence::low : Confidence::high,
                  .severity = rule.is_normal ? Severity::info : context.sampled_severity(share)};
  const std::string caller = largest_name(all.callers);
  if (!caller.empty()) {
    finding.title += fmt::format(", most of it for {}", caller);
    finding.evidence += fmt::format("; by who called it: {}", largest_shares(all.callers, work.whole));
  }
  if (rule.roles.front() == FrameRole::device_wait) compare_with_devices(context, all.value, metric, finding);
  findings.push_back(std::move(finding));
}

}  // namespace

void find_host_work(RuleContext& context, std::vector<Finding>& findings) {
  if (context.has_device_ops()) return;  // the critical path says more
  const WorkSums& work = context.work_sums();
  if (!(work.whole > 0)) return;
  for (const ActivityRule& rule : activity_rules())
    add_activity(context, work, rule, context.sampled_metric(), findings);
}

}  // namespace cgpu
