#include "comparison/run_work.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "analysis/common/nesting.h"
#include "analysis/device/device_ops.h"
#include "analysis/op_shapes/recorded_inputs.h"

namespace cgpu {

namespace {

/// By slice: whether a mark of an iteration lies in it, so that it is no part of one iteration.
std::vector<bool> around_marks(const Timeline& timeline, const std::vector<Step>& steps) {
  std::vector<bool> around(timeline.slices.size());
  for (const Step& step : steps) {
    for (SliceIndex slice = step.mark; slice != kNone && !around[slice]; slice = timeline.slices.parent[slice]) {
      around[slice] = true;
    }
  }
  return around;
}

/// How many ops around device work say what it is for.
constexpr size_t kOpsAround = 4;

bool are_of_unlike_types(const RecordedInputs& inputs) {
  const auto a = inputs.tensor(0);
  const auto b = inputs.tensor(1);
  return a && b && std::tie(a->type.size, a->type.peak) != std::tie(b->type.size, b->type.peak);
}

}  // namespace

RunWork::RunWork(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations,
                 const Options& options, Labels& labels)
    : options_(options), iterations_(iterations.size()) {
  add_items(facts, run, iterations);
  const Timeline& timeline = facts.run(run).timeline;
  if (options_.devices_apart) set_devices(timeline);
  LabelsOfNames label_of(labels, timeline, options_.host.has_value());
  for (WorkItem& item : items_) item.label = label_of(item.slice);
  read_inputs(facts.run(run), labels);
  find_natures(timeline);
  put_in_order(timeline.slices);
}

void RunWork::add_items(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations) {
  const Timeline& timeline = facts.run(run).timeline;
  const std::vector<bool> excluded = around_marks(timeline, facts.steps(run));
  const auto is_level = [&](SliceIndex slice) {
    const SliceKind kind = timeline.kind(slice);
    const bool is_kind = kind == SliceKind::framework_op || kind == SliceKind::annotation ||
                         (options_.host && is_unit(*options_.host, kind));
    return is_kind && !excluded[slice] && is_plausible(timeline, slice);
  };
  const std::vector<SliceIndex> above = nearest_above(timeline.slices, is_level);
  item_of_op_.assign(timeline.device_ops.size(), kNone);
  item_of_slice_.assign(timeline.slices.size(), kNone);
  add_device_work(timeline, iterations, above);
  if (options_.all_ops) add_other_ops(timeline, iterations, above, excluded);
  item_of_slice_ = {};
  // What lies in an annotation that began in another iteration is in the iteration of the annotation's first work: all
  // below a root is in its iteration.
  for (uint32_t item = 0; item < items_.size(); ++item) {
    uint32_t root = item;
    while (items_[root].parent != kNone) root = items_[root].parent;
    items_[item].iteration = items_[root].iteration;
  }
}

void RunWork::add_device_work(const Timeline& timeline, const std::vector<Iteration>& iterations,
                              const std::vector<SliceIndex>& above) {
  const Slices& slices = timeline.slices;
  bool has_ops = false;
  for_each_device_op(timeline, [&](OpIndex, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    has_ops = has_ops || (call != kNone && above[call] != kNone);
  });
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    if (options_.host && item_of_slice_[call] != kNone) {  // another piece
      item_of_op_[op] = item_of_slice_[call];
      items_[item_of_op_[op]].duration += slices.duration[device_op];
      return;
    }
    const auto iteration = call == kNone || !is_marked(iterations)
                               ? iteration_at(iterations, &Iteration::time, slices.start[device_op])
                               : iteration_at(iterations, &Iteration::mark, slices.start[call]);
    if (!iteration) return;
    item_of_op_[op] = static_cast<uint32_t>(items_.size());
    if (options_.host) item_of_slice_[call] = item_of_op_[op];
    items_.push_back({.slice = device_op,
                      .op = op,
                      .iteration = *iteration,
                      .kind = options_.host              ? WorkKind::host_time
                              : has_ops && call == kNone ? WorkKind::orphan
                                                         : WorkKind::device_op,
                      .kernel_class = class_of(timeline, op),
                      .duration = slices.duration[device_op]});
    turn_.push_back(call == kNone ? slices.start[device_op] : slices.start[call]);
    add_levels(item_of_op_[op], call == kNone ? kNone : above[call], timeline, above);
  });
}

void RunWork::add_other_ops(const Timeline& timeline, const std::vector<Iteration>& iterations,
                            const std::vector<SliceIndex>& above, const std::vector<bool>& excluded) {
  const Slices& slices = timeline.slices;
  const auto intervals = is_marked(iterations) ? &Iteration::mark : &Iteration::time;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (timeline.kind(slice) != SliceKind::framework_op || !is_plausible(timeline, slice)) continue;
    if (excluded[slice] || item_of_slice_[slice] != kNone) continue;
    const auto iteration = iteration_at(iterations, intervals, slices.start[slice]);
    if (!iteration) continue;
    const auto item = static_cast<uint32_t>(items_.size());
    item_of_slice_[slice] = item;
    items_.push_back({.slice = slice, .iteration = *iteration});
    turn_.push_back(slices.start[slice]);
    add_levels(item, above[slice], timeline, above);
  }
}

