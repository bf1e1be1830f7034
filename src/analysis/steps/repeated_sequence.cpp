#include "analysis/steps/repeated_sequence.h"

#include <cstdlib>
#include <utility>

#include "analysis/steps/repeats.h"
#include "base/lower_median.h"
#include "base/sort_runs.h"

namespace cgpu {

namespace {

/// Of the time of the device ops: a sequence that covers less is no iteration.
constexpr double kLeastShareOfTime = 0.5;
constexpr size_t kFewestRepetitions = 3;

int64_t start_of(const RepeatedSequence& sequence, const Timeline& timeline, size_t place) {
  return timeline.slices.start[timeline.device_ops.slice[sequence.ops[place]]];
}

/// From the first op of each period to that of the next.
std::vector<Interval> periods_of(const RepeatedSequence& sequence, const Timeline& timeline) {
  std::vector<Interval> periods;
  for (size_t i = sequence.begin; i + sequence.period < sequence.begin + sequence.length; i += sequence.period) {
    const Interval period{start_of(sequence, timeline, i), start_of(sequence, timeline, i + sequence.period)};
    if (period.begin < period.end) periods.push_back(period);
  }
  return periods;
}

/// Repetitions whose durations take turns are parts of one, such as the levels of a multigrid cycle, in which the same
/// kernels work on arrays of other sizes.
std::vector<Interval> joined_in_turns(std::vector<Interval> repetitions) {
  constexpr size_t kMostParts = 8;
  constexpr double kUnlike = 0.05;  // of their mean, that neighbours differ by at least
  constexpr double kAlike = 0.2;    // of that, by how much those of the same turn differ at most
  const auto difference = [&](size_t i, size_t other) {
    return std::abs((repetitions[i].end - repetitions[i].begin) - (repetitions[other].end - repetitions[other].begin));
  };
  double of_neighbours = 0;
  double all = 0;
  for (size_t i = 1; i < repetitions.size(); ++i) {
    of_neighbours += static_cast<double>(difference(i - 1, i));
    all += static_cast<double>(repetitions[i].end - repetitions[i].begin);
  }
  if (of_neighbours < kUnlike * all) return repetitions;
  for (size_t parts = 2; parts <= kMostParts && (kFewestRepetitions + 1) * parts <= repetitions.size(); ++parts) {
    std::vector<int64_t> of_turns;
    for (size_t i = parts; i < repetitions.size(); ++i) of_turns.push_back(difference(i - parts, i));
    const auto mean_of_neighbours = of_neighbours / static_cast<double>(repetitions.size() - 1);
    if (static_cast<double>(lower_median(std::move(of_turns))) > kAlike * mean_of_neighbours) continue;
    std::vector<Interval> joined;
    for (size_t i = 0; i + parts <= repetitions.size(); i += parts) {
      joined.push_back({repetitions[i].begin, repetitions[i + parts - 1].end});
    }
    return joined;
  }
  return repetitions;
}

}  // namespace

std::optional<RepeatedSequence> find_repeated_sequence(const Timeline& timeline,
                                                       const std::function<uint32_t(OpIndex)>& word_of) {
  RepeatedSequence sequence;
  for (auto& [device, ops] : ops_by_device(timeline)) {
    if (ops.size() > sequence.ops.size()) sequence.ops = std::move(ops);
  }
  const auto start = [&](OpIndex op) { return timeline.slices.start[timeline.device_ops.slice[op]]; };
  sort_runs(sequence.ops, [&](OpIndex a, OpIndex b) { return std::pair(start(a), a) < std::pair(start(b), b); });
  Words words;
  for (const OpIndex op : sequence.ops) {
    words.word.push_back(word_of(op));
    words.weight.push_back(timeline.slices.duration[timeline.device_ops.slice[op]]);
  }
  words.heavy.assign(words.word.size(), true);
  words.own_work.assign(words.word.size(), false);
  words.product.assign(words.word.size(), false);  // what repeats here are iterations, whatever repeats in them
  words.starts.assign(words.word.size(), false);
  words.in_one_stretch = true;  // layers repeat, too, but only within an iteration
  const std::vector<Repeat> repeats = find_repeats(words, kLeastShareOfTime);
  if (repeats.empty()) return std::nullopt;
  sequence.period = repeats.front().period;
  sequence.begin = repeats.front().stretches.front().begin;
  sequence.length = repeats.front().stretches.front().length;
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
    const int64_t start = start_of(sequence, timeline, i);
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
  std::vector<Interval> repetitions =
      joined_in_turns(anchor ? repetitions_of(*sequence, timeline, *anchor) : periods_of(*sequence, timeline));
  if (repetitions.size() < kFewestRepetitions) repetitions.clear();
  return repetitions;
}

bool is_all_repeated(int64_t all, int64_t repeated, int64_t count) {
  constexpr int64_t kMany = 10;
  constexpr double kLittleMore = 1.1;
  return count >= kMany && static_cast<double>(all - repeated) * static_cast<double>(count) <=
                               kLittleMore * static_cast<double>(repeated);
}

}  // namespace cgpu
