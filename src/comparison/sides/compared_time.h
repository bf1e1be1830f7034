// Which part of a run is compared: its iterations without warm-up, without a first one in which the device still did
// earlier work, and without a last one that was cut short, or, where it has no marks of iterations, all that its
// devices did.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/session_facts.h"
#include "session/selection/number_list.h"

namespace cgpu {

struct Iteration {
  std::optional<int64_t> number;  // as marked; absent where the run has no marks
  Interval time;                  // on the run's clock; those of a run do not overlap
  Interval mark;                  // when the host was in it; empty where that is not known
};

struct ComparedTime {
  std::vector<Iteration> iterations;  // in order of time; empty where the run has no device ops
  size_t warm_up = 0;                 // iterations before them that were left out, for whichever reason
  bool cut_short = false;             // whether the last one was left out
};

/// `by_iteration`: by marks, where the run has them. `steps`: of these only the ones with such numbers, warm-up or not.
ComparedTime compared_time(const SessionFacts& facts, size_t run, bool by_iteration,
                           const std::optional<NumberRange>& steps = {});

/// Whether the profile says when the host was in these.
inline bool is_marked(const std::vector<Iteration>& iterations) {
  return !iterations.empty() && iterations.front().mark.begin < iterations.front().mark.end;
}

/// The iteration that a time lies in; absent outside of all. `intervals` are Iteration::time or Iteration::mark.
std::optional<uint32_t> iteration_at(const std::vector<Iteration>& iterations, Interval Iteration::*intervals,
                                     int64_t time);

/// Calls visit(iteration, part) for the parts of a time that lie in iterations, by Iteration::time or Iteration::mark.
template <typename Visit>
void for_each_part_in(const std::vector<Iteration>& iterations, Interval Iteration::*intervals, Interval time,
                      Visit visit) {
  auto at =
      std::upper_bound(iterations.begin(), iterations.end(), time.begin,
                       [&](int64_t wanted, const Iteration& iteration) { return wanted < (iteration.*intervals).end; });
  for (; at != iterations.end() && ((*at).*intervals).begin < time.end; ++at) {
    const Interval& all = (*at).*intervals;
    const Interval part{std::max(time.begin, all.begin), std::min(time.end, all.end)};
    if (part.begin < part.end) visit(static_cast<uint32_t>(at - iterations.begin()), part);
  }
}

}  // namespace cgpu
