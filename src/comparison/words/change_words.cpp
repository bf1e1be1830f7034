#include "comparison/words/change_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>

#include "analysis/device/memory_peak.h"
#include "analysis/findings/thresholds.h"
#include "comparison/attribution/changed_rank.h"
#include "comparison/sides/iteration_spread.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/call_tree_words.h"
#include "comparison/words/change_headline.h"
#include "comparison/words/device_words.h"
#include "comparison/words/host_call_words.h"
#include "comparison/words/iteration_words.h"
#include "comparison/words/level_words.h"
#include "comparison/words/measured_launch_words.h"
#include "comparison/words/precision_words.h"
#include "comparison/words/quantity_words.h"
#include "comparison/words/repeated_work_words.h"
#include "comparison/words/uniform_change_words.h"
#include "comparison/words/work_words.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr std::string_view kAlways = "in every iteration";

/// What is counted on both sides.
std::string_view what_ops(const Comparison& comparison) {
  return comparison.host(Side::a) == nullptr && comparison.host(Side::b) == nullptr ? "device ops" : "ops";
}

std::string ops_words(const Comparison& comparison, double count) {
  std::string_view what = what_ops(comparison);
  if (count == 1) what.remove_suffix(1);
  return fmt::format("{} {}", count_words(count), what);
}

/// "1.20 ms on the CPU -> 30.0 us on the device (40.0 times as fast)"
std::string unlike_words(const Comparison& comparison, const ExplainedCause& one) {
  const auto where = [&](Side side) { return comparison.host(side) != nullptr ? "CPU" : "device"; };
  std::string words =
      fmt::format("{} on the {} -> {} on the {}", format_ns(one.a), where(Side::a), format_ns(one.b), where(Side::b));
  if (one.a > 0 && one.b > 0) {
    const double ratio = static_cast<double>(one.a) / static_cast<double>(one.b);
    words += fmt::format(" ({:.1f} times as {})", ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "fast" : "long");
  }
  return words;
}

/// "in every iteration", "in every 10th iteration", "since iteration 7", "in 1 of 20 iterations (number 12)"; "" where
/// there are too few to tell.
std::string when_words(const Comparison& comparison, const Cause& cause) {
  constexpr size_t kFewest = 4;
  const std::vector<int64_t>& a = cause.by_iteration.a;
  std::vector<int64_t> b = cause.by_iteration.b;
  if (!comparison.per_iteration() || comparison.facts(Side::b).session().runs.empty()) return {};
  const std::vector<Iteration>& iterations = comparison.time(Side::b, 0).iterations;
  if (iterations.size() < kFewest) return {};
  b.resize(iterations.size());
  const auto count_a = static_cast<double>(std::max<size_t>(1, comparison.time(Side::a, 0).iterations.size()));
  const double usual = static_cast<double>(std::accumulate(a.begin(), a.end(), int64_t{0})) / count_a;
  double sum = 0;
  std::vector<double> change;
  for (const int64_t time : b) sum += change.emplace_back(static_cast<double>(time) - usual);
  if (sum < 0) {
    for (double& one : change) one = -one;
    sum = -sum;
  }
  const double largest = *std::max_element(change.begin(), change.end());
  std::vector<size_t> with;  // the iterations that have it
  double sum_with = 0;
  for (size_t i = 0; i < change.size(); ++i) {
    if (change[i] < largest / 2) continue;
    with.push_back(i);
    sum_with += change[i];
  }
  const auto number = [&](size_t i) { return iterations[i].number.value_or(static_cast<int64_t>(i)); };
  if (sum_with < 0.8 * sum || 10 * with.size() >= 8 * change.size()) return std::string(kAlways);
  if (with.size() == 1) return fmt::format("in 1 of {} iterations (number {})", change.size(), number(with[0]));
  if (with.front() > 0 && with.back() - with.front() + 1 == with.size() && with.back() + 1 == change.size()) {
    return fmt::format("since iteration {}", number(with.front()));
  }
  bool regular = with.size() >= 3;
  for (size_t i = 2; i < with.size(); ++i) regular = regular && with[i] - with[i - 1] == with[1] - with[0];
  if (regular && with[1] - with[0] == 1) {
    return fmt::format("from iteration {} to {}", number(with.front()), number(with.back()));
  }
  if (regular) return fmt::format("in one of {} iterations", with[1] - with[0]);
  return fmt::format("in {} of {} iterations", with.size(), change.size());
}

