#include "links/launches.h"

#include <algorithm>
#include <array>
#include <compare>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/sort_runs.h"
#include "links/waiting_calls.h"
#include "model/migrations.h"

namespace cgpu {

namespace {

class LaunchLinker {
 public:
  explicit LaunchLinker(Timeline& timeline) : timeline_(timeline), slices_(timeline.slices) {}

  void by_profile() {
    for (const LinkHints::Launch& hint : timeline_.hints.launches) {
      const SliceKind kind = timeline_.kind(hint.op);
      if (is_call(timeline_.kind(hint.call)) && (is_device_op(kind) || kind == SliceKind::synchronization)) {
        slices_.launch[hint.op] = hint.call;
      }
    }
  }

  void by_correlation() {
    std::vector<SliceIndex> calls;
    std::vector<SliceIndex> waits;
    for (SliceIndex i = 0; i < slices_.size(); ++i) {
      if (!is_correlation(slices_.correlation[i])) continue;
      const SliceKind kind = timeline_.kind(i);
      if (is_call(kind)) calls.push_back(i);
      if (kind == SliceKind::synchronization) waits.push_back(i);
    }
    std::vector<SliceIndex> ops;
    for (const SliceIndex op : timeline_.device_ops.slice) {
      if (slices_.launch[op] == kNone && is_correlation(slices_.correlation[op])) ops.push_back(op);
    }
    const auto keyed = [&](SliceIndex i) { return Keyed{slices_.correlation[i], i}; };
    join(calls, ops, keyed);
    join(calls, waits, keyed);
    for (const LinkHints::Record& hint : timeline_.hints.records) {
      auto call = std::partition_point(calls.begin(), calls.end(),
                                       [&](SliceIndex i) { return slices_.correlation[i] < hint.correlation; });
      for (; call != calls.end() && slices_.correlation[*call] == hint.correlation; ++call) {
        if (records_event(timeline_.name(*call))) timeline_.synchronizations[hint.synchronization].record = *call;
      }
    }
  }

  void by_external_id() {
    std::vector<LinkHints::External> calls;
    std::vector<LinkHints::External> ops;
    for (const LinkHints::External& hint : timeline_.hints.external) {
      if (is_device_op(timeline_.kind(hint.slice)) && wants_flow(hint.slice)) ops.push_back(hint);
    }
    if (ops.empty()) return;
    for (const LinkHints::External& hint : timeline_.hints.external) {
      if (is_call(timeline_.kind(hint.slice))) calls.push_back(hint);
    }
    join(calls, ops, [](const LinkHints::External& hint) { return Keyed{hint.id, hint.slice}; });
  }

  void by_flow() {
    std::sort(doubtful_.begin(), doubtful_.end());
    const DeviceOps& ops = timeline_.device_ops;
    const auto wanting = [&](SliceIndex op) { return wants_flow(op); };
    if (doubtful_.empty() && std::none_of(ops.slice.begin(), ops.slice.end(), wanting)) return;
    std::vector<LinkHints::Flow> starts;
    std::vector<LinkHints::Flow> ends;
    for (const LinkHints::Flow& flow : timeline_.hints.flows) {
      if (!flow.forward_backward) (flow.start ? starts : ends).push_back(flow);
    }
    if (ends.empty()) return;
    for (SliceIndex i = 0; i < slices_.size(); ++i) {  // a reader leaves out a start that has the id of its call
      const int64_t id = slices_.correlation[i];
      if (is_correlation(id) && is_call(timeline_.kind(i))) {
        starts.push_back({id, slices_.start[i], slices_.track[i], true, false});
      }
    }
    const auto by_id = [](const auto& a, const auto& b) { return a.id < b.id; };
    const auto by_place = [](const auto& a, const auto& b) {
      return std::pair(a.track, a.time) < std::pair(b.track, b.time);
    };
    std::stable_sort(starts.begin(), starts.end(), by_id);
    std::stable_sort(ends.begin(), ends.end(), by_place);
    const std::vector<SliceIndex> calls = calls_by_place();

    for (const SliceIndex op : timeline_.device_ops.slice) {
      const bool doubtful = std::binary_search(doubtful_.begin(), doubtful_.end(), op);
      if (!doubtful && !wants_flow(op)) continue;
      const LinkHints::Flow place{0, slices_.start[op], slices_.track[op], false, false};
      const auto end = std::lower_bound(ends.begin(), ends.end(), place, by_place);
      if (end == ends.end() || end->track != place.track || end->time != place.time) continue;
      if (doubtful && end->id == slices_.correlation[op]) continue;  // the flow is as doubtful
      const auto start = std::lower_bound(starts.begin(), starts.end(), *end, by_id);
      if (start == starts.end() || start->id != end->id) continue;
      const SliceIndex call = call_at(calls, *start);
      if (!doubtful || call != kNone) slices_.launch[op] = call;
    }
  }

  int64_t orphans() const {
    int64_t count = 0;
    for (OpIndex op = 0; op < timeline_.device_ops.size(); ++op) count += lacks_launch(timeline_, op) ? 1 : 0;
    return count;
  }

 private:
  bool wants_flow(SliceIndex op) const {
    return slices_.launch[op] == kNone && !is_correlation(slices_.correlation[op]);
  }

  /// What a slice is joined by, and the slice.
  struct Keyed {
    int64_t key;
    SliceIndex slice;
    auto operator<=>(const Keyed&) const = default;
  };