/// The host slices around an item, from the inside out, as far as they are not known yet.
void RunWork::add_levels(uint32_t item, SliceIndex innermost, const Timeline& timeline,
                         const std::vector<SliceIndex>& above) {
  uint32_t below = item;
  for (SliceIndex slice = innermost; slice != kNone; slice = above[slice]) {
    if (item_of_slice_[slice] != kNone) {
      items_[below].parent = item_of_slice_[slice];
      return;
    }
    item_of_slice_[slice] = static_cast<uint32_t>(items_.size());
    items_[below].parent = item_of_slice_[slice];
    below = item_of_slice_[slice];
    const bool is_op = timeline.kind(slice) != SliceKind::annotation || options_.host == HostUnit::all;
    items_.push_back(
        {.slice = slice, .iteration = items_[item].iteration, .kind = is_op ? WorkKind::op : WorkKind::annotation});
    turn_.push_back(timeline.slices.start[slice]);
  }
}

void RunWork::set_devices(const Timeline& timeline) {
  std::map<int32_t, uint32_t> places;
  for (const int32_t device : timeline.device_ops.device) places.try_emplace(device);
  uint32_t next = 0;
  for (auto& [device, place] : places) place = next++;
  std::vector<bool> known(items_.size());
  for (uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].op == kNone) continue;
    const uint32_t device = places[timeline.device_ops.device[items_[i].op]];
    // An op of the host belongs to the device of the first work in it.
    for (uint32_t item = i; item != kNone && !known[item]; item = items_[item].parent) {
      items_[item].device = device;
      known[item] = true;
    }
  }
}

void RunWork::read_inputs(const Run& run, Labels& labels) {
  std::vector<uint32_t> ops;
  std::vector<uint64_t> sources;
  for (uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].kind != WorkKind::op || run.timeline.slices.source[items_[i].slice] == kNoSource) continue;
    ops.push_back(i);
    sources.push_back(run.timeline.slices.source[items_[i].slice]);
  }
  if (!run.arguments || ops.empty()) return;
  ArgumentReader reader(run.arguments.get(), 0, InputKeys::wanted());
  const InputKeys keys(reader);
  std::string text;
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    const InputTexts texts = keys.texts(arguments);
    if (texts.shapes.empty()) return;
    text.assign(texts.shapes);
    WorkItem& item = items_[ops[i]];
    item.shapes = labels.of_text(text);
    if (run.timeline.name(item.slice) == "aten::copy_") item.casts = are_of_unlike_types(RecordedInputs(texts));
  });
}

void RunWork::find_natures(const Timeline& timeline) {
  std::vector<std::optional<NatureOfName>> of_name(timeline.names.size());
  std::vector<std::string_view> ops;
  for (WorkItem& item : items_) {
    if (!is_device_work(item.kind)) continue;
    ops.clear();
    for (uint32_t above = item.parent; above != kNone && ops.size() < kOpsAround; above = items_[above].parent) {
      if (items_[above].kind == WorkKind::op) ops.push_back(timeline.name(items_[above].slice));
    }
    const bool casts = item.parent != kNone && items_[item.parent].casts;
    std::optional<NatureOfName>& name = of_name[timeline.slices.name[item.slice]];
    if (!name) name = nature_of_name(timeline.name(item.slice));
    // The time that a host spends in an op has the name of that op, where transpose makes another view.
    const bool in_own_op = !ops.empty() && ops.front() == timeline.name(item.slice);
    item.nature = nature_of(item.kernel_class, {name->layouts && !in_own_op, name->casts}, ops, casts);
  }
}

void RunWork::put_in_order(const Slices& slices) {
  const size_t lists = iterations_ + items_.size();
  begin_.assign(lists + 1, 0);
  const auto list_of = [&](const WorkItem& item) {
    return item.parent == kNone ? size_t{item.iteration} : iterations_ + item.parent;
  };
  for (const WorkItem& item : items_) ++begin_[list_of(item) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  order_.resize(items_.size());
  std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (uint32_t item = 0; item < items_.size(); ++item) order_[next[list_of(items_[item])]++] = item;
  const auto before = [&](uint32_t a, uint32_t b) {
    const bool orphan_a = items_[a].kind == WorkKind::orphan;
    const bool orphan_b = items_[b].kind == WorkKind::orphan;
    if (orphan_a != orphan_b) return orphan_b;
    if (items_[a].device != items_[b].device) return items_[a].device < items_[b].device;
    if (turn_[a] != turn_[b]) return turn_[a] < turn_[b];
    // What one call launched, in the order in which it ran.
    return slices.start[items_[a].slice] < slices.start[items_[b].slice];
  };
  for (size_t list = 0; list < lists; ++list) {
    const auto first = order_.begin() + begin_[list];
    const auto last = order_.begin() + begin_[list + 1];
    if (!std::is_sorted(first, last, before)) std::stable_sort(first, last, before);
  }
  turn_ = {};
}

}  // namespace cgpu
