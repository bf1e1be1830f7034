// Rules about the profile itself: what it lacks, so that other findings may be wrong.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/rule_context.h"
#include "model/migrations.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr const char* kRecordAgain = "Record again, with larger buffers of the profiler or for a shorter time";
/// What a writer spoilt, no buffer mends.
constexpr const char* kWriteAgain =
    "Use another version of the program that wrote the file, or copy the file again: it has places that are not what "
    "its format allows";

/// What all profiles of one run have in common.
struct Common {
  const char* what;
  std::string (*of)(const Run&);  // "" where the profile does not say
};

constexpr std::array kCommon{
    Common{"device", [](const Run& run) { return run.devices.empty() ? "" : run.devices.front().name; }},
    Common{"profiler", [](const Run& run) { return run.format; }},
};

/// Profiles that were opened together and are not of one run.
Finding mixed_ranks(std::string evidence) {
  return {.rule = "mixed_ranks",
          .title = "The profiles do not seem to be of one run",
          .evidence = std::move(evidence),
          .suggestion = "Open the ranks of one run together; to see what differs between two runs: cgpu compare",
          .command = "info",
          .confidence = Confidence::medium};
}

void find_mixed_ranks(RuleContext& context, std::vector<Finding>& findings) {
  std::vector<std::string> differences;
  for (const Common& common : kCommon) {
    std::set<std::string> values;
    for (const Run& one : context.session().runs) {
      if (const std::string value = common.of(one); !value.empty()) values.insert(value);
    }
    if (values.size() > 1) differences.push_back(fmt::format("{}: {}", common.what, fmt::join(values, ", ")));
  }
  if (differences.empty()) return;
  findings.push_back(mixed_ranks(fmt::format("{}", fmt::join(differences, "; "))));
}

/// Calls and device work in an order that cannot be, as the graph of dependencies finds them.
void find_contradictions(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  constexpr double kFew = 0.01;  // of the edges: clocks that are corrected meanwhile contradict themselves now and then
  const DependencyGraph& graph = context.facts().whole().dependencies();
  const int64_t backward = graph.contradictions();
  if (static_cast<double>(backward) < kFew * static_cast<double>(graph.edges().size())) return;
  if (backward == 0) return;
  findings.push_back(
      {.rule = "implausible_profile",
       .title = fmt::format("{} of {} dependencies lead backward in time", format_count(backward),
                            format_count(backward + static_cast<int64_t>(graph.edges().size()))),
       .evidence = "ops that begin before their launch, or waits that return before what they waited for",
       .suggestion = "Clocks of host and device, or of the ranks, do not agree: what depends on them (causes of idle "
                     "time, waits for ranks, recoverable times) is doubtful",
       .command = "clocks",
       .confidence = Confidence::high});
}

/// Where kernels of graphs were not recorded nothing can be said of idle time.
void find_unrecorded_replays(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.lacks_replays()) return;
  ReplayCounts all;
  for (const ReplayCounts& of_run : context.replays()) {
    all.all += of_run.all;
    all.unrecorded += of_run.unrecorded;
  }
  findings.push_back(
      {.rule = "incomplete_profile",
       .title = "How busy the devices were is not known: the kernels of graphs were not recorded",
       .evidence = fmt::format("{} of {} launches of graphs show no device ops; what waits for them looks "
                               "like idle time, so that nothing is said of it",
                               format_count(all.unrecorded), format_count(all.all)),
       .suggestion = "Record the nodes of graphs (Nsight Systems: --cuda-graph-trace=node), or profile "
                     "a run without graphs",
       .command = "notes",
       .confidence = Confidence::high,
       .severity = Severity::warning});
}

/// Whether a profile of a host that was sampled beside its timeline has no device op: its call tree is of these
/// samples.
bool is_sampled_host(const Run& run) {
  return run.timeline.device_ops.size() == 0 && std::ranges::any_of(run.timeline.tracks, &Track::sampled);
}

/// A device is named, and nothing that it did was recorded.
void find_unrecorded_devices(RuleContext& context, std::vector<Finding>& findings) {
  std::string device;
  for (const Run& run : context.session().runs) {
    const bool has_no_work = run.notes.count("no_device_work") > 0 || is_sampled_host(run);
    if (!has_no_work || run.devices.empty()) continue;
    device = run.devices.front().name;
    break;
  }
  if (context.has_device_ops() || device.empty()) return;
  const Table& notes = context.table("notes");
  std::vector<std::string> said;
  for (const RowView row : notes.rows()) {
    const std::string code = std::get<std::string>(row[notes.column("code")]);
    const std::string text = std::get<std::string>(row[notes.column("text")]);
    const bool is_of_device = text.find("CUDA") != std::string::npos || text.find("HIP") != std::string::npos;
    constexpr size_t kMost = 3;
    if (code.starts_with("profiler_") && is_of_device && said.size() < kMost) {
      said.push_back(text.substr(0, text.find_last_not_of('.') + 1));
    }
  }
  findings.push_back(
      {.rule = "incomplete_profile",
       .title = fmt::format("The profile names a device, {}, and holds no work of it", device),
       .evidence = fmt::format("{}", fmt::join(said, "; ")),
       .suggestion =
           "If the program uses it, record it: ProfilerActivity.CUDA in PyTorch, else trace CUDA or HIP (nsys profile -t cuda), with a profiler "
           "that is as new as the driver, and follow the process that launches where another one starts it",
       .command = "notes",
       .confidence = Confidence::high,
       .severity = said.empty() ? Severity::info : Severity::warning});
}

