#include "links/forward_backward.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_runs.h"

namespace cgpu {

namespace {

using Place = std::pair<TrackIndex, int64_t>;

/// Framework ops by where they begin; of several, the one that comes last in the file (the innermost).
class OpsByPlace {
 public:
  explicit OpsByPlace(const Timeline& timeline) {
    const Slices& slices = timeline.slices;
    for (const LinkHints::Sequence& hint : timeline.hints.sequence) {
      ops_.emplace_back(Place(slices.track[hint.slice], slices.start[hint.slice]), hint.slice);
    }
    sort_runs(ops_);
  }

  SliceIndex at(TrackIndex track, int64_t time) const {
    const auto after = std::upper_bound(ops_.begin(), ops_.end(), std::pair(Place(track, time), kNone));
    if (after == ops_.begin() || std::prev(after)->first != Place(track, time)) return kNone;
    return std::prev(after)->second;
  }

 private:
  std::vector<std::pair<Place, SliceIndex>> ops_;
};

void link_by_flows(Run& run, const std::vector<LinkHints::Flow>& flows) {
  Timeline& timeline = run.timeline;
  const OpsByPlace ops(timeline);
  std::unordered_map<int64_t, SliceIndex> forward;
  for (const LinkHints::Flow& flow : flows) {
    if (flow.start) forward[flow.id] = ops.at(flow.track, flow.time);
  }
  int64_t unmatched = 0;
  for (const LinkHints::Flow& flow : flows) {
    if (flow.start) continue;
    const auto from = forward.find(flow.id);
    const SliceIndex to = ops.at(flow.track, flow.time);
    if (from == forward.end() || from->second == kNone || to == kNone) {
      ++unmatched;
    } else {
      timeline.links.push_back({Link::Kind::forward_backward, from->second, to});
    }
  }
  run.notes.add("unmatched_flow", unmatched, "forward-backward flows without an op at one of their ends");
}

void link_by_sequence(Timeline& timeline) {
  const Slices& slices = timeline.slices;
  struct Pair {
    SliceIndex forward = kNone;
    SliceIndex backward = kNone;
  };
  std::unordered_map<int64_t, Pair> pairs;
  for (const LinkHints::Sequence& hint : timeline.hints.sequence) {
    Pair& pair = pairs[hint.number];
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
  std::sort(timeline.links.begin(), timeline.links.end(),
            [](const Link& a, const Link& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
}

}  // namespace

void link_forward_backward(Run& run) {
  std::vector<LinkHints::Flow> flows;
  std::copy_if(run.timeline.hints.flows.begin(), run.timeline.hints.flows.end(), std::back_inserter(flows),
               [](const LinkHints::Flow& flow) { return flow.forward_backward; });
  if (flows.empty()) {
    link_by_sequence(run.timeline);
  } else {
    link_by_flows(run, flows);
  }
}

}  // namespace cgpu
