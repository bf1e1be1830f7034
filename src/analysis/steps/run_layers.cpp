#include "analysis/steps/run_layers.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/common/nesting.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/module_calls.h"
#include "analysis/steps/layer_parts.h"
#include "analysis/steps/op_words.h"
#include "analysis/steps/repeats.h"
#include "analysis/steps/streams_in_turn.h"
#include "base/sort_runs.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// Modules or a sequence that hold less of the device time are no layers of the model.
constexpr double kLeastShare = 0.2;
constexpr double kLeastShareOfSequence = 0.05;
/// More copies in a row are a loop around the model, not layers of it.
constexpr size_t kMostLayers = 256;

KernelClass class_of(const PlacedOp& op) {
  return static_cast<KernelClass>(op.kernel_class);
}
/// What tells a layer of a model from any loop over matrix products.
bool is_of_models(KernelClass kernel_class) {
  return kernel_class == KernelClass::normalization || kernel_class == KernelClass::attention ||
         kernel_class == KernelClass::convolution || kernel_class == KernelClass::state_space ||
         kernel_class == KernelClass::moe_gemm;
}

/// What makes the values of one place in the sequence depend on those of other places.
bool mixes_places(KernelClass kernel_class) {
  return kernel_class == KernelClass::attention || kernel_class == KernelClass::state_space;
}

/// "Block" and 3 of "Block_3", "" and 3 of "3"; no number where none ends it.
std::pair<std::string_view, std::optional<int64_t>> numbered(std::string_view component) {
  size_t digits = component.size();
  while (digits > 0 && component[digits - 1] >= '0' && component[digits - 1] <= '9') --digits;
  if (digits == component.size() || component.size() - digits > 9) return {component, std::nullopt};
  const auto number = static_cast<int64_t>(std::stol(std::string(component.substr(digits))));
  std::string_view name = component.substr(0, digits);
  if (name.ends_with('_')) name.remove_suffix(1);
  return {name, number};
}

/// The layers among the modules: paths, cut behind the component that is a layer.
class ModuleLayers {
 public:
  /// `device_ns`: by number of a path, the time of the device ops that belong to it and to no module inside.
  ModuleLayers(const ModuleCalls& calls, const std::vector<int64_t>& device_ns) : calls_(calls) {
    struct Siblings {
      std::map<int64_t, int64_t> device_ns;  // by their numbers
      int64_t all = 0;
    };
    std::map<std::string, Siblings> groups;  // by the path above and the name without number
    for (uint32_t path = 0; path < calls.paths(); ++path) {
      for_each_component(calls.path_text(path), [&](size_t begin, std::string_view component, size_t) {
        const auto [name, number] = numbered(component);
        if (!number) return;
        Siblings& group = groups[calls.path_text(path).substr(0, begin) + std::string(name)];
        group.device_ns[*number] += device_ns[path];
        group.all += device_ns[path];
      });
    }
    const Siblings* best = nullptr;
    for (const auto& [name, group] : groups) {
      const auto busy = std::count_if(group.device_ns.begin(), group.device_ns.end(),
                                      [](const auto& each) { return each.second > 0; });
      if (busy < 2 || (best != nullptr && group.all <= best->all)) continue;
      best = &group;
      group_ = name;
    }
    if (best == nullptr) return;
    covered_ns_ = best->all;
    for (const auto& [number, ns] : best->device_ns) layer_of_number_.try_emplace(number, layer_of_number_.size());
  }

  int64_t covered_ns() const { return covered_ns_; }

  struct Place {
    int64_t layer = kNoLayer;
    std::string_view inside;  // the rest of the path, below the layer, or all of it
    std::string_view child;   // the first component of it
  };
  Place place_of(uint32_t path) const {
    const std::string& text = calls_.path_text(path);
    Place place{kNoLayer, text, {}};
    for_each_component(text, [&](size_t begin, std::string_view component, size_t end) {
      if (place.layer != kNoLayer) {
        if (place.child.empty()) place.child = component;
        return;
      }
      const auto [name, number] = numbered(component);
      if (!number || begin + name.size() != group_.size()) return;
      if (text.compare(0, begin, group_, 0, begin) != 0 || group_.compare(begin, std::string::npos, name) != 0) return;
      place.layer = static_cast<int64_t>(layer_of_number_.at(*number));
      place.inside = std::string_view(text).substr(std::min(end + 1, text.size()));
    });
    return place;
  }

