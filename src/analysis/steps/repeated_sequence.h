// The sequence of device ops that a run repeats: iterations where a profile has no marks of them.
//
// A repetition reaches from the start of one op to the start of the next one like it, of a kind that occurs once in
// each repetition, or the first of it, on the device of the most ops. O(n log n) in the device ops (repeats.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "analysis/device/device_ops.h"

namespace cgpu {

/// The device ops of one device in order, with the longest stretch of them that repeats.
struct RepeatedSequence {
  std::vector<OpIndex> ops;
  std::vector<uint32_t> words;
  size_t period = 0;
  size_t begin = 0;
  size_t length = 0;
};

/// Absent where nothing repeats that covers half of the time of the device ops. `word_of` gives ops of one kind one
/// number.
std::optional<RepeatedSequence> find_repeated_sequence(const Timeline& timeline,
                                                       const std::function<uint32_t(OpIndex)>& word_of);

/// Words that occur once in a period, with the ns that they take there.
std::map<uint32_t, int64_t> single_words(const RepeatedSequence& sequence, const Timeline& timeline);

/// From each op of this word in the stretch to the next.
std::vector<Interval> repetitions_of(const RepeatedSequence& sequence, const Timeline& timeline, uint32_t anchor);

/// The repetitions of a run by the names of its device ops, from one op to the next like it that takes longest of those
/// that occur once; where none does, from the first op of each. Of repetitions whose durations take turns (d, e, d, e)
/// two to eight are one. Empty where there are fewer than three.
std::vector<Interval> find_repetitions(const Timeline& timeline);

/// Whether a run does nothing else of note: it has many repetitions, and what lies outside of these (`count`, which
/// take `repeated` ns of `all`) is one more, of which a part is before them and a part behind.
bool is_all_repeated(int64_t all, int64_t repeated, int64_t count);

}  // namespace cgpu
