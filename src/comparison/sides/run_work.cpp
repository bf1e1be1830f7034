#include "comparison/sides/run_work.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "analysis/common/nesting.h"
#include "analysis/device/device_ops.h"
#include "analysis/host/captured_work.h"
#include "analysis/op_shapes/op_groups.h"
#include "base/sort_runs.h"

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

}  // namespace

RunWork::RunWork(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations,
                 const Options& options, Labels& labels)
    : options_(options), iterations_(iterations.size()) {
  find_levels(facts, run);
  const Timeline& timeline = facts.run(run).timeline;
  add_items(timeline, iterations);
  if (options_.devices_apart) set_devices(timeline);
  std::vector<LabelsOfNames> label_of;
  for (const HostLevels& levels : levels_) {
    label_of.emplace_back(labels, levels.run->timeline, options_.host.has_value());
  }
  for (WorkItem& item : items_) item.label = label_of[item.profile](item.slice);
  set_inputs(facts, labels);
  find_natures();
  put_in_order();
  levels_ = {};
}

void RunWork::find_levels(const SessionFacts& facts, size_t number) {
  const Run& run = facts.run(number);
  levels_.resize(1 + run.captured.size());
  levels_[0].run = &run;
  for (size_t i = 0; i < run.captured.size(); ++i) {
    levels_[i + 1].run = &run_of_capture(facts.session(), run, run.captured[i]);
  }
  for (HostLevels& levels : levels_) {
    const Timeline& timeline = levels.run->timeline;
    levels.excluded =
        levels.run == &run ? around_marks(timeline, facts.steps(number)) : std::vector<bool>(timeline.slices.size());
    const auto is_level = [&](SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      const bool is_kind = kind == SliceKind::framework_op || kind == SliceKind::annotation ||
                           (options_.host && is_unit(*options_.host, kind));
      return is_kind && !levels.excluded[slice] && is_plausible(timeline, slice);
    };
    levels.above = nearest_above(timeline.slices, is_level);
    levels.item_of_slice.assign(timeline.slices.size(), kNone);
  }
}

void RunWork::add_items(const Timeline& timeline, const std::vector<Iteration>& iterations) {
  item_of_op_.assign(timeline.device_ops.size(), kNone);
  add_device_work(timeline, iterations);
  if (options_.all_ops) add_other_ops(timeline, iterations);
  // What lies in an annotation that began in another iteration is in the iteration of the annotation's first work: all
  // below a root is in its iteration.
  for (uint32_t item = 0; item < items_.size(); ++item) {
    uint32_t root = item;
    while (items_[root].parent != kNone) root = items_[root].parent;
    items_[item].iteration = items_[root].iteration;
  }
}

void RunWork::add_device_work(const Timeline& timeline, const std::vector<Iteration>& iterations) {
  const Slices& slices = timeline.slices;
  const std::vector<CapturedWork>& captures = levels_[0].run->captured;
  std::vector<bool> captured(timeline.device_ops.size());
  bool has_ops = false;
  for (size_t i = 0; i < captures.size(); ++i) {
    for (const CapturedOp& one : captures[i].ops) {
      captured[one.op] = true;
      has_ops = has_ops || levels_[i + 1].above[one.call] != kNone;
    }
  }
  const auto around = [&](SliceIndex call) { return call == kNone ? kNone : levels_[0].above[call]; };
  for_each_device_op(timeline, [&](OpIndex, SliceIndex device_op) {
    has_ops = has_ops || around(launch_of(timeline, device_op)) != kNone;
  });
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    if (options_.host && levels_[0].item_of_slice[call] != kNone) {  // another piece
      item_of_op_[op] = levels_[0].item_of_slice[call];
      items_[item_of_op_[op]].duration += slices.duration[device_op];
      return;
    }
    const auto iteration = call == kNone || !is_marked(iterations)
                               ? iteration_at(iterations, &Iteration::time, slices.start[device_op])
                               : iteration_at(iterations, &Iteration::mark, slices.start[call]);
    if (!iteration) return;
    item_of_op_[op] = static_cast<uint32_t>(items_.size());
    if (options_.host) levels_[0].item_of_slice[call] = item_of_op_[op];
    items_.push_back({.slice = device_op,
                      .op = op,
                      .iteration = *iteration,
                      .kind = options_.host              ? WorkKind::host_time
                              : has_ops && call == kNone ? WorkKind::orphan
                                                         : WorkKind::device_op,
                      .kernel_class = class_of(timeline, op),
                      .duration = slices.duration[device_op]});
    turn_.push_back({call == kNone ? slices.start[device_op] : slices.start[call], slices.start[device_op]});
    if (!captured[op]) add_levels(item_of_op_[op], 0, around(call));
  });
  for (uint32_t i = 0; i < captures.size(); ++i) add_captured_levels(i + 1, captures[i], timeline);
  if (!captures.empty()) order_uncaptured(timeline, captured);
}

