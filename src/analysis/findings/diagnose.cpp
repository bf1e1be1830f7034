#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/next_bound.h"
#include "analysis/findings/rule_context.h"
#include "analysis/findings/unreported_rules.h"
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
                           a.not_awaited};
  both.not_awaited.insert(b.not_awaited.begin(), b.not_awaited.end());
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

/// Whether a scenario takes time away that devices are idle for, and changes nothing else.
bool removes_idle_time(const EdgeTimes::Scenario& scenario) {
  return scenario.removed.any() && !scenario.op_factor && !scenario.without_gap && scenario.not_awaited.empty();
}

/// What a finding saves by itself. A share at the begin of its title is that of this.
void state_gain(RuleContext& context, Finding& finding, int64_t noticeable, bool hides_launches) {
  finding.recoverable_high = finding.gain ? *finding.gain : context.gain_of(*finding.remedy);
  // What ops without a launch waited for is not known: no more is idle for this than the books say.
  if (!finding.gain && hides_launches && removes_idle_time(*finding.remedy)) {
    finding.recoverable_high = std::min(*finding.recoverable_high, context.idle_time_of(finding.remedy->removed));
  }
  if (!finding.gain && hides_launches && *finding.recoverable_high < noticeable) {
    // What ops without a launch waited for is not known, and replay keeps their times. Had they waited for this, all
    // that it takes on the critical path would be gone.
    const int64_t path =
        std::min({context.path_of(finding.remedy->removed), context.books().most_recoverable(*finding.remedy),
                  context.idle_time_of(finding.remedy->removed)});
    if (path >= noticeable) {
      finding.recoverable_low = finding.recoverable_high;
      finding.recoverable_high = finding.gain = path;
      finding.confidence = Confidence::low;
    }
  }
  const double share = static_cast<double>(*finding.recoverable_high) / static_cast<double>(context.measured());
  if (finding.title.starts_with(kShareOfTime)) finding.title.replace(0, kShare.size(), format_percent(100 * share));
}

bool is_replayed(const Finding& finding) {
  return finding.remedy && !finding.gain;
}

/// Counts what findings save one after another, each besides those before it, so that no time is promised twice.
/// The next is the one that is expected to save most besides. Gains are only asked anew of the one that seems to
/// be next: what is removed already makes them smaller, as a rule.
class JointGain {
 public:
  JointGain(RuleContext& context, std::vector<Finding> findings) : context_(context), left_(std::move(findings)) {
    for (const Finding& finding : left_) besides_.push_back({*finding.recoverable_high, *finding.recoverable_high});
  }

  bool is_done() const { return left_.empty(); }