/// Device ops whose launch is not in the profile.
struct Orphans {
  int64_t ops = 0;
  int64_t count = 0;
  int64_t at_start = 0;  // in the first quarter of the time between first and last op
};

Orphans orphans_of(const Session& session) {
  Orphans orphans;
  for (const Run& run : session.runs) {
    const Slices& slices = run.timeline.slices;
    Interval span{INT64_MAX, INT64_MIN};
    for_each_device_op(run.timeline, [&](OpIndex, SliceIndex slice) {
      span = {std::min(span.begin, slices.start[slice]), std::max(span.end, slices.end(slice))};
    });
    for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex slice) {
      ++orphans.ops;
      if (!lacks_launch(run.timeline, op)) return;
      ++orphans.count;
      if (slices.start[slice] - span.begin < (span.end - span.begin) / 4) ++orphans.at_start;
    });
  }
  return orphans;
}

/// Why the devices waited for ops without a launch is not known.
void find_orphans(RuleContext& context, std::vector<Finding>& findings) {
  if (context.has_only_collectives() || !context.hides_launches()) return;
  const Orphans orphans = orphans_of(context.session());
  constexpr double kNearlyAll = 0.99;
  const auto is_most = [&](int64_t part, int64_t whole) {
    return static_cast<double>(part) >= kNearlyAll * static_cast<double>(whole);
  };
  const bool all = is_most(orphans.count, orphans.ops);
  const bool is_said =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.rule == "untraced_host"; });
  if (all && is_said) return;
  findings.push_back(
      {.rule = "incomplete_profile",
       .title = fmt::format("{} of {} device ops have no launch in the profile", orphans.count, orphans.ops),
       .evidence = "why the device waited for these is not known",
       .suggestion =
           all ? "Record the calls that launch them, too (rocprofv3 --sys-trace, nsys profile -t cuda), where "
                 "the profiler can"
           : is_most(orphans.at_start, orphans.count)
               ? "Begin the recording before the work is launched, or let the program wait for the device first"
               : "Look in the notes for lost events; calls that launch several ops are recorded with one of them",
       .command = "notes",
       .confidence = Confidence::high});
}

}  // namespace

void find_profile_gaps(RuleContext& context, std::vector<Finding>& findings) {
  find_mixed_ranks(context, findings);
  find_contradictions(context, findings);
  find_unrecorded_replays(context, findings);
  find_unrecorded_devices(context, findings);
  find_orphans(context, findings);
  const Table& notes = context.table("notes");
  std::vector<std::string> losses;
  std::map<std::string, int64_t> counts;  // by code
  for (const RowView row : notes.rows()) {
    const std::string code = std::get<std::string>(row[notes.column("code")]);
    const int64_t count = std::get<int64_t>(row[notes.column("count")]);
    const std::string text = std::get<std::string>(row[notes.column("text")]);
    const bool lost = code == "lost_events" || code == "truncated_input" || code == "damaged_input";
    const bool implausible = code == "implausible_duration" || code == "negative_duration" || code == "impossible_time";
    if (code == "duplicate_rank") findings.push_back(mixed_ranks(fmt::format("{} {}: {}", code, count, text)));
    if (lost) {
      losses.push_back(text.substr(0, text.find_last_not_of('.') + 1));
      counts[code] += count;
    }
    if (!implausible) continue;
    findings.push_back({.rule = "implausible_profile",
                        .title = "The profile has times that cannot be: " + text,
                        .evidence = fmt::format("{} {}", code, count),
                        .suggestion = kRecordAgain,
                        .command = "notes",
                        .confidence = Confidence::high});
  }
  if (losses.empty()) return;
  std::vector<std::string> evidence;
  for (const auto& [code, count] : counts) evidence.push_back(fmt::format("{} {}", code, count));
  findings.push_back({.rule = "incomplete_profile",
                      .title = fmt::format("The profile is not complete: {}", fmt::join(losses, "; ")),
                      .evidence = fmt::format("{}", fmt::join(evidence, ", ")),
                      .suggestion = counts.size() == 1 && counts.contains("damaged_input") ? kWriteAgain : kRecordAgain,
                      .command = "notes",
                      .confidence = Confidence::high});
}

}  // namespace cgpu