/// The levels of a capture around the ops of its replays, and those of the run around the launches.
void RunWork::add_captured_levels(uint32_t profile, const CapturedWork& work, const Timeline& timeline) {
  HostLevels& levels = levels_[profile];
  uint32_t replay = kNone;
  size_t begin = items_.size();  // of the items of the replay
  for (const CapturedOp& captured : work.ops) {
    const uint32_t item = item_of_op_[captured.op];
    if (item == kNone) continue;
    if (replay != captured.replay) {
      for (; begin < items_.size(); ++begin) {
        if (items_[begin].profile == profile) levels.item_of_slice[items_[begin].slice] = kNone;
      }
      replay = captured.replay;
    }
    turn_[item].in_call = levels.run->timeline.slices.start[captured.call];
    const uint32_t outermost = add_levels(item, profile, levels.above[captured.call]);
    if (outermost != kNone) add_levels(outermost, 0, levels_[0].above[launch_of(timeline, items_[item].slice)]);
  }
}

/// Puts device ops of replays that no capture has behind those that ran before them.
void RunWork::order_uncaptured(const Timeline& timeline, const std::vector<bool>& captured) {
  std::vector<bool> replays(timeline.slices.size());  // by launch
  for (const WorkItem& item : items_) {
    if (item.op != kNone && captured[item.op]) replays[launch_of(timeline, item.slice)] = true;
  }
  std::vector<uint32_t> replayed;
  for (uint32_t item = 0; item < items_.size(); ++item) {
    if (items_[item].op == kNone) continue;
    const SliceIndex launch = launch_of(timeline, items_[item].slice);
    if (launch != kNone && replays[launch]) replayed.push_back(item);
  }
  const auto when = [&](uint32_t item) {
    return std::tuple(launch_of(timeline, items_[item].slice), timeline.slices.start[items_[item].slice], item);
  };
  sort_runs(replayed, [&](uint32_t a, uint32_t b) { return when(a) < when(b); });
  int64_t last = INT64_MIN;
  for (size_t i = 0; i < replayed.size(); ++i) {
    if (i > 0 && std::get<0>(when(replayed[i])) != std::get<0>(when(replayed[i - 1]))) last = INT64_MIN;
    int64_t& in_call = turn_[replayed[i]].in_call;
    if (captured[items_[replayed[i]].op]) {
      last = in_call;
    } else {
      in_call = last;
    }
  }
}

void RunWork::add_other_ops(const Timeline& timeline, const std::vector<Iteration>& iterations) {
  const Slices& slices = timeline.slices;
  HostLevels& levels = levels_[0];
  const auto intervals = is_marked(iterations) ? &Iteration::mark : &Iteration::time;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (timeline.kind(slice) != SliceKind::framework_op || !is_plausible(timeline, slice)) continue;
    if (levels.excluded[slice] || levels.item_of_slice[slice] != kNone) continue;
    const auto iteration = iteration_at(iterations, intervals, slices.start[slice]);
    if (!iteration) continue;
    const auto item = static_cast<uint32_t>(items_.size());
    levels.item_of_slice[slice] = item;
    items_.push_back({.slice = slice, .iteration = *iteration});
    turn_.push_back({slices.start[slice], slices.start[slice]});
    add_levels(item, 0, levels.above[slice]);
  }
}

