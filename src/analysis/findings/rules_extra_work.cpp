// Rules about device work that is done twice, or only moves data into another order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/low_occupancy.h"
#include "analysis/findings/rule_context.h"
#include "analysis/findings/vendor_words.h"
#include "base/contains.h"
#include "kernels/layout_changes.h"
#include "kernels/names.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Ops of a session by run and slice, and what they take.
struct ChosenOps {
  std::vector<std::vector<bool>> by_run;  // by slice
  int64_t count = 0;
  int64_t time = 0;
  std::string example;
};

/// The device ops that compute and for which wanted(run, op, slice) holds.
template <typename Wanted>
ChosenOps choose_ops(const SessionFacts& facts, Wanted wanted) {
  ChosenOps chosen;
  for (size_t number = 0; number < facts.session().runs.size(); ++number) {
    const Timeline& t = facts.run(number).timeline;
    std::vector<bool>& ops = chosen.by_run.emplace_back(t.slices.size());
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] == OpKind::communication || !wanted(number, op, slice)) return;
      ops[slice] = true;
      ++chosen.count;
      chosen.time += t.slices.duration[slice];
      if (chosen.example.empty()) chosen.example = base_kernel_name(t.name(slice));
    });
  }
  return chosen;
}

/// The scenario without these ops and the gaps before them.
EdgeTimes::Scenario without(std::vector<std::vector<bool>> ops) {
  EdgeTimes::Scenario scenario;
  const auto chosen = std::make_shared<const std::vector<std::vector<bool>>>(std::move(ops));
  const auto is_one = [chosen](size_t run, SliceIndex op) { return op < (*chosen)[run].size() && (*chosen)[run][op]; };
  scenario.op_factor = [is_one](size_t run, SliceIndex op) { return is_one(run, op) ? 0.0 : 1.0; };
  scenario.without_gap = is_one;
  return scenario;
}

bool is_noticeable(const RuleContext& context, int64_t time) {
  return static_cast<double>(time) >= context.thresholds().noticeable * static_cast<double>(context.measured());
}

void find_layout_changes(RuleContext& context, std::vector<Finding>& findings) {
  const SessionFacts& whole = context.facts().whole();
  std::vector<std::vector<int8_t>> known;  // by run, by name; -1: not asked
  for (const Run& one : whole.session().runs) known.emplace_back(one.timeline.names.size(), int8_t{-1});
  ChosenOps changes = choose_ops(whole, [&](size_t number, OpIndex op, SliceIndex slice) {
    const Timeline& t = whole.run(number).timeline;
    if (static_cast<KernelClass>(t.device_ops.kernel_class[op]) != KernelClass::layout) return false;
    int8_t& is_one = known[number][t.slices.name[slice]];
    if (is_one < 0) is_one = changes_layout(t.name(slice)) ? 1 : 0;
    return is_one == 1;
  });
  if (!is_noticeable(context, changes.time)) return;
  findings.push_back(
      {.rule = "layout_changes",
       .title = std::string(kShareOfTime) + " goes into changing the layout of tensors",
       .evidence = fmt::format("{} in {} such as {}", context.in_all(changes.time),
                               format_count(changes.count, "kernel", "kernels"), changes.example),
       .suggestion =
           "Keep one layout from end to end: channels_last for the model and its input (convolutions on tensor "
           "cores want NHWC), weights stored as the products read them, no transposed views before kernels "
           "that copy them",
       .command = "kernels --where 'class = layout'",
       .confidence = Confidence::medium,
       .remedy = without(std::move(changes.by_run))});
}

/// Whether a kernel packs what is sent or unpacks what was received, as its name says: a message has to be in one
/// piece.
bool packs_messages(std::string_view name) {
  return contains(base_kernel_name(name), "pack") || contains(base_kernel_name(name), "Pack");
}

