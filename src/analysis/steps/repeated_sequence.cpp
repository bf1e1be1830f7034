#include "analysis/steps/repeated_sequence.h"

#include <utility>

#include "analysis/steps/repeats.h"
#include "base/sort_runs.h"

namespace cgpu {

namespace {

/// Of the time of the device ops: a sequence that covers less is no iteration.
constexpr double kLeastShareOfTime = 0.5;
constexpr size_t kFewestRepetitions = 3;

}  // namespace

std::optional<RepeatedSequence> find_repeated_sequence(const Timeline& timeline,
                                                       const std::function<uint32_t(OpIndex)>& word_of) {
  RepeatedSequence sequence;
  for (auto& [device, ops] : ops_by_device(timeline)) {
    if (ops.size() > sequence.ops.size()) sequence.ops = std::move(ops);
  }
  const auto start_of = [&](OpIndex op) { return timeline.slices.start[timeline.device_ops.slice[op]]; };
  sort_runs(sequence.ops, [&](OpIndex a, OpIndex b) { return std::pair(start_of(a), a) < std::pair(start_of(b), b); });
  Words words;
  for (const OpIndex op : sequence.ops) {
    words.word.push_back(word_of(op));
    words.weight.push_back(timeline.slices.duration[timeline.device_ops.slice[op]]);
  }
  words.heavy.assign(words.word.size(), true);
  words.own_work.assign(words.word.size(), false);
  words.product.assign(words.word.size(), false);  // what repeats here are iterations, whatever repeats in them
  words.starts.assign(words.word.size(), false);
  const std::vector<Repeat> repeats = find_repeats(words, kLeastShareOfTime);
  if (repeats.empty()) return std::nullopt;
  sequence.period = repeats.front().period;
  for (const Repeat::Stretch& stretch : repeats.front().stretches) {
    if (stretch.length <= sequence.length) continue;
    sequence.begin = stretch.begin;
    sequence.length = stretch.length;
  }
  sequence.words = std::move(words.word);
  return sequence;
}

std::map<uint32_t, int64_t> single_words(const RepeatedSequence& sequence, const Timeline& timeline) {
  std::map<uint32_t, std::pair<size_t, int64_t>> words;
  for (size_t i = sequence.begin; i < sequence.begin + sequence.period; ++i) {
    auto& [count, time] = words[sequence.words[i]];
    ++count;
    time = timeline.slices.duration[timeline.device_ops.slice[sequence.ops[i]]];
  }
  std::map<uint32_t, int64_t> single;
  for (const auto& [word, found] : words) {
    if (found.first == 1) single.emplace(word, found.second);
  }
  return single;
}

std::vector<Interval> repetitions_of(const RepeatedSequence& sequence, const Timeline& timeline, uint32_t anchor) {
  std::vector<Interval> repetitions;
  std::optional<int64_t> begin;
  for (size_t i = sequence.begin; i < sequence.begin + sequence.length; ++i) {
    if (sequence.words[i] != anchor) continue;
    const int64_t start = timeline.slices.start[timeline.device_ops.slice[sequence.ops[i]]];
    if (begin && *begin < start) repetitions.push_back({*begin, start});
    begin = start;
  }
  return repetitions;
}

std::vector<Interval> find_repetitions(const Timeline& timeline) {
  const auto sequence =
      find_repeated_sequence(timeline, [&](OpIndex op) { return timeline.slices.name[timeline.device_ops.slice[op]]; });
  if (!sequence) return {};
  std::optional<uint32_t> anchor;
  int64_t longest = -1;
  for (const auto& [word, time] : single_words(*sequence, timeline)) {
    if (time <= longest) continue;
    anchor = word;
    longest = time;
  }
  if (!anchor) return {};
  std::vector<Interval> repetitions = repetitions_of(*sequence, timeline, *anchor);
  if (repetitions.size() < kFewestRepetitions) repetitions.clear();
  return repetitions;
}

}  // namespace cgpu
