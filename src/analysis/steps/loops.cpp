// Table `loops`: where a whole pass of a network is repeated within an iteration, what one pass takes, and what is
// around the loop.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/nesting.h"
#include "analysis/common/statistics.h"
#include "analysis/device/device_ops.h"
#include "analysis/op_shapes/recorded_inputs.h"
#include "analysis/rows_by_run.h"
#include "analysis/steps/loops_of_passes.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// How many tokens of each sequence the passes of a run look up embeddings for, where shapes were recorded.
class TokensLookedUp {
 public:
  TokensLookedUp(const RunInSession& run, const std::vector<PlacedOp>& ops) {
    const OpsInFullRun full_run = ops_in_full_run(run.session(), run.index, {});
    const Session& session = run.session().whole ? *run.session().whole : run.session();
    const Timeline& timeline = full_run.timeline;
    const auto is_lookup = [&](SliceIndex slice) {
      return timeline.kind(slice) == SliceKind::framework_op && timeline.name(slice) == "aten::embedding";
    };
    const std::vector<SliceIndex> around = nearest_above(timeline.slices, is_lookup);
    for (const PlacedOp& op : ops) lookup_of_.push_back(op.launch == kNone ? kNone : around[op.launch]);
    std::vector<SliceIndex> lookups = lookup_of_;
    std::sort(lookups.begin(), lookups.end());
    lookups.erase(std::unique(lookups.begin(), lookups.end()), lookups.end());
    if (!lookups.empty() && lookups.back() == kNone) lookups.pop_back();
    std::vector<uint64_t> sources;
    for (const SliceIndex lookup : lookups) sources.push_back(timeline.slices.source[lookup]);
    ArgumentReader reader(session.runs[full_run.run].arguments.get(), 0, InputKeys::wanted());
    const InputKeys keys(reader);
    reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
      const RecordedInputs inputs(keys.texts(arguments));
      const auto table = inputs.tensor(0);
      const auto ids = inputs.tensor(1);
      if (table && ids && ids->dims.size() == 2) shape_of_.emplace(lookups[i], Lookup{table->dims, ids->dims[1]});
    });
  }

  /// Whether each of these passes looks up one token a sequence, in the same table, and nothing else in it.
  bool is_decode(const LoopOfPasses& loop) const {
    Dims table;
    for (const PassOfLoop& pass : loop.passes) {
      bool any = false;
      for (size_t op = pass.first; op < pass.end; ++op) {
        const Lookup* const lookup = lookup_at(op);
        if (lookup == nullptr) continue;
        if (table.empty()) table = lookup->table;
        if (lookup->table != table) continue;
        if (lookup->tokens != 1) return false;
        any = true;
      }
      if (!any) return false;
    }
    return true;
  }
  /// Whether several tokens of a sequence are looked up in that table between two ops.
  bool is_prefill(const LoopOfPasses& decode, size_t begin) const {
    const Lookup* of_decode = nullptr;
    for (size_t op = decode.passes.front().first; of_decode == nullptr; ++op) of_decode = lookup_at(op);
    for (size_t op = begin; op < decode.passes.front().first; ++op) {
      const Lookup* const lookup = lookup_at(op);
      if (lookup != nullptr && lookup->table == of_decode->table && lookup->tokens > 1) return true;
    }
    return false;
  }

 private:
  struct Lookup {
    Dims table;
    int64_t tokens = 0;  // of a sequence
  };
  const Lookup* lookup_at(size_t op) const {
    const auto at = shape_of_.find(lookup_of_[op]);
    return at == shape_of_.end() ? nullptr : &at->second;
  }

  std::vector<SliceIndex> lookup_of_;  // by place of the op
  std::map<SliceIndex, Lookup> shape_of_;
};

/// "4 layers", "20 x 8 layers, 4 layers".
std::string text_of_layers(const std::vector<int64_t>& layers) {
  std::string text;
  for (size_t begin = 0; begin < layers.size();) {
    size_t end = begin;
    while (end < layers.size() && layers[end] == layers[begin]) ++end;
    if (!text.empty()) text += ", ";
    if (end - begin > 1) text += fmt::format("{} x ", end - begin);
    text += fmt::format("{} layers", layers[begin]);
    begin = end;
  }
  return text;
}

