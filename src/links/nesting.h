// Nesting of host slices: which slice of the same thread contains which.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// Fills Slices::parent of host slices (framework ops, annotations, Python frames, calls): of the host slices of the
/// same track that contain it the innermost, which is the one that begins last, of those the shortest; of equal bounds
/// the earlier in the file is the outer one. Slices that overlap without one containing the other are not nested; where
/// there are none, Track::nested says so. One sort and one pass with a stack for each track.
void nest_host_slices(Timeline& timeline);

/// Whether `a` comes before `b` where those of a thread come outer ones first: in the order of (start, longer first,
/// file).
bool comes_outer_first(const Slices& slices, SliceIndex a, SliceIndex b);

/// The host slices of each thread, outer ones first. One sort a thread, 4 bytes a slice.
class HostSlicesOuterFirst {
 public:
  explicit HostSlicesOuterFirst(const Timeline& timeline);
  std::span<const SliceIndex> of(TrackIndex track) const {
    return {slices_.data() + begin_[track], slices_.data() + begin_[track + 1]};
  }

 private:
  std::vector<SliceIndex> slices_;
  std::vector<SliceIndex> begin_;  // of each track in it, and one more
};

/// Calls visit(slices) for every host thread, with its host slices outer ones first.
void for_each_thread_outer_first(const Timeline& timeline,
                                 const std::function<void(std::span<const SliceIndex>)>& visit);

}  // namespace cgpu
