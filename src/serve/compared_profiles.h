// Two opened profiles compared, for the viewer's endpoints: what changed, which time of one corresponds to a time of
// the other, and which slice of one is the same work as a slice of the other. Read by any number of threads at once.
//
// Costs what a Comparison and its time maps cost, and 16 bytes a device op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison/alignment/time_map.h"
#include "comparison/comparison.h"
#include "serve/profile.h"

namespace cgpu {

class ComparedProfiles {
 public:
  /// Both must outlive this.
  ComparedProfiles(const Profile& a, const Profile& b);

  const Profile& profile(Side side) const { return *profiles_[side]; }
  const Comparison& comparison() const { return comparison_; }
  /// One for each pair of ranks that are compared.
  const std::vector<TimesOfRanks>& times() const { return times_; }

  /// A slice of the other side that is the same work in the iteration of the same number.
  struct Partner {
    std::optional<Status> status = {};  // of the device work; absent of what has none, and outside of the compared time
    std::string key = {};               // what the work is called
    size_t run = 0;
    SliceIndex slice = kNone;  // kNone where there is none
  };
  /// Of a device op, or an op of a host that is compared as a device, its partner; of a slice of the host, by the first
  /// device op that was launched in it, the call that launched the partner, or what lies around that call under the
  /// same name. O(device ops) for a slice of the host.
  Partner partner_of(Side side, size_t run, SliceIndex slice) const;

  /// A device op of A and its partner.
  struct AlignedOps {
    PerSide<size_t> run;
    PerSide<SliceIndex> slice;
    int64_t longer = 0;  // ns, of the one that takes longer
  };
  /// Of the ops of A that are in a time from the start of its session, what took longest first. O(device ops + found
  /// log found).
  std::vector<AlignedOps> aligned_in(Interval time) const;

  /// How the device ops, or ops of the host, of a name changed, over all compared iterations.
  struct NameChange {
    uint32_t name = 0;            // as TimelineView::names numbers it on its side
    std::optional<double> ratio;  // time of B over that of A: of work of both sides, and of work that is in the
                                  // place of other work; absent where this side alone has any
  };
  /// By their numbers. O(device ops log device ops).
  std::vector<NameChange> name_changes(Side side) const;

 private:
  /// An occurrence of a device op: its node in the aligned work, and where it ran.
  struct OpOccurrence {
    uint32_t node;
    uint32_t iteration;
    uint32_t run;
    OpIndex op;
    auto operator<=>(const OpOccurrence&) const = default;
  };

  void list_ops(size_t group, Side side);
  Partner partner_of_op(Side side, size_t run, OpIndex op) const;
  const Slices& slices(Side side, size_t run) const { return profiles_[side]->session().runs[run].timeline.slices; }

  PerSide<const Profile*> profiles_;
  Comparison comparison_;
  std::vector<TimesOfRanks> times_;
  PerSide<std::vector<uint32_t>> group_of_run_;
  PerSide<std::vector<std::vector<OpOccurrence>>> op_occurrences_;  // by group, sorted
};

}  // namespace cgpu
