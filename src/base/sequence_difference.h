// What two sequences have in common, in order: a common subsequence that is as long as can be found within a bound.
//
// Elements are numbers; equal numbers are equal elements. The algorithm is Myers' ("An O(ND) Difference Algorithm and
// Its Variations", 1986) in linear space: it looks from both ends for the middle of a shortest edit script and goes on
// with both halves. Elements that only one sequence has are set aside first. The result is longest where the two halves
// of a script differ in at most kMostEdits places; where they differ in more, the search stops there and goes on from
// the furthest place that it has reached, as GNU diff does.
//
// A search that stops has cost kMostEdits squared and gained some kMostEdits elements, so that sequences which share
// almost nothing would take about kMostEdits steps for each element. Therefore searches that share a budget may take
// kStepsPerElement for each element, and kStepsAtFirst once, so that short sequences are not bound by it; when that is
// spent, they stop after kFewestEdits. The cost of all is at most O((n + m) x (kStepsPerElement + kFewestEdits)) in
// time, O((n + m) D) where the sequences differ in D places, and O(n + m) in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cgpu {

/// In one search from both ends.
inline constexpr size_t kMostEdits = 256;
inline constexpr size_t kFewestEdits = 16;
/// Steps from one diagonal to the next. Sequences that differ in a fifth of their places take as many.
inline constexpr int64_t kStepsPerElement = 32;
inline constexpr int64_t kStepsAtFirst = int64_t{16} * kMostEdits * kMostEdits;

/// What searches may still cost before they stop sooner.
struct SearchBudget {
  int64_t steps = kStepsAtFirst;
};

/// Places in `a` and `b` of equal elements; both rise from pair to pair.
std::vector<std::pair<uint32_t, uint32_t>> common_subsequence(std::span<const uint64_t> a, std::span<const uint64_t> b);
/// With what other searches have left; adds the part of these elements to the budget.
std::vector<std::pair<uint32_t, uint32_t>> common_subsequence(std::span<const uint64_t> a, std::span<const uint64_t> b,
                                                              SearchBudget& budget);

}  // namespace cgpu
