// What-if: a session in which some work takes more or less time, or some reason to wait is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/critical_path/edge_times.h"
#include "analysis/critical_path/path_parts.h"
#include "analysis/critical_path/peer_medians.h"
#include "analysis/critical_path/replayed_periods.h"
#include "analysis/table_options.h"
#include "dependencies/replay.h"

namespace cgpu {

struct Change {
  struct Scale {
    std::string name;  // of device ops (full or base), of their class, or of host slices; `*` stands for any text
    double factor = 1;
  };
  std::vector<Scale> scales;
  BoundKinds removed;           // time that is taken out, and waits that end at once
  bool rank_as_median = false;  // each rank takes for its work what the median of its peers takes (peer_medians.h)
  bool links_as_best = false;   // transfers are as fast as those of the fastest group (ranks/slow_links.h)
  bool stages_as_mean = false;  // stages of a pipeline have the same compute (equal_stages.h)

  bool is_of_ranks() const { return rank_as_median || links_as_best || stages_as_mean; }
  bool empty() const { return scales.empty() && removed.none() && !is_of_ranks(); }
};

/// The options `--scale NAME=FACTOR` and `--free KIND` of tables.
extern const TableOption kScaleOption;
extern const TableOption kFreeOption;
extern const TableOption kRankAsMedianOption;
extern const TableOption kLinksAsBestOption;
extern const TableOption kStagesAsMeanOption;
/// Throws Error for what is no factor or no kind.
Change change_of(const TableOptions& options);

/// The graph of a whole session with a change made to it.
///
/// Scaling a device op scales its time; scaling a host slice scales the time of its thread within it, and the device
/// ops that were launched in it. Freeing a kind removes the time of that kind from all edges. Freeing synchronization,
/// blocking_copy or other_rank also removes what they wait for: the call returns, and the collective ends, without it.
/// Throws Error where a change of ranks is asked for and there is one rank, or their clocks cannot be compared.
/// O(slices) for names, O(edges log n) for the rest.
class ChangedGraph {
 public:
  ChangedGraph(const SessionFacts& whole, Change change);

  /// Of every edge, in ns.
  const std::vector<int64_t>& weights() const { return weights_; }
  const Replay& replayed() const { return replayed_; }
  /// Calls visit(part) for the parts of an edge, as long as they are after the change.
  void for_each_part(uint32_t edge, MomentIndex to, const std::function<void(const EdgePart&)>& visit);
  /// Calls visit(part, kind of the edge, from, to) for the parts of the critical path of a period, backwards.
  template <typename Visit>
  void for_each_part_of_path(const ReplayedPeriod& period, Visit visit) {
    cgpu::for_each_part_of_path(
        graph_, replayed_, period.last, period.begin,
        [&](uint32_t edge, MomentIndex to, const auto& part) { for_each_part(edge, to, part); }, visit);
  }
  /// The number of device ops and host slices that match each scale.
  const std::vector<int64_t>& match_counts() const { return match_counts_; }

 private:
  struct PerRun {
    std::vector<float> factor_of_slice;             // of device ops; empty where none is scaled
    std::vector<std::vector<IntervalSet>> threads;  // by scale, by track: the time of host slices that it scales
  };
  void find_named();
  void compare_ranks();
  int64_t changed_length(const EdgePart& part) const;

  const SessionFacts& facts_;
  const DependencyGraph& graph_;
  Change change_;
  EdgeParts parts_;
  std::vector<PerRun> per_run_;
  std::optional<PeerMedians> medians_;
  std::vector<int64_t> match_counts_;
  std::vector<int64_t> weights_;
  Replay replayed_;
};

}  // namespace cgpu