/// The host slices of a profile around an item, from the inside out, as far as they are not known yet. Returns the
/// outermost item, or kNone where it lies in one that was known.
uint32_t RunWork::add_levels(uint32_t item, uint32_t profile, SliceIndex innermost) {
  HostLevels& levels = levels_[profile];
  const Timeline& timeline = levels.run->timeline;
  uint32_t below = item;
  for (SliceIndex slice = innermost; slice != kNone; slice = levels.above[slice]) {
    if (levels.item_of_slice[slice] != kNone) {
      items_[below].parent = levels.item_of_slice[slice];
      return kNone;
    }
    levels.item_of_slice[slice] = static_cast<uint32_t>(items_.size());
    items_[below].parent = levels.item_of_slice[slice];
    below = levels.item_of_slice[slice];
    const bool is_op = timeline.kind(slice) != SliceKind::annotation || options_.host == HostUnit::all;
    items_.push_back({.slice = slice,
                      .profile = profile,
                      .iteration = items_[item].iteration,
                      .kind = is_op ? WorkKind::op : WorkKind::annotation});
    const int64_t start = timeline.slices.start[slice];
    turn_.push_back({profile == 0 ? start : turn_[item].time, start});
  }
  return below;
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

void RunWork::set_inputs(const SessionFacts& facts, Labels& labels) {
  std::vector<const OpGroups*> groups;  // by profile
  std::vector<std::vector<Label>> shapes;
  for (const HostLevels& levels : levels_) {
    groups.push_back(&facts.op_groups(*levels.run));
    std::vector<Label>& of_group = shapes.emplace_back();
    for (const OpGroups::Group& group : groups.back()->groups)
      of_group.push_back(labels.of_text(std::get<1>(group.key)));
  }
  for (WorkItem& item : items_) {
    if (item.kind != WorkKind::op) continue;
    const uint32_t group = groups[item.profile]->of_slice[item.slice];
    if (group == OpGroups::kNoGroup) continue;
    item.shapes = shapes[item.profile][group];
    item.casts = groups[item.profile]->groups[group].casts;
  }
}

void RunWork::find_natures() {
  std::vector<std::optional<NatureOfName>> of_name(levels_[0].run->timeline.names.size());
  std::vector<std::string_view> ops;
  for (WorkItem& item : items_) {
    if (!is_device_work(item.kind)) continue;
    ops.clear();
    for (uint32_t above = item.parent; above != kNone && ops.size() < kOpsAround; above = items_[above].parent) {
      if (items_[above].kind == WorkKind::op) ops.push_back(timeline_of(items_[above]).name(items_[above].slice));
    }
    const bool casts = item.parent != kNone && items_[item.parent].casts;
    const Timeline& timeline = timeline_of(item);
    std::optional<NatureOfName>& name = of_name[timeline.slices.name[item.slice]];
    if (!name) name = nature_of_name(timeline.name(item.slice));
    // The time that a host spends in an op has the name of that op, where transpose makes another view.
    const bool in_own_op = !ops.empty() && ops.front() == timeline.name(item.slice);
    item.nature = nature_of(item.kernel_class, {name->layouts && !in_own_op, name->casts}, ops, casts);
  }
}

void RunWork::put_in_order() {
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
    return std::tie(turn_[a].time, turn_[a].in_call) < std::tie(turn_[b].time, turn_[b].in_call);
  };
  for (size_t list = 0; list < lists; ++list) {
    const auto first = order_.begin() + begin_[list];
    const auto last = order_.begin() + begin_[list + 1];
    if (!std::is_sorted(first, last, before)) std::stable_sort(first, last, before);
  }
  turn_ = {};
}

}  // namespace cgpu