 private:
  template <typename Visit>
  static void for_each_component(std::string_view path, Visit visit) {
    for (size_t begin = 0; begin <= path.size();) {
      const size_t end = std::min(path.find('.', begin), path.size());
      visit(begin, path.substr(begin, end - begin), end);
      begin = end + 1;
    }
  }

  const ModuleCalls& calls_;
  std::string group_;
  int64_t covered_ns_ = 0;
  std::map<int64_t, size_t> layer_of_number_;
};

/// The part of a module path by its innermost component that says one.
std::string_view part_of_path(std::string_view path) {
  while (!path.empty()) {
    const size_t dot = path.rfind('.');
    const std::string_view part = part_of_module(dot == std::string_view::npos ? path : path.substr(dot + 1));
    if (!part.empty()) return part;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  }
  return {};
}

class LayersOfRun {
 public:
  explicit LayersOfRun(const RunInSession& run) : run_(run), timeline_(run.timeline()) {
    const std::vector<OpIndex> ops = all_ops(timeline_);
    const OpsInFullRun full_run = ops_in_full_run(run.session(), run.index, ops);
    for (size_t i = 0; i < ops.size(); ++i) {
      const SliceIndex slice = timeline_.device_ops.slice[ops[i]];
      ops_.push_back({ops[i], slice, launch_of(full_run.timeline, full_run.timeline.device_ops.slice[full_run.ops[i]]),
                      timeline_.device_ops.kernel_class[ops[i]], timeline_.device_ops.device[ops[i]]});
      all_ns_ += timeline_.slices.duration[slice];
    }
    order_by_launch(full_run.timeline);
    find_phases(full_run.timeline);
    if (!by_modules(full_run.timeline)) by_sequence();
  }

  RunLayers take() { return {std::move(ops_), std::move(found_by_), all_ns_, std::move(sequences_)}; }

 private:
  /// Parts of a batch that streams compute in turn come one after the other, so that each goes through the layers.
  void order_by_launch(const Timeline& full_timeline) {
    std::set<StreamId> in_turn;
    for (const auto& [key, group] : find_streams_in_turn(run_)) {
      for (const int64_t stream : key.second) in_turn.insert({key.first, stream});
    }
    for (PlacedOp& op : ops_) {
      const StreamId stream{timeline_.device_ops.device[op.op], timeline_.device_ops.stream[op.op]};
      if (in_turn.contains(stream)) op.part_of_batch = stream.stream;
    }
    const auto time = [&](const PlacedOp& op) {
      return op.launch == kNone ? timeline_.slices.start[op.slice] : full_timeline.slices.start[op.launch];
    };
    sort_runs(ops_, [&](const PlacedOp& a, const PlacedOp& b) {
      return std::tuple(a.device, a.part_of_batch, time(a), timeline_.slices.start[a.slice], a.op) <
             std::tuple(b.device, b.part_of_batch, time(b), timeline_.slices.start[b.slice], b.op);
    });
  }

  void find_phases(const Timeline& full_timeline) {
    std::vector<std::string_view> phase_of_name(full_timeline.names.size());
    bool any = false;
    for (SliceIndex slice = 0; slice < full_timeline.slices.size(); ++slice) {
      if (full_timeline.kind(slice) != SliceKind::annotation) continue;
      std::string_view& phase = phase_of_name[full_timeline.slices.name[slice]];
      phase = phase_of_annotation(full_timeline.name(slice));
      any = any || !phase.empty();
    }
    if (!any) return;
    const auto phase_of = [&](SliceIndex slice) {
      return full_timeline.kind(slice) == SliceKind::annotation ? phase_of_name[full_timeline.slices.name[slice]]
                                                                : std::string_view();
    };
    const std::vector<SliceIndex> around =
        nearest_above(full_timeline.slices, [&](SliceIndex slice) { return !phase_of(slice).empty(); });
    for (PlacedOp& op : ops_) {
      if (op.launch != kNone && around[op.launch] != kNone) op.phase = phase_of(around[op.launch]);
    }
  }

