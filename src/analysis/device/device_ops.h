// Device ops by device and by stream, and the time that they cover (docs/definitions/device-time.md, "Device ops").
//
// An op is known by its index into Timeline::device_ops. Ops of implausible duration are left out everywhere.
// The ops of a group are in file order. O(n) in the device ops, but busy_time() sorts them where they do not come
// sorted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/interval_set.h"
#include "kernels/kernel_class.h"
#include "model/plausible.h"
#include "model/run.h"

namespace cgpu {

struct StreamId {
  int32_t device = 0;
  int64_t stream = 0;
  auto operator<=>(const StreamId&) const = default;
};

/// What kind of work an op does; copies and memsets are of their class whatever the dictionary says of their names.
KernelClass class_of(const Timeline& timeline, OpIndex op);

/// Device ops in the timeline that has everything around them. Of a session that is a part of another one
/// (Session::whole), that is the timeline that the run was cut out of: it still has their launches and all host slices.
struct OpsInFullRun {
  size_t run = 0;  // index in Session::whole, or in the session itself where it is no part
  const Timeline& timeline;
  std::vector<OpIndex> ops;  // in `timeline`, in the order in which they were given
};
OpsInFullRun ops_in_full_run(const Session& session, size_t run, std::vector<OpIndex> ops);

/// All that count (for_each_device_op).
std::vector<OpIndex> all_ops(const Timeline& timeline);
std::map<int32_t, std::vector<OpIndex>> ops_by_device(const Timeline& timeline);
std::map<StreamId, std::vector<OpIndex>> ops_by_stream(const Timeline& timeline);

/// Which part of the device ops has no launch in the profiles (0..1); 0 where there are no ops.
double share_without_launch(const Session& session);

/// The devices on which something ran: those of the device ops and of the launches that a kernel profiler measured.
std::set<int32_t> used_devices(const Run& run);

/// The union of the times of these ops.
IntervalSet busy_time(const Timeline& timeline, const std::vector<OpIndex>& ops);
/// Of all ops, computed on first use. By one thread; the timeline must outlive it.
class DeviceBusyTime {
 public:
  explicit DeviceBusyTime(const Timeline& timeline) : timeline_(timeline) {}
  const IntervalSet& get() {
    if (!busy_) busy_ = busy_time(timeline_, all_ops(timeline_));
    return *busy_;
  }

 private:
  const Timeline& timeline_;
  std::optional<IntervalSet> busy_;
};

/// From the first start to the last end of these ops; empty at 0 for none.
Interval span_of(const Timeline& timeline, const std::vector<OpIndex>& ops);

}  // namespace cgpu