  Finding count_next() {
    const size_t place = choose();
    Finding finding = std::move(left_[place]);
    const Besides besides = besides_[place];
    finding.recoverable = besides.recoverable;
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(place));
    besides_.erase(besides_.begin() + static_cast<std::ptrdiff_t>(place));
    if (finding.gain_without_rest) {
      hiding_ = {besides.apart, *finding.gain};
    } else {
      (is_replayed(finding) ? replayed_ : stated_) += besides.apart;
    }
    if (is_replayed(finding)) joint_ = with(joint_, *finding.remedy);
    if (finding.remedy) {
      if (is_bound_by_idle(finding) && context_.idle_time_of(finding.remedy->removed) != INT64_MAX) {
        idle_kinds_ |= finding.remedy->removed;
        of_idle_kinds_ += besides.apart;
      }
      counted_ = with(counted_, *finding.remedy);
      of_remedies_ += besides.apart;
    }
    if (besides.recoverable > *finding.recoverable_high + *finding.recoverable_high / 20) {
      finding.evidence += fmt::format("; by itself it saves {}, and more where what was counted before it is gone",
                                      context_.per_step(*finding.recoverable_high));
    }
    finding.together = std::min(together(replayed_ + stated_), context_.measured());
    finding.recoverable_low =
        std::min({finding.recoverable_low.value_or(INT64_MAX), *finding.recoverable, *finding.recoverable_high});
    finding.recoverable_high = std::max(*finding.recoverable, *finding.recoverable_high);
    return finding;
  }

 private:
  size_t choose() {
    const auto goes_before = [&](size_t a, size_t b) {
      if (left_[a].counted_last != left_[b].counted_last) return left_[b].counted_last;
      return priority(left_[a], besides_[a].recoverable) > priority(left_[b], besides_[b].recoverable);
    };
    for (size_t asked = left_.size();;) {
      size_t next = 0;
      for (size_t i = 1; i < left_.size(); ++i) {
        if (goes_before(i, next)) next = i;
      }
      if (next == asked) return next;
      asked = next;
      besides_[next] = besides(left_[next]);
    }
  }

  /// What a finding saves besides those that are counted.
  struct Besides {
    int64_t apart = 0;        // where nothing is hidden behind the rest of the run
    int64_t recoverable = 0;  // in all
  };

  /// What is saved in all where the findings that hide nothing save so much. Time that is hidden behind the rest of
  /// the run takes as long as it does, however short that rest becomes.
  int64_t together(int64_t others) const {
    return hiding_ ? std::max(hiding_->recoverable, hiding_->apart + others) : others;
  }

  Besides besides(const Finding& finding) const {
    const int64_t others = replayed_ + stated_;
    const int64_t left = std::max<int64_t>(context_.measured() - together(others), 0);
    if (finding.gain_without_rest) {
      const int64_t apart = std::min(*finding.gain_without_rest, left);
      return {apart, std::clamp(std::max(*finding.gain - others, apart), int64_t{0}, left)};
    }
    int64_t apart = *finding.recoverable_high;
    if (is_replayed(finding) && replayed_ > 0) {
      apart = std::clamp<int64_t>(context_.gain_of(with(joint_, *finding.remedy)) - replayed_, 0,
                                  context_.books().most_recoverable(*finding.remedy));
    }
    // What is stated is no replay: the books of the devices bound it together with the others.
    if (finding.remedy && of_remedies_ > 0 && (!is_replayed(finding) || stated_ > 0)) {
      const int64_t most = context_.books().most_recoverable(with(counted_, *finding.remedy));
      apart = std::clamp<int64_t>(most - of_remedies_, 0, apart);
    }
    if (is_bound_by_idle(finding)) {
      const int64_t idle = context_.idle_time_of(idle_kinds_ | finding.remedy->removed);
      apart = std::clamp<int64_t>(idle - of_idle_kinds_, 0, apart);
    }
    if (!is_replayed(finding)) apart = std::min(apart, left);
    return {apart, together(others + apart) - together(others)};
  }

  /// Whether it saves no more than the devices idle for its causes: what is stated, and all of ops without launches.
  bool is_bound_by_idle(const Finding& finding) const {
    return finding.remedy &&
           (!is_replayed(finding) || (context_.hides_launches() && removes_idle_time(*finding.remedy)));
  }

  RuleContext& context_;
  std::vector<Finding> left_;
  std::vector<Besides> besides_;  // by place in left_
  EdgeTimes::Scenario joint_;     // of what is replayed
  EdgeTimes::Scenario counted_;   // of all that have a remedy
  int64_t replayed_ = 0;
  int64_t stated_ = 0;       // by findings that no replay answers
  int64_t of_remedies_ = 0;  // of both, by those in counted_
  BoundKinds idle_kinds_;    // causes of idle time, of findings that this bounds
  int64_t of_idle_kinds_ = 0;
  std::optional<Besides> hiding_;  // the one that hides time behind the rest
};

/// Of kernels that take most of the time, where other findings save some of it.
constexpr const char* kBesidesGains =
    "Besides what the findings above save, what is left to gain lies in the kernels themselves (precision, shapes, fusion)";

/// Behind all that is as severe.
void insert_by_severity(std::vector<Finding>& findings, Finding finding) {
  const auto behind = std::find_if(findings.rbegin(), findings.rend(),
                                   [&](const Finding& each) { return each.severity <= finding.severity; });
  findings.insert(behind.base(), std::move(finding));
}

/// Before the first that is expected to save less.
void insert_by_gain(std::vector<Finding>& findings, Finding finding) {
  const auto place = std::find_if(findings.begin(), findings.end(), [&](const Finding& each) {
    return priority(each, *each.recoverable) < priority(finding, *finding.recoverable);
  });
  findings.insert(place, std::move(finding));
}

/// What the profile lacks makes every verdict on idle time wrong: then only these speak.
constexpr std::array<Rule, 4> kRulesWithoutUtilization{find_memory, find_measured_launches, find_profile_gaps,
                                                       find_by_users_rules};
