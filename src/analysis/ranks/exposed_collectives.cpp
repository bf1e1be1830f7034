// Table `exposed_collectives`: which collectives a device waited for without computing. Each moment of exposed
// communication belongs to one op, so that the rows of a device add up to exposed_comm_ns of gpu_time. O(n log n) in
// the device ops.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

struct Exposed {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t exposed_ns = 0;
  int64_t most_ns = 0;  // exposed, of one op
};

/// How much of `set` lies in intervals that are asked for in order of time.
class LengthInside {
 public:
  explicit LengthInside(const IntervalSet& set) : parts_(set.intervals()) {}
  int64_t of(const Interval& asked) {
    int64_t length = 0;
    while (at_ < parts_.size() && parts_[at_].end <= asked.begin) ++at_;
    for (size_t part = at_; part < parts_.size() && parts_[part].begin < asked.end; ++part) {
      length += std::min(parts_[part].end, asked.end) - std::max(parts_[part].begin, asked.begin);
    }
    return length;
  }

 private:
  const std::vector<Interval>& parts_;
  size_t at_ = 0;
};

/// The parts of one device of a collective and group, which are one series.
using Parts = std::vector<std::pair<SliceIndex, uint32_t>>;  // slice, series

std::map<uint32_t, Exposed> exposed_of(const Slices& slices, Parts parts, const IntervalSet& exposed) {
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const auto& a, const auto& b) { return slices.start[a.first] < slices.start[b.first]; });
  std::map<uint32_t, Exposed> by_series;
  LengthInside inside(exposed);
  int64_t owned_until = INT64_MIN;  // of those that run at once the one that began first owns the time
  for (const auto& [slice, series] : parts) {
    Exposed& sums = by_series[series];
    ++sums.count;
    sums.total_ns += slices.duration[slice];
    const int64_t begin = std::max(owned_until, slices.start[slice]);
    if (slices.end(slice) <= begin) continue;
    owned_until = slices.end(slice);
    const int64_t length = inside.of({begin, owned_until});
    sums.exposed_ns += length;
    sums.most_ns = std::max(sums.most_ns, length);
  }
  return by_series;
}

void append_exposed(const RunInSession& run, Table& table) {
  const Timeline& timeline = run.timeline();
  const std::vector<CollectiveSeries>& all = run.facts.collectives();
  std::map<int32_t, Parts> by_device;
  for (uint32_t series = 0; series < all.size(); ++series) {
    for (const CollectiveMember& member : all[series].members) {
      if (member.run != run.index) continue;
      all[series].for_each_op_of(
          member, [&](const CollectivePart& part) { by_device[member.device].emplace_back(part.slice, series); });
    }
  }
  if (by_device.empty()) return;
  const std::map<int32_t, std::vector<OpIndex>> ops = ops_by_device(timeline);
  for (auto& [device, parts] : by_device) {
    const DeviceTime time = device_time(timeline, ops.at(device));
    const int64_t whole = time.exposed_communication.length();
    std::map<uint32_t, Exposed> by_series = exposed_of(timeline.slices, std::move(parts), time.exposed_communication);
    std::vector<std::pair<uint32_t, Exposed>> rows(by_series.begin(), by_series.end());
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
      return std::tie(a.second.exposed_ns, a.second.total_ns) > std::tie(b.second.exposed_ns, b.second.total_ns);
    });
    for (const auto& [series, sums] : rows) {
      table.append({run.run().rank, int64_t{device}, all[series].name, cell(all[series].group), sums.count,
                    sums.total_ns, sums.exposed_ns, percent_of(sums.exposed_ns, sums.total_ns),
                    percent_of(sums.exposed_ns, whole), sums.most_ns});
    }
  }
}

}  // namespace

Analysis exposed_collectives_analysis() {
  return {
      .name = "exposed_collectives",
      .about = "which collectives run while nothing is computed on their device",
      .columns = {rank_column(), device_column(),
                  key_column("name", "collective, as recorded or as the kernel's name says"),
                  key_column("group", "group of ranks; absent where not recorded"),
                  count_column("count", "collectives on this device"),
                  time_column("total_ns", "sum of their durations"),
                  time_column("exposed_ns",
                              "in which no compute runs; of several at once that which began first counts. The rows "
                              "of a device add up to its exposed_comm_ns in gpu_time"),
                  real_column("exposed_pct", "%", "share of exposed_ns in total_ns"),
                  real_column("pct", "%", "share of exposed_ns in that of the device"),
                  time_column("max_ns", "the most that is exposed of one of them")},
      .applies = [](const ProfileCounts& counts) { return counts.communication; },
      .needs = "communication on devices",
      .fold = fold_of<RowsByRun<append_exposed>>};
}

}  // namespace cgpu
