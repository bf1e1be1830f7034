#include "base/sequence_difference.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace cgpu {

namespace {

using Sequence = std::vector<uint32_t>;

/// A part of both sequences: [a_begin, a_end) and [b_begin, b_end).
struct Box {
  int64_t a_begin = 0;
  int64_t a_end = 0;
  int64_t b_begin = 0;
  int64_t b_end = 0;
};

class SequenceSearch {
 public:
  SequenceSearch(const Sequence& a, const Sequence& b, SearchBudget& budget)
      : a_(a),
        b_(b),
        offset_(static_cast<int64_t>(b.size()) + 1),
        budget_(budget),
        forward_(a.size() + b.size() + 3),
        backward_(a.size() + b.size() + 3) {
    budget_.steps += kStepsPerElement * static_cast<int64_t>(a.size() + b.size());
  }

  /// Calls match(place in a, place in b) in rising order.
  template <typename Match>
  void run(Match match) {
    std::vector<Box> open{{0, static_cast<int64_t>(a_.size()), 0, static_cast<int64_t>(b_.size())}};
    std::vector<Box> ends;  // equal elements at the end of a box, told once what is before them has been
    // A box without a begin in `a` that can be (-1) says that the next of `ends` is due.
    while (!open.empty()) {
      Box box = open.back();
      open.pop_back();
      if (box.a_begin < 0) {
        const Box& equal = ends.back();
        for (int64_t i = 0; equal.a_begin + i < equal.a_end; ++i) match(equal.a_begin + i, equal.b_begin + i);
        ends.pop_back();
        continue;
      }
      while (box.a_begin < box.a_end && box.b_begin < box.b_end && equal(box.a_begin, box.b_begin)) {
        match(box.a_begin++, box.b_begin++);
      }
      Box equal_end = {box.a_end, box.a_end, box.b_end, box.b_end};
      while (box.a_begin < box.a_end && box.b_begin < box.b_end && equal(box.a_end - 1, box.b_end - 1)) {
        equal_end.a_begin = --box.a_end;
        equal_end.b_begin = --box.b_end;
      }
      if (equal_end.a_begin < equal_end.a_end) {
        ends.push_back(equal_end);
        open.push_back({-1, 0, 0, 0});
      }
      if (box.a_begin == box.a_end || box.b_begin == box.b_end) continue;
      const auto [a_middle, b_middle] = middle_of(box);
      open.push_back({a_middle, box.a_end, b_middle, box.b_end});
      open.push_back({box.a_begin, a_middle, box.b_begin, b_middle});
    }
  }

 private:
  bool equal(int64_t a, int64_t b) const { return a_[static_cast<size_t>(a)] == b_[static_cast<size_t>(b)]; }

  /// How far a path on a diagonal (place in a minus place in b) has come in `a`.
  int64_t& forward(int64_t diagonal) { return forward_[static_cast<size_t>(diagonal + offset_)]; }
  int64_t& backward(int64_t diagonal) { return backward_[static_cast<size_t>(diagonal + offset_)]; }

  /// A place on a shortest path through the box, or on the one that comes furthest with as many edits as a search may
  /// have; neither of the two boxes that it cuts this one into is the whole. The first and the last elements of the box
  /// differ.
  std::pair<int64_t, int64_t> middle_of(const Box& box) {
    const int64_t first = box.a_begin - box.b_begin;  // diagonal of the begin
    const int64_t last = box.a_end - box.b_end;       // of the end
    const int64_t lowest = box.a_begin - box.b_end;
    const int64_t highest = box.a_end - box.b_begin;
    const bool odd = ((last - first) & 1) != 0;
    forward(first) = box.a_begin;
    backward(last) = box.a_end;
    int64_t forward_low = first;
    int64_t forward_high = first;
    int64_t backward_low = last;
    int64_t backward_high = last;
    const size_t most_edits = budget_.steps > 0 ? kMostEdits : kFewestEdits;
    for (size_t edits = 1;; ++edits) {
      // Diagonals outside of the box are not entered; those next to it count as not reached.
      if (forward_low > lowest)
        forward(--forward_low - 1) = -1;
      else
        ++forward_low;
      if (forward_high < highest)
        forward(++forward_high + 1) = -1;
      else
        --forward_high;
      for (int64_t diagonal = forward_high; diagonal >= forward_low; diagonal -= 2) {
        const int64_t below = forward(diagonal - 1);
        const int64_t above = forward(diagonal + 1);
        int64_t a = below < above ? above : below + 1;
        int64_t b = a - diagonal;
        while (a < box.a_end && b < box.b_end && equal(a, b)) ++a, ++b;
        forward(diagonal) = a;
        if (odd && backward_low <= diagonal && diagonal <= backward_high && backward(diagonal) <= a) return {a, b};
      }
      if (backward_low > lowest)
        backward(--backward_low - 1) = INT64_MAX;
      else
        ++backward_low;
      if (backward_high < highest)
        backward(++backward_high + 1) = INT64_MAX;
      else
        --backward_high;
      for (int64_t diagonal = backward_high; diagonal >= backward_low; diagonal -= 2) {
        const int64_t below = backward(diagonal - 1);
        const int64_t above = backward(diagonal + 1);
        int64_t a = below < above ? below : above - 1;
        int64_t b = a - diagonal;
        while (box.a_begin < a && box.b_begin < b && equal(a - 1, b - 1)) --a, --b;
        backward(diagonal) = a;
        if (!odd && forward_low <= diagonal && diagonal <= forward_high && a <= forward(diagonal)) return {a, b};
      }
      budget_.steps -= (forward_high - forward_low + backward_high - backward_low) / 2 + 2;
      if (edits >= most_edits) {
        return furthest(box, {forward_low, forward_high}, {backward_low, backward_high});
      }
    }
  }

