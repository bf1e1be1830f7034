// The times of slices as the viewer counts them, from the start of the session, and the parents of slices.
#pragma once

#include <cstdint>
#include <span>

#include "model/timeline.h"

namespace cgpu {

/// Start and duration by slice number. Sums saturate at the limits of int64.
class SliceTimes {
 public:
  SliceTimes(std::span<const int64_t> start, std::span<const int64_t> duration, int64_t zero)
      : start_(start.data()), duration_(duration.data()), zero_(zero) {}

  int64_t start(SliceIndex slice) const {
    int64_t time = 0;
    if (!__builtin_sub_overflow(start_[slice], zero_, &time)) return time;
    return zero_ > 0 ? INT64_MIN : INT64_MAX;
  }
  int64_t duration(SliceIndex slice) const { return duration_[slice]; }
  int64_t end(SliceIndex slice) const {
    int64_t time = 0;
    return __builtin_add_overflow(start(slice), duration_[slice], &time) ? INT64_MAX : time;
  }

 private:
  const int64_t* start_;
  const int64_t* duration_;
  int64_t zero_;
};

/// The slice of the same track that contains a slice, if any.
class SliceParents {
 public:
  /// No slice has one.
  SliceParents() = default;
  /// By slice number. Parents on other tracks (work that was handed over by a queue) are left out.
  explicit SliceParents(const Slices& slices) : parent_(slices.parent.data()), track_(slices.track.values()) {}

  SliceIndex of(SliceIndex slice) const {
    if (parent_ == nullptr) return kNone;
    const SliceIndex parent = parent_[slice];
    return parent != kNone && track_[parent] == track_[slice] ? parent : kNone;
  }

 private:
  const SliceIndex* parent_ = nullptr;
  decltype(Slices::track)::Values track_;
};

}  // namespace cgpu
