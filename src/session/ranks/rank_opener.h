// Opens one rank of several: the part of a fold over ranks (rank_fold.h) that is independent of the other ranks. Any
// thread of any process may do it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/idle/host_causes.h"
#include "kernels/dictionary.h"
#include "readers/reader.h"
#include "session/open_options.h"
#include "session/ranks/run_collector.h"
#include "session/wanted_table.h"

namespace cgpu {

/// By wanted table; null for those that are not folded.
using Partials = std::vector<std::unique_ptr<Partial>>;
Partials new_partials(const std::vector<WantedTable>& wanted);
/// Merges partial results. Where both have results of a run, those in `partials` are kept.
void combine(Partials& partials, Partials&& others);

/// What one pass over ranks does with each of them.
struct RankPass {
  std::vector<WantedTable> wanted;
  RunCollector* collector = nullptr;  // may be null
  bool keeps_runs = true;             // return the runs, without their timelines
  bool selects_ranks = false;         // some ranks are wanted, others not
};

/// One rank of a pass.
struct RankTask {
  uint32_t number = 0;  // of its profile among those that are opened
  ProfilePath profile = {};
  HostCauses::Waits waits = {};  // for other ranks, where they are known
};

enum class RankOutcome : uint8_t {
  processed,
  no_profile,    // a file of a folder, in which other things lie too
  needs_others,  // it has to be open together with others
};
struct ProcessedRank {
  RankOutcome outcome = RankOutcome::processed;
  std::optional<Run> run = {};  // released
};

/// Several threads may open at once.
class RankOpener {
 public:
  /// `open` must outlive it. `threads`: to open one rank with.
  RankOpener(const OpenOptions& open, unsigned threads);

  /// A completed run; none where a file of a folder is no profile. `progress` hears the share done. Throws Error.
  std::optional<Run> open(const ProfilePath& profile, const std::function<void(double)>& progress = nullptr) const;
  /// Updates the tables and the collector with a run, the only one of its session. Returns the run without its
  /// timeline.
  ProcessedRank update_tables(Session alone, const RankTask& task, const RankPass& pass, Partials& partials) const;
  /// Opens a rank and updates the tables, where the rank can be processed by itself.
  ProcessedRank process(const RankTask& task, const RankPass& pass, Partials& partials,
                        const std::function<void(double)>& progress = nullptr) const;
  /// Gives the collector what another process has collected of a run.
  void collect(const RankPass& pass, uint32_t number, const std::string& bytes) const;

 private:
  const OpenOptions& open_;
  const unsigned threads_;
  const KernelDictionary dictionary_;
  mutable std::mutex collector_mutex_;
};

}  // namespace cgpu
