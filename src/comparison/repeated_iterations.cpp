#include "comparison/repeated_iterations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/steps/repeats.h"

namespace cgpu {

namespace {

/// Of the time of the device ops: a sequence that covers less is no iteration.
constexpr double kLeastShare = 0.5;
constexpr size_t kFewest = 3;

/// The device ops of one device in order, with the stretch of them that repeats.
struct RepeatedSequence {
  std::vector<OpIndex> ops;
  std::vector<uint32_t> words;
  size_t period = 0;
  size_t begin = 0;
  size_t length = 0;
};

using WordOf = std::function<uint32_t(const Timeline&, OpIndex, LabelsOfNames&)>;

uint32_t label_word(const Timeline& timeline, OpIndex op, LabelsOfNames& labels) {
  return labels(timeline.device_ops.slice[op]);
}

/// Whether device ops are told by what they do, not by their names.
bool is_told_by_class(KernelClass kernel_class) {
  return kernel_class != KernelClass::unknown && kernel_class != KernelClass::fused;
}

/// The class: other versions and vendors have other names.
uint32_t class_word(const Timeline& timeline, OpIndex op, LabelsOfNames& labels) {
  const KernelClass kernel_class = class_of(timeline, op);
  return is_told_by_class(kernel_class) ? static_cast<uint32_t>(kernel_class)
                                        : kKernelClasses + label_word(timeline, op, labels);
}

bool has_classes(const Session& session) {
  return std::any_of(session.runs.begin(), session.runs.end(), [](const Run& run) {
    const std::vector<uint8_t>& classes = run.timeline.device_ops.kernel_class;
    return std::any_of(classes.begin(), classes.end(),
                       [](uint8_t one) { return is_told_by_class(static_cast<KernelClass>(one)); });
  });
}

std::optional<RepeatedSequence> find_sequence(const Timeline& timeline, const WordOf& word_of, Labels& labels) {
  RepeatedSequence sequence;
  for (auto& [device, ops] : ops_by_device(timeline)) {
    if (ops.size() > sequence.ops.size()) sequence.ops = std::move(ops);
  }
  const auto start_of = [&](OpIndex op) { return timeline.slices.start[timeline.device_ops.slice[op]]; };
  std::stable_sort(sequence.ops.begin(), sequence.ops.end(),
                   [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); });
  LabelsOfNames label_of(labels, timeline, false);
  Words words;
  for (const OpIndex op : sequence.ops) {
    words.word.push_back(word_of(timeline, op, label_of));
    words.weight.push_back(timeline.slices.duration[timeline.device_ops.slice[op]]);
  }
  words.heavy.assign(words.word.size(), true);
  words.starts.assign(words.word.size(), false);
  const std::vector<Repeat> repeats = find_repeats(words, kLeastShare);
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

/// Words that occur once in a period, with the ns that they take there.
std::map<uint32_t, int64_t> single_words(const RepeatedSequence& sequence, const Timeline& timeline) {
  std::map<uint32_t, std::pair<size_t, int64_t>> words;
  for (size_t i = sequence.begin; i < sequence.begin + sequence.period; ++i) {
    auto& [count, time] = words[sequence.words[i]];
    ++count;
    time += timeline.slices.duration[timeline.device_ops.slice[sequence.ops[i]]];
  }
  std::map<uint32_t, int64_t> single;
  for (const auto& [word, found] : words) {
    if (found.first == 1) single.emplace(word, found.second);
  }
  return single;
}

std::vector<Iteration> repetitions(const RepeatedSequence& sequence, const Timeline& timeline, uint32_t anchor) {
  std::vector<Iteration> iterations;
  std::optional<int64_t> begin;
  for (size_t i = sequence.begin; i < sequence.begin + sequence.length; ++i) {
    if (sequence.words[i] != anchor) continue;
    const int64_t start = timeline.slices.start[timeline.device_ops.slice[sequence.ops[i]]];
    if (begin && *begin < start) iterations.push_back({std::nullopt, {*begin, start}, {}});
    begin = start;
  }
  return iterations;
}

std::optional<OfSides<std::vector<ComparedTime>>> find_by(const WordOf& word_of,
                                                          const OfSides<const SessionFacts*>& facts, Labels& labels) {
  OfSides<std::vector<RepeatedSequence>> sequences;
  for (const Side side : kSides) {
    for (const Run& run : facts[side]->session().runs) {
      std::optional<RepeatedSequence> found = find_sequence(run.timeline, word_of, labels);
      if (!found) return std::nullopt;
      sequences[side].push_back(std::move(*found));
    }
  }
  OfSides<std::vector<ComparedTime>> times;
  for (size_t run = 0; run < sequences.a.size(); ++run) {
    const Timeline& timeline = facts.a->run(run).timeline;
    const std::map<uint32_t, int64_t> in_b = single_words(sequences.b[run], facts.b->run(run).timeline);
    std::optional<uint32_t> anchor;
    int64_t longest = -1;
    for (const auto& [word, time] : single_words(sequences.a[run], timeline)) {
      if (time <= longest || !in_b.contains(word)) continue;
      anchor = word;
      longest = time;
    }
    if (!anchor) return std::nullopt;
    for (const Side side : kSides) {
      ComparedTime& time = times[side].emplace_back();
      time.iterations = repetitions(sequences[side][run], facts[side]->run(run).timeline, *anchor);
      if (time.iterations.size() < kFewest) return std::nullopt;
    }
  }
  return times;
}

}  // namespace

OfSides<std::vector<ComparedTime>> repeated_iterations(const OfSides<const SessionFacts*>& facts, Labels& labels) {
  if (auto found = find_by(label_word, facts, labels)) return *found;
  if (!has_classes(facts.a->session()) && !has_classes(facts.b->session())) return {};  // the same words again
  return find_by(class_word, facts, labels).value_or(OfSides<std::vector<ComparedTime>>{});
}

}  // namespace cgpu
