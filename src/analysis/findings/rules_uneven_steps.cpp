// Steps that take longer than the others: some of them, or all from one on. Nothing that every step loses, so that no
// replay of a whole run shows it: said beside the findings, with what these steps do more.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/order_statistics.h"
#include "analysis/device/counter_means.h"
#include "analysis/findings/path_of_steps.h"
#include "analysis/findings/rule_context.h"
#include "analysis/findings/slowed_kernels.h"
#include "analysis/session_clock.h"
#include "base/lower_median.h"
#include "kernels/names.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The steps that take longer, by their places among those that are judged.
struct SlowSteps {
  std::vector<size_t> places;
  bool until_end = false;  // all from the first of them on
  int64_t usual = 0;       // ns: of the others
};

int64_t mean(const std::vector<int64_t>& lengths, size_t first, size_t end) {
  const auto begin = lengths.begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end),
                         int64_t{0}) /
         static_cast<int64_t>(end - first);
}

/// For each number of steps from the first one on: of the pairs of one of these and a later one, the share in which the
/// later one is longer (Mann and Whitney's U over the number of pairs); of equal ones half. O(n log n).
std::vector<double> shares_of_longer_later(const std::vector<int64_t>& lengths) {
  const size_t count = lengths.size();
  const std::vector<double> ranks = mid_ranks({lengths.begin(), lengths.end()});
  std::vector<double> shares(count, 0.0);
  double later_ranks = std::accumulate(ranks.begin(), ranks.end(), 0.0);
  for (size_t first = 1; first < count; ++first) {
    later_ranks -= ranks[first - 1];
    const auto later = static_cast<double>(count - first);
    shares[first] = (later_ranks - later * (later + 1) / 2) / (later * static_cast<double>(first));
  }
  return shares;
}

/// From a step on, steps are longer by 5 % on average: each longer than all before, with five or more on each side
/// nearly always, as clocks and loads vary. Two at least on each side, and a sixth of all: of steps that vary by a
/// tenth in any order, 24 have such a place by chance in one of 1,000 runs. Where steps differ most from those before
/// them, by the sum of squares between the two groups.
std::optional<SlowSteps> slow_from_one_on(const std::vector<int64_t>& lengths) {
  constexpr double kLonger = 1.05;
  constexpr size_t kSome = 5;
  constexpr double kNearlyAlways = 0.95;
  std::optional<SlowSteps> found;
  double most = 0;
  const size_t fewest = std::max<size_t>(2, lengths.size() / 6);
  const std::vector<double> shares = shares_of_longer_later(lengths);
  for (size_t first = fewest; first + fewest <= lengths.size(); ++first) {
    const size_t fewer = std::min(first, lengths.size() - first);
    if (shares[first] < (fewer >= kSome ? kNearlyAlways : 1.0)) continue;
    const auto before = static_cast<double>(mean(lengths, 0, first));
    const auto after = static_cast<double>(mean(lengths, first, lengths.size()));
    if (after < kLonger * before) continue;
    const double between =
        static_cast<double>(first) * static_cast<double>(lengths.size() - first) * (after - before) * (after - before);
    if (between <= most) continue;
    most = between;
    found = SlowSteps{{}, true, mean(lengths, 0, first)};
    for (size_t place = first; place < lengths.size(); ++place) found->places.push_back(place);
  }
  return found;
}

/// A quarter of the steps at most, each a fifth longer than the median.
std::optional<SlowSteps> single_slow_ones(const std::vector<int64_t>& lengths) {
  SlowSteps found{{}, false, lower_median(lengths)};
  for (size_t place = 0; place < lengths.size(); ++place) {
    if (5 * lengths[place] >= 6 * found.usual) found.places.push_back(place);
  }
  if (found.places.empty() || 4 * found.places.size() > lengths.size()) return std::nullopt;
  return found;
}

