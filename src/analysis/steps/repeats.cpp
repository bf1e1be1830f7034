#include "analysis/steps/repeats.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace cgpu {

namespace {

constexpr size_t kGram = 8;
constexpr size_t kSequences = 4;
constexpr double kNearlyAll = 0.9;
constexpr double kHalf = 0.5;
constexpr int kProductsInside = 2;
/// Layers of one kind, and one of another kind behind them, again and again: a period has at most so many layers (a
/// pass through all layers has more), and the other one is at most so many of them long.
constexpr size_t kLayersInTurn = 12;
constexpr size_t kLongestOfOtherKind = 2;

/// Distances at which the same kGram words come again, the most frequent first.
std::vector<size_t> likely_periods(const Words& words, const std::vector<bool>& taken) {
  std::vector<std::pair<uint64_t, size_t>> grams;  // by their hashes, with their places
  size_t free = 0;                                 // words up to here that are not taken
  for (size_t end = 1; end <= words.word.size(); ++end) {
    free = taken[end - 1] ? 0 : free + 1;
    if (free < kGram) continue;
    uint64_t hash = 1469598103934665603U;
    for (size_t k = end - kGram; k < end; ++k) hash = (hash ^ words.word[k]) * 1099511628211U;
    grams.emplace_back(hash, end - kGram);
  }
  std::sort(grams.begin(), grams.end());
  std::unordered_map<size_t, size_t> times;
  for (size_t i = 1; i < grams.size(); ++i) {
    if (grams[i - 1].first == grams[i].first) ++times[grams[i].second - grams[i - 1].second];
  }
  std::vector<std::pair<size_t, size_t>> order;  // times, period
  order.reserve(times.size());
  for (const auto& [period, count] : times) order.emplace_back(count, period);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (order.size() > kGuesses) order.resize(kGuesses);
  std::vector<size_t> periods;
  periods.reserve(order.size());
  for (const auto& [count, period] : order) periods.push_back(period);
  return periods;
}

/// Whether any period of the words from `begin` has a heavy one.
bool has_heavy(const Words& words, size_t begin, size_t period) {
  for (size_t i = begin; i < begin + period; ++i) {
    if (words.heavy[i]) return true;
  }
  return false;
}

bool has_products(const Words& words, size_t begin, size_t period) {
  int products = 0;
  for (size_t i = begin; i < begin + period; ++i) products += words.product[i] ? 1 : 0;
  return products >= kProductsInside;
}

struct Covered {
  Repeat repeat;
  int64_t weight = 0;
};

int64_t weight_of(const Words& words, const Repeat::Stretch& stretch) {
  const auto begin = words.weight.begin() + static_cast<std::ptrdiff_t>(stretch.begin);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(stretch.length), int64_t{0});
}

/// Whether what `part`, which repeats inside of a period of `whole`, leaves of the period is a layer of another kind.
bool leaves_a_layer(const Words& words, const Repeat& whole, const Repeat& part) {
  if (whole.period > kLayersInTurn * part.period) return false;
  const size_t begin = whole.stretches.front().begin;
  std::vector<bool> covered(whole.period);
  for (const Repeat::Stretch& stretch : part.stretches) {
    const size_t end = std::min(stretch.begin + stretch.length, begin + whole.period);
    for (size_t i = std::max(stretch.begin, begin); i < end; ++i) covered[i - begin] = true;
  }
  const auto rest = static_cast<size_t>(std::count(covered.begin(), covered.end(), false));
  if (rest > kLongestOfOtherKind * part.period) return false;
  for (size_t i = 0; i < whole.period; ++i) {
    if (!covered[i] && words.own_work[begin + i]) return true;
  }
  return false;
}

/// What one stretch may lie in.
struct StretchOfWords {
  size_t begin = 0;
  size_t end = 0;
};

