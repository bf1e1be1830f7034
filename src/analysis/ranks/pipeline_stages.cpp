#include "analysis/ranks/pipeline_stages.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/ranks/parallel_groups.h"
#include "model/transfer_list.h"

namespace cgpu {

namespace {

constexpr size_t kMostPartners = 3;
constexpr size_t kShortestChain = 3;

/// Its place in the pipelines that its profile describes; absent where these contradict each other.
std::optional<int64_t> described_stage(const Run& run) {
  std::optional<int64_t> stage;
  for (const ParallelGroup& group : run.groups) {
    if (group.size == 1 || !is_pipeline_group(group)) continue;
    const std::optional<int64_t> place = place_in(group, run);
    if (stage && place && stage != place) return std::nullopt;
    if (place) stage = place;
  }
  return stage;
}

using WorkByRank = std::unordered_map<int64_t, const PassedWork*>;

/// The ranks of the chain that begins with this one, in their order; none where it is no whole chain.
std::vector<int64_t> chain_from(int64_t first, const WorkByRank& by_rank) {
  const PassedWork& begin = *by_rank.at(first);
  if (begin.partners.size() != 1 || begin.first_from != -1 || begin.first_to == -1) return {};
  std::vector<int64_t> chain = {first};
  int64_t next = begin.first_to;
  while (chain.size() <= by_rank.size()) {
    const auto found = by_rank.find(next);
    if (found == by_rank.end()) return {};
    const PassedWork& work = *found->second;
    const int64_t before = chain.back();
    if (work.first_from != before || work.first_to != -1 || work.partners.size() > 2) return {};
    chain.push_back(next);
    if (work.partners.size() == 1) return chain.size() < kShortestChain ? std::vector<int64_t>() : chain;
    next = work.partners.front() == before ? work.partners.back() : work.partners.front();
  }
  return {};
}

}  // namespace

PassedWork passed_work(const Run& run, int64_t since) {
  const Timeline& timeline = run.timeline;
  PassedWork work;
  std::optional<SliceIndex> first;
  for (const Collective& each : timeline.collectives) {
    if (!is_transfer(each)) continue;
    for (const int32_t partner : {each.from, each.to}) {
      if (partner < 0 || work.partners.size() == kMostPartners) continue;
      const auto at = std::lower_bound(work.partners.begin(), work.partners.end(), partner);
      if (at == work.partners.end() || *at != partner) work.partners.insert(at, partner);
    }
    const int64_t start = timeline.slices.start[each.slice];
    if (start >= since && (!first || start < timeline.slices.start[*first])) first = each.slice;
  }
  for (const Collective& each : timeline.collectives) {
    if (!first || each.slice != *first || !is_transfer(each)) continue;
    if (each.from >= 0) work.first_from = each.from;
    if (each.to >= 0) work.first_to = each.to;
  }
  return work;
}

std::vector<std::optional<int64_t>> pipeline_stages(const Session& session, std::span<const PassedWork> passed) {
  std::vector<std::optional<int64_t>> stages;
  for (const Run& run : session.runs) stages.push_back(described_stage(run));
  if (std::any_of(stages.begin(), stages.end(), [](const auto& stage) { return stage.has_value(); })) return stages;

  WorkByRank by_rank;
  for (size_t run = 0; run < passed.size(); ++run) {
    const std::optional<int64_t> rank = recorded_rank(session.runs[run]);
    if (rank && !passed[run].partners.empty()) by_rank.emplace(*rank, &passed[run]);
  }
  std::unordered_map<int64_t, int64_t> by_chain;
  for (const auto& [rank, work] : by_rank) {
    int64_t stage = 0;
    for (const int64_t member : chain_from(rank, by_rank)) by_chain.emplace(member, stage++);
  }
  for (size_t run = 0; run < stages.size(); ++run) {
    const std::optional<int64_t> rank = recorded_rank(session.runs[run]);
    const auto found = rank ? by_chain.find(*rank) : by_chain.end();
    if (found != by_chain.end()) stages[run] = found->second;
  }
  return stages;
}

std::vector<std::optional<int64_t>> pipeline_stages(const Session& session) {
  std::vector<PassedWork> passed;
  for (const Run& run : session.runs) passed.push_back(passed_work(run, INT64_MIN));
  return pipeline_stages(session, passed);
}

}  // namespace cgpu
