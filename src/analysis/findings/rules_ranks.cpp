// Rules about ranks: one that others wait for, and unequal work.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/critical_path/equal_stages.h"
#include "analysis/device/device_ops.h"
#include "analysis/findings/load_imbalance.h"
#include "analysis/findings/rank_suggestions.h"
#include "analysis/findings/rule_context.h"
#include "analysis/findings/stragglers.h"
#include "analysis/findings/unequal_devices.h"
#include "analysis/ranks/pipeline_stages.h"
#include "analysis/ranks/pipelines.h"
#include "analysis/session_clock.h"
#include "base/interval_set.h"
#include "kernels/names.h"
#include "links/collective_waits.h"
#include "links/common_time.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What the devices of one rank compute longer than those of another, by class of work or by kernel.
struct Excess {
  std::string name;
  int64_t time = 0;
};

/// The three largest.
std::vector<Excess> largest(const std::map<std::string, int64_t>& differences) {
  std::vector<Excess> all;
  for (const auto& [name, time] : differences) {
    if (time > 0) all.push_back({name, time});
  }
  std::ranges::stable_sort(all, [](const Excess& a, const Excess& b) { return a.time > b.time; });
  constexpr size_t kMost = 3;
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

struct WorkDifference {
  std::vector<Excess> classes;
  std::vector<Excess> kernels;
};

WorkDifference work_difference(const Session& session, int64_t more, int64_t less) {
  std::map<std::string, int64_t> classes;
  std::map<std::string, int64_t> kernels;
  for (const Run& run : session.runs) {
    if (run.rank != more && run.rank != less) continue;
    const Timeline& t = run.timeline;
    std::map<std::pair<StringId, KernelClass>, int64_t> times;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] == OpKind::compute) {
        times[{t.slices.name[slice], class_of(t, op)}] += t.slices.duration[slice];
      }
    });
    for (const auto& [key, time] : times) {
      const int64_t difference = run.rank == more ? time : -time;
      classes[std::string(text_of(key.second))] += difference;
      kernels[fmt::format("{} ({})", base_kernel_name(t.names[key.first]), text_of(key.second))] += difference;
    }
  }
  return {largest(classes), largest(kernels)};
}

/// "gemm by 63.2 ms, elementwise by 62.6 ms"
std::string text_of(const std::vector<Excess>& excesses) {
  std::vector<std::string> texts;
  for (const Excess& each : excesses) texts.push_back(fmt::format("{} by {}", each.name, format_ns(each.time)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The time that a rank waits for other stages, of the time in which its devices compute nothing: until the last member
/// of a collective or transfer has come; in sends and receives for which that is not known beyond what the shortest of
/// their kind takes.
int64_t stage_wait(const SessionFacts& facts, size_t number, bool common_clock) {
  const Session& session = facts.session();
  const Run& run = session.runs[number];
  std::vector<Interval> waits;
  for (const CollectiveSeries& series : facts.collectives()) {
    const bool passes_on = passes_work_on(series);
    if (!passes_on && !common_clock) continue;
    int64_t shortest = INT64_MAX;
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        shortest = std::min(shortest, part.duration);
      }
    }
    const OutOfCoreVector<Arrival> met = arrivals(session, series);
    for_each_wait(session, series, met, [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
      if (member.run != number) return;
      const bool is_known = common_clock && (!passes_on || met[part.instance].parts > 1);
      const int64_t end = is_known ? own_time(run, until) : part.end() - shortest;
      if (end > part.start) waits.push_back({part.start, end});
    });
  }
  std::vector<OpIndex> compute;
  for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex) {
    if (run.timeline.device_ops.kind[op] == OpKind::compute) compute.push_back(op);
  });
  return IntervalSet(std::move(waits)).subtract(busy_time(run.timeline, compute)).length();
}

/// The sends and receives of the rank that has the most, a step.
int64_t most_receives(RuleContext& context) {
  int64_t most = 0;
  for (const CollectiveSeries& series : context.facts().collectives()) {
    if (!passes_work_on(series)) continue;
    for (const CollectiveMember& member : series.members) most = std::max(most, int64_t{member.count()});
  }
  return most / std::max<int64_t>(static_cast<int64_t>(context.judged().periods.size()), 1);
}

