#include "analysis/findings/next_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace cgpu {

namespace {

constexpr std::string_view kHost = "the host";

struct Bound {
  std::string_view words;
  BoundKinds kinds;
  int64_t most = 0;  // ns: no more can be saved of it
};

BoundKinds kinds_of(std::initializer_list<BoundBy> kinds) {
  BoundKinds all;
  for (const BoundBy kind : kinds) all.set(kind.number());
  return all;
}

std::vector<Bound> bounds() {
  BoundKinds host = kinds_of({IdleCause::host_code, IdleCause::launch_overhead});
  host.set(kLongHostCode);
  host.set(kOfSmallCopies);
  return {{"computing", kinds_of({BoundBy::compute})},
          {"communication", kinds_of({BoundBy::communication})},
          {"copying", kinds_of({BoundBy::memory, IdleCause::blocking_copy})},
          {kHost, host},
          {"loading data", kinds_of({IdleCause::data_loading})},
          {"allocating memory", kinds_of({IdleCause::allocation})},
          {"loading code", kinds_of({IdleCause::module_load})},
          {"compiling", kinds_of({IdleCause::compilation})},
          {"reading and writing", kinds_of({IdleCause::io})},
          {"waiting for locks", kinds_of({IdleCause::lock})}};
}

}  // namespace

std::string what_binds_next(RuleContext& context, const EdgeTimes::Scenario& remedy, int64_t gain) {
  std::vector<Bound> left;
  BoundKinds gone = remedy.removed;
  if (gone[kTimeOfCopyCalls]) gone.set(BoundBy(IdleCause::blocking_copy).number());
  for (Bound& bound : bounds()) {
    if ((bound.kinds & ~gone).none()) continue;  // gone already
    bound.most = context.time_in_graph(bound.kinds);
    left.push_back(bound);
  }
  // Those with the most time first: what has less than another saves is not asked.
  std::ranges::stable_sort(left, std::greater{}, &Bound::most);
  int64_t most = static_cast<int64_t>(context.thresholds().noticeable * static_cast<double>(context.measured()));
  std::string_view next;
  for (const Bound& bound : left) {
    if (bound.most <= most) break;
    EdgeTimes::Scenario both = remedy;
    both.removed |= bound.kinds;
    const int64_t more = context.gain_of(both) - gain;
    if (more <= most) continue;
    most = more;
    const bool is_rest = bound.words == kHost && (bound.kinds & remedy.removed).any();
    next = is_rest ? "what else the host does" : bound.words;
  }
  return next.empty() ? "" : fmt::format("After this, {} bounds the run", next);
}

}  // namespace cgpu
