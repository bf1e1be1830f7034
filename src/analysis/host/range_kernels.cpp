// Table `range_kernels`: the kernels launched in annotations of each name. O(n + m d log p) for n slices, m device ops
// under d nested annotations, and p pairs of an annotation's and a kernel's name.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/duration_table.h"
#include "analysis/host/ranges_above.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The kernels of one name in the annotations of one name.
struct KernelsInRanges {
  int64_t ranges = 0;
  DurationStatistics durations;

  void combine(KernelsInRanges&& other) {
    ranges += other.ranges;
    durations.combine(std::move(other.durations));
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(ranges, durations);
  }
};

class RangeKernels {
 public:
  RangeKernels(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    struct Pair {
      DurationStatistics durations;
      std::set<SliceIndex> ranges;
      SliceIndex last_op = kNone;  // annotations of one name nest: an op counts once
    };
    std::map<std::pair<StringId, StringId>, Pair> pairs;
    const Timeline& timeline = run.timeline();
    const Slices& slices = timeline.slices;
    const std::vector<SliceIndex> above = ranges_above(timeline);
    for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
      if (timeline.kind(op) != SliceKind::kernel || slices.launch[op] == kNone) return;
      for (SliceIndex at = above[slices.launch[op]]; at != kNone; at = above[at]) {
        Pair& pair = pairs[{slices.name[at], slices.name[op]}];
        pair.ranges.insert(at);
        if (std::exchange(pair.last_op, op) != op) pair.durations.add(slices.duration[op]);
      }
    });
    for (auto& [names, pair] : pairs) {
      kernels_[{std::string(timeline.names[names.first]), std::string(timeline.names[names.second])}] = {
          static_cast<int64_t>(pair.ranges.size()), std::move(pair.durations)};
    }
  }
  void combine(RangeKernels&& other) {
    for (auto& [names, kernels] : other.kernels_) kernels_[names].combine(std::move(kernels));
  }
  void append_rows(Table& table, const RunIndex&) {
    int64_t whole = 0;
    for (const auto& [names, kernels] : kernels_) whole += kernels.durations.total();
    for (const auto& [names, kernels] : kernels_) {
      Row row = {names.first, names.second, kernels.ranges};
      append_durations(row, kernels.durations, whole);
      table.append(row);
    }
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(kernels_);
  }

 private:
  std::map<std::pair<std::string, std::string>, KernelsInRanges> kernels_;  // by names of annotation and kernel
};

}  // namespace

Analysis range_kernels_analysis() {
  Analysis analysis{.name = "range_kernels",
                    .about = "time of the kernels launched in annotations of each name",
                    .aliases = {"nvtx_kern_sum", "nvtxkernsum"},
                    .columns = {key_column("range", "text of the annotation"), key_column("name", "name of the kernel"),
                                count_column("ranges", "annotations of this name in which it was launched")},
                    .applies = [](const ProfileCounts& counts) { return counts.launched && counts.ranges() > 0; },
                    .fold = fold_of<RangeKernels>};
  append_duration_columns(analysis.columns, "kernels, each counted once a name of annotation");
  return analysis;
}

}  // namespace cgpu
