#include "links/forward_backward.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_runs.h"

namespace cgpu {

namespace {

/// The track and time at which an op or a flow begins, and its slice or id.
template <typename What>
struct At {
  TrackIndex track;
  int64_t time;
  What what;
  auto operator<=>(const At&) const = default;
};

/// One end of a flow and the op that begins there.
using FlowEnd = std::pair<int64_t, SliceIndex>;

/// The op at the end of each flow, sorted by flow: of several the last in the file (the innermost), kNone for none.
std::vector<FlowEnd> ops_at(const std::vector<At<SliceIndex>>& ops, std::vector<At<int64_t>> flows) {
  sort_runs(flows);
  std::vector<FlowEnd> ends;
  ends.reserve(flows.size());
  auto op = ops.begin();
  for (const At<int64_t>& flow : flows) {
    const At<SliceIndex> last{flow.track, flow.time, kNone};
    while (op != ops.end() && *op < last) ++op;
    const bool found = op != ops.begin() && std::prev(op)->track == flow.track && std::prev(op)->time == flow.time;
    ends.emplace_back(flow.what, found ? std::prev(op)->what : kNone);
  }
  sort_runs(ends);
  return ends;
}

int64_t link_by_flows(Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<At<SliceIndex>> ops;
  ops.reserve(timeline.hints.sequence.size());
  for (const LinkHints::Sequence& hint : timeline.hints.sequence) {
    ops.push_back({slices.track[hint.slice], slices.start[hint.slice], hint.slice});
  }
  sort_runs(ops);
  std::vector<At<int64_t>> starts;
  std::vector<At<int64_t>> finishes;
  for (const LinkHints::Flow& flow : timeline.hints.flows) {
    if (flow.forward_backward) (flow.start ? starts : finishes).push_back({flow.track, flow.time, flow.id});
  }
  const std::vector<FlowEnd> forward = ops_at(ops, std::move(starts));
  const std::vector<FlowEnd> backward = ops_at(ops, std::move(finishes));
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

void link_by_sequence(Timeline& timeline) {
  const Slices& slices = timeline.slices;
  struct Ops {
    SliceIndex forward = kNone;
    SliceIndex backward = kNone;
  };
  std::unordered_map<int64_t, Ops> pairs;
  for (const LinkHints::Sequence& hint : timeline.hints.sequence) {
    Ops& pair = pairs[hint.number];
    const auto begins = [&](SliceIndex i) { return slices.start[i]; };
    if (hint.forward_thread == 0) {
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

int64_t link_forward_backward(Timeline& timeline) {
  const bool flows = std::any_of(timeline.hints.flows.begin(), timeline.hints.flows.end(),
                                 [](const LinkHints::Flow& flow) { return flow.forward_backward; });
  int64_t unmatched = 0;
  if (flows) {
    unmatched = link_by_flows(timeline);
  } else {
    link_by_sequence(timeline);
  }
  std::sort(timeline.links.begin(), timeline.links.end(),
            [](const Link& a, const Link& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return unmatched;
}

}  // namespace cgpu
