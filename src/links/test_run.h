// For tests: a run put together slice by slice.
#pragma once

#include <string>
#include <string_view>

#include "model/run.h"

namespace cgpu::test {

/// Adds slices with everything that a reader would fill; the columns of links/ are sized by `finish`.
class RunBuilder {
 public:
  SliceIndex add(SliceKind kind, std::string_view name, int64_t start, int64_t end, TrackIndex track = 0,
                 int64_t correlation = kNoCorrelation) {
    Timeline& t = run.timeline;
    while (t.tracks.size() <= track) t.tracks.emplace_back().process = "1";
    size_t category = 0;
    while (category < t.categories.size() && t.categories[category].kind != kind) ++category;
    if (category == t.categories.size()) t.categories.push_back({"category", kind});
    t.slices.append({.start = start,
                     .duration = end - start,
                     .correlation = correlation,
                     .name = t.names.intern(name),
                     .track = track,
                     .category = static_cast<uint16_t>(category)});
    return static_cast<SliceIndex>(t.slices.size() - 1);
  }

  SliceIndex add_op(SliceKind kind, std::string_view name, int64_t start, int64_t end, int64_t correlation,
                    int32_t device = 0, int64_t stream = 7, TrackIndex track = 1) {
    const SliceIndex slice = add(kind, name, start, end, track, correlation);
    run.timeline.device_ops.append({.slice = slice, .device = device, .stream = stream});
    return slice;
  }

  /// Sizes the columns that links/ fills.
  void finish() {
    Slices& slices = run.timeline.slices;
    slices.parent.assign(slices.size(), kNone);
    slices.launch.assign(slices.size(), kNone);
    run.timeline.device_ops.kind.resize(run.timeline.device_ops.size());
    run.timeline.device_ops.kernel_class.resize(run.timeline.device_ops.size());
  }

  Run run;
};

}  // namespace cgpu::test
