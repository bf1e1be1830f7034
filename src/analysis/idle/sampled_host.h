// What a thread did as samples of its call stack show, where a profile does not say which call launched the op after a
// gap, or has nothing else of what the thread that launched it did before: of each sample the innermost function that
// names a cause of idle time, with its callers where the profile has a call tree. O(n log n) in the samples once; a
// question about an interval costs O(log n) and the samples in it.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "analysis/idle/idle_causes.h"
#include "base/interval_set.h"
#include "model/call_tree.h"
#include "model/timeline.h"

namespace cgpu {

class SampledHost {
 public:
  /// `tree` may be null.
  SampledHost(const Timeline& timeline, const CallTree* tree);

  /// The thread that is asked for a stream: the first of the tracks of its process that has samples; kNone for none.
  TrackIndex thread_of(TrackIndex stream) const;
  /// Calls visit(time, cause, sample) for the parts of `time` that a sample of the thread represents, in order;
  /// host_code where its functions name no other cause. Where calls of the thread were recorded too, a sample
  /// represents no time before the last moment at which one of them began or ended: what the sample shows began after
  /// it.
  template <typename Visit>
  void for_each_piece(TrackIndex thread, Interval time, Visit visit) const {
    const std::vector<Piece>& pieces = pieces_[samples_of_[thread]];
    auto piece =
        std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.time.end <= time.begin; });
    for (; piece != pieces.end() && piece->time.begin < time.end; ++piece) {
      visit(Interval{std::max(piece->time.begin, time.begin), std::min(piece->time.end, time.end)}, piece->cause,
            piece->sample);
    }
  }

 private:
  struct Piece {
    Interval time;
    IdleCause cause;
    SliceIndex sample;
  };
  const Timeline& timeline_;
  std::vector<std::vector<Piece>> pieces_;  // by track, sorted and disjoint
  std::vector<TrackIndex> samples_of_;      // by track: itself, or the track of the samples of its thread
};

}  // namespace cgpu
