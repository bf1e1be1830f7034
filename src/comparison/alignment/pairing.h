// Pairs the elements of two lists of siblings that are the same work: by what is exactly alike, then, in what is left
// between those, by name, then what has only moved, then by class. In a short stretch classes say little (an op may use
// two kernels of one class for unlike things), so that there work is paired by class only where both have equally much
// of it.
//
// Costs what the differences of the lists cost (base/sequence_difference.h): linear where they are alike, and bounded
// for each element where they share nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/sequence_difference.h"

namespace cgpu {

/// The keys by which two elements match, from exact to rough. Equal numbers match; 0 matches nothing.
struct MatchKeys {
  uint64_t exact = 0;  // name and shapes
  uint64_t name = 0;
  uint64_t rough = 0;  // what kind of work it is
};

struct Pairing {
  static constexpr uint32_t kUnmatched = UINT32_MAX;
  std::vector<uint32_t> of_a;  // for each element of a its partner in b, or kUnmatched
  std::vector<uint32_t> of_b;
  /// A stretch of elements without partners in both lists between the same neighbours: what is in a was replaced by
  /// what is in b.
  struct Replacement {
    std::vector<uint32_t> a;
    std::vector<uint32_t> b;
  };
  std::vector<Replacement> replacements;
};

/// Of `b` and `a` it is the mirror image.
Pairing pair_elements(std::span<const MatchKeys> a, std::span<const MatchKeys> b);
/// With the rest of a budget that is shared with other lists (base/sequence_difference.h).
Pairing pair_elements(std::span<const MatchKeys> a, std::span<const MatchKeys> b, SearchBudget& budget);

}  // namespace cgpu
