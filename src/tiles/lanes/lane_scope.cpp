#include "tiles/lanes/lane_scope.h"

#include <algorithm>
#include <optional>

#include "analysis/session_clock.h"
#include "base/to_size.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

std::vector<int64_t> zeros_of(const Session& session, const std::vector<RunFacts>& facts) {
  std::vector<std::optional<Interval>> extents;
  for (const RunFacts& run : facts) extents.push_back(run.slices.extent ? run.slices.extent : run.events);
  return time_zeros(session, extents);
}

}  // namespace

LaneScope::LaneScope(const SessionFacts& facts, std::vector<RunFacts> of_runs)
    : facts_(facts),
      session_(facts.session()),
      zeros_(zeros_of(session_, of_runs)),
      tracks_(session_, of_runs),
      names_(session_),
      devices_(session_.runs.size()),
      sorted_ops_(session_.runs.size()) {
  for (size_t run = 0; run < session_.runs.size(); ++run) {
    if (!of_runs[run].ops.in_file_order) {
      const std::vector<SliceIndex>& ops = session_.runs[run].timeline.device_ops.slice;
      for (OpIndex op = 0; op < ops.size(); ++op) sorted_ops_[run].emplace_back(ops[op], op);
      std::sort(sorted_ops_[run].begin(), sorted_ops_[run].end());
    }
    for (const std::optional<Interval>& extent : {of_runs[run].slices.extent, of_runs[run].events}) {
      if (extent) span_ = std::max(span_, extent->end - zeros_[run]);
    }
    for (auto& [device, of_device] : of_runs[run].ops.devices) devices_[run][device].ops = std::move(of_device.ops);
  }
}

const DeviceTimes& LaneScope::device_times(const ViewTrack& track) const {
  const Device& device = device_of(track);
  return device.times.get([&] { return DeviceTimes(timeline_of(track), device.ops); });
}

OpIndex LaneScope::op_of(size_t run, SliceIndex slice) const {
  const std::vector<std::pair<SliceIndex, OpIndex>>& sorted = sorted_ops_[run];
  if (!sorted.empty()) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair<SliceIndex, OpIndex>(slice, 0));
    return at != sorted.end() && at->first == slice ? at->second : kNone;
  }
  const std::vector<SliceIndex>& ops = session_.runs[run].timeline.device_ops.slice;
  const auto at = std::lower_bound(ops.begin(), ops.end(), slice);
  return at != ops.end() && *at == slice ? static_cast<OpIndex>(at - ops.begin()) : kNone;
}

std::vector<SliceIndex> LaneScope::slices_of(const ViewTrack& track) const {
  const Timeline& timeline = timeline_of(track);
  std::vector<SliceIndex> slices;
  slices.reserve(to_size(*track.slices));
  for (SliceIndex slice = track.first; slice <= track.last && slices.size() < *track.slices; ++slice) {
    if (timeline.slices.track[slice] == track.source && part_of(timeline, slice) == track.part) slices.push_back(slice);
  }
  return slices;
}

SliceStyle LaneScope::style_of(size_t run, SliceIndex slice) const {
  const Timeline& timeline = session_.runs[run].timeline;
  const SliceKind kind = timeline.kind(slice);
  uint8_t kernel_class = 0;
  if (is_device_op(kind)) {
    const OpIndex op = op_of(run, slice);
    const KernelClass of_kind = kind == SliceKind::memcpy   ? KernelClass::copy
                                : kind == SliceKind::memset ? KernelClass::set
                                : op == kNone               ? KernelClass::unknown
                                              : static_cast<KernelClass>(timeline.device_ops.kernel_class[op]);
    kernel_class = static_cast<uint8_t>(of_kind);
  }
  return {names_.of(run, timeline.slices.name[slice]), colour_of(static_cast<uint8_t>(kind), kernel_class)};
}

}  // namespace cgpu