/// What slow steps have more on their critical path, on average, than the median of the others: the most first,
/// without what is less than a tenth of all that they take longer.
std::vector<std::pair<size_t, int64_t>> excess_of(const SlowSteps& slow, const std::vector<PathKinds>& kinds,
                                                  int64_t excess) {
  std::vector<std::pair<size_t, int64_t>> more;  // kind, ns
  for (size_t kind = 0; kind < BoundBy::kCount; ++kind) {
    std::vector<int64_t> others;
    int64_t own = 0;
    for (size_t place = 0; place < kinds.size(); ++place) {
      const bool is_slow = std::binary_search(slow.places.begin(), slow.places.end(), place);
      if (is_slow) {
        own += kinds[place][kind];
      } else {
        others.push_back(kinds[place][kind]);
      }
    }
    const int64_t time = own / static_cast<int64_t>(slow.places.size()) - lower_median(std::move(others));
    if (time > 0 && 10 * time >= excess) more.emplace_back(kind, time);
  }
  std::ranges::stable_sort(more, [](const auto& a, const auto& b) { return a.second > b.second; });
  return more;
}

/// The runs of the whole session that these steps are of.
std::vector<size_t> runs_of(const RuleContext& context, const std::vector<Period>& steps) {
  if (!has_common_clock(context.facts().whole().session())) return {steps.front().run};
  std::vector<size_t> runs;
  for (size_t run = 0; run < context.session().runs.size(); ++run) runs.push_back(context.facts().place_in_whole(run));
  return runs;
}

/// "SM clock (MHz) 1980 -> 1410": counters of the state of devices whose mean differs by 3 % between the steps before
/// `first` and those from it on.
std::vector<std::string> changed_levels(const RuleContext& context, const std::vector<Period>& steps, size_t first) {
  constexpr double kDiffers = 0.03;
  constexpr size_t kMost = 4;
  const SessionFacts& whole = context.facts().whole();
  std::vector<std::string> changed;
  for (const size_t run : runs_of(context, steps)) {
    const Counters& counters = whole.run(run).timeline.counters;
    const int64_t zero = whole.dependencies().zero(run);
    const Interval before{steps.front().begin + zero, steps[first].begin + zero};
    const Interval after{before.end, steps.back().end + zero};
    const std::vector<double> lower = counter_means(counters, before);
    const std::vector<double> upper = counter_means(counters, after);
    for (size_t track = 0; track < counters.tracks.size() && changed.size() < kMost; ++track) {
      const CounterTrack& counter = counters.tracks[track];
      const bool differs = std::abs(upper[track] - lower[track]) > kDiffers * std::abs(lower[track]);  // no for NaN
      if (!differs || !tells_state_of_device(counter.name)) continue;
      changed.push_back(fmt::format("{}{} {:.4g} -> {:.4g}", counter.process.empty() ? "" : counter.process + ": ",
                                    counter.name, lower[track], upper[track]));
    }
  }
  return changed;
}

std::string title_of(const RuleContext& context, const SlowSteps& slow, const std::vector<int64_t>& lengths) {
  const std::vector<Period>& steps = context.judged().periods;
  const bool are_marked = context.judged().has_marks();
  if (slow.until_end) {
    const int64_t length = mean(lengths, slow.places.front(), lengths.size());
    const Period& first = steps[slow.places.front()];
    return fmt::format("From {} on {} takes {:.2f} times as long: {} -> {}",
                       are_marked ? fmt::format("step {}", *first.step)
                                  : format_ns(shown_time(context.facts().whole(), first.run, first.begin)),
                       are_marked ? "a step" : "what the run repeats",
                       static_cast<double>(length) / static_cast<double>(slow.usual), format_ns(slow.usual),
                       format_ns(length));
  }
  constexpr size_t kShown = 3;
  std::vector<std::string> some;
  for (const size_t place : slow.places) {
    if (some.size() < kShown)
      some.push_back(fmt::format("{} in step {}", format_ns(lengths[place]), *steps[place].step));
  }
  return fmt::format("{} of {} steps take far longer than the usual {}: {}{}", slow.places.size(), lengths.size(),
                     format_ns(slow.usual), fmt::join(some, ", "), slow.places.size() > kShown ? ", ..." : "");
}

/// Whether steps are longer all at once: those of each side differ little from each other.
bool is_at_once(const SlowSteps& slow, const std::vector<int64_t>& lengths) {
  constexpr int64_t kLittle = 2;  // one part of so many of what they take longer
  const size_t first = slow.places.front();
  const auto change = lengths.begin() + static_cast<std::ptrdiff_t>(first);
  const auto spread = [](std::vector<int64_t> side) {  // without the eighth at each end
    std::ranges::sort(side);
    return side[side.size() - 1 - side.size() / 8] - side[side.size() / 8];
  };
  const int64_t longer = mean(lengths, first, lengths.size()) - slow.usual;
  return kLittle * spread({lengths.begin(), change}) <= longer && kLittle * spread({change, lengths.end()}) <= longer;
}