  bool by_modules(const Timeline& full_timeline) {
    modules_.emplace(full_timeline);
    const ModuleCalls& calls = *modules_;
    if (!calls.any()) return false;
    std::vector<int64_t> device_ns(calls.paths(), 0);
    std::vector<SliceIndex> call_of(ops_.size(), kNone);
    for (size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].launch != kNone) call_of[i] = calls.around(ops_[i].launch);
      if (call_of[i] != kNone) device_ns[calls.path_number(call_of[i])] += timeline_.slices.duration[ops_[i].slice];
    }
    const ModuleLayers layers(calls, device_ns);
    if (static_cast<double>(layers.covered_ns()) < kLeastShare * static_cast<double>(all_ns_)) return false;
    found_by_ = "modules";
    std::vector<ModuleLayers::Place> places(calls.paths());
    for (uint32_t path = 0; path < places.size(); ++path) places[path] = layers.place_of(path);
    // Modules inside a layer whose names say nothing are named by what is in them.
    std::map<std::pair<int64_t, std::string_view>, std::vector<LayerOp>> contents;
    const auto place_of = [&](size_t i) {
      return call_of[i] == kNone ? ModuleLayers::Place() : places[calls.path_number(call_of[i])];
    };
    for (size_t i = 0; i < ops_.size(); ++i) {
      const ModuleLayers::Place place = place_of(i);
      if (!place.child.empty()) {
        contents[{place.layer, place.child}].push_back({class_of(ops_[i]), timeline_.name(ops_[i].slice)});
      }
    }
    std::map<std::pair<int64_t, std::string_view>, std::string_view> part_of_contents;
    for (const auto& [child, ops] : contents) {
      for (const std::string_view part : parts_of_sequence(ops)) {
        std::string_view& best = part_of_contents[child];
        if (best.empty() || best == kOtherPart || best == "normalization") best = part;
      }
    }
    for (size_t i = 0; i < ops_.size(); ++i) {
      PlacedOp& op = ops_[i];
      const ModuleLayers::Place place = place_of(i);
      op.layer = place.layer;
      op.part = part_of_class(class_of(op), timeline_.name(op.slice));
      if (op.part.empty()) op.part = part_of_path(place.inside);
      if (op.part.empty() && !place.child.empty()) op.part = part_of_contents[{place.layer, place.child}];
      if (op.part.empty()) op.part = kOtherPart;
    }
    return true;
  }

  void by_sequence() {
    const std::vector<Step>& steps = run_.facts.steps(run_.index);
    for (size_t begin = 0; begin < ops_.size();) {
      size_t end = begin;
      while (end < ops_.size() && ops_[end].device == ops_[begin].device) ++end;
      sequence_of_device(steps, begin, end);
      begin = end;
    }
    int64_t covered_ns = 0;
    for (const PlacedOp& op : ops_) covered_ns += op.layer == kNoLayer ? 0 : timeline_.slices.duration[op.slice];
    if (static_cast<double>(covered_ns) >= kLeastShare * static_cast<double>(all_ns_) && covered_ns > 0) {
      found_by_ = "sequence";
    }
    for (PlacedOp& op : ops_) {
      if (op.part.empty()) op.part = part_of_class(class_of(op), timeline_.name(op.slice));
      if (op.part.empty()) op.part = kOtherPart;
    }
  }

  void sequence_of_device(const std::vector<Step>& steps, size_t begin, size_t end) {
    Words words;
    std::optional<size_t> step_before;
    for (size_t i = begin; i < end; ++i) {
      const PlacedOp& op = ops_[i];
      const auto step = step_of(steps, timeline_.slices.start[op.slice]);
      words.word.push_back(word_of_op(class_of(op), timeline_.slices.name[op.slice]));
      words.weight.push_back(timeline_.slices.duration[op.slice]);
      words.heavy.push_back(is_of_models(class_of(op)));
      words.product.push_back(has_work_of_layers(class_of(op)));
      words.own_work.push_back(mixes_places(class_of(op)) || class_of(op) == KernelClass::moe_gemm);
      words.starts.push_back(i > begin && (step != step_before || op.part_of_batch != ops_[i - 1].part_of_batch));
      step_before = step;
    }
    if (std::find(words.heavy.begin(), words.heavy.end(), true) == words.heavy.end()) return;
    uint32_t sequence = 0;
    for (const Repeat& repeat : find_repeats(words, kLeastShareOfSequence)) {
      const bool is_loop = std::any_of(repeat.stretches.begin(), repeat.stretches.end(), [&](const auto& stretch) {
        return stretch.length / repeat.period > kMostLayers;
      });
      if (is_loop) continue;
      ++sequence;
      for (const Repeat::Stretch& stretch : repeat.stretches) {
        place_layers(begin + stretch.begin, stretch.length, repeat.period, sequence);
      }
    }
  }

  /// By place in a period whether attention, or what has its place in other models, follows before the next
  /// normalization, of a normalization.
  bool leads_to_attention(size_t begin, size_t at, size_t period) const {
    if (class_of(ops_[begin + at]) != KernelClass::normalization) return false;
    for (size_t next = at + 1; next < at + period; ++next) {
      const KernelClass kernel_class = class_of(ops_[begin + next % period]);
      if (kernel_class == KernelClass::normalization) return false;
      if (mixes_places(kernel_class)) return true;
    }
    return false;
  }

  /// Layers begin at each normalization before attention (a period can be of several layers that take turns); where
  /// there is none, a period is a layer, from its first normalization.
  void place_layers(size_t begin, size_t length, size_t period, uint32_t sequence) {
    std::vector<size_t> starts;
    for (size_t at = 0; at < period; ++at) {
      if (leads_to_attention(begin, at, period)) starts.push_back(at);
    }
    for (size_t at = 0; at < period && starts.empty(); ++at) {
      if (class_of(ops_[begin + at]) == KernelClass::normalization) starts.push_back(at);
    }
    if (starts.empty()) starts.push_back(0);
    const size_t skipped = starts.front();
    std::vector<LayerOp> copy;
    std::vector<int64_t> layer_in_copy;
    for (size_t i = 0; i < period; ++i) {
      const PlacedOp& op = ops_[begin + skipped + i];
      copy.push_back({class_of(op), timeline_.name(op.slice)});
      const auto after = std::upper_bound(starts.begin(), starts.end(), skipped + i);
      layer_in_copy.push_back(after - starts.begin() - 1);
    }
    const std::vector<std::string_view> parts = parts_of_sequence(copy);
    const auto layers_in_copy = static_cast<int64_t>(starts.size());
    // The last copy may be cut, but its layers may not.
    size_t whole = (length - skipped) / period * period;
    for (const size_t start : starts) {
      const size_t end = whole + start - skipped;
      if (end <= length - skipped) whole = std::max(whole, end);
    }
    for (size_t i = 0; i < whole; ++i) {
      PlacedOp& op = ops_[begin + skipped + i];
      op.layer = static_cast<int64_t>(i / period) * layers_in_copy + layer_in_copy[i % period];
      op.part = parts[i % period];
      op.sequence = sequence;
    }
    sequences_.resize(std::max<size_t>(sequences_.size(), sequence));
    LayerSequence& found = sequences_[sequence - 1];
    found.ops_in_layer = period / starts.size();
    found.kinds_in_turn = starts.size();
    found.layers.push_back(whole == 0 ? 0 : ops_[begin + skipped + whole - 1].layer + 1);
  }

  RunInSession run_;
  const Timeline& timeline_;
  std::vector<PlacedOp> ops_;
  std::optional<ModuleCalls> modules_;
  int64_t all_ns_ = 0;
  std::string found_by_;
  std::vector<LayerSequence> sequences_;  // by number of a sequence, less 1
};

}  // namespace

