// Table `overlap`: how long the work of one stream and class ran beside that of another one on the same device.
//
// The times of each stream and class are united, so that ops of one class which overlap in their stream count once.
// Then one sweep over all begins and ends of these: where one of several that are active ends, the time since the later
// begin of the two is added for each other one. O(n log n) in the device ops, and as many additions as there are others
// active at an end. The test compares it with intersecting the times of all pairs.
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// Stream, and class of the work.
using OverlapLane = std::pair<int64_t, uint8_t>;

struct LaneTime {
  OverlapLane lane;
  IntervalSet busy;
  int64_t busy_ns = 0;
};

std::vector<LaneTime> lanes_of(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  std::map<OverlapLane, std::vector<OpIndex>> of_lane;
  for (const OpIndex op : ops) {
    of_lane[{timeline.device_ops.stream[op], static_cast<uint8_t>(class_of(timeline, op))}].push_back(op);
  }
  std::vector<LaneTime> lanes;
  for (const auto& [lane, of] : of_lane) {
    IntervalSet busy = busy_time(timeline, of);
    const int64_t busy_ns = busy.length();
    lanes.push_back({lane, std::move(busy), busy_ns});
  }
  return lanes;
}

/// By numbers of lanes, the smaller first: how long both were busy.
std::map<std::pair<uint32_t, uint32_t>, int64_t> times_together(const std::vector<LaneTime>& lanes) {
  struct Edge {
    int64_t time;
    bool begins;  // ends come first, so that what touches does not overlap
    uint32_t lane;
    auto operator<=>(const Edge&) const = default;
  };
  std::vector<Edge> edges;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    for (const Interval& part : lanes[lane].busy.intervals()) {
      edges.push_back({part.begin, true, lane});
      edges.push_back({part.end, false, lane});
    }
  }
  std::sort(edges.begin(), edges.end());
  std::map<std::pair<uint32_t, uint32_t>, int64_t> together;
  std::vector<std::pair<uint32_t, int64_t>> active;  // lane, since when; in order of their begins
  for (const Edge& edge : edges) {
    if (edge.begins) {
      active.emplace_back(edge.lane, edge.time);
      continue;
    }
    const auto ended =
        std::find_if(active.begin(), active.end(), [&](const auto& each) { return each.first == edge.lane; });
    const int64_t since = ended->second;
    active.erase(ended);
    for (const auto& [other, other_since] : active) {
      const int64_t time = edge.time - std::max(since, other_since);
      if (time > 0) together[std::minmax(edge.lane, other)] += time;
    }
  }
  return together;
}

void append_pairs(const RunInSession& run, Table& table) {
  const Timeline& timeline = run.timeline();
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    const std::vector<LaneTime> lanes = lanes_of(timeline, ops);
    for (const auto& [pair, time] : times_together(lanes)) {
      const LaneTime& one = lanes[pair.first];
      const LaneTime& other = lanes[pair.second];
      table.append({run.run().rank, int64_t{device}, one.lane.first,
                    cell(text_of(static_cast<KernelClass>(one.lane.second))), other.lane.first,
                    cell(text_of(static_cast<KernelClass>(other.lane.second))), time, one.busy_ns, other.busy_ns,
                    percent_of(time, std::min(one.busy_ns, other.busy_ns))});
    }
  }
}

void order_pairs(Table& table) {
  sort_most_first(table, "overlap_ns");
}

}  // namespace

Analysis overlap_analysis() {
  return {.name = "overlap",
          .about = "how long work of one stream and class ran beside work of another one of the device, each pair once",
          .columns = {rank_column(), device_column(), stream_column(), key_column("class", "what kind of work it does"),
                      number_column("other_stream", "stream of the other work"),
                      key_column("other_class", "what kind of work that is"),
                      time_column("overlap_ns", "in which both ran"), time_column("busy_ns", "in which the first ran"),
                      time_column("other_busy_ns", "in which the other ran"),
                      real_column("pct", "%", "share of overlap_ns in the shorter of busy_ns and other_busy_ns")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .fold = fold_of<RowsByRun<append_pairs, order_pairs>>};
}

}  // namespace cgpu
