#include "links/forward_backward.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_runs.h"

namespace cgpu {

namespace {

/// One end of a flow and the op that begins there.
using FlowOp = std::pair<int64_t, SliceIndex>;

/// The op at the end of each flow, sorted by flow: of several the last in the file (the innermost), kNone for none.
/// `ops` come in the order of place_of.
template <typename PlaceOf>
std::vector<FlowOp> ops_at(const std::vector<SliceIndex>& ops, PlaceOf place_of,
                           std::vector<ForwardBackwardHints::FlowEnd> flows) {
  sort_runs(flows);
  std::vector<FlowOp> ends;
  ends.reserve(flows.size());
  auto op = ops.begin();
  for (const ForwardBackwardHints::FlowEnd& flow : flows) {
    const std::pair place{flow.track, flow.time};
    while (op != ops.end() && place_of(*op) <= place) ++op;
    const bool found = op != ops.begin() && place_of(*std::prev(op)) == place;
    ends.emplace_back(flow.id, found ? *std::prev(op) : kNone);
  }
  sort_runs(ends);
  return ends;
}

int64_t link_by_flows(Timeline& timeline, ForwardBackwardHints hints) {
  const Slices& slices = timeline.slices;
  const auto place_of = [&](SliceIndex op) { return std::pair(slices.track[op], slices.start[op]); };
  sort_runs(hints.ops, [&](SliceIndex a, SliceIndex b) {
    const auto place_a = place_of(a);
    const auto place_b = place_of(b);
    return place_a != place_b ? place_a < place_b : a < b;
  });
  const std::vector<FlowOp> forward = ops_at(hints.ops, place_of, std::move(hints.starts));
  const std::vector<FlowOp> backward = ops_at(hints.ops, place_of, std::move(hints.finishes));
  int64_t unmatched = 0;
  auto from = forward.begin();
  for (const auto& [id, to] : backward) {
    while (from != forward.end() && from->first < id) ++from;
    if (from == forward.end() || from->first != id || from->second == kNone || to == kNone) {
      ++unmatched;
    } else {
      timeline.links.push_back({Link::Kind::forward_backward, from->second, to});
    }
  }
  return unmatched;
}

void link_by_sequence(Timeline& timeline, const std::vector<LinkHints::Sequence>& sequence) {
  const Slices& slices = timeline.slices;
  struct Ops {
    SliceIndex forward = kNone;
    SliceIndex backward = kNone;
  };
  std::unordered_map<int64_t, Ops> pairs;
  for (const LinkHints::Sequence& hint : sequence) {
    Ops& pair = pairs[hint.number];
    const auto begins = [&](SliceIndex i) { return slices.start[i]; };
    if (!hint.backward) {
      if (pair.forward == kNone || begins(hint.slice) >= begins(pair.forward)) pair.forward = hint.slice;
    } else {
      if (pair.backward == kNone || begins(hint.slice) < begins(pair.backward)) pair.backward = hint.slice;
    }
  }
  for (const auto& [number, pair] : pairs) {
    if (pair.forward == kNone || pair.backward == kNone) continue;
    if (slices.start[pair.backward] < slices.end(pair.forward)) continue;
    timeline.links.push_back({Link::Kind::forward_backward, pair.forward, pair.backward});
  }
}

}  // namespace

ForwardBackwardHints take_forward_backward_hints(Timeline& timeline) {
  ForwardBackwardHints taken;
  std::vector<LinkHints::Flow>& flows = timeline.hints.flows;
  for (const LinkHints::Flow& flow : flows) {
    if (flow.forward_backward) (flow.start ? taken.starts : taken.finishes).push_back({flow.track, flow.time, flow.id});
  }
  taken.sequence = std::exchange(timeline.hints.sequence, {});
  if (taken.starts.empty() && taken.finishes.empty()) return taken;
  std::erase_if(flows, [](const LinkHints::Flow& flow) { return flow.forward_backward; });
  flows.shrink_to_fit();
  taken.ops.reserve(taken.sequence.size());
  for (const LinkHints::Sequence& hint : taken.sequence) taken.ops.push_back(hint.slice);
  taken.sequence = {};
  return taken;
}

int64_t link_forward_backward(Timeline& timeline, ForwardBackwardHints hints) {
  int64_t unmatched = 0;
  if (!hints.starts.empty() || !hints.finishes.empty()) {
    unmatched = link_by_flows(timeline, std::move(hints));
  } else {
    link_by_sequence(timeline, hints.sequence);
  }
  std::sort(timeline.links.begin(), timeline.links.end(),
            [](const Link& a, const Link& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return unmatched;
}

}  // namespace cgpu
