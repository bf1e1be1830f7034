#include "analysis/steps/streams_in_turn.h"

#include <algorithm>
#include <optional>

#include "analysis/device/device_ops.h"
#include "analysis/steps/op_words.h"
#include "analysis/steps/step_times.h"

namespace cgpu {

namespace {

/// A shorter sequence, or one with less of this work, is done alike on several streams by chance.
constexpr size_t kShortestSequence = 8;
constexpr int kLeastWorkOfLayers = 2;

struct StreamSequence {
  std::vector<OpIndex> ops;  // in the order of their starts
  std::vector<uint32_t> words;
  int work_of_layers = 0;
};

class TurnFinder {
 public:
  explicit TurnFinder(const RunInSession& run)
      : timeline_(run.timeline()), marks_(marks_of(timeline_, run.facts.steps(run.index))) {}

  /// By device and streams.
  std::map<std::pair<int32_t, std::vector<int64_t>>, StreamsInTurn> find() {
    using StepOfDevice = std::pair<int32_t, std::optional<size_t>>;
    std::map<StepOfDevice, std::map<int64_t, StreamSequence>> sequences;
    for (auto& [stream, ops] : ops_by_stream(timeline_)) {
      std::vector<OpIndex> sorted = std::move(ops);
      std::stable_sort(sorted.begin(), sorted.end(), [&](OpIndex a, OpIndex b) { return start(a) < start(b); });
      for (const OpIndex op : sorted) {
        const auto step = mark_at(marks_, launch_time(op));
        if (step || marks_.empty()) add(sequences[{stream.device, step}][stream.stream], op);
      }
    }
    for (const auto& [step, streams] : sequences) find_alike(step.first, streams);
    return std::move(found_);
  }

 private:
  const Slices& slices() const { return timeline_.slices; }
  int64_t start(OpIndex op) const { return slices().start[timeline_.device_ops.slice[op]]; }
  int64_t launch_time(OpIndex op) const {
    const SliceIndex launch = launch_of(timeline_, timeline_.device_ops.slice[op]);
    return launch == kNone ? start(op) : slices().start[launch];
  }

  void add(StreamSequence& sequence, OpIndex op) const {
    sequence.ops.push_back(op);
    const KernelClass kernel_class = class_of(timeline_, op);
    if (is_no_word(kernel_class)) return;
    sequence.words.push_back(word_of_op(kernel_class, slices().name[timeline_.device_ops.slice[op]]));
    sequence.work_of_layers += has_work_of_layers(kernel_class) ? 1 : 0;
  }

  void find_alike(int32_t device, const std::map<int64_t, StreamSequence>& streams) {
    std::map<std::vector<uint32_t>, std::vector<int64_t>> alike;
    for (const auto& [stream, sequence] : streams) {
      if (sequence.words.size() < kShortestSequence || sequence.work_of_layers < kLeastWorkOfLayers) continue;
      alike[sequence.words].push_back(stream);
    }
    for (const auto& [words, numbers] : alike) {
      if (numbers.size() < 2) continue;
      std::vector<std::pair<int64_t, int64_t>> launches;  // time, stream
      for (const int64_t stream : numbers) {
        for (const OpIndex op : streams.at(stream).ops) launches.emplace_back(launch_time(op), stream);
      }
      std::sort(launches.begin(), launches.end());
      StreamsInTurn& group = found_[{device, numbers}];
      ++group.steps;
      for (size_t i = 1; i < launches.size(); ++i) group.turns += launches[i].second != launches[i - 1].second ? 1 : 0;
      for (const int64_t stream : numbers) {
        const std::vector<OpIndex>& ops = streams.at(stream).ops;
        std::vector<OpIndex>& all = group.ops[stream];
        all.insert(all.end(), ops.begin(), ops.end());
      }
    }
  }

  const Timeline& timeline_;
  std::vector<Interval> marks_;
  std::map<std::pair<int32_t, std::vector<int64_t>>, StreamsInTurn> found_;
};

}  // namespace

std::map<std::pair<int32_t, std::vector<int64_t>>, StreamsInTurn> find_streams_in_turn(const RunInSession& run) {
  return TurnFinder(run).find();
}

}  // namespace cgpu