/// "on rank 3" where one rank has most of the change.
std::string where_words(const Comparison& comparison, const Cause& cause) {
  const std::optional<size_t> group = changed_rank(comparison, cause.by_run);
  return group ? fmt::format("on rank {}", rank_of(comparison, *group)) : "";
}

/// " (a cast)"
std::string nature_words(const Cause& cause) {
  return cause.nature == WorkNature::computes ? "" : fmt::format(" ({})", text_of(cause.nature));
}

/// ", in A only a memset (1.20 us)"
std::string only_on_one_side_words(const Comparison& comparison, const Cause& cause) {
  std::string words;
  for (const Side side : kSides) {
    for (size_t nature = 1; nature < kWorkNatures; ++nature) {
      const int64_t part = cause.by_nature[side][nature];
      if (part == 0 || cause.by_nature[other(side)][nature] > 0) continue;
      words +=
          fmt::format(", in {} only {} ({})", side == Side::a ? "A" : "B", text_of(static_cast<WorkNature>(nature)),
                      format_ns(static_cast<int64_t>(per_device_iteration(comparison, side, part))));
    }
  }
  return words;
}

/// The time of one, without waiting for other ranks.
double mean_duration(const Cause& cause, Side side) {
  return static_cast<double>(cause.time[side] + cause.hidden[side]) / static_cast<double>(cause.count[side]);
}

/// ", 0 % -> 81 % of that beside other work": where that changed.
std::string beside_words(const Cause& cause) {
  PerSide<double> share;
  for (const Side side : kSides) {
    const auto all = static_cast<double>(cause.time[side] + cause.hidden[side]);
    if (all > 0) share[side] = static_cast<double>(cause.hidden[side]) / all;
  }
  constexpr double kMuchMore = 0.1;
  if (std::abs(share.b - share.a) < kMuchMore) return {};
  return fmt::format(", {:.0f} % -> {:.0f} % of that beside other work", 100 * share.a, 100 * share.b);
}

/// " is new (a cast)"; " is done more often" where the other side has some of it, too.
std::string one_sided_words(const ExplainedCause& one, const char* alone, const char* how_often) {
  const bool several = one.causes > 1;
  const std::string what = one.cause->more_often ? fmt::format("done {} often", how_often) : std::string(alone);
  return fmt::format(" {} {}{}", several ? "are" : "is", what, several ? "" : nature_words(*one.cause));
}

std::string name_of(const Comparison& comparison, const ExplainedCause& one) {
  const bool several = one.causes > 1;
  switch (one.cause->kind) {
    case CauseKind::op:
      return one.cause->shown;
    case CauseKind::removed:
      return one.cause->shown + one_sided_words(one, "gone", "less");
    case CauseKind::added:
      return one.cause->shown + one_sided_words(one, "new", "more");
    case CauseKind::replaced:
      return one.cause->shown;
    case CauseKind::orphan:
      return one.cause->shown + " (launch not recorded)";
    case CauseKind::waiting:
      return fmt::format("{} {} for {}", one.cause->shown, several ? "wait" : "waits",
                         awaited_words(comparison, *one.cause));
    case CauseKind::idle:
      return (comparison.host(Side::a) && comparison.host(Side::b) ? "in no op, " : "idle, ") + one.cause->shown;
  }
  return {};
}

/// Whether shapes are the same, as far as both sides have an input: a variant that writes its result into an argument
/// has that one more ("[[8, 4], [4, 2]]" and "[[8, 4], [4, 2], [8, 2]]").
bool are_same_inputs(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (a == b) return true;
  return a.ends_with(']') && b.starts_with(a.substr(0, a.size() - 1)) && b[a.size() - 1] == ',';
}

