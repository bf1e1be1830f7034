// Collectives across the ranks of a session: which ops of different ranks are parts of one instance of a collective
// (docs/definitions.md, "Instances of collectives").
//
// The ops of one name and group form a series, with a list of parts for each member. The collectives of a group run in
// the same order on all members, so parts are matched by their recorded sequence number, else by their position in the
// list. Lists of unequal length (profiles that began or ended at different moments) are shifted to where the ends agree
// best. Clocks of different members are never compared: adding a constant to all times of a member changes nothing. O(n
// log n) in the communication ops, O(n) in the slices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// The op of one member in one instance.
struct CollectivePart {
  SliceIndex slice = kNone;
  uint32_t instance = 0;
  const Collective* record = nullptr;  // what the profile says about it; may be null
};

/// A device of a run; for collectives of the host, a process of a run.
struct CollectiveMember {
  uint32_t run = 0;     // index into Session::runs
  int32_t device = -1;  // -1: the host
  std::vector<CollectivePart> parts;
};

struct CollectiveSeries {
  std::string name;                  // as recorded, else as the kernel's name says
  std::optional<std::string> group;  // absent where not recorded
  uint32_t instances = 0;
  std::vector<CollectiveMember> members;  // in the order of the runs
};

/// Communication on devices, ordered by name and group. Points into `session`.
std::vector<CollectiveSeries> device_collectives(const Session& session);

/// Blocking collectives of the host (MPI, Gloo) that end together (see below), without those nested in another such
/// call.
std::vector<CollectiveSeries> host_collectives(const Session& session);

/// By instance, when the last member began it: ns on the common clock of the runs (common_time.h).
std::vector<int64_t> last_starts(const Session& session, const CollectiveSeries& series);

/// Whether no member can finish such a collective before the last one has entered it, so that all end at about the same
/// moment: all-reduce, all-gather, reduce-scatter, all-to-all, barrier.
bool ends_together(std::string_view collective);

}  // namespace cgpu
