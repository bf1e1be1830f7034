// What a device did between its collectives, by owner, and how much of each collective compute hid: what is kept of a
// rank to say what the chain through a job goes to (rank_path.cpp) when no timeline is left.
//
// The time before a collective begins where the one that ended last before it ends, as in CollectiveReplay; its owners
// add up to it. O(n log n) in the device ops of a run and for the causes of its gaps, 170 bytes a collective meanwhile;
// a few bytes a collective are kept.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/partial.h"
#include "analysis/ranks/device_cycles.h"

namespace cgpu {

/// Behind the owners of device_cycles.h: communication that is neither of the two collectives.
inline constexpr size_t kOtherCommunication = kTimeOwners;
inline constexpr size_t kGapOwners = kTimeOwners + 1;
inline constexpr size_t kUnknownOwner = static_cast<size_t>(TimeOwner::idle) + static_cast<size_t>(IdleCause::unknown);

struct CollectiveGap {
  std::array<int64_t, kGapOwners> owned_ns{};  // from the end of the collective before
  int64_t hidden_ns = 0;                       // of the collective itself, in which the device computes
};

/// Those of one device, by the places of its collectives in the order of start and duration.
class CollectiveGaps {
 public:
  CollectiveGaps() = default;
  CollectiveGaps(int32_t device, int64_t iterations, const std::vector<CollectiveGap>& gaps);

  int32_t device() const { return device_; }
  /// Whole ones, as those of DeviceCycles.
  int64_t iterations() const { return iterations_; }
  /// Calls visit(place, gap) in the order of the places. Throws Error for bytes that hold no gaps.
  void for_each(const std::function<void(uint32_t place, const CollectiveGap& gap)>& visit) const;

  template <typename Archive>
  void members(Archive& archive) {
    archive(device_, iterations_, gaps_);
    if constexpr (Archive::kIsPositional) gaps_ = from_positional(gaps_);
  }

 private:
  /// Those of version 9 of summaries, as gaps_ has them.
  static std::string from_positional(std::string_view bytes);

  int32_t device_ = 0;
  int64_t iterations_ = 0;
  std::string gaps_;  // a message of columns: the time hidden, a bit for each owner that has time, these times
};

/// Of the devices of a run that have collectives.
std::vector<CollectiveGaps> collective_gaps(const RunInSession& run);

/// As text_of_owner, and "other_communication".
std::string_view text_of_gap_owner(size_t owner);

}  // namespace cgpu
