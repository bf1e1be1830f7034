// Rules about the steps of a run without device work: what the thread that marks them does besides computing. No
// critical path says what that costs; as of samples, its share of the steps is judged.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/common/folded_names.h"
#include "analysis/findings/lost_times.h"
#include "analysis/findings/rule_context.h"
#include "analysis/steps/step_times.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What the threads that mark steps did in them.
struct HostSteps {
  int64_t whole = 0;  // ns
  struct OfCause {
    int64_t time = 0;
    std::map<std::string, int64_t> by_name;
  };
  std::map<IdleCause, OfCause> causes;
};

HostSteps host_steps(const SessionFacts& facts) {
  HostSteps all;
  for (size_t number = 0; number < facts.session().runs.size(); ++number) {
    const size_t place = facts.place_in_whole(number);
    const auto& part = facts.run(number).part_of;
    const Timeline& whole = facts.whole().run(place).timeline;
    const std::vector<Step>& steps = facts.steps(number);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (is_cut_short(steps, i)) continue;
      all.whole += steps[i].time.end - steps[i].time.begin;
      const SliceIndex mark = part ? part->slices[steps[i].mark] : steps[i].mark;
      facts.idle().for_each_host_piece(place, whole.slices.track[mark], steps[i].time,
                                       [&](Interval piece, IdleCause cause, SliceIndex slice) {
                                         HostSteps::OfCause& of_cause = all.causes[cause];
                                         of_cause.time += piece.end - piece.begin;
                                         if (slice == kNone) return;
                                         of_cause.by_name[folded_name(whole.name(slice))] += piece.end - piece.begin;
                                       });
    }
  }
  return all;
}

/// Worker processes have the processors of the machine, not a device, to compute beside.
constexpr const char* kLoadInWorkers =
    "Load data in worker processes while the steps compute (num_workers of a DataLoader, prefetch_factor), or make "
    "loading cheaper; workers take processors from the computation where there are few";

}  // namespace

void find_host_steps(RuleContext& context, std::vector<Finding>& findings) {
  if (context.has_device_ops()) return;  // the critical path says more
  const HostSteps steps = host_steps(context.facts());
  for (const LostTime& lost : kLostTimes) {
    const auto found = steps.causes.find(lost.cause);
    if (found == steps.causes.end()) continue;
    const auto& [time, by_name] = found->second;
    const double share = static_cast<double>(time) / static_cast<double>(steps.whole);
    if (share < context.thresholds().sampled_share) continue;
    Finding finding{
        .rule = lost.rule,
        .title = fmt::format("{} of the time of the steps the run {}", format_percent(100 * share), lost.what),
        .evidence = fmt::format("{} of {}", format_ns(time), format_ns(steps.whole)),
        .suggestion = lost.cause == IdleCause::data_loading ? kLoadInWorkers : lost.suggestion,
        .command = "steps",
        .confidence = Confidence::medium,
        .severity = context.sampled_severity(share)};
    const auto most = std::ranges::max_element(by_name, {}, [](const auto& one) { return one.second; });
    if (most != by_name.end()) {
      finding.evidence +=
          fmt::format("; most in {} ({})", most->first,
                      format_percent(100.0 * static_cast<double>(most->second) / static_cast<double>(time)));
    }
    findings.push_back(std::move(finding));
  }
}

}  // namespace cgpu
