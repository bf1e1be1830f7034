// Table `ranges`: host annotations by name, with the device work launched inside them. O(n + m d) for
// n slices and m device ops under d nested annotations.
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/host/ranges_above.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct RangesOfName {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t device_ns = 0;
  int64_t device_ops = 0;
  OpIndex last_op = UINT32_MAX;  // while a run is looked at: nested ranges of one name count an op once

  void combine(RangesOfName&& other) {
    count += other.count;
    total_ns += other.total_ns;
    device_ns += other.device_ns;
    device_ops += other.device_ops;
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, total_ns, device_ns, device_ops);
  }
};

class Ranges {
 public:
  Ranges(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    const Slices& slices = timeline.slices;
    ranges_.enter(timeline.names);
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (!is_range(timeline, slice)) continue;
      RangesOfName& ranges = ranges_.of(slices.name[slice]);
      ++ranges.count;
      ranges.total_ns += slices.duration[slice];
    }
    const std::vector<SliceIndex> above = ranges_above(timeline);
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      if (slices.launch[slice] == kNone) return;
      for (SliceIndex at = above[slices.launch[slice]]; at != kNone; at = above[at]) {
        RangesOfName& ranges = ranges_.of(slices.name[at]);
        if (std::exchange(ranges.last_op, op) == op) continue;
        ++ranges.device_ops;
        ranges.device_ns += slices.duration[slice];
      }
    });
  }
  void combine(Ranges&& other) { ranges_.combine(std::move(other.ranges_)); }
  void append_rows(Table& table, const RunIndex&) {
    ranges_.for_each([&](std::string_view name, const RangesOfName& ranges) {
      if (ranges.count == 0) return;
      table.append({cell(name), ranges.count, ranges.total_ns,
                    static_cast<double>(ranges.total_ns) / static_cast<double>(ranges.count), ranges.device_ns,
                    ranges.device_ops});
    });
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(ranges_);
  }

 private:
  GroupsByName<RangesOfName> ranges_;
};

bool is_annotation(SliceKind kind) {
  return kind == SliceKind::annotation;
}

}  // namespace

Analysis ranges_analysis() {
  return {.name = "ranges",
          .about = "annotations of the host (NVTX, record_function, MSTX) by name",
          .aliases = {"nvtx_sum", "nvtxsum", "nvtx_pushpop_sum", "nvtxppsum", "nvtx_startend_sum", "nvtxsesum",
                      "nvtx_gpu_proj_sum"},
          .columns = {key_column("name", "text of the annotation"), count_column("count", "annotations of this name"),
                      time_column("total_ns", "sum of the durations on the host"),
                      real_column("mean_ns", "ns", "mean duration on the host"),
                      time_column("device_ns", "sum of the durations of the device ops launched inside"),
                      count_column("device_ops", "device ops launched inside")},
          .applies = [](const ProfileCounts& counts) { return counts.ranges() > 0; },
          .needs = "annotations on threads of the host",
          .row_slices = {{"name"},
                         [](const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
                           return visit_slices_by_name(facts.session(), is_annotation, nullptr, visit);
                         }},
          .fold = fold_of<Ranges>};
}

}  // namespace cgpu
