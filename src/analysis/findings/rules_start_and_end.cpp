// Rules about what comes before and after the loop of a program without marks: what is judged begins with its first
// launch and ends with its last device work (judged_periods.h). Starting and ending take time too, once a run: that is
// said beside the findings, with the longest call, and is no part of what they save.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "analysis/session_clock.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// A stretch of a run, on its clock, and the whole that it is of.
struct Margin {
  size_t run = 0;
  Interval time;
  int64_t whole = 0;  // ns

  int64_t length() const { return time.end - time.begin; }
};

/// "; the longest call is cudaHostAlloc: 341.0 ms (23.00%)"; empty where no call takes a hundredth of the margin. Calls
/// that begin there count as far as they lie in it.
std::string longest_call(const Timeline& timeline, const Margin& margin) {
  SliceIndex longest = kNone;
  int64_t most = 0;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (!is_call(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    const int64_t begin = std::max(timeline.slices.start[slice], margin.time.begin);
    const int64_t inside = std::min(timeline.slices.end(slice), margin.time.end) - begin;
    if (inside <= most) continue;
    most = inside;
    longest = slice;
  }
  constexpr double kExplains = 0.01;  // of the margin: a shorter one says nothing of it
  if (longest == kNone || static_cast<double>(most) < kExplains * static_cast<double>(margin.length())) return "";
  return fmt::format("; the longest call is {}: {} ({})", timeline.name(longest), format_ns(most),
                     format_percent(100 * static_cast<double>(most) / static_cast<double>(margin.length())));
}

void add_margin(const RuleContext& context, const Margin& margin, bool is_start, std::vector<Finding>& findings) {
  if (margin.whole <= 0 ||
      static_cast<double>(margin.length()) < context.thresholds().noticeable * static_cast<double>(margin.whole)) {
    return;
  }
  const double share = static_cast<double>(margin.length()) / static_cast<double>(margin.whole);
  const int64_t zero = context.facts().zeros()[margin.run];
  findings.push_back(
      {.rule = is_start ? "start_up" : "tear_down",
       .title =
           fmt::format("{} of the profile lies {}; it is left out of all other findings", format_percent(100 * share),
                       is_start ? "before the first device work" : "after the device work"),
       .evidence = fmt::format("{} of {}{}", format_ns(margin.length()), format_ns(margin.whole),
                               longest_call(context.facts().run(margin.run).timeline, margin)),
       .suggestion = is_start
                         ? "Nothing to do where the program runs for long: the first calls create the context, load "
                           "code and allocate once. Else look at what starts slowly"
                         : "Nothing to do where the program runs for long. Else look at what is freed, unloaded or "
                           "written at the end",
       .command = "api",
       .confidence = Confidence::high,
       .time = Interval{margin.time.begin - zero, margin.time.end - zero},
       .rank = context.facts().run(margin.run).rank});
}

}  // namespace

void find_start_and_end(RuleContext& context, std::vector<Finding>& findings) {
  const JudgedPeriods& judged = context.judged();
  if (judged.periods.empty() || judged.are_steps() || context.session().whole) return;
  const DependencyGraph& graph = context.facts().dependencies();
  Margin start;
  Margin end;
  for (const Period& period : judged.periods) {
    const auto extent = extent_of(context.facts().run(period.run));
    if (!extent) continue;
    const int64_t zero = graph.zero(period.run);
    const int64_t whole = extent->end - extent->begin;
    const Margin before{period.run, {extent->begin, std::max(period.begin + zero, extent->begin)}, whole};
    const Margin after{period.run, {std::min(period.end + zero, extent->end), extent->end}, whole};
    if (before.length() > start.length()) start = before;
    if (after.length() > end.length()) end = after;
  }
  add_margin(context, start, true, findings);
  add_margin(context, end, false, findings);
}

}  // namespace cgpu
