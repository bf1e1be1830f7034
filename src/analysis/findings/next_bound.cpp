#include "analysis/findings/next_bound.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "table/units.h"

namespace cgpu {

namespace {

/// The remedy saves nearly all of the time from this share on.
constexpr double kNearlyAllOfPath = 0.9;

struct Bound {
  std::string_view words;
  BoundKinds kinds;
};

BoundKinds kinds_of(std::initializer_list<BoundBy> kinds) {
  BoundKinds all;
  for (const BoundBy kind : kinds) all.set(kind.number());
  return all;
}

std::vector<Bound> bounds() {
  BoundKinds host = kinds_of({IdleCause::host_code, IdleCause::launch_overhead});
  host.set(kLongHostCode);
  return {{"computing", kinds_of({BoundBy::compute})},
          {"copying", kinds_of({BoundBy::memory, IdleCause::blocking_copy})},
          {"the host", host},
          {"loading data", kinds_of({IdleCause::data_loading})},
          {"reading and writing", kinds_of({IdleCause::io})},
          {"waiting for locks", kinds_of({IdleCause::lock})}};
}

}  // namespace

std::string what_binds_next(RuleContext& context, const EdgeTimes::Scenario& remedy, int64_t on_path) {
  const int64_t gain = context.gain_of(remedy);
  if (static_cast<double>(gain) >= kNearlyAllOfPath * static_cast<double>(on_path)) return "";
  int64_t most = static_cast<int64_t>(context.thresholds().noticeable * static_cast<double>(context.measured()));
  std::string_view next;
  for (const Bound& bound : bounds()) {
    EdgeTimes::Scenario both = remedy;
    both.removed |= bound.kinds;
    const int64_t more = context.gain_of(both) - gain;
    if (more <= most) continue;
    most = more;
    next = bound.words;
  }
  if (next.empty()) return "";
  return fmt::format("; {} of it can be saved: after that {} bounds the run", context.of_step(gain), next);
}

}  // namespace cgpu
