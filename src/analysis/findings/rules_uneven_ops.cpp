// Products of one shape of which some take far longer than the others: what these reach the device can do for all,
// whatever its rates are.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "analysis/op_shapes/attention_cost.h"
#include "base/contains.h"
#include "kernels/short_name.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Of one kind of op, those that take kFarLonger times what a quarter of them take at most, or longer.
struct SlowOnes {
  const CostedWork* work = nullptr;
  std::vector<std::pair<size_t, SliceIndex>> device_ops = {};  // run, slice; in order
  int64_t usual = 0;                                           // ns: what the quicker quarter takes at most
  int64_t excess = 0;                                          // ns
};

/// Whether ops of one shape have the same work: not where it depends on values (lengths of sequences, tokens of
/// experts).
bool is_plain_product(const CostedWork& work) {
  const std::string& name = std::get<0>(work.key);
  return !work.cost.peak.empty() && !is_attention(name) && !contains(name, "group") && !contains(name, "moe") &&
         work.kernels == work.ops;
}

SlowOnes slow_ones_of(const CostedWork& work, const SessionFacts& whole) {
  constexpr int64_t kFarLonger = 2;  // more than other layouts or communication beside them make of it
  SlowOnes found{.work = &work, .usual = work.lower_quartile_ns};
  for (const auto& [run, slice] : work.device_ops) {
    const int64_t duration = whole.run(run).timeline.slices.duration[slice];
    if (duration < kFarLonger * found.usual) continue;
    found.device_ops.emplace_back(run, slice);
    found.excess += duration - found.usual;
  }
  return found;
}

/// "; they run gemm_a, the others gemm_b": where that is so of all.
std::string kernels_in_words(const SlowOnes& slow, const SessionFacts& whole) {
  std::map<std::string_view, std::pair<int64_t, int64_t>> counts;  // by kernel: all, slow ones
  for (const auto& [run, slice] : slow.work->device_ops) ++counts[whole.run(run).timeline.name(slice)].first;
  for (const auto& [run, slice] : slow.device_ops) ++counts[whole.run(run).timeline.name(slice)].second;
  if (counts.size() == 1) return fmt::format("; all run {}", title_name(counts.begin()->first));
  if (counts.size() != 2) return "";
  const auto& [first, of_first] = *counts.begin();
  const auto& [second, of_second] = *counts.rbegin();
  const bool first_is_slow = of_first.first == of_first.second && of_second.second == 0;
  const bool second_is_slow = of_second.first == of_second.second && of_first.second == 0;
  if (!first_is_slow && !second_is_slow) return "";
  return fmt::format("; they run {}, the others {}", title_name(first_is_slow ? first : second),
                     title_name(first_is_slow ? second : first));
}

EdgeTimes::Scenario as_the_others(const std::vector<SlowOnes>& all, const SessionFacts& whole) {
  OpFactors factors(whole.session().runs.size());
  for (const SlowOnes& slow : all) {
    for (const auto& [run, slice] : slow.device_ops) {
      const auto duration = static_cast<double>(whole.run(run).timeline.slices.duration[slice]);
      factors[run][slice] = static_cast<double>(slow.usual) / duration;
    }
  }
  return scaled(std::move(factors));
}

}  // namespace

void find_uneven_ops(RuleContext& context, std::vector<Finding>& findings) {
  constexpr int64_t kFewest = 8;  // ops of a shape, of which half at most are slow
  if (!context.has_device_ops()) return;
  const SessionFacts& whole = context.facts().whole();
  std::vector<SlowOnes> all;
  int64_t excess = 0;
  for (const CostedWork& work : context.costed_work()) {
    if (!is_plain_product(work) || work.ops < kFewest || work.lower_quartile_ns <= 0) continue;
    if (static_cast<double>(work.lower_quartile_ns) < context.thresholds().short_kernel) continue;
    SlowOnes slow = slow_ones_of(work, whole);
    if (slow.device_ops.empty() || 2 * slow.device_ops.size() > work.device_ops.size()) continue;
    excess += slow.excess;
    all.push_back(std::move(slow));
  }
  if (excess == 0) return;
  if (static_cast<double>(excess) < context.thresholds().noticeable * static_cast<double>(context.measured())) return;
  const EdgeTimes::Scenario scenario = as_the_others(all, whole);
  const auto most = std::ranges::max_element(all, {}, &SlowOnes::excess);
  const auto count = static_cast<int64_t>(most->device_ops.size());
  const auto [run, slice] = most->device_ops.front();
  const Slices& slices = whole.run(run).timeline.slices;
  const int64_t zero = whole.zeros()[run];
  const auto& [name, shapes, types, settings] = most->work->key;
  const int64_t mean = most->usual + most->excess / count;
  std::string evidence = fmt::format("{} each in the place of {}, of shapes {}{}", format_ns(mean),
                                     format_ns(most->usual), shapes, kernels_in_words(*most, whole));
  if (all.size() > 1) evidence += fmt::format("; and some of {} other kinds", all.size() - 1);
  findings.push_back(
      {.rule = "uneven_ops",
       .title = fmt::format("{} could be gained: {} of {} {} of one shape take {:.1f} times as long as the others",
                            kShareOfTime, format_count(count), format_count(most->work->ops), name,
                            static_cast<double>(mean) / static_cast<double>(most->usual)),
       .evidence = std::move(evidence),
       .suggestion = "Compare where they are called: another layout of their inputs, addresses that are not aligned, "
                     "another kernel that the library chose, or what runs on the device beside them",
       .command = fmt::format("op_shapes --where 'name = {}'", name),
       .confidence = Confidence::medium,
       .time = Interval{slices.start[slice] - zero, slices.end(slice) - zero},
       .remedy = scenario});
}

}  // namespace cgpu
