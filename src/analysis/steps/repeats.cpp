#include "analysis/steps/repeats.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace cgpu {

namespace {

constexpr size_t kGram = 8;
constexpr size_t kSequences = 4;
constexpr double kNearlyAll = 0.9;

/// Distances at which the same kGram words come again, the most frequent first.
std::vector<size_t> likely_periods(const Words& words, const std::vector<bool>& taken) {
  std::unordered_map<uint64_t, size_t> last;  // place of a gram, by its hash
  std::unordered_map<size_t, size_t> times;
  for (size_t i = 0; i + kGram <= words.word.size(); ++i) {
    uint64_t hash = 1469598103934665603U;
    bool free = true;
    for (size_t k = i; k < i + kGram; ++k) {
      hash = (hash ^ words.word[k]) * 1099511628211U;
      free = free && !taken[k];
    }
    if (!free) continue;
    const auto [at, is_new] = last.try_emplace(hash, i);
    if (!is_new) ++times[i - std::exchange(at->second, i)];
  }
  std::vector<std::pair<size_t, size_t>> order;  // times, period
  for (const auto& [period, count] : times) order.emplace_back(count, period);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (order.size() > kGuesses) order.resize(kGuesses);
  std::vector<size_t> periods;
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

struct Covered {
  Repeat repeat;
  int64_t weight = 0;
};

Covered repeats_of(const Words& words, size_t period, const std::vector<bool>& taken) {
  Covered found{{period, {}}, 0};
  const size_t size = words.word.size();
  size_t begin = 0;  // of the stretch in which every word equals the one a period later
  const auto close = [&](size_t end) {
    const size_t copies = end > begin ? (end - begin) / period : 0;
    if (copies < kLeastCopies || !has_heavy(words, begin, period)) return;
    found.repeat.stretches.push_back({begin, end - begin});
    for (size_t i = begin; i < end; ++i) found.weight += words.weight[i];
  };
  size_t usable = 0;  // end of what may be in one stretch with the words from `begin`
  for (size_t i = 0; i < size;) {
    for (usable = std::max(usable, i); usable < size && !taken[usable] && (usable == i || !words.starts[usable]);) {
      ++usable;
    }
    if (usable == i) {  // taken
      begin = ++i;
      continue;
    }
    begin = i;
    size_t same = i;
    while (same + period < usable && words.word[same] == words.word[same + period]) ++same;
    if (same > i && same + period <= usable) {
      close(same + period);
      const bool counted = (same + period - begin) / period >= kLeastCopies;
      i = counted ? same + period : same + 1;
    } else {
      ++i;
    }
  }
  return found;
}

std::optional<Repeat> best_repeat(const Words& words, const std::vector<bool>& taken, int64_t least) {
  std::vector<Covered> all;
  int64_t most = 0;
  for (const size_t period : likely_periods(words, taken)) {
    all.push_back(repeats_of(words, period, taken));
    most = std::max(most, all.back().weight);
  }
  if (most <= 0 || most < least) return std::nullopt;
  Covered* best = nullptr;
  for (Covered& each : all) {
    if (static_cast<double>(each.weight) < kNearlyAll * static_cast<double>(most)) continue;
    if (best == nullptr || each.repeat.period < best->repeat.period) best = &each;
  }
  return std::move(best->repeat);
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
