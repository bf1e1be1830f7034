#include "analysis/findings/load_imbalance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/findings/rank_suggestions.h"
#include "analysis/ranks/pipelines.h"
#include "analysis/session_clock.h"
#include "base/interval_set.h"
#include "links/collective_waits.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What the devices of a run compute up to any time.
class ComputeUntil {
 public:
  explicit ComputeUntil(const Timeline& t) {
    std::vector<std::pair<Interval, bool>> ops;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] != OpKind::compute) return;
      ops.push_back({{t.slices.start[slice], t.slices.end(slice)}, class_of(t, op) == KernelClass::moe_gemm});
    });
    std::ranges::sort(ops, {}, [](const auto& op) { return op.first.begin; });
    Sums sums;
    for (const auto& [time, of_experts] : ops) {
      begins_.push_back(time.begin);
      sums.all += time.end - time.begin;
      if (of_experts) sums.experts += time.end - time.begin;
      sums_.push_back(sums);
    }
  }

  struct Sums {
    int64_t all = 0;  // ns
    int64_t experts = 0;

    Sums& operator+=(const Sums& other) {
      all += other.all;
      experts += other.experts;
      return *this;
    }
  };
  int64_t all() const { return sums_.empty() ? 0 : sums_.back().all; }
  /// Of the ops that begin in this time.
  Sums within(Interval time) const {
    const Sums until = before(time.end), begin = before(time.begin);
    return {until.all - begin.all, until.experts - begin.experts};
  }

 private:
  Sums before(int64_t time) const {
    const auto at = std::ranges::lower_bound(begins_, time) - begins_.begin();
    return at == 0 ? Sums{} : sums_[static_cast<size_t>(at) - 1];
  }

  std::vector<int64_t> begins_;
  std::vector<Sums> sums_;  // up to and with each
};

/// Of the collectives in which ranks waited.
struct Waiting {
  int64_t collectives = 0;
  int64_t mean = 0;                       // ns that the members of each waited on average
  std::map<uint32_t, int64_t> last = {};  // by run: how often it came last
};

/// By instance of a series, ns that its members waited in all; 0 of those that one member alone came to, and of those
/// whose last member came at a time that is not judged.
std::vector<int64_t> waited_by_instance(const Session& session, const CollectiveSeries& series,
                                        const OutOfCoreVector<Arrival>& met, const IntervalSet& judged) {
  std::vector<int64_t> waited(series.instances);
  for_each_wait(session, series, met, [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
    const Arrival& arrival = met[part.instance];
    if (arrival.parts < 2 || judged.clip(arrival.last_start, arrival.last_start + 1).empty()) return;
    waited[part.instance] += until - common_time(session.runs[member.run], part.start);
  });
  return waited;
}

/// Those of the devices in which all members communicate, not from stage to stage.
template <typename Visit>
void for_each_series(const SessionFacts& facts, Visit visit) {
  for (const CollectiveSeries& series : facts.collectives()) {
    if (!passes_work_on(series)) visit(series, arrivals(facts.session(), series));
  }
}

Waiting waiting_of(const SessionFacts& facts, const IntervalSet& judged) {
  Waiting waiting;
  for_each_series(facts, [&](const CollectiveSeries& series, const OutOfCoreVector<Arrival>& met) {
    const std::vector<int64_t> waited = waited_by_instance(facts.session(), series, met, judged);
    for (size_t i = 0; i < waited.size(); ++i) {
      if (waited[i] == 0) continue;
      ++waiting.collectives;
      ++waiting.last[met[i].last->run];
      waiting.mean += waited[i] / int64_t{met[i].parts};
    }
  });
  return waiting;
}

/// By run, when the ops of these collectives begin; in order.
std::vector<std::vector<int64_t>> begins_of_collectives(const SessionFacts& facts) {
  std::vector<std::vector<int64_t>> begins(facts.session().runs.size());
  for_each_series(facts, [&](const CollectiveSeries& series, const OutOfCoreVector<Arrival>&) {
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) begins[member.run].push_back(part.start);
    }
  });
  for (std::vector<int64_t>& of_run : begins) std::ranges::sort(of_run);
  return begins;
}

