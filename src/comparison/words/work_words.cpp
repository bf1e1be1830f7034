#include "comparison/words/work_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

#include "analysis/findings/thresholds.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/words/quantity_words.h"

namespace cgpu {

namespace {

/// What ops of names that both sides have computed or moved.
PerSide<double> shared_work(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
  PerSide<double> sum;
  for (const auto& [name, work] : a) {
    const auto found = b.find(name);
    if (found == b.end()) continue;
    sum.a += work;
    sum.b += found->second;
  }
  return sum;
}

/// Whether all ops grew or shrank alike, so that work differs in amount alone: of ops that reach other rates, one that
/// grows changes the time per FLOP of all without running any faster.
bool grew_alike(const std::map<std::string, double>& a, const std::map<std::string, double>& b,
                const PerSide<double>& sum) {
  constexpr double kAlike = 0.03;
  double unlike = 0;
  for (const auto& [name, work] : a) {
    const auto found = b.find(name);
    if (found != b.end()) unlike += std::abs(found->second - work * sum.b / sum.a);
  }
  return unlike <= kAlike * sum.b;
}

/// The innermost op around device work, or itself where it is in none.
Label place_of(const MergedWork& work, uint32_t index) {
  for (uint32_t above = work.node(index).parent; above != kNone; above = work.node(above).parent) {
    if (work.node(above).kind == WorkKind::op) return work.node(above).label;
  }
  return work.node(index).label;
}

/// Whether replays of graphs whose capture is not known take more of the time of one side: their ops are not known, and
/// their FLOPs may be many in little time.
bool replay_unlike(const Comparison& comparison) {
  constexpr double kMore = 0.01;
  const auto share = [&](Side side) {
    const DeviceActivity& activity = comparison.activity(side);
    return static_cast<double>(activity.replayed) / static_cast<double>(std::max<int64_t>(1, activity.busy));
  };
  return std::abs(share(Side::a) - share(Side::b)) > kMore;
}

/// How many device ops of names that both sides have lie in ops that both have. Absent unless both sides do by and
/// large the same, with nearly all of their device time in ops of names that both have: what was compiled or fused on
/// one side has no shapes there, and its work would be missed.
std::optional<PerSide<double>> shared_device_ops(const Comparison& comparison) {
  constexpr double kNearlyAll = 0.9;
  PerSide<std::unordered_set<Label>> labels;
  for (const Comparison::Group& group : comparison.groups()) {
    for (const Side side : kSides) {
      for (const WorkNode& node : group.work[side]->nodes()) labels[side].insert(node.label);
    }
  }
  PerSide<double> ops;
  for (const Side side : kSides) {
    int64_t all = 0;
    int64_t shared = 0;
    for (const Comparison::Group& group : comparison.groups()) {
      const MergedWork& work = *group.work[side];
      for (uint32_t index = 0; index < work.nodes().size(); ++index) {
        const WorkNode& node = work.node(index);
        if (!is_device_work(node.kind)) continue;
        all += node.duration;
        if (!labels[other(side)].contains(place_of(work, index))) continue;
        shared += node.duration;
        if (labels[other(side)].contains(node.label)) ops[side] += static_cast<double>(node.count);
      }
    }
    if (static_cast<double>(shared) < kNearlyAll * static_cast<double>(all)) return std::nullopt;
  }
  return ops;
}

/// "24.2 GFLOP", "512.0 MB"
std::string amount_words(double amount, const char* unit) {
  size_t prefix = 0;
  for (; amount >= 1000 && prefix < 6; ++prefix) amount /= 1000;
  return fmt::format("{:.1f} {}{}", amount, std::array{"", "k", "M", "G", "T", "P", "E"}[prefix], unit);
}

}  // namespace

std::string work_words(const Comparison& comparison) {
  const std::optional<PerSide<double>> device_ops = shared_device_ops(comparison);
  if (!device_ops || replay_unlike(comparison)) return {};
  const auto& work_a = comparison.work_of_ops(Side::a);
  const auto& work_b = comparison.work_of_ops(Side::b);
  PerSide<double> work;
  const char* unit = "";
  const char* each = "";
  bool has_rate = true;  // known of most of what is computed, which differs in amount alone
  if (work_a && work_b) {
    const auto covers = [&](int64_t OpWork::*known) {
      return 2 * ((*work_a).*known) >= comparison.activity(Side::a).compute &&
             2 * ((*work_b).*known) >= comparison.activity(Side::b).compute;
    };
    work = shared_work(work_a->flops_by_op, work_b->flops_by_op);
    unit = "FLOP";
    each = "FLOP";
    has_rate = covers(&OpWork::flops_ns) && grew_alike(work_a->flops_by_op, work_b->flops_by_op, work);
    if (work.a == 0 || work.b == 0) {
      work = shared_work(work_a->bytes_by_op, work_b->bytes_by_op);
      unit = "B";
      each = "byte";
      has_rate = covers(&OpWork::bytes_ns) && grew_alike(work_a->bytes_by_op, work_b->bytes_by_op, work);
    }
  }
  if ((work.a == 0 || work.b == 0) && !comparison.is_host_vs_device()) {
    work = *device_ops;
    unit = "";
    each = "op";
    has_rate = true;
  }
  if (work.a == 0 || work.b == 0) return {};
  for (const Side side : kSides) work[side] /= static_cast<double>(comparison.totals(side).divisor());
  if (std::abs(work.b / work.a - 1) < Thresholds{}.noticeable) return {};
  const auto amount = [&](Side side) {
    return *unit == 0 ? count_words(work[side]) + " ops" : amount_words(work[side], unit);
  };
  std::string words = fmt::format("{} work was done in what both do: {} -> {}{}, {}.",
                                  work.b < work.a ? "Less" : "More", amount(Side::a), amount(Side::b),
                                  comparison.per_iteration() ? " an iteration" : "", ratio_words(work.a, work.b));
  // Neither communication nor waiting is work.
  const auto compute_of_each = [&](Side side) {
    return static_cast<double>(comparison.activity(side).compute) /
           static_cast<double>(comparison.totals(side).divisor()) / work[side];
  };
  if (has_rate && compute_of_each(Side::a) > 0) {
    words += fmt::format(" The compute time per {}: {}.", each,
                         ratio_words(compute_of_each(Side::a), compute_of_each(Side::b)));
  }
  return words + "\n";
}

}  // namespace cgpu
