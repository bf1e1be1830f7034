#include "comparison/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "analysis/analysis.h"
#include "analysis/device/device_ops.h"
#include "analysis/steps/repeated_sequence.h"
#include "base/error.h"
#include "base/threads.h"
#include "comparison/alignment/numbered_names.h"
#include "comparison/sides/repeated_iterations.h"
#include "table/unicode.h"

namespace cgpu {

const char* text_of(CauseKind kind) {
  switch (kind) {
    case CauseKind::op:
      return "op";
    case CauseKind::removed:
      return "removed";
    case CauseKind::added:
      return "added";
    case CauseKind::replaced:
      return "replaced";
    case CauseKind::orphan:
      return "orphan";
    case CauseKind::waiting:
      return "waiting";
    case CauseKind::idle:
      return "idle";
  }
  return "";
}

namespace {

/// "3 x aten::add + aten::mul": the work of these nodes by name, in the order in which each comes first.
std::string words_of(const MergedWork& work, const std::vector<uint32_t>& nodes,
                     const std::function<std::string(Label)>& spelt) {
  std::vector<std::pair<Label, int>> counted;
  std::unordered_map<Label, size_t> place_of;  // in `counted`
  for (const uint32_t node : nodes) {
    const Label name = work.node(node).label;
    const auto [found, is_new] = place_of.try_emplace(name, counted.size());
    if (is_new) counted.emplace_back(name, 0);
    ++counted[found->second].second;
  }
  constexpr size_t kMostNames = 4;
  std::string words;
  for (size_t i = 0; i < counted.size() && i < kMostNames; ++i) {
    if (i > 0) words += " + ";
    if (counted[i].second > 1) words += fmt::format("{} x ", counted[i].second);
    words += spelt(counted[i].first);
  }
  if (counted.size() > kMostNames) words += fmt::format(" + {} more", counted.size() - kMostNames);
  return words;
}

}  // namespace

Comparison::Comparison(const SessionFacts& a, const SessionFacts& b, const ComparisonOptions& options)
    : original_{&a, &b}, facts_{&a, &b} {
  if (options.findings_ahead) find_findings_ahead();
  find_hosts();
  labels_.keep_numbers_of(numbered_names({&original_.a->session(), &original_.b->session()}));
  find_times(options.steps);
  pair_runs();
  for (Group& group : groups_) align(group);
  for (const Side side : kSides) {
    ends_of_waits_[side] = cgpu::ends_of_waits(*facts_[side]);
    causes_of_ops_[side].resize(facts_[side]->session().runs.size());
  }
  for (size_t group = 0; group < groups_.size(); ++group) {
    for (const Side side : kSides) {
      for (const size_t run : groups_[group].runs[side]) add_owners(group, side, run);
    }
  }
  name_causes();
}

const Table& Comparison::table_of(const SessionFacts& facts, const char* name, Once<Table>& table) const {
  return table.get([&] { return make_table(find_analysis(name), facts); });
}

void Comparison::find_findings_ahead() {
  for (const Side side : kSides) {
    // The alignment and the findings need them: they are read once, on all threads.
    for (const Run& run : original_[side]->session().runs) original_[side]->op_groups(run);
    findings_ahead_[side] = in_background([this, side] { findings(side); });
  }
}

void Comparison::find_hosts() {
  const PerSide<bool> on_device{has_device_work(original_.a->session()), has_device_work(original_.b->session())};
  if (on_device.a && on_device.b) return;
  for (const HostUnit unit : {HostUnit::framework_ops, HostUnit::all}) {
    // The ops of a device are framework ops.
    if (unit == HostUnit::all && (on_device.a || on_device.b)) return;
    const auto has_work = [&](Side side) { return on_device[side] || has_host_work(original_[side]->session(), unit); };
    if (!has_work(Side::a) || !has_work(Side::b)) continue;
    for (const Side side : kSides) {
      if (on_device[side]) continue;
      hosts_[side] = std::make_unique<HostWork>(*original_[side], unit);
      facts_[side] = &hosts_[side]->facts();
    }
    return;
  }
}

void Comparison::find_times(std::optional<NumberRange> steps) {
  const auto has_steps = [&](Side side) {
    const size_t runs = facts_[side]->session().runs.size();
    for (size_t run = 0; run < runs; ++run) {
      if (!facts_[side]->steps(run).empty()) return true;
    }
    return false;
  };
  per_iteration_ = has_steps(Side::a) && has_steps(Side::b);
  if (!per_iteration_ && !steps) find_repetitions();
  for (const Side side : kSides) {
    if (steps && !has_steps(side)) throw Error("--step: a profile has no steps (no ranges that mark them)");
    const size_t runs = facts_[side]->session().runs.size();
    for (size_t run = 0; run < runs && !by_repetition_; ++run) {
      times_[side].push_back(compared_time(*facts_[side], run, per_iteration_, steps));
    }
  }
  if (per_iteration_ && !by_repetition_ && !steps) keep_common_steps();
  for (const Side side : kSides) {
    SideTotals& totals = totals_[side];
    const SessionFacts& facts = *facts_[side];
    for (size_t run = 0; run < facts.session().runs.size(); ++run) {
      const ComparedTime& time = times_[side][run];
      const auto devices = ops_by_device(facts.run(run).timeline).size();
      std::vector<int64_t>& lengths = totals.iteration_times.emplace_back();
      for (const Iteration& iteration : time.iterations) {
        lengths.push_back(iteration.time.end - iteration.time.begin);
        totals.time += lengths.back() * static_cast<int64_t>(devices);
      }
      totals.iterations += static_cast<int64_t>(time.iterations.size());
      totals.device_iterations += static_cast<int64_t>(time.iterations.size() * devices);
      totals.devices += devices;
      totals.warm_up += time.warm_up;
      totals.cut_short += time.cut_short ? 1 : 0;
    }
    if (steps && totals.iterations == 0) {
      throw Error(fmt::format("--step: {} has no such step", side == Side::a ? "A" : "B"));
    }
  }
}

void Comparison::keep_common_steps() {
  if (times_.a.size() != times_.b.size()) return;
  const auto are_same = [](const Step& a, const Step& b) { return a.number == b.number; };
  for (size_t run = 0; run < times_.a.size(); ++run) {
    if (!std::ranges::equal(facts_.a->steps(run), facts_.b->steps(run), are_same)) continue;
    std::set<int64_t> all;
    for (const Step& step : facts_.a->steps(run)) all.insert(step.number);
    if (all.size() < facts_.a->steps(run).size()) continue;  // numbers come again, as in each epoch
    PerSide<std::set<std::optional<int64_t>>> numbers;
    for (const Side side : kSides) {
      for (const Iteration& iteration : times_[side][run].iterations) numbers[side].insert(iteration.number);
    }
    const auto is_common = [&](const Iteration& one) {
      return numbers.a.contains(one.number) && numbers.b.contains(one.number);
    };
    if (std::ranges::none_of(times_.a[run].iterations, is_common)) continue;
    for (const Side side : kSides) {
      ComparedTime& time = times_[side][run];
      const auto first = std::ranges::find_if(time.iterations, is_common);
      time.warm_up += static_cast<size_t>(first - time.iterations.begin());
      time.cut_short = time.cut_short || !is_common(time.iterations.back());
      std::erase_if(time.iterations, std::not_fn(is_common));
    }
  }
}

void Comparison::find_repetitions() {
  if (is_host_vs_device()) return;
  if (facts_.a->session().runs.size() != facts_.b->session().runs.size()) return;
  PerSide<std::vector<ComparedTime>> found = repeated_iterations(facts_, hosts_.a != nullptr, labels_);
  // Where both repeat equally often, all of both can be compared, and is where they do something else, too.
  bool nothing_else = true;
  for (size_t run = 0; run < found.a.size(); ++run) {
    by_repetition_ = by_repetition_ || found.a[run].iterations.size() != found.b[run].iterations.size();
    for (const Side side : kSides) {
      int64_t repeated = 0;
      for (const Iteration& one : found[side][run].iterations) repeated += one.time.end - one.time.begin;
      const Interval all = compared_time(*facts_[side], run, false, {}).iterations.front().time;
      const auto count = static_cast<int64_t>(found[side][run].iterations.size());
      nothing_else = nothing_else && is_all_repeated(all.end - all.begin, repeated, count);
    }
  }
  by_repetition_ = by_repetition_ || (nothing_else && !found.a.empty());
  if (!by_repetition_) return;
  per_iteration_ = true;
  times_ = std::move(found);
}

void Comparison::pair_runs() {
  const size_t runs_a = facts_.a->session().runs.size();
  const size_t runs_b = facts_.b->session().runs.size();
  if (runs_a == runs_b) {
    groups_.resize(runs_a);
    for (size_t run = 0; run < runs_a; ++run) groups_[run].runs = {{run}, {run}};
    return;
  }
  groups_.resize(1);
  groups_[0].runs.a.resize(runs_a);
  groups_[0].runs.b.resize(runs_b);
  for (const Side side : kSides) std::iota(groups_[0].runs[side].begin(), groups_[0].runs[side].end(), size_t{0});
}

void Comparison::align(Group& group) {
  // Devices are kept apart where both sides have equally many, so that each is compared with its like.
  std::set<size_t> devices;
  for (const Side side : kSides) {
    for (const size_t run : group.runs[side]) devices.insert(ops_by_device(facts_[side]->run(run).timeline).size());
  }
  const bool devices_apart = devices.size() == 1;
  for (const Side side : kSides) {
    nodes_of_ops_[side].resize(facts_[side]->session().runs.size());
    labels_of_ops_[side].resize(facts_[side]->session().runs.size());
    iterations_of_ops_[side].resize(facts_[side]->session().runs.size());
    group.work[side] = std::make_unique<MergedWork>(labels_);
    for (const size_t run : group.runs[side]) {
      const std::vector<Iteration>& iterations = times_[side][run].iterations;
      RunWork::Options options{.devices_apart = devices_apart, .all_ops = hosts_.a || hosts_.b};
      if (hosts_[side]) options.host = hosts_[side]->unit();
      const RunWork work(*facts_[side], run, iterations, options, labels_);
      const std::vector<uint32_t> node_of_item = group.work[side]->add(work, iterations.size());
      const size_t ops = facts_[side]->run(run).timeline.device_ops.size();
      nodes_of_ops_[side][run].assign(ops, kNone);
      labels_of_ops_[side][run].resize(ops);
      iterations_of_ops_[side][run].resize(ops);
      for (OpIndex op = 0; op < ops; ++op) {
        const uint32_t item = work.item_of(op);
        if (item == kNone) continue;
        nodes_of_ops_[side][run][op] = node_of_item[item];
        labels_of_ops_[side][run][op] = work.item(item).label;
        iterations_of_ops_[side][run][op] = work.item(item).iteration;
      }
    }
    for (const WorkNode& node : group.work[side]->nodes()) totals_[side].device_ops += node.count;
  }
  group.alignment = std::make_unique<Alignment>(*group.work.a, *group.work.b, labels_);
}

uint32_t Comparison::cause(CauseKind kind, Spell spell, WorkNature nature) {
  const std::string key = spell([&](Label label) { return std::string(labels_.key(label)); });
  const auto [found, is_new] = cause_by_key_.try_emplace(fmt::format("{}{}\n{}", text_of(kind), text_of(nature), key),
                                                         static_cast<uint32_t>(causes_.size()));
  if (is_new) {
    Cause& cause = causes_.emplace_back(Cause{.kind = kind, .nature = nature});
    for (const Side side : kSides) cause.by_run[side].resize(facts_[side]->session().runs.size());
    spellings_.push_back(std::move(spell));
  }
  return found->second;
}

template <typename MakeText>
uint32_t Comparison::cause_of_work(const WorkCause& what, const MakeText& text) {
  const auto [found, is_new] = causes_of_work_.try_emplace(what, kNone);
  if (is_new) found->second = cause(what.kind, text, what.nature);
  return found->second;
}

void Comparison::name_causes() {
  constexpr size_t kWidestName = 48;
  for (size_t i = 0; i < causes_.size(); ++i) {
    causes_[i].key = spellings_[i]([&](Label label) { return std::string(labels_.text(label)); });
    if (causes_[i].nature != WorkNature::computes) causes_[i].key += fmt::format(" ({})", text_of(causes_[i].nature));
    causes_[i].shown = spellings_[i]([&](Label label) { return shorten(labels_.text(label), kWidestName); });
  }
  spellings_ = {};
  cause_by_key_ = {};
  causes_of_work_ = {};
}

bool Comparison::has(Side side, Label name, WorkNature nature) {
  const auto key = [](Label label, WorkNature of) { return uint64_t{label} << 8 | static_cast<uint64_t>(of); };
  if (works_[side].empty()) {
    for (const Group& group : groups_) {
      const MergedWork& work = *group.work[side];
      for (const WorkNode& node : work.nodes()) {
        if (!is_device_work(node.kind)) continue;
        works_[side].insert(key(node.label, node.nature));
        for (uint32_t above = node.parent; above != kNone; above = work.node(above).parent) {
          works_[side].insert(key(work.node(above).label, node.nature));
        }
      }
    }
  }
  return works_[side].contains(key(name, nature));
}

uint32_t Comparison::cause_of(size_t group, Side side, uint32_t index) {
  const Alignment& alignment = *groups_[group].alignment;
  const PerSide<std::unique_ptr<MergedWork>>& works = groups_[group].work;
  const MergedWork& work = *works[side];
  const WorkNode& node = work.node(index);
  const AlignedNode& aligned = alignment.node(side, index);
  if (node.kind == WorkKind::orphan) {
    const WorkCause what{.kind = CauseKind::orphan, .names = {static_cast<uint32_t>(node.kernel_class)}};
    return cause_of_work(
        what, [kernel_class = node.kernel_class](const Spelt&) { return std::string(text_of(kernel_class)); });
  }
  if (is_host_vs_device() && aligned.place != index && alignment.node(side, aligned.place).partner != kNone) {
    // What an op does on a device is compared with what it does on the host, whatever it consists of.
    const Label op = work.node(aligned.place).label;
    return cause_of_work({.names = {op}}, [op](const Spelt& spelt) { return spelt(op); });
  }
  if (aligned.partner != kNone && side == Side::b) return cause_of(group, Side::a, aligned.partner);
  const Label own = node.label;
  const Label place = aligned.place == index ? 0 : work.node(aligned.place).label;
  const bool alone = place == 0 || labels_.is_host_work_of(own, place);
  const auto inside = [=](const Spelt& spelt, const std::string& what) {
    return alone ? what : spelt(place) + ": " + what;
  };
  if (aligned.partner != kNone) {
    const Label theirs = works.b->node(aligned.partner).label;
    const AlignedNode& there = alignment.node(Side::b, aligned.partner);
    const Label their_place = there.place == aligned.partner ? 0 : works.b->node(there.place).label;
    const uint32_t number = cause_of_work({.names = {own, theirs, place, their_place}}, [=](const Spelt& spelt) {
      const std::string what = own == theirs ? spelt(own) : spelt(own) + " -> " + spelt(theirs);
      if (place == their_place) return inside(spelt, what);
      // Device work that was matched across other ops, as of eager ops against a replayed graph.
      const auto in = [&](Label label) { return label == 0 ? "no op" : spelt(label); };
      return in(place) + " -> " + in(their_place) + ": " + what;
    });
    if (place == their_place) {
      causes_[number].place = place;
      causes_[number].kernel = {own, theirs};
      if (place != 0 || own == theirs) causes_[number].work = place != 0 ? place : own;
    }
    return number;
  }
  const bool covered = aligned.status == Status::both;
  if (aligned.replacement != kNone) {
    const PerSide<std::vector<uint32_t>>& replacement = alignment.replacements()[aligned.replacement];
    const WorkCause stands_for{.kind = CauseKind::replaced,
                               .names = {static_cast<uint32_t>(group), aligned.replacement, covered ? place : 0}};
    const uint32_t number = cause_of_work(stands_for, [=, &works, &replacement](const Spelt& spelt) {
      const std::string what =
          words_of(*works.a, replacement.a, spelt) + " -> " + words_of(*works.b, replacement.b, spelt);
      return covered ? inside(spelt, what) : what;
    });
    if (covered) causes_[number].place = place;
    return number;
  }
  // Of an op that is gone or new, all that it launched.
  const uint32_t op = covered ? alignment.outermost_unmatched(side, index) : kNone;
  const Label what = op != kNone ? work.node(op).label : covered || place == 0 ? own : place;
  const WorkCause one_sided{.kind = side == Side::a ? CauseKind::removed : CauseKind::added,
                            .nature = node.nature,
                            .names = {what, covered ? place : 0, covered ? 1U : 0U}};
  const uint32_t number =
      cause_of_work(one_sided, [=](const Spelt& spelt) { return covered ? inside(spelt, spelt(what)) : spelt(what); });
  if (covered) {
    causes_[number].place = place;
  } else {
    causes_[number].work = what;
  }
  causes_[number].more_often = !covered && has(other(side), what, node.nature);
  return number;
}

void Comparison::add_owners(size_t group, Side side, size_t run) {
  const std::vector<uint32_t>& node_of_op = nodes_of_ops_[side][run];
  const Timeline& timeline = facts_[side]->run(run).timeline;
  const MergedWork& work = *groups_[group].work[side];
  const size_t iterations = times_[side][run].iterations.size();
  std::vector<uint32_t> cause_of_node(work.nodes().size(), kNone);
  const auto of_node = [&](uint32_t node) {
    if (cause_of_node[node] == kNone) cause_of_node[node] = cause_of(group, side, node);
    return cause_of_node[node];
  };
  std::map<std::pair<std::string_view, Label>, uint32_t> idle;
  for_each_attributed_time(
      *facts_[side], run, times_[side][run].iterations, ends_of_waits_[side][run], labels_,
      [&](const AttributedTime& piece) {
        uint32_t number = kNone;
        if (piece.op == kNone) {
          const auto [known, is_new] = idle.try_emplace({piece.cause, piece.culprit}, 0);
          if (is_new) {
            known->second = cause(CauseKind::idle, [why = piece.cause, culprit = piece.culprit](const Spelt& spelt) {
              return culprit == 0 ? std::string(why) : std::string(why) + ": " + spelt(culprit);
            });
          }
          number = known->second;
        } else if (const uint32_t node = node_of_op[piece.op]; node == kNone) {
          number = cause(CauseKind::orphan, [](const Spelt&) { return std::string("(launched in other iterations)"); });
        } else if (piece.waiting) {
          number =
              cause(CauseKind::waiting, [label = work.node(node).label](const Spelt& spelt) { return spelt(label); });
        } else {
          number = of_node(node);
          causes_[number].hidden[side] -= piece.time;
          causes_[number].by_nature[side][static_cast<size_t>(work.node(node).nature)] += piece.time;
        }
        Cause& cause = causes_[number];
        cause.time[side] += piece.time;
        cause.by_run[side][run] += piece.time;
        std::vector<int64_t>& series = cause.by_iteration[side];
        if (series.size() < iterations) series.resize(iterations);
        series[piece.iteration] += piece.time;
        std::optional<Place>& longest = cause.longest[side];
        if (!longest || piece.time > longest->time.end - longest->time.begin) {
          const SliceIndex slice = piece.op == kNone ? kNone : timeline.device_ops.slice[piece.op];
          longest = Place{run, {piece.begin, piece.begin + piece.time}, slice};
          if (piece.op != kNone) longest->kernel_class = class_of(timeline, piece.op);
        }
      });
  std::vector<uint32_t>& cause_of_op = causes_of_ops_[side][run];
  cause_of_op.assign(node_of_op.size(), kNone);
  for (OpIndex op = 0; op < node_of_op.size(); ++op) {
    if (node_of_op[op] == kNone) continue;
    cause_of_op[op] = of_node(node_of_op[op]);
    const SliceIndex slice = timeline.device_ops.slice[op];
    const Interval time{timeline.slices.start[slice], timeline.slices.end(slice)};
    causes_[cause_of_op[op]].hidden[side] += time.end - time.begin - waiting_of(ends_of_waits_[side][run], slice, time);
    if (is_counted(side, run, op)) ++causes_[cause_of_op[op]].count[side];
  }
}

}  // namespace cgpu
