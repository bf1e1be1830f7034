#include "serve/compared_profiles.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "model/plausible.h"

namespace cgpu {

namespace {

bool is_in(const Slices& slices, SliceIndex inner, SliceIndex outer) {
  while (inner != kNone && inner != outer) inner = slices.parent[inner];
  return inner == outer;
}

/// The device op whose call was the first in a slice of the host; kNone where there is none.
OpIndex first_op_launched_in(const Timeline& timeline, SliceIndex slice) {
  const Slices& slices = timeline.slices;
  OpIndex first = kNone;
  int64_t earliest = 0;
  for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) {
    const SliceIndex call = launch_of(timeline, timeline.device_ops.slice[op]);
    if (call == kNone || slices.track[call] != slices.track[slice] || slices.start[call] < slices.start[slice] ||
        slices.end(call) > slices.end(slice) || (first != kNone && slices.start[call] >= earliest) ||
        !is_in(slices, call, slice)) {
      continue;
    }
    first = op;
    earliest = slices.start[call];
  }
  return first;
}

/// How many slices between a call and one around it have the name of that one.
size_t named_between(const Timeline& timeline, SliceIndex outer, SliceIndex call) {
  size_t count = 0;
  for (SliceIndex at = call; at != outer; at = timeline.slices.parent[at]) {
    count += timeline.name(at) == timeline.name(outer) ? 1 : 0;
  }
  return count;
}

/// The slice of a name around a call that has `between` of that name inside itself; kNone where there is none.
SliceIndex around(const Timeline& timeline, SliceIndex call, std::string_view name, size_t between) {
  for (SliceIndex at = call; at != kNone; at = timeline.slices.parent[at]) {
    if (timeline.name(at) == name && between-- == 0) return at;
  }
  return kNone;
}

/// By replacement, how much time of the other side replaces 1 ns of this side, of an iteration.
std::vector<double> times_of_replacements(const Comparison& comparison, const Comparison::Group& group, Side side) {
  PerSide<std::vector<double>> times;
  for (const Side each : kSides) {
    times[each].resize(group.alignment->replacements().size());
    const auto windows = static_cast<double>(comparison.totals(each).divisor());
    for (uint32_t index = 0; index < group.work[each]->nodes().size(); ++index) {
      const WorkNode& node = group.work[each]->node(index);
      const uint32_t replacement = group.alignment->node(each, index).replacement;
      if (replacement == kNone || !is_device_work(node.kind)) continue;
      times[each][replacement] += static_cast<double>(node.duration) / windows;
    }
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < times.a.size(); ++i) {
    ratios.push_back(times[side][i] > 0 ? times[other(side)][i] / times[side][i] : 0);
  }
  return ratios;
}

}  // namespace

ComparedProfiles::ComparedProfiles(const Profile& a, const Profile& b)
    : profiles_{&a, &b}, comparison_(a.facts(), b.facts()), times_(times_of_ranks(comparison_)) {
  for (const Side side : kSides) {
    group_of_run_[side].assign(profiles_[side]->session().runs.size(), kNone);
    op_occurrences_[side].resize(comparison_.groups().size());
    for (size_t group = 0; group < comparison_.groups().size(); ++group) list_ops(group, side);
  }
}

void ComparedProfiles::list_ops(size_t group, Side side) {
  std::vector<OpOccurrence>& occurrences = op_occurrences_[side][group];
  for (const size_t run : comparison_.groups()[group].runs[side]) {
    group_of_run_[side][run] = static_cast<uint32_t>(group);
    const std::vector<uint32_t>& nodes = comparison_.nodes_of_ops(side, run);
    const std::vector<uint32_t>& iterations = comparison_.iterations_of_ops(side, run);
    for (OpIndex op = 0; op < nodes.size(); ++op) {
      if (nodes[op] != kNone) occurrences.push_back({nodes[op], iterations[op], static_cast<uint32_t>(run), op});
    }
  }
  std::sort(occurrences.begin(), occurrences.end());
}

ComparedProfiles::Partner ComparedProfiles::partner_of_op(Side side, size_t run, OpIndex op) const {
  Partner partner;
  const uint32_t group = group_of_run_[side][run];
  const uint32_t node = group == kNone ? kNone : comparison_.nodes_of_ops(side, run)[op];
  if (node == kNone) return partner;
  const Comparison::Group& compared = comparison_.groups()[group];
  const AlignedNode& aligned = compared.alignment->node(side, node);
  partner.status = aligned.status;
  partner.key = comparison_.text(compared.work[side]->node(node).label);
  if (aligned.partner == kNone) return partner;
  const std::vector<OpOccurrence>& theirs = op_occurrences_[other(side)][group];
  const uint32_t iteration = comparison_.iterations_of_ops(side, run)[op];
  // Where a group has several runs a side, that of the same place in the list of runs.
  const OpOccurrence wanted{aligned.partner, iteration, static_cast<uint32_t>(run), 0};
  const auto is_same_work = [&](const OpOccurrence& occurrence) {
    return occurrence.node == aligned.partner && occurrence.iteration == iteration;
  };
  auto found = std::lower_bound(theirs.begin(), theirs.end(), wanted);
  if (found == theirs.end() || !is_same_work(*found)) {
    found = std::lower_bound(theirs.begin(), theirs.end(), OpOccurrence{aligned.partner, iteration, 0, 0});
    if (found == theirs.end() || !is_same_work(*found)) return partner;
  }
  partner.run = found->run;
  const Timeline& their_timeline = comparison_.facts(other(side)).run(found->run).timeline;
  partner.slice = comparison_.original_slice(other(side), found->run, their_timeline.device_ops.slice[found->op]);
  return partner;
}

