// The time of every dependency by what bounds it, computed once for many what-if scenarios on one graph.
//
// Of the code of a host thread, stretches of some length and more are a kind of their own (kLongHostCode): what a
// thread does between two of its calls that launch or wait, also where it reads, writes or holds a lock in between. One
// long stall and the pace at which a thread launches op after op are different causes with different remedies.
//
// O(edges log n) once; 1 byte an edge, 9 for each part of an edge of several kinds, and 32 for each wait. A scenario is
// O(edges).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "analysis/critical_path/edge_parts.h"
#include "dependencies/replay.h"

namespace cgpu {

/// Of host_code, what lies in long stretches; host_code itself is then the rest.
inline constexpr size_t kLongHostCode = BoundBy::kCount;

/// Of host_code and launch_overhead, what lies in calls for small copies and the ops around them (small_copies.h),
/// where there are many; gone also where both of these are.
inline constexpr size_t kOfSmallCopies = BoundBy::kCount + 1;

/// Of kernel_gap, what lies before small copies; gone where kOfSmallCopies is asked for, or kernel_gap.
inline constexpr size_t kGapOfSmallCopies = BoundBy::kCount + 2;

/// The time of blocking_copy alone: a call that copies returns with its copy, and still waits for it.
inline constexpr size_t kTimeOfCopyCalls = BoundBy::kCount + 3;

inline constexpr size_t kBoundKinds = BoundBy::kCount + 4;

/// A set of kinds (BoundBy::number and the above).
using BoundKinds = std::bitset<kBoundKinds>;

/// Whether an edge of this kind is only a wait for time of the removed kinds, so that it vanishes with them.
bool is_over(EdgeKind edge, const BoundKinds& removed);

class EdgeTimes {
 public:
  struct Limits {
    double long_stretch = 0;  // ns from which on a stretch of host code is a long one
    double small_copy = 0;    // bytes below which a copy is a small one
    double many_copies = 0;   // so many of these count
  };
  /// Of the graph of a whole session.
  EdgeTimes(const SessionFacts& whole, const Limits& limits);

  /// A what-if scenario: time of the `removed` kinds is taken out, with the waits for it; each device op takes
  /// `op_factor(run, slice)` of its time, if given; and there is no gap before ops for which `without_gap(run, slice)`
  /// holds, if given.
  struct Scenario {
    BoundKinds removed;
    std::function<double(size_t run, SliceIndex op)> op_factor = nullptr;
    std::function<bool(size_t run, SliceIndex op)> without_gap = nullptr;
    /// Runs that no other run waits for in collectives.
    std::set<size_t> not_awaited = {};

    /// Those of `runs` runs that say nothing of how long the others take now: those that are not awaited, unless no
    /// run waits for another.
    std::set<size_t> left_out(size_t runs) const {
      return not_awaited.size() < runs ? not_awaited : std::set<size_t>{};
    }
  };
  /// What a scenario does not change.
  struct Fixed {
    /// What was measured of a run until then stays as it was, and all else comes after that; by run. None where empty.
    std::vector<int64_t> until;
    /// Of no_work, io and lock those that end when something comes from outside (a request): it comes no earlier.
    BoundKinds arrivals;
  };
  /// ns of each kind in all edges. O(edges).
  using Totals = std::array<int64_t, kBoundKinds>;
  Totals totals() const;
  /// The times of the moments in a scenario.
  std::vector<int64_t> replayed(const Scenario& scenario, const Fixed& fixed) const;

 private:
  /// The end of a wait of a host thread that something from outside may have ended.
  struct Arrival {
    MomentIndex to = 0;  // the next moment of the thread
    uint8_t kind = 0;
    int64_t time = 0;      // as measured
    size_t next_part = 0;  // of part_kinds_: what the thread did between `time` and `to`
    bool is_last = true;   // nothing
  };
  static constexpr uint8_t kSeveral = UINT8_MAX;
  static constexpr uint8_t kLast = 0x80;

  const DependencyGraph& graph_;
  std::vector<uint8_t> kinds_;  // by edge; kSeveral of those that have parts
  // Of the parts, in the order of edges:
  std::vector<uint8_t> part_kinds_;  // with kLast, of the last part of an edge
  std::vector<int64_t> part_lengths_;
  std::vector<Arrival> arrivals_;  // by moment
};

}  // namespace cgpu