/// Of a record of collectives alone nothing is known of idle time either.
constexpr std::array<Rule, 5> kRulesOfCollectives{find_hung_collectives, find_ranks, find_links, find_profile_gaps,
                                                  find_by_users_rules};
constexpr std::array<Rule, 22> kRules{find_hung_collectives,
                                      find_lost_time,
                                      find_communication,
                                      find_uneven_steps,
                                      find_copies,
                                      find_inefficient_ops,
                                      find_uneven_ops,
                                      find_kernels,
                                      find_fusable_kernels,
                                      find_extra_work,
                                      find_ranks,
                                      find_links,
                                      find_memory,
                                      find_measured_launches,
                                      find_thread_work,
                                      find_sampled,
                                      find_host_work,
                                      find_host_steps,
                                      find_hottest_function,
                                      find_start_and_end,
                                      find_profile_gaps,
                                      find_by_users_rules};

std::span<const Rule> rules_for(RuleContext& context) {
  if (context.lacks_replays()) return kRulesWithoutUtilization;
  if (context.has_only_collectives()) return kRulesOfCollectives;
  return kRules;
}

std::vector<Finding> all_found(RuleContext& context) {
  std::vector<Finding> found;
  for (const Rule rule : rules_for(context)) rule(context, found);
  return found;
}

/// What the rules found.
struct Found {
  std::vector<Finding> gains;    // that save noticeable time
  std::vector<Finding> others;   // that there is nothing to gain from
  std::vector<Finding> dropped;  // that save too little
};

/// Of two findings that save too little the one that both are: each takes time that the other would take too.
Finding both_of(const Finding& a, const Finding& b) {
  const auto in_words = [](std::string rule) {
    std::replace(rule.begin(), rule.end(), '_', ' ');
    return rule;
  };
  return {.rule = a.rule,
          .title = fmt::format("{} is lost to two causes together; alone neither saves much: {} and {}", kShareOfTime,
                               in_words(a.rule), in_words(b.rule)),
          .evidence = a.evidence + "; " + b.evidence,
          .suggestion = a.suggestion + ". And: " + b.suggestion,
          .command = a.command,
          .confidence = std::max(a.confidence, b.confidence),
          .time = a.time,
          .rank = a.rank,
          .remedy = with(*a.remedy, *b.remedy)};
}

/// Whether removing a cause takes time from the run: it is on the critical path, or devices idle for it.
bool costs_time(RuleContext& context, const EdgeTimes::Scenario& without) {
  return without.removed.none() || context.path_of(without.removed) > 0 || context.idle_time_of(without.removed) > 0;
}

/// Where nothing saves noticeable time by itself, although the devices are without work for a tenth of the time or
/// more: the two causes that save most together. Below what is critical they have to save twice what is noticeable.
void try_pairs(RuleContext& context, Found& found, int64_t noticeable) {
  constexpr double kLost = 0.1;
  EdgeTimes::Scenario host;
  host.removed.set(BoundBy(IdleCause::host_code).number());
  const double lost =
      static_cast<double>(context.books().most_recoverable(host)) / static_cast<double>(context.measured());
  if (!found.gains.empty() || lost < kLost) return;
  std::vector<Finding> candidates = found.dropped;
  for (Finding& cause : all_lost_times(context)) {
    const auto is_same = [&](const Finding& other) { return other.rule == cause.rule; };
    if (std::ranges::none_of(found.dropped, is_same)) candidates.push_back(std::move(cause));
  }
  std::erase_if(candidates, [&](const Finding& one) { return !one.remedy || !costs_time(context, *one.remedy); });
  int64_t most = (lost < context.thresholds().critical ? 2 * noticeable : noticeable) - 1;
  std::optional<std::pair<size_t, size_t>> best;
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (size_t j = i + 1; j < candidates.size(); ++j) {
      const EdgeTimes::Scenario both = with(*candidates[i].remedy, *candidates[j].remedy);
      if (context.path_of(both.removed) < noticeable) continue;  // one of them has to be on the path
      const int64_t gain = context.gain_of(both);
      if (gain <= most) continue;
      most = gain;
      best = {i, j};
    }
  }
  if (!best) return;
  const Finding& first = candidates[best->first];
  const Finding& second = candidates[best->second];
  std::erase_if(found.dropped, [&](const Finding& one) { return one.rule == first.rule || one.rule == second.rule; });
  found.gains.push_back(both_of(first, second));
  state_gain(context, found.gains.front(), noticeable, false);
}