void append_loops(const RunInSession& run, Table& table) {
  const LoopsOfRun found = find_loops(run);
  if (found.loops.empty()) return;
  const Timeline& timeline = run.timeline();
  const std::vector<PlacedOp>& ops = found.layers.ops;
  const TokensLookedUp tokens(run, ops);
  int64_t number = 0;
  const LoopOfPasses* before = nullptr;
  for (const LoopOfPasses& loop : found.loops) {
    const bool is_next = before != nullptr && before->device == loop.device && before->step == loop.step;
    number = is_next ? number + 1 : 0;
    before = &loop;

    std::vector<int64_t> durations;
    for (const PassOfLoop& pass : loop.passes) durations.push_back(pass.time.end - pass.time.begin);
    const auto slowest = std::max_element(durations.begin(), durations.end());
    int64_t device_ns = 0;
    bool has_attention = false;
    std::vector<OpIndex> of_loop;
    for (size_t i = loop.passes.front().first; i < loop.passes.back().end; ++i) {
      of_loop.push_back(ops[i].op);
      device_ns += timeline.slices.duration[ops[i].slice];
      has_attention = has_attention || static_cast<KernelClass>(ops[i].kernel_class) == KernelClass::attention;
    }
    const Interval time = loop.time();
    const int64_t loop_ns = time.end - time.begin;
    const int64_t busy_ns = busy_time(timeline, of_loop).clip(time.begin, time.end).length();
    const bool is_decode = has_attention && tokens.is_decode(loop);
    std::string what_before = text_of_layers(loop.layers_before);
    if (is_decode && loop.layers_before.size() == 1 && tokens.is_prefill(loop, loop.first_around)) {
      what_before += " (prefill)";
    }
    const auto text_or_none = [](std::string text) { return text.empty() ? Cell() : Cell(std::move(text)); };
    table.append({int64_t{0},
                  loop.device,
                  loop.step ? Cell(run.facts.steps(run.index)[*loop.step].number) : Cell(),
                  number,
                  fmt::format("{} passes of {} layers", loop.passes.size(), loop.layers),
                  is_decode ? cell("decode") : Cell(),
                  static_cast<int64_t>(loop.passes.size()),
                  loop.layers,
                  loop_ns,
                  percent_of(loop_ns, loop.around.end - loop.around.begin),
                  durations.front(),
                  median(durations),
                  *slowest,
                  int64_t{slowest - durations.begin()},
                  device_ns,
                  loop_ns - busy_ns,
                  static_cast<double>(of_loop.size()) / static_cast<double>(loop.passes.size()),
                  time.begin - loop.around.begin,
                  text_or_none(std::move(what_before)),
                  loop.around.end - time.end,
                  text_or_none(text_of_layers(loop.layers_after)),
                  loop.around.end - loop.around.begin,
                  time.begin});
  }
}

}  // namespace

Analysis loops_analysis() {
  return {
      .name = "loops",
      .about =
          "where a whole pass of a network is repeated within an iteration: denoising steps, tokens that are written, "
          "parts of a batch",
      .columns = {rank_column(),
                  device_column(),
                  number_column("step", "number of the iteration; absent where there are none"),
                  number_column("loop", "number of the loop in the iteration, from 0"),
                  text_column("what", "how many passes, of how many layers each"),
                  text_column("phase",
                              "decode, where shapes show that each pass is of one token a sequence; absent else"),
                  count_column("passes", "of the network in the loop"),
                  count_column("layers", "that one pass goes through"),
                  time_column("loop_ns", "from the begin of its first device op to the end of its last"),
                  real_column("pct", "%", "share of the loop in around_ns"),
                  time_column("first_ns", "the first pass, up to the begin of the next"),
                  real_column("median_ns", "ns", "median of the passes"),
                  time_column("slowest_ns", "the slowest pass"),
                  number_column("slowest", "number of that pass, from 0"),
                  time_column("device_ns", "durations of the device ops of the loop"),
                  time_column("idle_ns", "in which none of these runs, within the loop"),
                  real_column("ops_per_pass", "count", "device ops of a pass, in the mean"),
                  time_column("before_ns", "from the begin of the iteration to that of the loop"),
                  text_column("before", "the layers that are gone through in that time"),
                  time_column("after_ns", "from the end of the loop to that of the iteration"),
                  text_column("after", "the layers that are gone through in that time"),
                  time_column("around_ns", "the iteration, or all of the device's ops where there are none"),
                  moment_column("start_ns", "of the loop, from the start of the profile")},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
      .needs =
          "layers (table layers) that are gone through three times in a row in one iteration, with the same device "
          "ops between them",
      .fold = fold_of<RowsByRun<append_loops>>};
}

}  // namespace cgpu