/// Where the same kernels are why steps take longer: what they would save if they took as long as before.
void add_slowed_kernels(RuleContext& context, const SlowSteps& slow, const std::vector<int64_t>& lengths,
                        int64_t excess, Finding& finding) {
  const std::vector<Period>& steps = context.judged().periods;
  std::optional<SlowedKernels> slowed = slowed_kernels(context.facts().whole(), runs_of(context, steps), steps,
                                                       slow.places.front(), is_at_once(slow, lengths));
  if (!slowed || 2 * context.gain_of(slowed->remedy) < excess) return;
  finding.title +=
      slowed->single.empty()
          ? fmt::format(", because the same kernels take {:.2f} times as long", slowed->factor)
          : fmt::format(", because {} takes {:.2f} times as long", base_kernel_name(slowed->single), slowed->factor);
  finding.evidence += "; these kernels are launched as often as before, in the same grids";
  const std::string device =
      "clocks, power and temperature (nvidia-smi -q -d PERFORMANCE, rocm-smi -a, npu-smi info), and "
      "at what else runs on it";
  finding.suggestion =
      slowed->is_whole_device
          ? "The device has become slower: look at its " + device
          : "Look whether the data have changed that these kernels work on; if not, at the device: " + device;
  finding.remedy = std::move(slowed->remedy);
}

}  // namespace

void find_uneven_steps(RuleContext& context, std::vector<Finding>& findings) {
  constexpr size_t kFewest = 4;
  const std::vector<Period>& steps = context.judged().periods;
  const bool are_marked = context.judged().has_marks();
  if (!context.judged().iterates() || steps.size() < kFewest) return;
  // Those of ranks whose clocks cannot be compared are steps of each rank.
  if (std::ranges::any_of(steps, [&](const Period& step) { return step.run != steps.front().run; }) &&
      !has_common_clock(context.session())) {
    return;
  }
  std::vector<int64_t> lengths;
  for (const Period& step : steps) lengths.push_back(step.end - step.begin);
  std::optional<SlowSteps> slow = slow_from_one_on(lengths);
  if (!slow && are_marked) slow = single_slow_ones(lengths);
  if (!slow) return;
  int64_t excess = 0;
  for (const size_t place : slow->places) excess += lengths[place] - slow->usual;
  if (static_cast<double>(excess) < context.thresholds().noticeable * static_cast<double>(context.measured())) return;

  const int64_t each = excess / static_cast<int64_t>(slow->places.size());
  const auto more = excess_of(*slow, path_of_steps(context.facts(), steps), each);
  std::vector<std::string> causes;
  for (const auto& [kind, time] : more)
    causes.push_back(fmt::format("{} of {}", format_ns(time), BoundBy::name_of(kind)));
  const bool computes =
      !more.empty() && more.front().first == BoundBy(BoundBy::compute).number() && 2 * more.front().second >= each;
  const std::vector<std::string> levels =
      slow->until_end ? changed_levels(context, steps, slow->places.front()) : std::vector<std::string>();
  const SessionFacts& whole = context.facts().whole();
  const Period& first = steps[slow->places.front()];
  Finding finding{
      .rule = slow->until_end ? "slows_down" : "uneven_steps",
      .title = title_of(context, *slow, lengths),
      .evidence = fmt::format("{} of {} in all{}{}", format_ns(excess), format_ns(context.measured()),
                              causes.empty() ? ""
                                             : fmt::format("; on their critical path they have {} more than the others",
                                                           fmt::join(causes, ", ")),
                              levels.empty() ? "" : fmt::format("; {}", fmt::join(levels, ", "))),
      .suggestion = computes ? "Where the inputs are as large as before, the device has become slower: look at its "
                               "clocks, power and temperature, and at what else runs on it"
                             : "Compare such a step with another one (--step N), and look at what is done now and then",
      .command = are_marked ? "steps" : "kernels",
      .confidence = Confidence::medium,
      .time = Interval{shown_time(whole, first.run, first.begin), shown_time(whole, first.run, first.end)}};
  if (slow->until_end && computes) add_slowed_kernels(context, *slow, lengths, excess, finding);
  // What the run repeats is what it shows: only kernels that do the same say that it should take as long each time.
  if (are_marked || finding.remedy) findings.push_back(std::move(finding));
}

}  // namespace cgpu
