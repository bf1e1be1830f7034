#include "session/ranks/rank_opener.h"

#include <utility>

#include "base/allocator.h"
#include "session/complete_run.h"
#include "session/ranks/exchange.h"
#include "session/selection/selected_runs.h"
#include "session/summaries/release.h"

namespace cgpu {

Partials new_partials(const std::vector<WantedTable>& wanted) {
  Partials partials;
  for (const WantedTable& table : wanted) {
    partials.push_back(table.analysis->fold ? table.analysis->fold(*table.analysis, table.options) : nullptr);
  }
  return partials;
}

void combine(Partials& partials, Partials&& others) {
  for (size_t i = 0; i < partials.size(); ++i) {
    if (partials[i]) partials[i]->combine(std::move(*others[i]));
  }
}

RankOpener::RankOpener(const OpenOptions& open, unsigned threads)
    : open_(open), threads_(threads), dictionary_(dictionary_of(open)) {}

std::optional<Run> RankOpener::open(const ProfilePath& profile, const std::function<void(double)>& progress) const {
  ReadOptions read = read_options(open_);
  read.threads = threads_;
  read.progress = progress;
  std::optional<Run> run = read_if_profile(profile, read);
  if (!run) return std::nullopt;
  complete_run(*run, open_, dictionary_, threads_);
  return_freed_memory();
  return run;
}

ProcessedRank RankOpener::update_tables(Session alone, const RankTask& task, const RankPass& pass,
                                        Partials& partials) const {
  {
    const SessionFacts facts(alone, task.waits);
    const RunInSession in_session{facts, 0, task.number};
    for (const std::unique_ptr<Partial>& partial : partials) {
      if (partial) partial->update(in_session);
    }
    if (pass.collector != nullptr) {
      const std::lock_guard lock(collector_mutex_);
      pass.collector->collect(in_session);
    }
  }
  if (!pass.keeps_runs) return {};
  release_timeline(alone.runs[0]);
  alone.runs[0].number = task.number;
  return {RankOutcome::processed, std::move(alone.runs[0])};
}

ProcessedRank RankOpener::process(const RankTask& task, const RankPass& pass, Partials& partials,
                                  const std::function<void(double)>& progress) const {
  const OpenFile file(open_.exchange, task.profile.path);
  std::optional<Run> run = open(task.profile, progress);
  if (!run) return {RankOutcome::no_profile};
  const bool is_cut_inside = pass.selects_ranks && SelectedRuns::is_of_several_ranks(*run);
  if (is_companion(*run) || is_cut_inside) return {RankOutcome::needs_others};
  Session alone;
  alone.inputs = open_.inputs;
  alone.runs.push_back(std::move(*run));
  return update_tables(std::move(alone), task, pass, partials);
}

void RankOpener::collect(const RankPass& pass, uint32_t number, const std::string& bytes) const {
  const std::lock_guard lock(collector_mutex_);
  pass.collector->put_bytes(number, bytes);
}

}  // namespace cgpu
