// The copies between hosts and devices in the time that a diagnosis judges: what each costs, and what it could cost.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/device/device_ops.h"
#include "model/run.h"

namespace cgpu {

class RuleContext;

struct HostCopy {
  size_t run = 0;  // of the session
  int32_t device = 0;
  SliceIndex slice = kNone;
  SliceIndex call = kNone;  // that launched it
  CopyKind kind = CopyKind::HtoD;
  MemoryKind memory = MemoryKind::unknown;  // of the host
  int64_t bytes = -1;                       // -1 where it is not known
  bool is_mean = false;                     // these are known on average alone
  bool blocks = false;                      // its call returns only after it, or the thread then waits for it
  bool is_awaited = false;                  // the latter: another call waits for it
  int64_t time = 0;                         // ns
  double link = 0;                          // the rate of the link of its run (host_link_rate)
  /// ns of the copy and its call; of one that blocks without what the call waits for before the copy begins.
  int64_t cost = 0;
  /// Whether its neighbour on the stream is one of the same direction, and nothing else was launched between them.
  bool has_neighbour = false;
};

/// Those that run in the judged periods. O(device ops log device ops). RuleContext::host_copies has them once for all.
std::vector<HostCopy> judged_copies(RuleContext& context);

/// Pages of managed memory that moved in the judged periods.
struct Migrations {
  int64_t count = 0;
  int64_t bytes = 0;    // of those that say it
  int64_t time = 0;     // ns
  int64_t exposed = 0;  // ns in which devices do nothing else than copy
};
/// O(device ops log device ops).
Migrations judged_migrations(RuleContext& context);

/// Small copies to the host, each alone in its stream, for which another call then waits: values that are read one by
/// one, as by item().
struct ReadValues {
  int64_t count = 0;
  bool are_nearly_all = false;  // of the time of all copies
};
ReadValues read_values(const std::vector<HostCopy>& copies, double small_copy);

/// GB/s (bytes a nanosecond) of the link between host and devices, by the data sheet of the only model of the run; 0
/// where none states it. O(device ops).
double host_link_rate(const Run& run);

/// ns that a copy takes at least: its bytes at the rate of the link. Where the link or the bytes are not known half of
/// its time (twice the rate); of pageable memory a sixth, as page-locked memory was in
/// examples/h100/copies_pinned.json.gz.
double least_time_of_copy(const Timeline& timeline, OpIndex op, double link);

}  // namespace cgpu