ComparedProfiles::Partner ComparedProfiles::partner_of(Side side, size_t run, SliceIndex slice) const {
  const Profile& profile = *profiles_[side];
  const HostWork* host = comparison_.host(side);
  const OpIndex own = host == nullptr ? profile.view().op_of(run, slice) : host->first_piece_of(run, slice);
  if (own != kNone) return partner_of_op(side, run, own);
  const Timeline& timeline = profile.session().runs[run].timeline;
  if (!is_host(timeline.kind(slice))) return {};
  const OpIndex first = first_op_launched_in(timeline, slice);
  if (first == kNone) return {};
  Partner partner = partner_of_op(side, run, first);
  partner.key = timeline.name(slice);
  if (partner.slice == kNone) return partner;
  const Timeline& theirs = profiles_[other(side)]->session().runs[partner.run].timeline;
  const SliceIndex call = launch_of(timeline, timeline.device_ops.slice[first]);
  const SliceIndex their_call = launch_of(theirs, partner.slice);
  if (call == slice || their_call == kNone) {
    partner.slice = their_call;
  } else {
    partner.slice = around(theirs, their_call, timeline.name(slice), named_between(timeline, slice, call));
  }
  return partner;
}

std::vector<ComparedProfiles::AlignedOps> ComparedProfiles::aligned_in(Interval time) const {
  std::vector<AlignedOps> found;
  for (size_t run = 0; run < profiles_.a->session().runs.size(); ++run) {
    const Timeline& timeline = comparison_.facts(Side::a).run(run).timeline;
    const std::vector<SliceIndex>& ops = timeline.device_ops.slice;
    const HostWork* host = comparison_.host(Side::a);
    const int64_t zero = profiles_.a->view().zero(run);
    for (OpIndex op = 0; op < ops.size(); ++op) {
      const SliceIndex slice = comparison_.original_slice(Side::a, run, ops[op]);
      if (host != nullptr && !host->is_first_piece(run, op)) continue;
      const Slices& own = slices(Side::a, run);
      if (own.start[slice] - zero >= time.end || own.end(slice) - zero <= time.begin) continue;
      const Partner partner = partner_of_op(Side::a, run, op);
      if (partner.slice == kNone) continue;
      const int64_t theirs = slices(Side::b, partner.run).duration[partner.slice];
      found.push_back({{run, partner.run}, {slice, partner.slice}, std::max(own.duration[slice], theirs)});
    }
  }
  std::ranges::stable_sort(found, [](const AlignedOps& x, const AlignedOps& y) { return x.longer > y.longer; });
  return found;
}

std::vector<ComparedProfiles::NameChange> ComparedProfiles::name_changes(Side side) const {
  const Profile& profile = *profiles_[side];
  struct Times {
    double own = 0;  // of ops with a partner, or with other work in their place
    double theirs = 0;
  };
  std::map<uint32_t, Times> by_name;
  for (size_t group = 0; group < comparison_.groups().size(); ++group) {
    const Comparison::Group& compared = comparison_.groups()[group];
    const std::vector<double> replaced = times_of_replacements(comparison_, compared, side);
    for (const OpOccurrence& occurrence : op_occurrences_[side][group]) {
      const Timeline& timeline = comparison_.facts(side).run(occurrence.run).timeline;
      const SliceIndex slice = timeline.device_ops.slice[occurrence.op];
      const StringId name = profile.session()
                                .runs[occurrence.run]
                                .timeline.slices.name[comparison_.original_slice(side, occurrence.run, slice)];
      Times& times = by_name[profile.view().names().of(occurrence.run, name)];
      const AlignedNode& aligned = compared.alignment->node(side, occurrence.node);
      const auto own = static_cast<double>(timeline.slices.duration[slice]);
      double theirs = 0;
      if (aligned.partner != kNone) {
        const WorkNode& node = compared.work[other(side)]->node(aligned.partner);
        theirs = node.count == 0 ? 0 : static_cast<double>(node.duration) / static_cast<double>(node.count);
      } else if (aligned.replacement != kNone) {
        theirs = own * replaced[aligned.replacement];
      }
      if (theirs <= 0) continue;
      times.own += own;
      times.theirs += theirs;
    }
  }
  std::vector<NameChange> changes;
  for (const auto& [name, times] : by_name) {
    const double a = side == Side::a ? times.own : times.theirs;
    const double b = side == Side::a ? times.theirs : times.own;
    changes.push_back({name, a > 0 && b > 0 ? std::optional(b / a) : std::nullopt});
  }
  return changes;
}

}  // namespace cgpu