/// Of device time that both sides have, the share that has inputs of other shapes.
double share_of_other_shapes(const Comparison& comparison) {
  int64_t all = 0;
  int64_t other_shapes = 0;
  for (const Comparison::Group& group : comparison.groups()) {
    const MergedWork& work = *group.work.b;
    for (uint32_t index = 0; index < work.nodes().size(); ++index) {
      if (!is_device_work(work.node(index).kind)) continue;
      const AlignedNode& aligned = group.alignment->node(Side::b, index);
      if (aligned.status != Status::both) continue;
      all += work.node(index).duration;
      const uint32_t partner = group.alignment->node(Side::b, aligned.place).partner;
      if (partner == kNone) continue;
      const Label own = work.node(aligned.place).shapes;
      const Label theirs = group.work.a->node(partner).shapes;
      if (own == 0 || theirs == 0) continue;
      if (!are_same_inputs(comparison.text(own), comparison.text(theirs))) other_shapes += work.node(index).duration;
    }
  }
  return all == 0 ? 0 : static_cast<double>(other_shapes) / static_cast<double>(all);
}

/// How many ranks there are, where that changed.
std::string rank_words(const Comparison& comparison) {
  const auto ranks = [&](Side side) { return comparison.facts(side).session().runs.size(); };
  if (ranks(Side::a) == ranks(Side::b)) return {};
  return fmt::format("Ranks: {} -> {}; times are the mean of a device of all ranks of a side.\n", ranks(Side::a),
                     ranks(Side::b));
}

/// How the peak of device memory changed, where it did.
std::string memory_words(const Comparison& comparison) {
  const std::optional<int64_t> a = peak_of_devices(comparison.memory(Side::a));
  const std::optional<int64_t> b = peak_of_devices(comparison.memory(Side::b));
  if (!a || !b || *a == 0) return {};
  if (std::abs(static_cast<double>(*b) / static_cast<double>(*a) - 1) < Thresholds{}.noticeable) return {};
  return fmt::format("The peak of device memory: {} -> {}, {}.\n", format_bytes(*a), format_bytes(*b),
                     ratio_words(static_cast<double>(*a), static_cast<double>(*b)));
}

}  // namespace

std::string words_of(const Comparison& comparison, const ExplainedCause& explained, bool also_always) {
  const Cause& cause = *explained.cause;
  std::string words = name_of(comparison, explained);
  const double count_a = per_device_iteration(comparison, Side::a, cause.count.a);
  const double count_b = per_device_iteration(comparison, Side::b, cause.count.b);
  const auto per = comparison.per_iteration() ? " an iteration" : "";
  if (cause.kind == CauseKind::op && comparison.is_host_vs_device()) {
    words += ", " + unlike_words(comparison, explained);
  } else if (cause.count.a > 0 && cause.count.b > 0) {
    if (std::abs(count_b - count_a) > 0.01 * count_a) {
      words += fmt::format(", {} -> {}{}", count_words(count_a), ops_words(comparison, count_b), per);
    } else {
      words += fmt::format(", {}{}", ops_words(comparison, count_b), per);
    }
    const double each_a = mean_duration(cause, Side::a);
    const double each_b = mean_duration(cause, Side::b);
    if (cause.kind == CauseKind::op && each_a > 0 && std::abs(each_b / each_a - 1) > 0.005) {
      words += fmt::format(", {} -> {} each ({})", format_ns(static_cast<int64_t>(each_a)),
                           format_ns(static_cast<int64_t>(each_b)), ratio_words(each_a, each_b));
    }
    if (cause.kind == CauseKind::op) words += beside_words(cause);
  } else if (cause.count.a + cause.count.b > 0) {
    words +=
        fmt::format(", {}{}{}", cause.more_often ? "by " : "", ops_words(comparison, std::max(count_a, count_b)), per);
  }
  if (cause.kind == CauseKind::op || cause.kind == CauseKind::replaced) {
    words += only_on_one_side_words(comparison, cause);
  }
  if (explained.a != explained.b) {
    const bool of_work = cause.kind != CauseKind::idle && cause.kind != CauseKind::waiting;
    const std::string layers = of_work && explained.causes == 1 ? comparison.changed_layers().words(cause) : "";
    for (const std::string& more : {where_words(comparison, cause), layers, when_words(comparison, cause)}) {
      if (!more.empty() && (also_always || more != kAlways)) words += ", " + more;
    }
  }
  return printable(words);
}

