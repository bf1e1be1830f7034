#include "serve/compared_profiles.h"

#include <algorithm>
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

}  // namespace

ComparedProfiles::ComparedProfiles(const Profile& a, const Profile& b)
    : profiles_{&a, &b}, comparison_(a.facts(), b.facts()), times_(comparison_) {
  for (const Side side : kSides) {
    group_of_run_[side].assign(profiles_[side]->session().runs.size(), kNone);
    doings_[side].resize(comparison_.groups().size());
    for (size_t group = 0; group < comparison_.groups().size(); ++group) list_ops(group, side);
  }
}

void ComparedProfiles::list_ops(size_t group, Side side) {
  std::vector<Doing>& doings = doings_[side][group];
  for (const size_t run : comparison_.groups()[group].runs[side]) {
    group_of_run_[side][run] = static_cast<uint32_t>(group);
    const std::vector<uint32_t>& nodes = comparison_.nodes_of_ops(side, run);
    const std::vector<uint32_t>& iterations = comparison_.iterations_of_ops(side, run);
    for (OpIndex op = 0; op < nodes.size(); ++op) {
      if (nodes[op] != kNone) doings.push_back({nodes[op], iterations[op], static_cast<uint32_t>(run), op});
    }
  }
  std::sort(doings.begin(), doings.end());
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
  const std::vector<Doing>& theirs = doings_[other(side)][group];
  const uint32_t iteration = comparison_.iterations_of_ops(side, run)[op];
  // Where a group has several runs a side, that of the same place in the list of runs.
  const Doing wanted{aligned.partner, iteration, static_cast<uint32_t>(run), 0};
  const auto is_same_work = [&](const Doing& doing) {
    return doing.node == aligned.partner && doing.iteration == iteration;
  };
  auto found = std::lower_bound(theirs.begin(), theirs.end(), wanted);
  if (found == theirs.end() || !is_same_work(*found)) {
    found = std::lower_bound(theirs.begin(), theirs.end(), Doing{aligned.partner, iteration, 0, 0});
    if (found == theirs.end() || !is_same_work(*found)) return partner;
  }
  partner.run = found->run;
  partner.slice = profiles_[other(side)]->session().runs[found->run].timeline.device_ops.slice[found->op];
  return partner;
}

ComparedProfiles::Partner ComparedProfiles::partner_of(Side side, size_t run, SliceIndex slice) const {
  const Profile& profile = *profiles_[side];
  const OpIndex own = profile.view().op_of(run, slice);
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

}  // namespace cgpu
