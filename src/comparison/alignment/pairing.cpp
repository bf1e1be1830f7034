#include "comparison/alignment/pairing.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace cgpu {

namespace {

class Pairs {
 public:
  Pairs(std::span<const MatchKeys> a, std::span<const MatchKeys> b, SearchBudget& budget)
      : a_(a), b_(b), budget_(budget) {
    result_.of_a.assign(a.size(), Pairing::kUnmatched);
    result_.of_b.assign(b.size(), Pairing::kUnmatched);
  }

  Pairing find() {
    gaps_ = {{0, a_.size(), 0, b_.size()}};
    pair_in_gaps(&MatchKeys::exact);
    pair_in_gaps(&MatchKeys::name);
    pair_moved(&MatchKeys::exact);
    pair_moved(&MatchKeys::name);
    pair_in_gaps(&MatchKeys::rough);
    for (const Gap& gap : gaps_) {
      Pairing::Replacement found{alone(result_.of_a, gap.a_begin, gap.a_end),
                                 alone(result_.of_b, gap.b_begin, gap.b_end)};
      if (!found.a.empty() && !found.b.empty()) result_.replacements.push_back(std::move(found));
    }
    return std::move(result_);
  }

 private:
  using Key = uint64_t MatchKeys::*;
  static constexpr size_t kShort = 8;

  /// Between two pairs that are in the same order in both lists.
  struct Gap {
    size_t a_begin = 0;
    size_t a_end = 0;
    size_t b_begin = 0;
    size_t b_end = 0;
  };

  void pair(size_t a, size_t b) {
    result_.of_a[a] = static_cast<uint32_t>(b);
    result_.of_b[b] = static_cast<uint32_t>(a);
  }

  static std::vector<uint32_t> alone(const std::vector<uint32_t>& partners, size_t begin, size_t end) {
    std::vector<uint32_t> places;
    for (size_t i = begin; i < end; ++i) {
      if (partners[i] == Pairing::kUnmatched) places.push_back(static_cast<uint32_t>(i));
    }
    return places;
  }

  /// Pairs what is alike in the same order, and goes on with the gaps between.
  void pair_in_gaps(Key key) {
    std::vector<Gap> smaller;
    for (const Gap& gap : gaps_) {
      const auto keys_of = [&](std::span<const MatchKeys> elements, const std::vector<uint32_t>& partners, size_t begin,
                               size_t end, std::vector<uint32_t>& places) {
        std::vector<uint64_t> keys;
        for (size_t i = begin; i < end; ++i) {
          if (partners[i] != Pairing::kUnmatched || elements[i].*key == 0) continue;
          places.push_back(static_cast<uint32_t>(i));
          keys.push_back(elements[i].*key);
        }
        return keys;
      };
      std::vector<uint32_t> places_a;
      std::vector<uint32_t> places_b;
      const std::vector<uint64_t> keys_a = keys_of(a_, result_.of_a, gap.a_begin, gap.a_end, places_a);
      const std::vector<uint64_t> keys_b = keys_of(b_, result_.of_b, gap.b_begin, gap.b_end, places_b);
      if (key == &MatchKeys::rough && std::max(keys_a.size(), keys_b.size()) <= kShort &&
          !equally_much(keys_a, keys_b)) {
        smaller.push_back(gap);
        continue;
      }
      Gap next = gap;
      for (const auto& [a, b] : common_subsequence(keys_a, keys_b, budget_)) {
        pair(places_a[a], places_b[b]);
        add_gap({next.a_begin, places_a[a], next.b_begin, places_b[b]}, smaller);
        next.a_begin = places_a[a] + size_t{1};
        next.b_begin = places_b[b] + size_t{1};
      }
      add_gap(next, smaller);
    }
    gaps_ = std::move(smaller);
  }

  static bool equally_much(std::vector<uint64_t> a, std::vector<uint64_t> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
  }

  static void add_gap(const Gap& gap, std::vector<Gap>& gaps) {
    if (gap.a_begin < gap.a_end && gap.b_begin < gap.b_end) gaps.push_back(gap);
  }

  /// Pairs what is alike wherever it is, the first with the first.
  void pair_moved(Key key) {
    const auto is_waiting = [&](std::span<const MatchKeys> elements, const std::vector<uint32_t>& partners, size_t i) {
      return partners[i] == Pairing::kUnmatched && elements[i].*key != 0;
    };
    size_t first = 0;
    while (first < a_.size() && !is_waiting(a_, result_.of_a, first)) ++first;
    if (first == a_.size()) return;
    std::unordered_map<uint64_t, uint32_t> next;                   // the first element of b that waits
    std::vector<uint32_t> behind(b_.size(), Pairing::kUnmatched);  // of an element of b the next like it
    for (size_t b = b_.size(); b-- > 0;) {
      if (!is_waiting(b_, result_.of_b, b)) continue;
      const auto [at, is_new] = next.try_emplace(b_[b].*key, static_cast<uint32_t>(b));
      if (!is_new) behind[b] = std::exchange(at->second, static_cast<uint32_t>(b));
    }
    for (size_t a = first; a < a_.size() && !next.empty(); ++a) {
      if (!is_waiting(a_, result_.of_a, a)) continue;
      const auto found = next.find(a_[a].*key);
      if (found == next.end() || found->second == Pairing::kUnmatched) continue;
      pair(a, found->second);
      found->second = behind[found->second];
    }
  }

  std::span<const MatchKeys> a_;
  std::span<const MatchKeys> b_;
  SearchBudget& budget_;
  std::vector<Gap> gaps_;
  Pairing result_;
};

}  // namespace

Pairing pair_elements(std::span<const MatchKeys> a, std::span<const MatchKeys> b) {
  SearchBudget budget;
  return pair_elements(a, b, budget);
}

Pairing pair_elements(std::span<const MatchKeys> a, std::span<const MatchKeys> b, SearchBudget& budget) {
  // Always from the same side, so that the answer the other way round is the mirror image.
  const auto number = [](const MatchKeys& one) { return std::tuple(one.exact, one.name, one.rough); };
  const bool swapped =
      a.size() != b.size()
          ? b.size() < a.size()
          : std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end(),
                                         [&](const MatchKeys& x, const MatchKeys& y) { return number(x) < number(y); });
  if (!swapped) return Pairs(a, b, budget).find();
  Pairing pairing = Pairs(b, a, budget).find();
  std::swap(pairing.of_a, pairing.of_b);
  for (Pairing::Replacement& one : pairing.replacements) std::swap(one.a, one.b);
  return pairing;
}

}  // namespace cgpu
