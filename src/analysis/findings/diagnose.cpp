#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/findings/rule_context.h"
#include "analysis/findings/vendor_words.h"
#include "table/units.h"

namespace cgpu {

const char* text_of(Severity severity) {
  static constexpr std::array<const char*, 3> texts{"critical", "warning", "info"};
  return texts[static_cast<size_t>(severity)];
}

const char* text_of(Confidence confidence) {
  static constexpr std::array<const char*, 3> texts{"high", "medium", "low"};
  return texts[static_cast<size_t>(confidence)];
}

namespace {

/// The gain, weighted by confidence and precedence: certain findings come before slightly larger ones.
double priority(const Finding& finding, int64_t gain) {
  static constexpr std::array<double, 3> weights{1.0, 0.7, 0.4};
  return static_cast<double>(gain) * weights[static_cast<size_t>(finding.confidence)] * finding.precedence;
}

/// Both scenarios at once.
EdgeTimes::Scenario with(const EdgeTimes::Scenario& a, const EdgeTimes::Scenario& b) {
  EdgeTimes::Scenario both{a.removed | b.removed, a.op_factor, a.without_gap ? a.without_gap : b.without_gap,
                           a.not_awaited ? a.not_awaited : b.not_awaited};
  if (a.without_gap && b.without_gap) {
    both.without_gap = [first = a.without_gap, second = b.without_gap](size_t run, SliceIndex op) {
      return first(run, op) || second(run, op);
    };
  }
  if (!a.op_factor) {
    both.op_factor = b.op_factor;
  } else if (b.op_factor) {
    both.op_factor = [first = a.op_factor, second = b.op_factor](size_t run, SliceIndex op) {
      return first(run, op) * second(run, op);
    };
  }
  return both;
}

/// What is of the only rank, or of a rank with a single device, is of these.
void name_place(const Session& session, Finding& finding) {
  if (!finding.rank && session.runs.size() == 1) finding.rank = session.runs.front().rank;
  if (!finding.rank || finding.device) return;
  for (const Run& run : session.runs) {
    const std::set<int32_t> devices = used_devices(run);
    if (run.rank == *finding.rank && devices.size() == 1) finding.device = *devices.begin();
  }
}

}  // namespace

Diagnosis diagnose(const SessionFacts& facts, const Ruleset& rules) {
  RuleContext context(facts, rules);
  std::vector<Finding> found;
  for (const Rule rule : {find_lost_time, find_copies, find_kernels, find_extra_work, find_ranks, find_links,
                          find_memory, find_measured_launches, find_thread_work, find_sampled, find_host_work,
                          find_hottest_function, find_profile_gaps, find_by_users_rules}) {
    rule(context, found);
  }

  Diagnosis diagnosis;
  diagnosis.measured = context.measured();
  if (context.has_steps() && !context.has_repetitions())
    diagnosis.steps = static_cast<int64_t>(context.periods().size());
  const auto noticeable =
      static_cast<int64_t>(context.thresholds().noticeable * static_cast<double>(context.measured()));
  const bool hides_launches = context.hides_launches();
  std::vector<Finding> gains;
  std::vector<Finding> others;
  for (Finding& finding : found) {
    if (!finding.remedy && !finding.gain) {
      others.push_back(std::move(finding));
      continue;
    }
    finding.recoverable_high = finding.gain ? *finding.gain : context.gain_of(*finding.remedy);
    if (!finding.gain && hides_launches && *finding.recoverable_high < noticeable) {
      // What ops without a launch waited for is not known, and replay keeps their times. Had they waited for this, all
      // that it takes on the critical path would be gone.
      const int64_t path = context.path_of(finding.remedy->removed);
      if (path >= noticeable) {
        finding.recoverable_low = finding.recoverable_high;
        finding.recoverable_high = finding.gain = path;
        finding.confidence = Confidence::low;
      }
    }
    const double share = static_cast<double>(*finding.recoverable_high) / static_cast<double>(context.measured());
    if (finding.title.starts_with(kShareOfTime)) finding.title.replace(0, kShare.size(), format_percent(100 * share));
    if (*finding.recoverable_high >= noticeable) gains.push_back(std::move(finding));
  }

  // The next is the one that is expected to give back most besides those before it. Gains are only asked anew of the
  // one that seems to be next: what is removed already makes them smaller, as a rule.
  EdgeTimes::Scenario joint;
  int64_t replayed = 0;
  int64_t stated = 0;  // by findings that no replay answers
  size_t alternatives = 0;
  std::vector<int64_t> besides;
  for (const Finding& finding : gains) besides.push_back(*finding.recoverable_high);
  while (!gains.empty()) {
    size_t next = 0;
    for (size_t asked = gains.size();;) {
      next = 0;
      for (size_t i = 1; i < gains.size(); ++i) {
        if (priority(gains[i], besides[i]) > priority(gains[next], besides[next])) next = i;
      }
      if (next == asked) break;
      asked = next;
      const Finding& finding = gains[next];
      const bool by_replay = finding.remedy && !finding.gain;
      if (!by_replay) {
        besides[next] = std::clamp<int64_t>(*finding.gain, 0, context.measured() - replayed - stated);
      } else if (replayed > 0) {
        besides[next] = std::max<int64_t>(context.gain_of(with(joint, *finding.remedy)) - replayed, 0);
      }
    }
    Finding finding = std::move(gains[next]);
    finding.recoverable = besides[next];
    gains.erase(gains.begin() + static_cast<std::ptrdiff_t>(next));
    besides.erase(besides.begin() + static_cast<std::ptrdiff_t>(next));
    if (finding.remedy && !finding.gain) {
      joint = with(joint, *finding.remedy);
      replayed += *finding.recoverable;
    } else {
      stated += *finding.recoverable;
    }
    finding.together = std::min(replayed + stated, context.measured());
    finding.recoverable_low =
        std::min({finding.recoverable_low.value_or(INT64_MAX), *finding.recoverable, *finding.recoverable_high});
    finding.recoverable_high = std::max(*finding.recoverable, *finding.recoverable_high);
    const double share = static_cast<double>(*finding.recoverable) / static_cast<double>(context.measured());
    if (*finding.recoverable < noticeable) {  // another way to gain the same
      finding.evidence += "; by itself it could give back " + context.per_step(*finding.recoverable_high) +
                          ", but next to nothing besides the findings before";
      others.insert(others.begin() + static_cast<std::ptrdiff_t>(alternatives++), std::move(finding));
      continue;
    }
    finding.severity = share >= context.thresholds().critical ? Severity::critical : Severity::warning;
    diagnosis.findings.push_back(std::move(finding));
  }
  for (Finding& finding : others) {  // behind all that is as severe
    const auto behind = std::find_if(diagnosis.findings.rbegin(), diagnosis.findings.rend(),
                                     [&](const Finding& each) { return each.severity <= finding.severity; });
    diagnosis.findings.insert(behind.base(), std::move(finding));
  }
  const std::string vendor = vendor_of(context.session());
  for (Finding& finding : diagnosis.findings) {
    name_place(context.session(), finding);
    finding.suggestion = in_words_of(vendor, std::move(finding.suggestion));
  }
  return diagnosis;
}

}  // namespace cgpu
