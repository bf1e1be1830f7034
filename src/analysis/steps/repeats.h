// What repeats in a sequence: the stretches in which the same words follow each other again and again, such as the
// device ops of the layers of a model.
//
// Periods are guessed from the distances at which the same eight words come again; for each of the most frequent
// distances one pass compares words with those a period later, few of them where nothing repeats. O(n log n + n x
// kGuesses) in the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cgpu {

struct Words {
  std::vector<uint32_t> word;
  std::vector<int64_t> weight;  // what is to be covered
  std::vector<bool> heavy;      // what a period must have one of
  std::vector<bool> product;    // what a period that is taken for a longer one around it must have two of
  std::vector<bool>
      own_work;              // what only layers do: the rest of a longer period that has it is a layer of another kind
  std::vector<bool> starts;  // no stretch goes over the border before such a word
  bool in_one_stretch = false;  // of each period only the stretch that takes longest counts
};

struct Repeat {
  struct Stretch {
    size_t begin = 0;
    size_t length = 0;  // at least kLeastCopies periods, the last one mostly in part
  };
  size_t period = 0;
  std::vector<Stretch> stretches;  // in order; they do not overlap
};

/// The most frequent distances that are tried.
inline constexpr size_t kGuesses = 24;
/// Fewer copies in a row are no repetition.
inline constexpr size_t kLeastCopies = 3;

/// The sequences that repeat, the one that covers most first; each covers at least `least_share` of all weight, none
/// what one before it covers. Of periods that cover nearly the same (90 %) the shortest is taken, since two layers
/// repeat as well as one; and for one that repeats a shorter one three times or more in half of what it covers, such as
/// passes through all layers, that shorter one; but not where the rest of the period is a layer of another kind, as in
/// models of three layers with linear attention and one with full attention, again and again.
std::vector<Repeat> find_repeats(const Words& words, double least_share);

}  // namespace cgpu
