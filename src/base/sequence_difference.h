// What two sequences have in common, in order: a common subsequence that is as long as can be found within a bound.
//
// Elements are numbers; equal numbers are equal elements. The algorithm is Myers' ("An O(ND) Difference Algorithm and
// Its Variations", 1986) in linear space: it looks from both ends for the middle of a shortest edit script and goes on
// with both halves. Elements that only one sequence has are set aside first. The result is longest where the two halves
// of a script differ in at most kMostEdits places; where they differ in more, the search stops there and goes on from
// the furthest place that it has reached, as GNU diff does. So the cost is O((n + m) x kMostEdits) in time whatever the
// sequences are, O((n + m) D) where they differ in D places, and O(n + m) in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cgpu {

/// In one search from both ends.
inline constexpr size_t kMostEdits = 256;

/// Places in `a` and `b` of equal elements; both rise from pair to pair.
std::vector<std::pair<uint32_t, uint32_t>> common_subsequence(std::span<const uint64_t> a, std::span<const uint64_t> b);

}  // namespace cgpu