/// The rank with the most work waits only where nothing can be done about it by moving work: that is the bubble, but
/// for the `with_equal` ns of waiting that equal stages save.
void find_bubble(RuleContext& context, const PeerTime& busiest, size_t ranks, int64_t with_equal, bool unequal,
                 std::vector<Finding>& findings) {
  const Session& session = context.session();
  const auto found =
      std::find_if(session.runs.begin(), session.runs.end(), [&](const Run& one) { return one.rank == busiest.rank; });
  const int64_t wait =
      stage_wait(context.facts(), static_cast<size_t>(found - session.runs.begin()), has_common_clock(session));
  if (static_cast<double>(wait) < context.thresholds().noticeable * static_cast<double>(context.measured())) return;
  findings.push_back(
      {.rule = "pipeline_bubble",
       .title = fmt::format("The stage with the most work, rank {}, waits {} for the others (pipeline bubble)",
                            busiest.rank, context.in_all(wait)),
       .evidence =
           fmt::format("it computes {}; {} ranks, {} sends and receives a step{}", format_ns(busiest.compute), ranks,
                       most_receives(context),
                       with_equal > 0 ? fmt::format("; equal stages save {} of it, too", context.of_step(with_equal))
                       : unequal ? "; told behind the unequal stages, since with equal ones a part of it is gone too"
                                 : ""),
       .suggestion =
           "Use more micro-batches a step, interleave the stages (virtual stages), or a schedule that fills the "
           "gaps (zero bubble, DualPipe)",
       .command = fmt::format("idle_streams --rank {}", busiest.rank),
       .confidence = Confidence::medium,
       .precedence = 0.7,  // with stages of equal work a part of it is gone too
       .rank = busiest.rank,
       // What another schedule leaves of it no replay can say.
       .gain = std::max<int64_t>(wait - with_equal, 0)});
}

/// What the kernels of experts take on each rank, and what each would take of it if they shared the work equally.
struct ExpertWork {
  std::vector<int64_t> time;  // by run
  OpFactors factors;          // of ops that take more than the mean
  size_t most = 0;            // run
  int64_t mean = 0;
  int64_t excess = 0;  // of the rank with most, layer by layer
};

/// The kernels of experts of the ranks are compared one by one where all have equally many, else by their sums.
ExpertWork expert_work(const Session& session) {
  ExpertWork work;
  std::vector<std::vector<SliceIndex>> ops(session.runs.size());
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const Timeline& t = session.runs[number].timeline;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (class_of(t, op) == KernelClass::moe_gemm) ops[number].push_back(slice);
    });
    std::stable_sort(ops[number].begin(), ops[number].end(),
                     [&](SliceIndex a, SliceIndex b) { return t.slices.start[a] < t.slices.start[b]; });
    int64_t time = 0;
    for (const SliceIndex slice : ops[number]) time += t.slices.duration[slice];
    work.time.push_back(time);
    work.mean += time;
  }
  const auto runs = static_cast<int64_t>(session.runs.size());
  work.mean /= runs;
  work.most = static_cast<size_t>(std::max_element(work.time.begin(), work.time.end()) - work.time.begin());
  work.factors.resize(session.runs.size());
  const bool equally_many =
      std::all_of(ops.begin(), ops.end(), [&](const auto& each) { return each.size() == ops[0].size(); });
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const auto& durations = session.runs[number].timeline.slices.duration;
    for (size_t i = 0; i < ops[number].size(); ++i) {
      int64_t mean = 0;
      if (equally_many) {
        for (size_t other = 0; other < ops.size(); ++other) {
          mean += session.runs[other].timeline.slices.duration[ops[other][i]];
        }
        mean /= runs;
      } else {
        mean = static_cast<int64_t>(static_cast<double>(durations[ops[number][i]]) * static_cast<double>(work.mean) /
                                    static_cast<double>(std::max<int64_t>(work.time[number], 1)));
      }
      const int64_t own = durations[ops[number][i]];
      if (own <= mean) continue;
      work.factors[number].emplace(ops[number][i], static_cast<double>(mean) / static_cast<double>(own));
      if (number == work.most) work.excess += own - mean;
    }
  }
  return work;
}