std::vector<StretchOfWords> free_ranges(const Words& words, const std::vector<bool>& taken) {
  std::vector<StretchOfWords> ranges;
  bool open = false;
  for (size_t i = 0; i < words.word.size(); ++i) {
    if (!taken[i] && (!open || words.starts[i])) ranges.push_back({i, i});
    open = !taken[i];
    if (open) ranges.back().end = i + 1;
  }
  return ranges;
}

Covered repeats_of(const Words& words, size_t period, const std::vector<StretchOfWords>& ranges) {
  Covered found{{period, {}}, 0};
  const auto close = [&](size_t begin, size_t end) {
    if (!has_heavy(words, begin, period)) return;
    const Repeat::Stretch stretch{begin, end - begin};
    const int64_t weight = weight_of(words, stretch);
    if (!words.in_one_stretch) {
      found.repeat.stretches.push_back(stretch);
      found.weight += weight;
    } else if (weight > found.weight) {
      found.repeat.stretches = {stretch};
      found.weight = weight;
    }
  };
  const auto repeats = [&](size_t i) { return words.word[i] == words.word[i + period]; };
  const size_t least = (kLeastCopies - 1) * period;  // so many words in a row must equal the one a period later
  for (const StretchOfWords& range : ranges) {
    size_t begin = range.begin;    // of the stretch
    size_t checked = range.begin;  // words from `begin` to here repeat
    while (begin + least + period <= range.end) {
      // From behind: the last word that does not repeat ends all stretches that reach over it, and those before it need
      // not be looked at.
      const size_t enough = begin + least;
      size_t at = enough;
      while (at > checked && repeats(at - 1)) --at;
      const bool interrupted = at > checked;
      checked = enough;
      if (interrupted) {
        begin = at;
        continue;
      }
      size_t same = enough;
      while (same + period < range.end && repeats(same)) ++same;
      close(begin, same + period);
      begin = checked = same + period;
    }
  }
  return found;
}

std::optional<Repeat> best_repeat(const Words& words, const std::vector<bool>& taken, int64_t least) {
  std::vector<Covered> all;
  const std::vector<StretchOfWords> ranges = free_ranges(words, taken);
  for (const size_t period : likely_periods(words, taken)) {
    all.push_back(repeats_of(words, period, ranges));
  }
  const auto most = std::max_element(all.begin(), all.end(), [](const Covered& a, const Covered& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.repeat.period > b.repeat.period;
  });
  if (most == all.end() || most->weight <= 0 || most->weight < least) return std::nullopt;
  Covered* best = &*most;
  for (Covered& each : all) {
    if (static_cast<double>(each.weight) < kNearlyAll * static_cast<double>(most->weight)) continue;
    if (each.repeat.period >= best->repeat.period || leaves_a_layer(words, most->repeat, each.repeat)) continue;
    best = &each;
  }
  Covered* inside = nullptr;
  for (Covered& each : all) {
    if (each.repeat.period * kLeastCopies > best->repeat.period || each.repeat.stretches.empty()) continue;
    if (static_cast<double>(each.weight) < kHalf * static_cast<double>(best->weight)) continue;
    if (!has_products(words, each.repeat.stretches.front().begin, each.repeat.period)) continue;
    if (leaves_a_layer(words, best->repeat, each.repeat)) continue;
    if (inside == nullptr || each.weight > inside->weight) inside = &each;
  }
  return std::move((inside != nullptr ? inside : best)->repeat);
}

}  // namespace

std::vector<Repeat> find_repeats(const Words& words, double least_share) {
  const auto all = static_cast<double>(std::accumulate(words.weight.begin(), words.weight.end(), int64_t{0}));
  const auto least = static_cast<int64_t>(all * least_share);
  std::vector<bool> taken(words.word.size());
  std::vector<Repeat> found;
  while (found.size() < kSequences) {
    std::optional<Repeat> best = best_repeat(words, taken, least);
    if (!best) break;
    for (const Repeat::Stretch& stretch : best->stretches) {
      for (size_t i = stretch.begin; i < stretch.begin + stretch.length; ++i) taken[i] = true;
    }
    found.push_back(std::move(*best));
  }
  return found;
}

}  // namespace cgpu