/// ns that the last one of each collective in which ranks waited has computed longer than the others, since the
/// collective of its run before that.
ComputeUntil::Sums excess_of_last(const SessionFacts& facts, const std::vector<ComputeUntil>& compute,
                                  const IntervalSet& judged) {
  struct Instance {
    ComputeUntil::Sums all;
    ComputeUntil::Sums of_last;
  };
  const std::vector<std::vector<int64_t>> begins = begins_of_collectives(facts);
  ComputeUntil::Sums excess;
  for_each_series(facts, [&](const CollectiveSeries& series, const OutOfCoreVector<Arrival>& met) {
    const std::vector<int64_t> waited = waited_by_instance(facts.session(), series, met, judged);
    std::vector<Instance> instances(series.instances);
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        const std::vector<int64_t>& of_run = begins[member.run];
        const auto next = std::ranges::lower_bound(of_run, part.start);
        if (next == of_run.begin() || waited[part.instance] == 0) continue;
        const ComputeUntil::Sums sums = compute[member.run].within({*std::prev(next), part.start});
        instances[part.instance].all += sums;
        if (met[part.instance].last == &member) instances[part.instance].of_last = sums;
      }
    }
    for (size_t i = 0; i < instances.size(); ++i) {
      if (waited[i] == 0) continue;
      const Instance& one = instances[i];
      const auto longer = [&](int64_t ComputeUntil::Sums::*time) {
        return one.of_last.*time - (one.all.*time - one.of_last.*time) / (int64_t{met[i].parts} - 1);
      };
      excess += {longer(&ComputeUntil::Sums::all), longer(&ComputeUntil::Sums::experts)};
    }
  });
  return excess;
}

/// No run waits for another; where `equal_work`, since each computes in all what the runs compute on average.
EdgeTimes::Scenario without_waiting(const SessionFacts& facts, const std::vector<ComputeUntil>& compute,
                                    bool equal_work) {
  EdgeTimes::Scenario scenario;
  const SessionFacts& whole = facts.whole();
  const size_t runs = whole.session().runs.size();
  for (size_t run = 0; run < runs; ++run) scenario.not_awaited.insert(run);
  if (!equal_work) return scenario;
  double mean = 0;
  for (const ComputeUntil& of_run : compute) mean += static_cast<double>(of_run.all());
  mean /= static_cast<double>(compute.size());
  struct Work {
    double factor = 1;
    std::vector<bool> computes;  // by slice
  };
  const auto works = std::make_shared<std::vector<Work>>(runs);
  for (size_t number = 0; number < compute.size(); ++number) {
    if (compute[number].all() == 0) continue;
    const size_t in_whole = facts.place_in_whole(number);
    const Timeline& t = whole.run(in_whole).timeline;
    Work& work = (*works)[in_whole];
    work.factor = mean / static_cast<double>(compute[number].all());
    work.computes.resize(t.slices.size());
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] == OpKind::compute) work.computes[slice] = true;
    });
  }
  scenario.op_factor = [works](size_t run, SliceIndex op) {
    const Work& work = (*works)[run];
    return !work.computes.empty() && work.computes[op] ? work.factor : 1.0;
  };
  return scenario;
}

std::vector<ComputeUntil> compute_of_runs(const Session& session) {
  std::vector<ComputeUntil> compute;
  for (const Run& run : session.runs) compute.emplace_back(run.timeline);
  return compute;
}

}  // namespace

EdgeTimes::Scenario equal_work_of_ranks(RuleContext& context) {
  return without_waiting(context.facts(), compute_of_runs(context.session()), true);
}

void find_load_imbalance(RuleContext& context, std::vector<Finding>& findings) {
  const Session& session = context.session();
  if (!has_common_clock(session)) return;
  const IntervalSet judged = context.judged_times();
  const Waiting waiting = waiting_of(context.facts(), judged);
  const auto noticeable = context.thresholds().noticeable * static_cast<double>(context.measured());
  if (waiting.collectives == 0 || static_cast<double>(waiting.mean) < noticeable) return;
  const std::vector<ComputeUntil> compute = compute_of_runs(session);
  const ComputeUntil::Sums excess = excess_of_last(context.facts(), compute, judged);
  const auto [run, times] = *std::ranges::max_element(waiting.last, {}, [](const auto& one) { return one.second; });
  const bool computes = 2 * excess.all >= waiting.mean;
  const bool of_experts = computes && 2 * excess.experts >= excess.all;
  findings.push_back(
      {.rule = "load_imbalance",
       .title = fmt::format("{} the ranks wait for each other, each time for another one, because {}", kShareOfTime,
                            of_experts ? "their experts have unequal work"
                            : computes ? "their kernels take unequally long"
                                       : "their hosts come unequally late"),
       .evidence = fmt::format(
           "in {} collectives each rank waits {} on average; rank {} comes last most often, to {} of them{}",
           format_count(waiting.collectives), context.in_all(waiting.mean), session.runs[run].rank, format_count(times),
           computes ? fmt::format("; before a collective the last one has computed {} longer than the others",
                                  format_ns(excess.all / waiting.collectives))
                    : "; the last ones have not computed longer than the others"),
       .suggestion = of_experts ? kBalanceExperts
                     : computes ? kBalanceWork
                                : kCalmHosts,
       .command = "stragglers",
       .confidence = Confidence::medium,
       .precedence = computes ? 1.1 : 0.9,  // what stops the hosts is reported too
       .remedy = without_waiting(context.facts(), compute, computes)});
}

}  // namespace cgpu
