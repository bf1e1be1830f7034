// Slices that the viewer derives from the profile and shows on tracks of their own.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/interval_set.h"
#include "model/run.h"

namespace cgpu {

/// Columns of equal length, in order of the starts, which are on the run's clock.
struct DerivedSlices {
  std::vector<int64_t> start;
  std::vector<int64_t> duration;
  std::vector<uint32_t> name;      // a number whose meaning depends on the lane that made the slices
  std::vector<SliceIndex> origin;  // the slice of the run that it was derived from

  size_t size() const { return start.size(); }
  void reserve(size_t count) {
    start.reserve(count);
    duration.reserve(count);
    name.reserve(count);
    origin.reserve(count);
  }
  void add(Interval time, uint32_t name_number, SliceIndex from) {
    start.push_back(time.begin);
    duration.push_back(time.end - time.begin);
    name.push_back(name_number);
    origin.push_back(from);
  }
};

/// The slices of one derived track. Lanes that know more of theirs derive from it.
struct LaneSlices {
  DerivedSlices slices;
  std::vector<uint32_t> lane;  // of each slice, where those of a lane do not overlap; empty: laid out by their times
  std::vector<SliceIndex> parent;  // of each slice the one above it; empty: none is nested

  LaneSlices() = default;
  explicit LaneSlices(DerivedSlices derived) : slices(std::move(derived)) {}
  LaneSlices(LaneSlices&&) = default;
  LaneSlices& operator=(LaneSlices&&) = default;
  virtual ~LaneSlices() = default;
};

}  // namespace cgpu
