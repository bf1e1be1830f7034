// Rules about how fast collectives move data once all ranks have come. (Waiting for a late rank is another matter:
// rules_ranks.cpp.)
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/findings/rank_suggestions.h"
#include "analysis/findings/rule_context.h"
#include "table/units.h"

namespace cgpu {

void find_links(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops() || context.facts().whole().session().runs.size() < 2) return;
  const SlowLinks& slow = context.slow_links();
  if (slow.groups.empty()) return;
  if (static_cast<double>(slow.excess) < context.thresholds().noticeable * static_cast<double>(context.measured())) {
    return;
  }
  const auto most = std::max_element(slow.groups.begin(), slow.groups.end(),
                                     [](const SlowGroup& a, const SlowGroup& b) { return a.excess < b.excess; });
  findings.push_back(
      {.rule = "slow_link",
       .title = fmt::format("{} runs at {}, of other ranks at {}", most->what, format_rate(most->rate, "GB/s"),
                            format_rate(most->other, "GB/s")),
       .evidence = fmt::format("{} such transfers take {} longer than at that rate, after the last rank has come",
                               format_count(most->count), context.in_all(most->excess)),
       .suggestion = kLookAtPath,
       .command = "collectives",
       .confidence = Confidence::high,
       .precedence = 1.1,  // than communication as a whole
       .remedy = scaled(slow.factors)});
}

}  // namespace cgpu