LayerOfOps layer_of_ops(const RunInSession& run) {
  constexpr size_t kFewestLayers = 3;
  const RunLayers layers = find_layers(run);
  LayerOfOps found{layers.found_by, std::vector<int64_t>(run.timeline().device_ops.size(), kNoLayer), 0,
                   layers.sequences};
  std::vector<int64_t> ops_in_layer;
  for (const PlacedOp& op : layers.ops) {
    if (op.layer == kNoLayer || op.sequence > 1) continue;
    found.of_op[op.op] = op.layer;
    const auto layer = static_cast<size_t>(op.layer);
    if (ops_in_layer.size() <= layer) ops_in_layer.resize(layer + 1);
    ++ops_in_layer[layer];
  }
  // Layers of several kinds that take turns are as long as those of the same kind.
  const size_t kinds = layers.sequences.empty() ? 1 : layers.sequences.front().kinds_in_turn;
  const bool alike =
      ops_in_layer.size() <= kinds ||
      std::equal(ops_in_layer.begin() + static_cast<std::ptrdiff_t>(kinds), ops_in_layer.end(), ops_in_layer.begin());
  const bool reliable = found.found_by == "modules" || alike;
  if (reliable && ops_in_layer.size() >= kFewestLayers) found.count = static_cast<int64_t>(ops_in_layer.size());
  return found;
}

std::optional<size_t> step_of(const std::vector<Step>& steps, int64_t time) {
  const auto after =
      std::partition_point(steps.begin(), steps.end(), [&](const Step& step) { return step.time.begin <= time; });
  if (after == steps.begin() || time >= std::prev(after)->time.end) return std::nullopt;
  return static_cast<size_t>(after - steps.begin()) - 1;
}

RunLayers find_layers(const RunInSession& run) {
  return LayersOfRun(run).take();
}

}  // namespace cgpu