/// Kernels that write what they read: copies, casts, parts that are joined.
void find_device_copies(RuleContext& context, std::vector<Finding>& findings) {
  const SessionFacts& whole = context.facts().whole();
  const bool pytorch = uses_pytorch(whole.session());
  std::map<std::string_view, int64_t> time_of;
  ChosenOps copies = choose_ops(whole, [&](size_t number, OpIndex op, SliceIndex slice) {
    const Timeline& t = whole.run(number).timeline;
    if (t.device_ops.kind[op] != OpKind::compute || class_of(t, op) != KernelClass::layout) return false;
    if (changes_layout(t.name(slice)) || (!pytorch && packs_messages(t.name(slice)))) return false;
    time_of[t.name(slice)] += t.slices.duration[slice];
    return true;
  });
  if (time_of.empty() || !is_noticeable(context, copies.time)) return;
  const auto most = std::max_element(time_of.begin(), time_of.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const EdgeTimes::Scenario scenario = without(std::move(copies.by_run));
  findings.push_back(
      {.rule = "device_copies",
       .title = fmt::format("{} goes into kernels that only copy, cast or join {}", kShareOfTime,
                            pytorch ? "tensors" : "data"),
       .evidence = fmt::format("{} in {}, {} of it in {}", context.in_all(copies.time),
                               format_count(copies.count, "kernel", "kernels"), format_ns(most->second),
                               base_kernel_name(most->first)),
       .suggestion = "Cast weights once, not in every step; let the kernels that make the tensors write them where and "
                     "as they are read (out=, views in the place of cat and contiguous); torch.compile fuses casts and "
                     "copies with what uses them",
       .command = "kernels --where 'class = layout'",
       .confidence = Confidence::low,
       .remedy = scenario,
       .recoverable_low = context.gain_of(scenario) / 2});  // some copies stay
}

/// Whether a kernel of the class softmax_loss is the softmax of attention: no logarithm, no loss, no choice of experts.
bool is_softmax(std::string_view name) {
  for (const std::string_view part : {"log_softmax", "LogSoftMax", "logsoftmax", "loss", "Loss", "nll", "NLL",
                                      "entropy", "Entropy", "criterion", "Criterion", "logsumexp", "topk", "moe"}) {
    if (contains(name, part)) return false;
  }
  if (contains(name, "softmax_warp_")) {  // <input, output, accumulated, log2 of the elements, is a logarithm, ...>
    const size_t yes = name.find("true");
    return yes == std::string_view::npos || name.find("false") < yes;
  }
  return contains(name, "oftmax") || contains(name, "oftMax");
}

/// Of the kernels of a stream in order, those between two products of attention: a softmax among others that pass over
/// the scores.
class AttentionScores {
 public:
  void add(KernelClass kernel_class, std::string_view name, SliceIndex slice) {
    switch (kernel_class) {
      case KernelClass::gemm:
        if (after_product_ && softmaxes_ == 1) {
          found.insert(found.end(), between_.begin(), between_.end());
          ++count;
        }
        after_product_ = true;
        softmaxes_ = 0;
        between_.clear();
        return;
      case KernelClass::softmax_loss:
        after_product_ = after_product_ && is_softmax(name);
        ++softmaxes_;
        break;
      case KernelClass::random:
        after_product_ = after_product_ && contains(name, "dropout");
        break;
      case KernelClass::elementwise:
      case KernelClass::layout:
      case KernelClass::indexing:
      case KernelClass::fused:
        break;
      default:
        after_product_ = false;
    }
    between_.push_back(slice);
  }

  std::vector<SliceIndex> found;
  int64_t count = 0;

 private:
  bool after_product_ = false;  // and nothing but passes over its result since
  int64_t softmaxes_ = 0;
  std::vector<SliceIndex> between_;
};

/// Attention op by op: its scores are written and read by each kernel between its two products.
void find_unfused_attention(RuleContext& context, std::vector<Finding>& findings) {
  constexpr int64_t kRepeated = 2;
  const SessionFacts& whole = context.facts().whole();
  std::vector<std::vector<bool>> chosen;
  int64_t time = 0;
  int64_t kernels = 0;
  int64_t count = 0;
  for (const Run& run : whole.session().runs) {
    const Timeline& t = run.timeline;
    std::vector<bool>& ops_of_run = chosen.emplace_back(t.slices.size());
    for (auto& [stream, ops] : ops_by_stream(t)) {
      std::vector<OpIndex> in_order = ops;
      const auto start_of = [&](OpIndex op) { return t.slices.start[t.device_ops.slice[op]]; };
      std::stable_sort(in_order.begin(), in_order.end(),
                       [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); });
      AttentionScores scores;
      for (const OpIndex op : in_order) {
        const SliceIndex slice = t.device_ops.slice[op];
        if (t.device_ops.kind[op] == OpKind::compute) scores.add(class_of(t, op), t.name(slice), slice);
      }
      count += scores.count;
      for (const SliceIndex slice : scores.found) {
        ops_of_run[slice] = true;
        time += t.slices.duration[slice];
        ++kernels;
      }
    }
  }
  if (count < kRepeated || !is_noticeable(context, time)) return;
  const EdgeTimes::Scenario scenario = without(std::move(chosen));
  findings.push_back(
      {.rule = "unfused_attention",
       .title = std::string(kShareOfTime) + " passes over the scores of attention that is not fused",
       .evidence = fmt::format("{} in {} kernels between the two products of attention, {} times: softmax, and what "
                               "scales and masks the scores",
                               context.in_all(time), format_count(kernels), format_count(count)),
       .suggestion =
           "Compute attention in one kernel (torch.nn.functional.scaled_dot_product_attention, FlashAttention; "
           "attn_implementation=\"sdpa\" in Hugging Face models): the scores then never reach memory",
       .command = "kernel_classes",
       .confidence = Confidence::medium,
       .remedy = scenario,
       .recoverable_low = context.gain_of(scenario) / 2});  // the fused kernel computes the softmax, too
}