/// Communication as a whole also has what a single cause within it takes: that is said first, and what is left of it
/// then.
void count_general_last(std::vector<Finding>& gains) {
  const bool has_causes = std::ranges::any_of(gains, [](const Finding& finding) {
    return finding.rule == "slow_link" || finding.rule == "straggler" || finding.rule == "expert_imbalance" ||
           finding.rule == "load_imbalance";
  });
  for (Finding& finding : gains) {
    if (finding.rule == "exposed_communication" && has_causes) finding.counted_last = true;
  }
}

int64_t noticeable_time(const RuleContext& context) {
  return static_cast<int64_t>(context.thresholds().noticeable * static_cast<double>(context.measured()));
}

Found find_all(RuleContext& context) {
  std::vector<Finding> all = all_found(context);
  const int64_t noticeable = noticeable_time(context);
  const bool hides_launches = context.hides_launches();
  Found found;
  for (Finding& finding : all) {
    if (!finding.remedy && !finding.gain) {
      found.others.push_back(std::move(finding));
      continue;
    }
    state_gain(context, finding, noticeable, hides_launches);
    (*finding.recoverable_high >= noticeable ? found.gains : found.dropped).push_back(std::move(finding));
  }
  if (context.has_device_ops()) try_pairs(context, found, noticeable);
  count_general_last(found.gains);
  return found;
}

}  // namespace

std::vector<UnreportedRule> unreported_rules(const SessionFacts& facts, const Ruleset& rules) {
  RuleContext context(facts, rules);
  Found found = find_all(context);
  std::vector<Finding> reported = std::move(found.gains);
  std::move(found.others.begin(), found.others.end(), std::back_inserter(reported));
  return reasons_of_rules(context, reported, found.dropped);
}

Diagnosis diagnose(const SessionFacts& facts, const Ruleset& rules) {
  RuleContext context(facts, rules);
  Found found = find_all(context);
  const int64_t noticeable = noticeable_time(context);

  Diagnosis diagnosis;
  diagnosis.measured = context.measured();
  const JudgedPeriods& judged = context.judged();
  if (judged.has_marks()) diagnosis.steps = static_cast<int64_t>(judged.periods.size());

  std::vector<Finding> alternatives;  // to what others save
  for (JointGain joint(context, std::move(found.gains)); !joint.is_done();) {
    Finding finding = joint.count_next();
    if (*finding.recoverable < noticeable) {  // another way to gain the same
      finding.evidence += "; it overlaps the findings above";
      alternatives.push_back(std::move(finding));
      continue;
    }
    const double share = static_cast<double>(*finding.recoverable) / static_cast<double>(context.measured());
    const bool is_critical = share >= context.thresholds().critical && !finding.shown_by_little;
    finding.severity = is_critical ? Severity::critical : Severity::warning;
    if (is_replayed(finding)) finding.next_bound = what_binds_next(context, *finding.remedy, *finding.recoverable_high);
    if (finding.counted_last) {
      insert_by_gain(diagnosis.findings, std::move(finding));
    } else {
      diagnosis.findings.push_back(std::move(finding));
    }
  }
  if (!diagnosis.findings.empty() && diagnosis.findings.front().recoverable.value_or(0) >= noticeable) {
    for (Finding& finding : found.others) {
      if (finding.rule == "dominant_kernel") finding.suggestion = kBesidesGains;
    }
  }
  for (Finding& finding : alternatives) insert_by_severity(diagnosis.findings, std::move(finding));
  for (Finding& finding : found.others) insert_by_severity(diagnosis.findings, std::move(finding));
  const std::string vendor = vendor_of(context.session());
  const bool pytorch = uses_pytorch(context.session());
  const bool python = uses_python(context.session());
  for (Finding& finding : diagnosis.findings) {
    name_place(context.session(), finding);
    finding.suggestion = in_words_of(vendor, pytorch, std::move(finding.suggestion), python);
  }
  return diagnosis;
}

}  // namespace cgpu
