#include "comparison/sides/repeated_iterations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "analysis/steps/repeated_sequence.h"

namespace cgpu {

namespace {

constexpr size_t kFewestIterations = 3;

using WordOf = std::function<uint32_t(const Timeline&, OpIndex, LabelsOfNames&)>;

uint32_t label_word(const Timeline& timeline, OpIndex op, LabelsOfNames& labels) {
  return labels(timeline.device_ops.slice[op]);
}

/// Whether device ops are identified by what they do, not by their names.
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

std::optional<PerSide<std::vector<ComparedTime>>> find_by(const WordOf& word_of,
                                                          const PerSide<const SessionFacts*>& facts, bool of_host,
                                                          Labels& labels) {
  PerSide<std::vector<RepeatedSequence>> sequences;
  for (const Side side : kSides) {
    for (const Run& run : facts[side]->session().runs) {
      LabelsOfNames label_of(labels, run.timeline, of_host);
      std::optional<RepeatedSequence> found =
          find_repeated_sequence(run.timeline, [&](OpIndex op) { return word_of(run.timeline, op, label_of); });
      if (!found) return std::nullopt;
      sequences[side].push_back(std::move(*found));
    }
  }
  PerSide<std::vector<ComparedTime>> times;
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
      for (const Interval& repetition : repetitions_of(sequences[side][run], facts[side]->run(run).timeline, *anchor)) {
        time.iterations.push_back({std::nullopt, repetition, {}});
      }
      if (time.iterations.size() < kFewestIterations) return std::nullopt;
    }
  }
  return times;
}

}  // namespace

PerSide<std::vector<ComparedTime>> repeated_iterations(const PerSide<const SessionFacts*>& facts, bool of_host,
                                                       Labels& labels) {
  if (auto found = find_by(label_word, facts, of_host, labels)) return *found;
  if (!has_classes(facts.a->session()) && !has_classes(facts.b->session())) return {};  // the same words again
  return find_by(class_word, facts, of_host, labels).value_or(PerSide<std::vector<ComparedTime>>{});
}

}  // namespace cgpu
