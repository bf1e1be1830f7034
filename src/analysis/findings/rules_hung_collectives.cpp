// A rule about collectives that never completed (the flight recorder of a job that hangs): which one of a group is the
// first, which ranks never came to it, and whether ranks called different ones in the same turn. Ranks are compared by
// the sequence numbers of their groups, so that no clock matters. O(collectives log collectives).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "base/ascii.h"
#include "base/number_ranges.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// One turn of a group, by what each rank says of it.
struct Turn {
  std::map<int64_t, std::string> names;  // by rank
  std::set<int64_t> unfinished;          // ranks
  std::map<int64_t, Interval> times;     // by rank, on its clock
};

struct Group {
  std::map<int64_t, Turn> turns;    // by sequence number
  std::map<int64_t, int64_t> last;  // of each rank: the turn that it came to last
};

using Groups = std::map<std::string, Group>;

Groups groups_of(const Session& session) {
  Groups groups;
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    for (const Collective& each : t.collectives) {
      if (each.sequence < 0 || each.from >= 0 || each.to >= 0) continue;
      Group& group = groups[std::string(t.names[each.group])];
      Turn& turn = group.turns[each.sequence];
      turn.names.emplace(run.rank, t.names[each.name]);
      turn.times.emplace(run.rank, Interval{t.slices.start[each.slice], t.slices.end(each.slice)});
      if ((t.slices.flags[each.slice] & kNeverEnded) != 0) turn.unfinished.insert(run.rank);
      const auto [last, is_new] = group.last.emplace(run.rank, each.sequence);
      if (!is_new) last->second = std::max(last->second, each.sequence);
    }
  }
  return groups;
}

std::string ranks_in_words(const std::vector<int64_t>& ranks) {
  constexpr size_t kShownRanges = 6;
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", ranges_text(ranks, kShownRanges));
}

void add_finding(RuleContext& context, const std::string& name, const Group& group, int64_t sequence, const Turn& turn,
                 std::vector<Finding>& findings) {
  std::map<std::string, std::vector<int64_t>> by_name;
  for (const auto& [rank, called] : turn.names) by_name[called].push_back(rank);
  std::vector<int64_t> absent;
  for (const auto& [rank, last] : group.last) {
    if (last < sequence) absent.push_back(rank);
  }
  const std::vector<int64_t> waiting(turn.unfinished.begin(), turn.unfinished.end());
  const int64_t first = waiting.front();
  const Interval time = turn.times.at(first);
  const int64_t waited = time.end - time.begin;  // 0 where the record does not say when it began
  const std::string which = fmt::format("{} {} of group {}", turn.names.at(first), format_count(sequence), name);
  Finding finding{.rule = "hung_collective",
                  .title = fmt::format("{} did not complete", capitalized(which)),
                  .evidence = fmt::format("{} had waited in it{} when the record ended", ranks_in_words(waiting),
                                          waited > 0 ? " for " + format_ns(waited) : ""),
                  .suggestion =
                      "Open the records of all ranks of the group together: those that did not come to it, "
                      "and what they called in its place, are named then",
                  .command = "slices --where 'kind = device_collective' --sort -start_ns",
                  .confidence = Confidence::medium,
                  .rank = first,
                  .severity = Severity::critical};
  if (by_name.size() > 1) {
    std::vector<std::string> called;
    for (const auto& [each, ranks] : by_name) called.push_back(fmt::format("{} {}", ranks_in_words(ranks), each));
    finding.title = fmt::format("Ranks call different collectives in turn {} of group {}: {}", format_count(sequence),
                                name, fmt::join(called, ", "));
    finding.suggestion =
        "Let all ranks of a group call the same collectives in the same order: look for a branch that "
        "depends on the rank or on its data";
    finding.confidence = Confidence::high;
  } else if (!absent.empty()) {
    finding.title = fmt::format("{} never came to {}", capitalized(ranks_in_words(absent)), which);
    finding.evidence += fmt::format("; the last that {} came to is {}", ranks_in_words({absent.front()}),
                                    format_count(group.last.at(absent.front())));
    finding.suggestion =
        "Look at what these ranks did then (py-spy dump, their logs): they left the loop, crashed, or "
        "wait for something else";
    finding.confidence = Confidence::high;
    finding.rank = absent.front();
  }
  const size_t run = static_cast<size_t>(std::ranges::find(context.session().runs, first, &Run::rank) -
                                         context.session().runs.begin());
  const int64_t zero = context.facts().zeros()[run];
  finding.time = Interval{time.begin - zero, time.end - zero};
  findings.push_back(std::move(finding));
}

}  // namespace

void find_hung_collectives(RuleContext& context, std::vector<Finding>& findings) {
  for (const auto& [name, group] : groups_of(context.session())) {
    const auto hung =
        std::ranges::find_if(group.turns, [](const auto& turn) { return !turn.second.unfinished.empty(); });
    if (hung != group.turns.end()) add_finding(context, name, group, hung->first, hung->second, findings);
  }
}

}  // namespace cgpu