/// Returns the rank whose experts have the most work, where that is found.
std::optional<int64_t> find_experts(RuleContext& context, std::vector<Finding>& findings) {
  const Session& session = context.facts().whole().session();
  ExpertWork work = expert_work(session);
  const auto noticeable = context.thresholds().noticeable * static_cast<double>(context.measured());
  if (static_cast<double>(work.excess) < noticeable) return {};
  if (static_cast<double>(work.time[work.most]) <
      (context.thresholds().unequal_work + 1) / 2 * static_cast<double>(work.mean)) {
    return {};
  }
  const int64_t rank = session.runs[work.most].rank;
  findings.push_back(
      {.rule = "expert_imbalance",
       .title = fmt::format("Experts have unequal work: those of rank {} compute {}, of a rank on average {}", rank,
                            context.in_all(work.time[work.most]), format_ns(work.mean)),
       .evidence = fmt::format("the ranks wait for it in the next exchange; equal work would take {} from it",
                               format_ns(work.excess)),
       .suggestion = kBalanceExperts,
       .command = fmt::format("kernels --rank {} --where 'class = moe_gemm'", rank),
       .confidence = Confidence::high,
       .precedence = 1.1,
       .rank = rank,
       .remedy = scaled(std::move(work.factors))});
  return rank;
}

/// What stages of equal work would save.
struct EqualWork {
  /// As `cgpu whatif --stages-as-mean`; absent where that does not say it.
  std::optional<EdgeTimes::Scenario> remedy = {};
  std::optional<int64_t> low = {};  // what it saves at least, where it is stated
  int64_t waits = 0;                // ns of waiting of the longest stage that are saved, too
  std::string words = {};           // why a replay does not say it, for the evidence
};

/// `excess`: ns that the longest stage computes longer than the mean.
EqualWork equal_work(RuleContext& context, int64_t excess) {
  const SessionFacts& whole = context.facts().whole();
  if (context.hides_launches()) return {.words = ", by the books: of ops without a launch no replay can say it"};
  if (!EqualStages::why_unknown(whole).empty()) {
    return {.words = ", by the books: without both ends of each send and receive no replay can say it"};
  }
  const EqualStages stages(whole);
  SliceFactors factors;
  for (size_t run = 0; run < whole.session().runs.size(); ++run) {
    stages.scale_ops(run, factors.emplace_back(whole.run(run).timeline.slices.size(), 1.0F));
  }
  EdgeTimes::Scenario equal = scaled(std::move(factors));
  const int64_t gain = context.gain_of(equal);
  // With layers the host's work for them moves, too, which a replay of other device ops leaves where it is: where that
  // bounds the run, the replay says nothing of layers that move.
  if (2 * gain < excess) {
    return {
        .low = gain,
        .words = fmt::format(", with the host's work for them; a replay in which the hosts do what they did (whatif "
                             "--stages-as-mean) saves {}",
                             format_ns(gain))};
  }
  return {.remedy = std::move(equal), .waits = std::max<int64_t>(gain - excess, 0)};
}

/// Ranks of one stage of a pipeline have the same work: one that the others of its stage wait for is late.
void find_stragglers_of_stages(RuleContext& context, const std::vector<PeerTime>& ranks,
                               std::vector<Finding>& findings) {
  const SessionFacts& facts = context.facts();
  const std::vector<std::optional<int64_t>> stages = pipeline_stages(context.session());
  std::map<int64_t, std::set<int64_t>> ranks_of_stages;
  for (size_t run = 0; run < stages.size(); ++run) {
    if (stages[run]) ranks_of_stages[*stages[run]].insert(facts.run(run).rank);
  }
  for (const auto& [stage, members] : ranks_of_stages) {
    CollectivesOfPeers peers{facts.collectives(), nullptr, fmt::format("collectives of stage {}", stage)};
    std::ranges::copy_if(ranks, std::back_inserter(peers.peers),
                         [&of_stage = members](const PeerTime& one) { return of_stage.contains(one.rank); });
    peers.counts = [&stages, number = stage](const CollectiveSeries& series) {
      return !passes_work_on(series) && std::ranges::all_of(series.members, [&](const CollectiveMember& member) {
        return stages[member.run] == number;
      });
    };
    find_stragglers(context, peers, {}, findings);
  }
}