  /// Of the ends of all paths so far the one that lies furthest from where it began.
  std::pair<int64_t, int64_t> furthest(const Box& box, std::pair<int64_t, int64_t> forwards,
                                       std::pair<int64_t, int64_t> backwards) {
    std::pair<int64_t, int64_t> best{box.a_begin, box.b_begin};
    int64_t most = -1;
    for (int64_t diagonal = forwards.first; diagonal <= forwards.second; diagonal += 2) {
      const int64_t a = std::min(forward(diagonal), box.a_end);
      const int64_t b = a - diagonal;
      if (b < box.b_begin || b > box.b_end) continue;
      if (const int64_t covered = (a - box.a_begin) + (b - box.b_begin); covered > most) {
        most = covered;
        best = {a, b};
      }
    }
    for (int64_t diagonal = backwards.first; diagonal <= backwards.second; diagonal += 2) {
      const int64_t a = std::max(backward(diagonal), box.a_begin);
      const int64_t b = a - diagonal;
      if (b < box.b_begin || b > box.b_end) continue;
      if (const int64_t covered = (box.a_end - a) + (box.b_end - b); covered > most) {
        most = covered;
        best = {a, b};
      }
    }
    return best;
  }

  const Sequence& a_;
  const Sequence& b_;
  int64_t offset_;
  SearchBudget& budget_;
  std::vector<int64_t> forward_;
  std::vector<int64_t> backward_;
};

/// The elements of a sequence that the other one has too, as small numbers, with their places.
struct Kept {
  Sequence elements;
  std::vector<uint32_t> places;
};

/// The first place of each element of a sequence.
class FirstPlaces {
 public:
  explicit FirstPlaces(std::span<const uint64_t> sequence) : sequence_(sequence) {
    if (sequence.size() <= kShort) return;
    for (uint32_t i = 0; i < sequence.size(); ++i) places_.try_emplace(sequence[i], i);
  }

  std::optional<uint32_t> of(uint64_t element) const {
    if (sequence_.size() <= kShort) {
      const auto found = std::find(sequence_.begin(), sequence_.end(), element);
      return found == sequence_.end() ? std::nullopt : std::optional(static_cast<uint32_t>(found - sequence_.begin()));
    }
    const auto found = places_.find(element);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static constexpr size_t kShort = 16;  // to look through these is sooner done than to make a table
  std::span<const uint64_t> sequence_;
  std::unordered_map<uint64_t, uint32_t> places_;
};

/// Those of `a` and of `b`, as their first places in `a`.
std::pair<Kept, Kept> kept_of(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  const FirstPlaces first(a);
  std::vector<bool> in_b(a.size());
  std::pair<Kept, Kept> kept;
  for (uint32_t i = 0; i < b.size(); ++i) {
    const std::optional<uint32_t> number = first.of(b[i]);
    if (!number) continue;
    in_b[*number] = true;
    kept.second.elements.push_back(*number);
    kept.second.places.push_back(i);
  }
  if (kept.second.places.empty()) return kept;
  for (uint32_t i = 0; i < a.size(); ++i) {
    const uint32_t number = *first.of(a[i]);
    if (!in_b[number]) continue;
    kept.first.elements.push_back(number);
    kept.first.places.push_back(i);
  }
  return kept;
}

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> common_subsequence(std::span<const uint64_t> a,
                                                              std::span<const uint64_t> b) {
  SearchBudget budget;
  return common_subsequence(a, b, budget);
}

std::vector<std::pair<uint32_t, uint32_t>> common_subsequence(std::span<const uint64_t> a, std::span<const uint64_t> b,
                                                              SearchBudget& budget) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  size_t begin = 0;
  while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) ++begin;
  pairs.reserve(begin);
  for (uint32_t i = 0; i < begin; ++i) pairs.emplace_back(i, i);
  if (begin == a.size() || begin == b.size()) return pairs;

  const auto [kept_a, kept_b] = kept_of(a.subspan(begin), b.subspan(begin));
  const std::vector<uint32_t>& places_a = kept_a.places;
  const std::vector<uint32_t>& places_b = kept_b.places;
  if (places_a.empty()) return pairs;
  SequenceSearch(kept_a.elements, kept_b.elements, budget).run([&](int64_t place_a, int64_t place_b) {
    pairs.emplace_back(static_cast<uint32_t>(begin) + places_a[static_cast<size_t>(place_a)],
                       static_cast<uint32_t>(begin) + places_b[static_cast<size_t>(place_b)]);
  });
  return pairs;
}

}  // namespace cgpu
