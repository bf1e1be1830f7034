// Rules about the profile itself: what it lacks, so that other findings may be wrong.
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/rule_context.h"
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

}  // namespace

void find_profile_gaps(RuleContext& context, std::vector<Finding>& findings) {
  find_mixed_ranks(context, findings);
  find_contradictions(context, findings);
  find_unrecorded_replays(context, findings);
  int64_t ops = 0;
  for (const Run& one : context.session().runs) ops += static_cast<int64_t>(one.timeline.device_ops.size());
  const Table& notes = context.table("notes");
  std::vector<std::string> losses;
  std::map<std::string, int64_t> counts;  // by code
  for (const RowView row : notes.rows()) {
    const std::string code = std::get<std::string>(row[notes.column("code")]);
    const int64_t count = std::get<int64_t>(row[notes.column("count")]);
    const std::string text = std::get<std::string>(row[notes.column("text")]);
    const bool lost = code == "lost_events" || code == "truncated_input" || code == "damaged_input";
    const bool orphans = code == "orphan_device_op" && !context.has_only_collectives() &&
                         static_cast<double>(count) > context.thresholds().orphans * static_cast<double>(ops);
    const bool implausible = code == "implausible_duration" || code == "negative_duration" || code == "impossible_time";
    if (code == "duplicate_rank") findings.push_back(mixed_ranks(fmt::format("{} {}: {}", code, count, text)));
    if (lost) {
      losses.push_back(text.substr(0, text.find_last_not_of('.') + 1));
      counts[code] += count;
    }
    if (!orphans && !implausible) continue;
    findings.push_back(
        {.rule = implausible ? "implausible_profile" : "incomplete_profile",
         .title = orphans ? fmt::format("{} of {} device ops have no launch in the profile", count, ops)
                          : "The profile has times that cannot be: " + text,
         .evidence = fmt::format("{} {}", code, count),
         .suggestion = orphans
                           ? "Begin the recording before the work is launched; until then why the device waited for "
                             "these ops is unknown"
                           : kRecordAgain,
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
