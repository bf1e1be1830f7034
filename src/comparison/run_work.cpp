#include "comparison/run_work.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

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

}  // namespace

RunWork::RunWork(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations, bool devices_apart,
                 Labels& labels)
    : iterations_(iterations.size()) {
  add_items(facts, run, iterations);
  const Timeline& timeline = facts.run(run).timeline;
  if (devices_apart) set_devices(timeline);
  LabelsOfNames label_of(labels, timeline);
  for (WorkItem& item : items_) item.label = label_of(item.slice);
  read_shapes(facts.run(run), labels);
  put_in_order(timeline.slices);
}

void RunWork::add_items(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations) {
  const Timeline& timeline = facts.run(run).timeline;
  const Slices& slices = timeline.slices;
  const std::vector<bool> excluded = around_marks(timeline, facts.steps(run));
  bool has_ops = false;
  const auto is_level = [&](SliceIndex slice) {
    const SliceKind kind = timeline.kind(slice);
    return (kind == SliceKind::framework_op || kind == SliceKind::annotation) && !excluded[slice] &&
           is_plausible(timeline, slice);
  };
  const std::vector<SliceIndex> above = nearest_above(slices, is_level);
  std::vector<uint32_t> item_of(slices.size(), kNone);  // of host slices
  for_each_device_op(timeline, [&](OpIndex, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    has_ops = has_ops || (call != kNone && above[call] != kNone);
  });

  for_each_device_op(timeline, [&](OpIndex op, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    const auto iteration = call == kNone || !is_marked(iterations)
                               ? iteration_at(iterations, &Iteration::time, slices.start[device_op])
                               : iteration_at(iterations, &Iteration::mark, slices.start[call]);
    if (!iteration) return;
    WorkItem item{.slice = device_op, .op = op, .iteration = *iteration};
    item.kernel_class = class_of(timeline, op);
    const SliceIndex host = call == kNone ? kNone : above[call];
    item.kind = has_ops && call == kNone ? WorkKind::orphan : WorkKind::device_op;
    // The host slices around it, from the inside out, as far as they are not known yet.
    uint32_t below = static_cast<uint32_t>(items_.size());
    items_.push_back(item);
    turn_.push_back(call == kNone ? slices.start[device_op] : slices.start[call]);
    for (SliceIndex slice = host; slice != kNone; slice = above[slice]) {
      if (item_of[slice] != kNone) {
        items_[below].parent = item_of[slice];
        break;
      }
      item_of[slice] = static_cast<uint32_t>(items_.size());
      items_[below].parent = item_of[slice];
      below = item_of[slice];
      items_.push_back({.slice = slice,
                        .iteration = *iteration,
                        .kind = timeline.kind(slice) == SliceKind::annotation ? WorkKind::annotation : WorkKind::op});
      turn_.push_back(slices.start[slice]);
    }
  });
  // What lies in an annotation that began in another iteration is in the iteration of the annotation's first work: all
  // below a root is in its iteration.
  for (uint32_t item = 0; item < items_.size(); ++item) {
    uint32_t root = item;
    while (items_[root].parent != kNone) root = items_[root].parent;
    items_[item].iteration = items_[root].iteration;
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

void RunWork::read_shapes(const Run& run, Labels& labels) {
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
    items_[ops[i]].shapes = labels.of_text(text);
  });
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
