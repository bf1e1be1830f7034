// Table `micro_batches`: where the same sequence of device ops runs on several streams in turn, as for parts of a
// batch, and how much of the time of each the others hide.
//
// O(n log n) in the device ops. The test compares the times with counting every nanosecond.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/steps/op_words.h"
#include "analysis/tables.h"

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

/// Streams that take turns, with what they did in the iterations in which they do.
struct StreamsInTurn {
  std::map<int64_t, std::vector<OpIndex>> ops;  // by stream
  int64_t steps = 0;
  int64_t turns = 0;  // launches on another stream of these than the one before
};

class MicroBatchFinder {
 public:
  explicit MicroBatchFinder(const RunInSession& run) : timeline_(run.timeline()) {
    for (const Step& step : run.facts.steps(run.index)) {
      marks_.push_back({slices().start[step.mark], slices().end(step.mark)});
    }
  }

  /// By device and streams.
  std::map<std::pair<int32_t, std::vector<int64_t>>, StreamsInTurn> find() {
    using StepOfDevice = std::pair<int32_t, std::optional<size_t>>;
    std::map<StepOfDevice, std::map<int64_t, StreamSequence>> sequences;
    for (auto& [stream, ops] : ops_by_stream(timeline_)) {
      std::vector<OpIndex> sorted = std::move(ops);
      std::stable_sort(sorted.begin(), sorted.end(), [&](OpIndex a, OpIndex b) { return start(a) < start(b); });
      for (const OpIndex op : sorted) {
        const auto step = step_of_launch(op);
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
  std::optional<size_t> step_of_launch(OpIndex op) const {
    const int64_t time = launch_time(op);
    const auto after =
        std::partition_point(marks_.begin(), marks_.end(), [&](const Interval& mark) { return mark.begin <= time; });
    if (after == marks_.begin() || time >= std::prev(after)->end) return std::nullopt;
    return static_cast<size_t>(after - marks_.begin()) - 1;
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

void append_micro_batches(const RunInSession& run, Table& table) {
  const Timeline& timeline = run.timeline();
  for (const auto& [key, group] : MicroBatchFinder(run).find()) {
    const auto& [device, numbers] = key;
    std::map<int64_t, IntervalSet> busy;
    IntervalSet any;
    for (const auto& [stream, ops] : group.ops) {
      busy.emplace(stream, busy_time(timeline, ops));
      any = any.unite(busy.at(stream));
    }
    int64_t together_ns = any.length();
    std::map<int64_t, int64_t> alone_ns;
    for (const int64_t stream : numbers) {
      IntervalSet others;
      for (const int64_t other : numbers) {
        if (other != stream) others = others.unite(busy.at(other));
      }
      alone_ns[stream] = busy.at(stream).subtract(others).length();
      together_ns -= alone_ns[stream];
    }
    for (const int64_t stream : numbers) {
      std::vector<int64_t> beside;
      std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(beside),
                   [&](int64_t other) { return other != stream; });
      const int64_t busy_ns = busy.at(stream).length();
      const int64_t hidden_ns = busy_ns - alone_ns[stream];
      table.append({int64_t{0}, int64_t{device}, stream, fmt::format("{}", fmt::join(beside, ", ")), group.steps,
                    group.turns, static_cast<int64_t>(group.ops.at(stream).size()), busy_ns, alone_ns[stream],
                    hidden_ns, percent_of(hidden_ns, busy_ns), any.length(), together_ns,
                    percent_of(together_ns, any.length())});
    }
  }
}

}  // namespace

Analysis micro_batches_analysis() {
  return {.name = "micro_batches",
          .about =
              "where the same sequence of device ops runs on several streams in turn (parts of a batch), and what they "
              "hide of each other",
          .columns = {rank_column(), device_column(), stream_column(),
                      key_column("beside", "the other streams with the same sequence"),
                      count_column("steps", "iterations in which they have it"),
                      count_column("turns", "launches on another of these streams than the launch before, in all"),
                      count_column("count", "device ops of the stream"),
                      time_column("busy_ns", "in which it runs: alone_ns and hidden_ns"),
                      time_column("alone_ns", "in which it runs and none of the others does"),
                      time_column("hidden_ns", "in which it runs beside one of them"),
                      real_column("hidden_pct", "%", "share of hidden_ns in busy_ns"),
                      time_column("any_ns", "in which any of all these streams runs"),
                      time_column("together_ns", "in which two of them or more run"),
                      real_column("together_pct", "%", "share of together_ns in any_ns")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .needs = "two streams of a device with the same sequence of device ops in an iteration",
          .fold = fold_of<RowsByRun<append_micro_batches>>};
}

}  // namespace cgpu