/// The devices of one process have the same work, but for stages that send it on to each other.
void find_late_devices(RuleContext& context, std::vector<Finding>& findings) {
  if (context.facts().collectives().empty()) return find_unequal_devices(context, findings);
  const auto counts = [](const CollectiveSeries& series) { return !passes_work_on(series); };
  find_stragglers(context, {context.facts().collectives(), counts, "collectives", compute_of_devices(context)}, {},
                  findings);
}

/// Adds a load_imbalance beside the late ranks of the last finding, where it saves half as much again: where the
/// work differs from step to step, some ranks come last more often by chance.
void find_imbalance_beside_late_ranks(RuleContext& context, std::vector<Finding>& findings) {
  std::vector<Finding> imbalance;
  find_load_imbalance(context, imbalance);
  if (imbalance.empty() || !findings.back().remedy) return;
  const int64_t without_late = context.gain_of(*findings.back().remedy);
  if (2 * context.gain_of(*imbalance.front().remedy) < 3 * without_late) return;
  findings.push_back(std::move(imbalance.front()));
}

}  // namespace

void find_ranks(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  if (context.session().runs.size() == 1) return find_late_devices(context, findings);
  const std::vector<PeerTime> ranks = compute_of_ranks(context);
  if (ranks.size() < 2) return;
  const auto [least, most] = std::minmax_element(
      ranks.begin(), ranks.end(), [](const PeerTime& a, const PeerTime& b) { return a.compute < b.compute; });
  const bool unequal =
      static_cast<double>(most->compute) > context.thresholds().unequal_work * static_cast<double>(least->compute);
  int64_t sum = 0;
  for (const PeerTime& rank : ranks) sum += rank.compute;
  const int64_t mean = sum / static_cast<int64_t>(ranks.size());
  const int64_t excess = most->compute - mean;  // what equal work would take from the rank with the most
  const auto steps_share = static_cast<double>(excess) / static_cast<double>(context.measured());

  // Stages of a pipeline wait for each other by design: there no rank is late, only one with more work than others.
  if (is_pipeline(context.facts())) {
    find_stragglers_of_stages(context, ranks, findings);
    const bool imbalance = unequal && steps_share >= context.thresholds().noticeable;
    const EqualWork equal = imbalance ? equal_work(context, excess) : EqualWork{};
    find_bubble(context, *most, ranks.size(), equal.waits, imbalance, findings);
    if (!imbalance) return;
    const WorkDifference difference = work_difference(context.session(), most->rank, least->rank);
    findings.push_back(
        {.rule = "stage_imbalance",
         .title = fmt::format("Stages of the pipeline have unequal work: rank {} computes {}, rank {} {}; they differ "
                              "most in {}",
                              most->rank, context.in_all(most->compute), least->rank, format_ns(least->compute),
                              text_of(difference.classes)),
         .evidence =
             fmt::format("{} on average; equal stages would take {} from the longest{}; by kernel they differ in {}",
                         format_ns(mean), format_ns(excess), equal.words, text_of(difference.kernels)),
         .suggestion = kMoveLayers,
         .command = fmt::format("kernels --rank {}", most->rank),
         .confidence = Confidence::high,
         .rank = most->rank,
         .remedy = equal.remedy,
         .gain = equal.remedy ? std::nullopt : std::optional(excess),
         .recoverable_low = equal.low});
    return;
  }

  const std::optional<int64_t> most_expert_work = find_experts(context, findings);
  const SessionFacts& facts = context.facts();
  const size_t before = findings.size();
  if (find_stragglers(context, {facts.collectives(), nullptr, "collectives", ranks}, most_expert_work, findings)) {
    if (!most_expert_work && findings.size() > before) find_imbalance_beside_late_ranks(context, findings);
    return;
  }
  CollectivesOfPeers of_hosts{facts.collectives_of_hosts(), nullptr, "collectives of the hosts", ranks};
  if (!facts.messages().empty()) {
    of_hosts.in_words = "collectives and messages of the hosts";
    of_hosts.messages = &facts.messages();
  }
  if (find_stragglers(context, of_hosts, most_expert_work, findings)) return;
  if (!most_expert_work) find_load_imbalance(context, findings);
}

}  // namespace cgpu
