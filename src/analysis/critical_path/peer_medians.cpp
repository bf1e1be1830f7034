#include "analysis/critical_path/peer_medians.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "analysis/critical_path/step_of_work.h"
#include "analysis/device/device_ops.h"
#include "analysis/ranks/pipeline_stages.h"
#include "base/lower_median.h"

namespace cgpu {

namespace {

/// What a thread does by itself, other than to wait for a device or a rank.
bool is_own_work(IdleCause cause) {
  switch (cause) {
    case IdleCause::data_loading:
    case IdleCause::allocation:
    case IdleCause::compilation:
    case IdleCause::module_load:
    case IdleCause::garbage_collection:
    case IdleCause::lock:
    case IdleCause::io:
    case IdleCause::not_scheduled:
    case IdleCause::no_work:
    case IdleCause::host_code:
    case IdleCause::launch_overhead:
      return true;
    default:
      return false;
  }
}

/// By run, one number for all that have the same work.
std::vector<size_t> peers_of(const Session& session) {
  std::vector<size_t> peers;
  for (const std::optional<int64_t>& stage : pipeline_stages(session)) {
    peers.push_back(stage ? static_cast<size_t>(*stage) + 1 : 0);
  }
  return peers;
}

}  // namespace

PeerMedians::PeerMedians(const SessionFacts& whole, EdgeParts& parts) : facts_(whole) {
  const size_t runs = whole.session().runs.size();
  const DependencyGraph& graph = whole.dependencies();
  std::unordered_map<std::string_view, size_t> numbers;
  for (const Run& run : whole.session().runs) {
    innermost_.emplace_back(run.timeline);
    std::vector<size_t>& of_run = names_.emplace_back();
    for (StringId name = 0; name < run.timeline.names.size(); ++name) {
      of_run.push_back(numbers.emplace(run.timeline.names[name], numbers.size() + 1).first->second);
    }
  }
  Times of_host(runs);
  Times of_ops(runs);
  for (MomentIndex to = 0; to < graph.moments().size(); ++to) {
    for (uint32_t edge = graph.first_edge(to); edge < graph.end_edge(to); ++edge) {
      parts.for_each(edge, to, [&](const EdgePart& part) {
        for_each_host_work(part, [&](const Work& work, int64_t time) { of_host[part.run][work] += time; });
      });
    }
  }
  for (size_t run = 0; run < runs; ++run) {
    const Timeline& t = whole.run(run).timeline;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (const auto work = work_of_op(run, op, slice)) of_ops[run][*work] += t.slices.duration[slice];
    });
  }
  const std::vector<size_t> peers = peers_of(whole.session());
  has_peers_ = std::set(peers.begin(), peers.end()).size() < peers.size();
  of_host_ = factors_of(of_host, peers);
  of_ops_ = factors_of(of_ops, peers);
}

std::vector<PeerMedians::Factors> PeerMedians::factors_of(const Times& times, const std::vector<size_t>& peers) const {
  std::vector<std::set<int64_t>> steps(times.size());  // that a run has; it may have been recorded later than others
  for (size_t run = 0; run < times.size(); ++run) {
    for (const Step& step : facts_.steps(run)) steps[run].insert(step.number);
    if (steps[run].empty()) steps[run].insert(0);
  }
  std::vector<Factors> factors(times.size());
  for (size_t run = 0; run < times.size(); ++run) {
    for (const auto& [work, own] : times[run]) {
      std::vector<int64_t> of_peers;
      for (size_t other = 0; other < times.size(); ++other) {
        if (peers[other] != peers[run] || !steps[other].contains(work.step)) continue;
        const auto found = times[other].find(work);
        of_peers.push_back(found == times[other].end() ? 0 : found->second);
      }
      if (own <= 0 || of_peers.size() < 2) continue;
      factors[run][work] = static_cast<double>(lower_median(std::move(of_peers))) / static_cast<double>(own);
    }
  }
  return factors;
}

std::optional<PeerMedians::Work> PeerMedians::work_of_op(size_t run, OpIndex op, SliceIndex slice) const {
  const Timeline& t = facts_.run(run).timeline;
  if (t.device_ops.kind[op] == OpKind::communication) return std::nullopt;
  const auto step = step_of_op(facts_, run, slice);
  if (!step) return std::nullopt;
  return Work{*step, static_cast<size_t>(t.device_ops.kernel_class[op]), 0};
}

template <typename Visit>
void PeerMedians::for_each_host_work(const EdgePart& part, Visit visit) const {
  const auto cause = BoundBy::cause_of(part.bound_by.number());
  if (part.thread == kNone || !cause || !is_own_work(*cause)) return;
  const auto step = step_begun_at(facts_, part.run, part.time.begin);
  if (!step) return;
  const Timeline& t = facts_.run(part.run).timeline;
  innermost_[part.run].for_each(part.thread, part.time, [&](Interval time, SliceIndex slice) {
    const size_t name = slice == kNone ? 0 : names_[part.run][t.slices.name[slice]];
    visit(Work{*step, part.bound_by.number(), name}, time.end - time.begin);
  });
}

double PeerMedians::factor_of_host(const EdgePart& part) const {
  const Factors& factors = of_host_[part.run];
  double before = 0;
  double after = 0;
  for_each_host_work(part, [&](const Work& work, int64_t time) {
    const auto found = factors.find(work);
    before += static_cast<double>(time);
    after += static_cast<double>(time) * (found == factors.end() ? 1 : found->second);
  });
  return before > 0 ? after / before : 1;
}

void PeerMedians::scale_ops(size_t run, std::vector<float>& factor_of_slice) const {
  for_each_device_op(facts_.run(run).timeline, [&](OpIndex op, SliceIndex slice) {
    const auto work = work_of_op(run, op, slice);
    if (!work) return;
    const auto found = of_ops_[run].find(*work);
    if (found != of_ops_[run].end()) factor_of_slice[slice] *= static_cast<float>(found->second);
  });
}

}  // namespace cgpu
