#include "analysis/steps/loops_of_passes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "analysis/steps/op_words.h"

namespace cgpu {

namespace {

constexpr size_t kFewestPasses = 3;
constexpr int64_t kFewestLayersOfPass = 2;
constexpr int64_t kProductsInLayer = 2;

/// Device ops that are looked at as one: layers that are gone through, or one other op.
struct PassWord {
  uint64_t word = 0;
  size_t first = 0;    // of its ops
  int64_t layers = 0;  // gone through, 0 for other ops
};

class LoopFinder {
 public:
  LoopFinder(const RunInSession& run, const RunLayers& layers)
      : timeline_(run.timeline()), steps_(run.facts.steps(run.index)), ops_(layers.ops) {}

  std::vector<LoopOfPasses> find() {
    for (size_t begin = 0; begin < ops_.size();) {
      const auto step = step_at(begin);
      size_t end = begin + 1;
      while (end < ops_.size() && is_beside(begin, end) && step_at(end) == step) ++end;
      if (steps_.empty() || step) find_between(begin, end, step);
      begin = end;
    }
    return std::move(loops_);
  }

 private:
  const Slices& slices() const { return timeline_.slices; }
  bool is_beside(size_t a, size_t b) const {
    return ops_[a].device == ops_[b].device && ops_[a].part_of_batch == ops_[b].part_of_batch;
  }
  std::optional<size_t> step_at(size_t op) const { return step_of(steps_, slices().start[ops_[op].slice]); }

  std::vector<PassWord> words_between(size_t begin, size_t end) const {
    std::vector<PassWord> words;
    for (size_t i = begin; i < end;) {
      const PlacedOp& op = ops_[i];
      const size_t first = i++;
      if (op.layer == kNoLayer) {
        const auto kernel_class = static_cast<KernelClass>(op.kernel_class);
        if (!is_no_word(kernel_class)) words.push_back({word_of_op(kernel_class, slices().name[op.slice]), first, 0});
        continue;
      }
      // One layer after the other, up or (backwards) down.
      int64_t lowest = op.layer;
      int64_t highest = op.layer;
      int64_t products = has_work_of_layers(static_cast<KernelClass>(op.kernel_class)) ? 1 : 0;
      for (; i < end && ops_[i].layer != kNoLayer && ops_[i].sequence == op.sequence &&
             std::abs(ops_[i].layer - ops_[i - 1].layer) <= 1;
           ++i) {
        lowest = std::min(lowest, ops_[i].layer);
        highest = std::max(highest, ops_[i].layer);
        products += has_work_of_layers(static_cast<KernelClass>(ops_[i].kernel_class)) ? 1 : 0;
      }
      const int64_t layers = highest - lowest + 1;
      const bool counts = layers >= kFewestLayersOfPass && products >= kProductsInLayer * layers;
      const uint64_t word = (uint64_t{op.sequence} + 1) << 48 | static_cast<uint64_t>(layers);
      words.push_back({word, first, counts ? layers : 0});
    }
    return words;
  }

  void find_between(size_t begin, size_t end, std::optional<size_t> step) {
    const std::vector<PassWord> words = words_between(begin, end);
    const Interval around = step ? steps_[*step].time : time_of(begin, end);
    size_t free = 0;  // words before are in other loops
    for (size_t at = 0; at < words.size(); ++at) {
      if (at < free || words[at].layers == 0) continue;
      size_t tried = 0;
      for (size_t next = at + 1; next < words.size() && tried < kNextPasses; ++next) {
        if (words[next].word != words[at].word) continue;
        ++tried;
        const size_t period = next - at;
        const auto repeats = [&](size_t i) { return words[i].word == words[i + period].word; };
        size_t first = at;
        while (first > free && repeats(first - 1)) --first;
        size_t last = next;
        while (last < words.size() && repeats(last - period)) ++last;
        const size_t passes = (last - first) / period;
        if (passes < kFewestPasses) continue;
        // What is before a loop can be like the end of a pass; what is behind it less often like its begin.
        LoopOfPasses loop;
        loop.device = ops_[begin].device;
        loop.step = step;
        loop.around = around;
        loop.first_around = begin;
        add_loop(words, last - passes * period, period, passes, std::move(loop), end);
        free = last;
        break;
      }
    }
  }

  /// `loop` says what is around it; `end`: of the ops there.
  void add_loop(const std::vector<PassWord>& words, size_t first, size_t period, size_t passes, LoopOfPasses loop,
                size_t end) {
    const size_t behind = first + passes * period;
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].layers == 0) continue;
      if (i < first) {
        loop.layers_before.push_back(words[i].layers);
      } else if (i < first + period) {
        loop.layers += words[i].layers;
      } else if (i >= behind) {
        loop.layers_after.push_back(words[i].layers);
      }
    }
    int64_t from = loop.around.begin;
    for (size_t pass = 0; pass < passes; ++pass) {
      const size_t next = first + (pass + 1) * period;
      const size_t begin_op = words[first + pass * period].first;
      const size_t end_op = next < words.size() ? words[next].first : end;
      const Interval time = time_of(begin_op, end_op);
      // Streams may overlap: a pass begins no earlier than the one before it.
      from = std::clamp(time.begin, from, loop.around.end);
      if (!loop.passes.empty()) loop.passes.back().time.end = from;
      loop.passes.push_back({begin_op, end_op, {from, std::clamp(time.end, from, loop.around.end)}});
    }
    loops_.push_back(std::move(loop));
  }

  Interval time_of(size_t begin, size_t end) const {
    Interval time{slices().start[ops_[begin].slice], slices().end(ops_[begin].slice)};
    for (size_t i = begin; i < end; ++i) {
      time.begin = std::min(time.begin, slices().start[ops_[i].slice]);
      time.end = std::max(time.end, slices().end(ops_[i].slice));
    }
    return time;
  }

  const Timeline& timeline_;
  const std::vector<Step>& steps_;
  const std::vector<PlacedOp>& ops_;
  std::vector<LoopOfPasses> loops_;
};

}  // namespace

LoopsOfRun find_loops(const RunInSession& run) {
  LoopsOfRun found{find_layers(run), {}};
  if (!found.layers.found_by.empty()) found.loops = LoopFinder(run, found.layers).find();
  return found;
}

}  // namespace cgpu