  /// Gives each op the best of the calls of its key. `keyed` makes a Keyed of an element; profilers write keys nearly
  /// sorted.
  template <typename Element, typename Key>
  void join(std::vector<Element>& calls, std::vector<Element>& ops, Key keyed) {
    const auto less = [&](const Element& a, const Element& b) { return keyed(a) < keyed(b); };
    sort_runs(calls, less);
    sort_runs(ops, less);
    auto call = calls.begin();
    for (const Element& element : ops) {
      const auto [key, op] = keyed(element);
      while (call != calls.end() && keyed(*call).key < key) ++call;
      SliceIndex best = kNone;
      bool doubtful = false;
      for (auto candidate = call; candidate != calls.end() && keyed(*candidate).key == key; ++candidate) {
        const SliceIndex slice = keyed(*candidate).slice;
        if (best != kNone && !is_of_one_process(slice, best)) doubtful = true;
        if (best == kNone || is_better(slice, best, op)) best = slice;
      }
      if (best == kNone) continue;
      slices_.launch[op] = best;
      if (doubtful) doubtful_.push_back(op);
    }
  }

  bool is_of_one_process(SliceIndex a, SliceIndex b) const {
    const TrackIndex of_a = slices_.track[a];
    const TrackIndex of_b = slices_.track[b];
    return of_a == of_b || timeline_.tracks[of_a].process == timeline_.tracks[of_b].process;
  }

  /// Prefers a call that can launch (or, for a synchronization, one that cannot), then one that began before the op,
  /// then the innermost: the one that begins last, is shortest, comes last in the file.
  bool is_better(SliceIndex call, SliceIndex than, SliceIndex op) {
    const bool wait = timeline_.kind(op) == SliceKind::synchronization;
    const auto rank = [&](SliceIndex i) {
      return std::array<int64_t, 5>{launches(i) != wait, slices_.start[i] <= slices_.start[op], slices_.start[i],
                                    -slices_.duration[i], i};
    };
    return rank(call) > rank(than);
  }

  bool launches(SliceIndex call) {
    enum : uint8_t { unknown, no, yes };
    can_launch_.resize(timeline_.names.size(), unknown);
    uint8_t& answer = can_launch_[slices_.name[call]];
    if (answer == unknown) answer = can_launch(timeline_.name(call)) ? yes : no;
    return answer == yes;
  }

  std::vector<SliceIndex> calls_by_place() const {
    std::vector<SliceIndex> calls;
    for (SliceIndex i = 0; i < slices_.size(); ++i) {
      if (is_call(timeline_.kind(i))) calls.push_back(i);
    }
    std::stable_sort(calls.begin(), calls.end(), [&](SliceIndex a, SliceIndex b) {
      return std::pair(slices_.track[a], slices_.start[a]) < std::pair(slices_.track[b], slices_.start[b]);
    });
    return calls;
  }

  /// The innermost call on the flow's track that is open at the flow's time. Only the last 64 that began before it are
  /// looked at, because calls are not nested deeply.
  SliceIndex call_at(const std::vector<SliceIndex>& calls, const LinkHints::Flow& flow) const {
    constexpr std::ptrdiff_t kMostLookedAt = 64;
    const auto after = std::upper_bound(
        calls.begin(), calls.end(), std::pair(flow.track, flow.time), [&](const auto& place, SliceIndex i) {
          return place < std::pair<TrackIndex, int64_t>(slices_.track[i], slices_.start[i]);
        });
    for (auto call = after; call != calls.begin() && after - call < kMostLookedAt;) {
      --call;
      if (slices_.track[*call] != flow.track) break;
      if (slices_.end(*call) >= flow.time) return *call;
    }
    return kNone;
  }

  Timeline& timeline_;
  Slices& slices_;
  std::vector<uint8_t> can_launch_;
  std::vector<SliceIndex> doubtful_;  // ops whose id is that of calls of several processes
};

}  // namespace

bool can_launch(std::string_view call) {
  for (const std::string_view part : {"Launch", "Memcpy", "Memset", "Enqueue", "enqueue", "runFunction", "Prefetch"}) {
    if (contains(call, part)) {
      return !contains(call, "Attribute") && !contains(call, "GetParams") && !contains(call, "SetParams") &&
             !contains(call, "AddMemcpyNode") && !contains(call, "AddMemsetNode");
    }
  }
  return false;
}

void drop_unused_external_ids(Timeline& timeline) {
  std::vector<LinkHints::External>& hints = timeline.hints.external;
  const auto asks = [&](const LinkHints::External& hint) {
    return is_device_op(timeline.kind(hint.slice)) && !is_correlation(timeline.slices.correlation[hint.slice]);
  };
  std::vector<int64_t> asked;
  for (const LinkHints::External& hint : hints) {
    if (asks(hint)) asked.push_back(hint.id);
  }
  sort_runs(asked);
  std::erase_if(
      hints, [&](const LinkHints::External& hint) { return !std::binary_search(asked.begin(), asked.end(), hint.id); });
  hints.shrink_to_fit();
}

void link_launches(Run& run) {
  LaunchLinker linker(run.timeline);
  linker.by_profile();
  if (!run.timeline.hints.all_launches_known) {
    linker.by_correlation();
    linker.by_external_id();
    linker.by_flow();
  }
  run.notes.add("orphan_device_op", linker.orphans(),
                "device ops whose launch call is not in the profile; they count in every total, but belong to no op");
  if (run.timeline.hints.correlation_has_process) {
    auto& ids = run.timeline.slices.correlation;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (is_correlation(ids[i])) ids[i] = ids[i] & ((int64_t{1} << LinkHints::kProcessOfCorrelation) - 1);
    }
  }
}

}  // namespace cgpu