namespace {

/// The findings that came, went, grew or shrank by 3 % of the time of A or more, and by more than `noise_pct` of it, a
/// line each under a heading; "" for none.
MarkedText changed_findings(const Table& findings, double noise_pct) {
  const auto text = [&](const RowView& row, const char* column) {
    const Cell cell = row[findings.column(column)];
    return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : std::string();
  };
  MarkedText words;
  int64_t within_noise = 0;
  for (const RowView row : findings.rows()) {
    const double change_pct = std::abs(std::get<double>(row[findings.column("delta_pct")]));
    if (change_pct < 100 * Thresholds{}.noticeable) continue;
    if (change_pct <= noise_pct) {
      ++within_noise;
      continue;
    }
    const std::string change = text(row, "change");
    if (change == "unsure") continue;
    const Cell a = row[findings.column("recoverable_a_ns")];
    const Cell b = row[findings.column("recoverable_b_ns")];
    std::string times;
    if (std::holds_alternative<int64_t>(a) && std::holds_alternative<int64_t>(b)) {
      times = fmt::format(", {} -> {}", format_ns(std::get<int64_t>(a)), format_ns(std::get<int64_t>(b)));
    }
    const bool is_less = change == "gone" || change == "shrunk";
    words += "  " + text(row, "rule") + " (" + MarkedText(change, is_less ? -1 : 1) + times +
             "): " + text(row, is_less ? "title_a" : "title_b") + "\n";
  }
  if (within_noise > 0) {
    words += fmt::format("  {} {} by less than iterations differ by themselves (--table findings)\n", within_noise,
                         words.empty() ? "changed" : "more changed");
  }
  return words.empty() ? words : "Findings that changed:\n" + words;
}

/// What explains the change, largest first: what goes the way of the change until 95 % are explained, what goes against
/// it, what of that iterations vary by, and what remains, put together, until 95 % are named. Where the change is
/// within noise it has no way: then what is beyond noise by itself comes first.
MarkedText cause_words(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                       const PerSide<int64_t>& time, const NoiseOfTime& noise) {
  constexpr size_t kMostCauses = 10;
  const int64_t change = time.b - time.a;
  const int64_t most_left = std::max(std::abs(change), static_cast<int64_t>(std::abs(noise.busy_change))) / 20;
  MarkedText text;
  int64_t left = change;
  const auto tell = [&](const ExplainedCause& one) {
    left -= one.delta();
    text += change_line(one.delta(), time.a, words_of(comparison, one, false));
  };
  // The headline names what makes a tenth of a change.
  const int64_t most_small = noise.within ? INT64_MAX : std::abs(change) / 10;
  const auto is_small = [&](const ExplainedCause& one) {
    return std::abs(one.delta()) < most_small &&
           static_cast<double>(std::abs(one.delta())) < 0.005 * static_cast<double>(time.a);
  };
  std::vector<ExplainedCause> untold;
  std::vector<ExplainedCause> uncertain;
  std::vector<ExplainedCause> certain;
  for (const ExplainedCause& one : causes) {
    if (one.delta() == 0) continue;
    const bool is_sure = is_small(one) || is_certain(comparison, one.cause->by_iteration).value_or(true);
    (is_sure ? certain : uncertain).push_back(one);
  }
  const auto list = [&](const std::vector<ExplainedCause>& some, const auto& is_meant, bool until_explained,
                        const char* heading) {
    size_t told = 0;
    bool enough = false;
    for (const ExplainedCause& one : some) {
      if (!is_meant(one)) continue;
      enough = enough || told == kMostCauses || is_small(one) ||
               (until_explained && std::abs(change - left) >= std::abs(change) - most_left &&
                std::abs(one.delta()) < most_left);
      if (enough) {
        untold.push_back(one);
        continue;
      }
      if (told++ == 0) text += heading;
      tell(one);
    }
  };
  const auto goes_with_change = [&](const ExplainedCause& one) { return (one.delta() > 0) == (change > 0); };
  const auto all = [](const ExplainedCause&) { return true; };
  if (noise.of_iterations) {
    list(certain, all, false, "What changed by more than iterations differ by, and how much of the time of A it is:\n");
  } else {
    list(certain, goes_with_change, true, "What explains it, and how much of the time of A it is:\n");
    list(certain, std::not_fn(goes_with_change), false, "Against it:\n");
  }
  list(uncertain, all, false, "Within what iterations differ by themselves:\n");
  if ((!noise.within || noise.busy_change != 0) && std::abs(left) > most_left) {
    std::vector<Cause> merged;
    text += text.empty() ? "What explains it, put together, and how much of the time of A it is:\n"
                         : "What else there is, put together:\n";
    for (const ExplainedCause& one : summed_by_kind(untold, most_left, merged)) tell(one);
  }
  if (left != 0 && !text.empty()) text += change_line(left, time.a, "everything else");
  return text;
}

/// Where neither time nor measured launches nor call trees can be compared.
std::string nothing_to_compare_words(const Comparison& comparison) {
  const auto has_ops = [&](Side side) { return comparison.totals(side).device_ops > 0; };
  if (has_ops(Side::a) != has_ops(Side::b)) {
    return fmt::format("{} has no device work, and no ops that the device work of {} could be compared with.\n",
                       has_ops(Side::a) ? "B" : "A", has_ops(Side::a) ? "A" : "B");
  }
  const std::string metrics = unlike_metrics_words(comparison);
  return metrics.empty() ? "There is no device work to compare.\n" : metrics;
}

}  // namespace

