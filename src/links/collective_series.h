// Collectives over the members of a session: which ops of different ranks are parts of one instance.
//
// The ops of a name and a group form a series, one list of parts a member. Collectives of a group run in the same order
// on all of its members, so parts are matched by their recorded sequence number, else by their place; lists of unequal
// length (profiles that began or ended at different moments) are laid where the ends agree best. None of this compares
// clocks of different members: adding a constant to all times of a member changes nothing.
// O(n log n) in the communication ops, O(n) in the slices; (docs/definitions.md, "Instances of collectives").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// What one member did for one instance.
struct CollectivePart {
  SliceIndex slice = kNone;
  uint32_t instance = 0;
  const Collective* record = nullptr;  // what the profile says of it; may be null
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

/// Calls by which the host itself waits for all others: blocking collectives of MPI and Gloo of the kind that
/// ends_together. Only those that stand in no other such call.
std::vector<CollectiveSeries> host_collectives(const Session& session);

/// Whether no member can finish such a collective before the last one has begun, so that all end at about the same
/// moment: all-reduce, all-gather, reduce-scatter, all-to-all, barrier.
bool ends_together(std::string_view collective);

}  // namespace cgpu