/// Whether a host slice of this name computes a part of the forward pass once more (activation checkpointing).
bool computes_again(std::string_view name) {
  if (contains(name, "CheckpointFunctionBackward")) return true;
  return contains(name, "torch/utils/checkpoint.py") &&
         (contains(name, "recompute_fn") || contains(name, "unpack_hook"));
}

/// Whether an op is one of the forward pass that no formula of a backward pass uses: modules as PyTorch calls them.
bool is_forward_only(std::string_view name) {
  constexpr std::array<std::string_view, 9> names{"aten::linear",
                                                  "aten::layer_norm",
                                                  "aten::rms_norm",
                                                  "aten::group_norm",
                                                  "aten::scaled_dot_product_attention",
                                                  "aten::batch_norm",
                                                  "aten::conv2d",
                                                  "aten::conv1d",
                                                  "aten::embedding"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Of the slices of a run whether they compute a part of the forward pass once more: they lie in a slice whose name
/// says so, and not in the backward pass that it runs inside; or, where no frames of Python were recorded, in a node of
/// the backward pass, before the last of two or more ops of a forward pass in it. (The node whose saved tensor is asked
/// for first computes all of the checkpointed part, then its own gradient.)
class Recomputation {
 public:
  explicit Recomputation(const Timeline& t) : t_(t), names_(t.names.size(), Name::other) {
    for (StringId name = 0; name < t.names.size(); ++name) {
      const std::string_view text = t.names[name];
      if (computes_again(text)) names_[name] = Name::again;
      if (is_forward_only(text)) names_[name] = Name::forward;
      if (text.starts_with("autograd::engine::evaluate_function")) names_[name] = Name::backward;
    }
    const auto has_name = [&](Name name) { return std::find(names_.begin(), names_.end(), name) != names_.end(); };
    if (has_name(Name::forward) && has_name(Name::backward)) find_nodes();
    any_ = has_name(Name::again) || !nodes_.empty();
  }
  bool any() const { return any_; }
  bool has(SliceIndex op) const {
    const SliceIndex launch = t_.slices.launch[op];
    SliceIndex node = kNone;
    for (SliceIndex at = launch; at != kNone; node = at, at = t_.slices.parent[at]) {
      if (name_of(at) == Name::again) return true;
      if (name_of(at) != Name::backward) continue;
      const auto found = nodes_.find(node);
      return found != nodes_.end() && t_.slices.start[launch] < found->second.until;
    }
    return false;
  }

 private:
  enum class Name : uint8_t { other, again, forward, backward };
  struct Node {
    int64_t ops = 0;    // of a forward pass
    int64_t until = 0;  // the end of the last of them
  };
  Name name_of(SliceIndex slice) const { return names_[t_.slices.name[slice]]; }

  void find_nodes() {
    for (SliceIndex slice = 0; slice < t_.slices.size(); ++slice) {
      if (name_of(slice) != Name::forward) continue;
      SliceIndex node = slice;
      for (SliceIndex at = t_.slices.parent[slice]; at != kNone; node = at, at = t_.slices.parent[at]) {
        if (name_of(at) == Name::forward) break;  // a part of that one
        if (name_of(at) != Name::backward) continue;
        Node& known = nodes_[node];
        ++known.ops;
        known.until = std::max(known.until, t_.slices.end(slice));
        break;
      }
    }
    std::erase_if(nodes_, [](const auto& node) { return node.second.ops < 2; });
  }

  const Timeline& t_;
  std::vector<Name> names_;                     // by name
  std::unordered_map<SliceIndex, Node> nodes_;  // of the backward pass
  bool any_ = false;
};

void find_recompute(RuleContext& context, std::vector<Finding>& findings) {
  const SessionFacts& whole = context.facts().whole();
  std::vector<Recomputation> of_runs;
  for (const Run& one : whole.session().runs) of_runs.emplace_back(one.timeline);
  if (std::none_of(of_runs.begin(), of_runs.end(), [](const Recomputation& one) { return one.any(); })) return;
  ChosenOps again = choose_ops(whole, [&](size_t number, OpIndex, SliceIndex slice) {
    return of_runs[number].any() && of_runs[number].has(slice);
  });
  if (!is_noticeable(context, again.time)) return;
  findings.push_back(
      {.rule = "recompute",
       .title = std::string(kShareOfTime) + " parts of the forward pass are computed once more for the backward pass",
       .evidence = fmt::format("{} in {} such as {}, under activation checkpointing", context.in_all(again.time),
                               format_count(again.count, "kernel", "kernels"), again.example),
       .suggestion = "Where memory allows, checkpoint fewer layers, or only what is cheap to compute and large to keep "
                     "(selective checkpointing); see memory for how much is left",
       .command = "ops",
       .confidence = Confidence::medium,
       .remedy = without(std::move(again.by_run))});
}

}  // namespace

void find_extra_work(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  find_layout_changes(context, findings);
  find_device_copies(context, findings);
  find_unfused_attention(context, findings);
  find_recompute(context, findings);
  find_low_occupancy(context, findings);
}

}  // namespace cgpu
