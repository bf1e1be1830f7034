// By which factor the work of each rank would change if every rank took for it what the median of its peers takes.
//
// Peers are the ranks that have the same work: those of one stage of a pipeline (ranks/pipeline_stages.h), else all.
// The time of device ops is compared by step and class of kernels, the time of host threads by step and by what they
// did (BoundBy): of a rank that is twice as slow in a step's matrix products, each of them takes half of its time. Of
// two peers the median is the one that takes less. Communication is not compared, since it waits for other ranks, and
// neither is what a thread waits for. O(edges log n).
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "analysis/common/innermost_slices.h"
#include "analysis/critical_path/edge_parts.h"
#include "analysis/session_facts.h"

namespace cgpu {

class PeerMedians {
 public:
  /// Of a whole session, whose steps have the same numbers on all ranks.
  PeerMedians(const SessionFacts& whole, EdgeParts& parts);

  /// Whether some rank has a peer.
  bool has_peers() const { return has_peers_; }
  /// Of a part of the time of a host thread.
  double factor_of_host(const EdgePart& part) const;
  /// Multiplies the factors of the device ops of a run, by slice.
  void scale_ops(size_t run, std::vector<float>& factor_of_slice) const;

 private:
  struct Work {
    int64_t step = 0;
    size_t kind = 0;  // of host time, or class of kernels
    size_t name = 0;  // of the innermost slice, of all ranks; 0 of device ops
    auto operator<=>(const Work&) const = default;
  };
  using Factors = std::map<Work, double>;
  using Times = std::vector<std::map<Work, int64_t>>;  // by run, in ns

  std::optional<Work> work_of_op(size_t run, OpIndex op, SliceIndex slice) const;
  /// Calls visit(work, ns) for what a part of the time of a thread is compared as; not for others.
  template <typename Visit>
  void for_each_host_work(const EdgePart& part, Visit visit) const;
  std::vector<Factors> factors_of(const Times& times, const std::vector<size_t>& peers) const;

  const SessionFacts& facts_;
  bool has_peers_ = false;
  std::deque<InnermostSlices> innermost_;   // by run
  std::vector<std::vector<size_t>> names_;  // by run, by name of it: the number of that name in all runs, from 1
  std::vector<Factors> of_host_;            // by run
  std::vector<Factors> of_ops_;
};

}  // namespace cgpu
