#include "readers/trace_event/flows.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/sort_runs.h"

namespace cgpu::trace_event {

namespace {

/// The slices of one thread, for questions that come in order of time.
class Thread {
 public:
  void add(const Slices& slices, SliceIndex slice) { all_.push_back({slices.start[slice], slices.end(slice), slice}); }

  void sort() {
    sort_runs(all_, [](const Bounds& a, const Bounds& b) {
      return std::tuple(a.start, b.end, a.slice) < std::tuple(b.start, a.end, b.slice);
    });
  }

  /// The innermost slice that has begun and not ended, else the innermost that ends at this moment, else kNone.
  SliceIndex around(int64_t time) {
    if (answered_ && time == time_) return answer_;
    for (; next_ < all_.size() && all_[next_].start <= time; ++next_) open_.push_back(all_[next_]);
    while (!open_.empty() && open_.back().end < time) open_.pop_back();
    answered_ = true;
    time_ = time;
    answer_ = open_.empty() ? kNone : open_.back().slice;
    for (auto slice = open_.rbegin(); slice != open_.rend(); ++slice) {
      if (slice->end < time || (slice->end == time && slice->start != time)) continue;
      answer_ = slice->slice;
      break;
    }
    return answer_;
  }

  /// The first slice that begins at this moment or later.
  SliceIndex next(int64_t time) const {
    const auto found = std::lower_bound(all_.begin(), all_.end(), time,
                                        [](const Bounds& slice, int64_t wanted) { return slice.start < wanted; });
    return found == all_.end() ? kNone : found->slice;
  }

 private:
  struct Bounds {
    int64_t start;
    int64_t end;
    SliceIndex slice;
  };
  std::vector<Bounds> all_;
  size_t next_ = 0;
  std::vector<Bounds> open_;
  bool answered_ = false;
  int64_t time_ = 0;
  SliceIndex answer_ = kNone;
};

/// The slice of each flow part, in their order.
std::vector<SliceIndex> slices_of(const std::vector<Part>& flows, const Timeline& timeline) {
  std::map<TrackIndex, Thread> threads;
  for (const Part& flow : flows) threads[flow.track];
  const Slices& slices = timeline.slices;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    const auto thread = threads.find(slices.track[i]);
    if (thread != threads.end()) thread->second.add(slices, i);
  }
  for (auto& [track, thread] : threads) thread.sort();

  std::vector<uint32_t> order(flows.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return flows[a].time < flows[b].time; });
  std::vector<SliceIndex> result(flows.size(), kNone);
  for (const uint32_t i : order) {
    const auto own = std::lower_bound(slices.source.begin(), slices.source.end(), flows[i].source);
    if (own != slices.source.end() && *own == flows[i].source) {  // a slice that says so itself
      result[i] = static_cast<SliceIndex>(own - slices.source.begin());
      continue;
    }
    Thread& thread = threads[flows[i].track];
    if (flows[i].kind == PartKind::flow_finish) result[i] = thread.next(flows[i].time);
    if (result[i] == kNone) result[i] = thread.around(flows[i].time);
  }
  return result;
}

}  // namespace

void link_flows(const Parts& parts, Run& run) {
  std::vector<Part> flows;
  std::copy_if(parts.rows.begin(), parts.rows.end(), std::back_inserter(flows),
               [](const Part& part) { return is_flow(part.kind); });
  if (flows.empty()) return;
  std::stable_sort(flows.begin(), flows.end(),
                   [](const Part& a, const Part& b) { return std::pair(a.key, a.time) < std::pair(b.key, b.time); });
  const std::vector<SliceIndex> slices = slices_of(flows, run.timeline);
  int64_t unmatched = 0;
  bool begun = false;
  SliceIndex from = kNone;
  for (size_t i = 0; i < flows.size(); ++i) {
    if (i > 0 && flows[i].key != flows[i - 1].key) begun = false;
    const bool start = flows[i].kind == PartKind::flow_start;
    const bool links = !start && begun && from != kNone && slices[i] != kNone;
    if (links && from != slices[i]) run.timeline.links.push_back({Link::Kind::flow, from, slices[i]});
    if (!start && !links) ++unmatched;
    if (start || flows[i].kind == PartKind::flow_step) {
      begun = true;
      from = slices[i];
    }
  }
  run.notes.add("unmatched_flow", unmatched, "ends of flows without a beginning, or without a slice at either end");
}

}  // namespace cgpu::trace_event