MarkedText finding_words(const Table& compared) {
  MarkedText words = changed_findings(compared, 0);
  return words.empty() ? "Against the baseline no finding came, went, or changed by 3 % of the time or more.\n" : words;
}

ChangeWords change_words(const Comparison& comparison) {
  PerSide<std::vector<Cause>> merged;  // of idle time, of work
  const std::vector<ExplainedCause> causes =
      with_renamed_work(comparison, with_idle_by_cause(explained_causes(comparison), merged.a), merged.b);
  PerSide<int64_t> time;
  for (const ExplainedCause& one : causes) {
    time.a += one.a;
    time.b += one.b;
  }
  if (time.a == 0 || time.b == 0) {
    for (const auto& words : {measured_launch_words(comparison), call_tree_words(comparison)}) {
      if (!words.empty()) return {words, ""};
    }
    return {nothing_to_compare_words(comparison), ""};
  }
  if (const std::string unrecorded = unrecorded_device_words(comparison); !unrecorded.empty()) {
    return {unrecorded + call_tree_words(comparison), ""};
  }
  const NoiseOfTime noise = noise_of_time(comparison, time);
  MarkedText text = change_headline(comparison, causes, time, noise) + noise.words +
                    slow_iteration_words(comparison, noise) + busy_words(comparison) + device_words(comparison);
  const SideTotals& a = comparison.totals(Side::a);
  const SideTotals& b = comparison.totals(Side::b);
  if (comparison.by_repetition()) {
    text += fmt::format(
        "There are no marks of iterations: an iteration is what repeats on the device, {} times in A and {} times in "
        "B.\n",
        a.iterations, b.iterations);
  }
  const double ops_a = per_device_iteration(comparison, Side::a, a.device_ops);
  const double ops_b = per_device_iteration(comparison, Side::b, b.device_ops);
  if (std::abs(ops_b - ops_a) > 0.01 * ops_a && !comparison.is_host_vs_device()) {
    text += fmt::format("{}{}: {} -> {}.\n", comparison.host(Side::a) != nullptr ? "Ops" : "Device ops",
                        comparison.per_iteration() ? " an iteration" : "", count_words(ops_a), count_words(ops_b));
  }
  text += rank_words(comparison) + launch_words(comparison) + level_words(comparison);
  if (const double share = share_of_other_shapes(comparison); share > Thresholds{}.noticeable) {
    text +=
        fmt::format("{:.0f} % of the device time of B is spent on inputs of other shapes than in A.\n", 100 * share);
  } else if (!noise.within || noise.busy_change != 0) {
    text += uniform_change_words(comparison);
  }
  text += precision_words(comparison) + comparison.changed_layers().count_words() + work_words(comparison) +
          repeated_work_words(comparison) + waiting_call_words(comparison) + memory_words(comparison);
  const double noise_pct = noise.within ? 100 * noise.least / static_cast<double>(time.a) : 0;
  MarkedText why = cause_words(comparison, causes, time, noise) + call_tree_words(comparison) +
                   changed_findings(make_table(find_comparison_table("findings"), comparison), noise_pct);
  return {std::move(text), std::move(why)};
}

}  // namespace cgpu
