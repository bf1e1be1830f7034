// A run: what one profile (one rank) says, whichever profiler wrote it.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/interval_set.h"
#include "model/arguments.h"
#include "model/call_tree.h"
#include "model/launch_metrics.h"
#include "model/notes.h"
#include "model/op_graph.h"
#include "model/source_files.h"
#include "model/step_trace.h"
#include "model/time_range.h"
#include "model/timeline.h"

namespace cgpu {

/// A device as the profile describes it. Absent facts are empty.
struct Device {
  int32_t id = 0;
  std::string name;    // "NVIDIA H100 80GB HBM3"
  std::string vendor;  // "NVIDIA", "AMD", "Intel", "Meta", "Huawei", "" where unknown
  std::optional<int64_t> sm_count;
  std::optional<int64_t> memory_bytes;
  std::optional<int64_t> warp_size;
  std::string compute_capability;  // "9.0", "" where unknown
  /// Peak rates that the user states, by what reaches them: "memory" in B/s, types of arithmetic in operations/s.
  std::vector<std::pair<std::string, double>> stated_peaks = {};
};

/// A communicator: ranks that take part in the same collectives.
struct ParallelGroup {
  std::string name;
  std::string description;
  std::string backend;
  int64_t size = -1;
  std::vector<int64_t> ranks;  // empty where they are all of the job, as PyTorch has it, or not kept
  /// Which of its members this run is, from 0, as the profile says or as was found before the ranks were released.
  std::optional<int64_t> place = {};
};

/// How many events the file held, and as what they were kept:
/// read = slices + ends + instants + samples + memory + counters + flows + metadata + skipped.
struct EventCounts {
  int64_t read = 0;
  int64_t slices = 0;
  int64_t ends = 0;  // where a profile writes the end of a slice as an event of its own
  int64_t instants = 0;
  int64_t samples = 0;  // of call stacks
  int64_t memory = 0;
  int64_t counters = 0;
  int64_t flows = 0;
  int64_t metadata = 0;
  int64_t skipped = 0;  // each with a reason in notes

  EventCounts& operator+=(const EventCounts& other);
};

/// How the clock of a run relates to the clocks of the other runs of its session (links/clocks.h).
struct RunClock {
  enum class Method : uint8_t {
    alone,      // the only run: not compared
    reference,  // the other clocks are aligned to this one
    shared,     // the same clock as the reference
    aligned,    // moved to agree with the reference
    unchecked,  // counts from 1970 like the reference; no collective shows how well the two agree
    unaligned,  // cannot be compared with the reference
  };
  /// How it runs faster or slower than the reference's, after the offset.
  struct Drift {
    double rate = 0;    // ns that it gains a ns
    int64_t from = 0;   // on the common clock
    int64_t ahead = 0;  // ns that it is ahead of the reference then

    /// ns that it is ahead at a time that the offset has moved.
    int64_t ahead_at(int64_t time) const {
      int64_t since = 0;
      if (__builtin_sub_overflow(time, from, &since)) return ahead;
      return ahead + std::llround(rate * static_cast<double>(since));
    }
  };
  Method method = Method::alone;
  int64_t offset = 0;                     // ns that were added to clock_base
  std::optional<int64_t> residual;        // median of the differences (ns) that remain between the ends of collectives
  int64_t pairs = 0;                      // collectives whose ends were compared
  std::optional<Drift> drift;             // absent where the ends of collectives show none
  std::optional<int64_t> drift_residual;  // as residual, with the drift taken out
  bool made_unix = false;                 // that it counts from 1970 follows from the reference alone
};
const char* text_of(RunClock::Method method);  // "reference", ...

/// What is still known of a timeline after its slices have been released (session/summaries/release.h).
struct TimelineTotals {
  int64_t slices = 0;
  int64_t device_ops = 0;
  uint64_t bytes = 0;                   // resident, names apart
  std::optional<Interval> slices_time;  // from the first start to the last end of all slices
  std::optional<Interval> extent;       // as extent_of (analysis/session_clock.h)
  std::optional<Interval> event_extent;
  std::set<int32_t> used_devices;
};

struct Run;

/// A device op of a replay, and the call that was captured as it.
struct CapturedOp {
  uint32_t op = 0;          // its number among the device ops of the run
  SliceIndex call = kNone;  // in the run of the capture
  uint32_t replay = 0;      // number of the replay: ops of one share it, and are together
};
/// Ops by captures of one profile; no op is in two of them.
struct CapturedWork {
  std::shared_ptr<const Run> capture;  // null: the run that replays has captured too
  std::vector<CapturedOp> ops;
};

/// What is known of a run besides what was recorded. A selected part of it has the same.
struct RunHeader {
  uint32_t number = 0;         // of its profile among those that were opened; partial results know it by that
  std::string file;            // as the user named it
  std::string format;          // kineto, chrome, nsys-sqlite, ...: docs/formats
  std::string format_version;  // as the profile says, "" where it does not
  std::string exported_from;   // of an export of cgpu: the format of the profile that was recorded
  std::string host;
  int64_t rank = 0;
  bool rank_known = false;
  std::optional<int64_t> claimed_rank;  // that it says, where another run of the session has that one
  std::optional<int64_t> world_size;
  std::vector<ParallelGroup> groups;
  /// Facts of the header worth showing (versions, recording options). Never credentials or environment variables.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Device> devices;

  /// ns since 1970 at time 0 of the slices' clock when `clock_is_unix`; else the clock is the profile's own.
  bool clock_is_unix = false;
  int64_t clock_base = 0;  // ns to add to a slice's time; is_time(clock_base), where not 0 also of the slices' starts
  RunClock clock;
  /// The profile has no times: its events are this many ns apart, in their order; 0 where it has times.
  int64_t event_step = 0;

  uint64_t input_bytes = 0;  // of the file, compressed or not
  uint64_t text_bytes = 0;   // of the uncompressed input
  EventCounts events;
  Notes notes;
  std::vector<StepTrace> step_traces;
  std::shared_ptr<ArgumentSource> arguments;  // may be null
  std::shared_ptr<SourceFiles> sources;       // may be null
};

struct Run : RunHeader {
  Timeline timeline;
  /// Where only that part of the timeline is left which other ranks need to know: what all of it was.
  std::optional<TimelineTotals> released_totals;
  std::optional<CallTree> call_tree;
  std::optional<LaunchMetrics> launch_metrics;
  std::optional<OpGraph> op_graph;

  /// Of device ops that replays of graphs ran: where they were captured (links/graph_captures.h).
  std::vector<CapturedWork> captured;

  /// Of a run in a selected part of a session (links/window.h): the run of Session::whole that it was cut out of. What
  /// explains a device op (its launch, what the host did meanwhile) may lie outside the part.
  struct PartOf {
    size_t run = 0;                  // index into Session::whole->runs
    std::vector<uint32_t> ops;       // for each device op, its number in that run
    std::vector<SliceIndex> slices;  // for each slice, its number in that run; ascending
  };
  std::optional<PartOf> part_of;

  /// Adds a slice to the timeline and counts its event.
  SliceIndex add_slice(const Slice& slice) {
    timeline.slices.append(slice);
    ++events.slices;
    return static_cast<SliceIndex>(timeline.slices.size() - 1);
  }
};

/// The slice of a run that was cut out of this slice of Session::whole; kNone where none was. Of a run that is no part,
/// the slice itself. O(log slices).
SliceIndex slice_in_part(const Run& run, SliceIndex of_whole);

/// The notes of a run, with what was hidden in the arguments of events as far as these have been read.
Notes notes_of(const Run& run);

/// The format that the profiler wrote, also of an export of cgpu.
inline const std::string& recorded_format(const Run& run) {
  return run.exported_from.empty() ? run.format : run.exported_from;
}

/// The rank that its profile says, also where another run of the session has that one; absent where it says none.
inline std::optional<int64_t> recorded_rank(const Run& run) {
  if (run.claimed_rank) return run.claimed_rank;
  return run.rank_known ? std::optional(run.rank) : std::nullopt;
}

/// Slices of a run, also of one whose timeline has been released.
inline int64_t slice_count(const Run& run) {
  return run.released_totals ? run.released_totals->slices : static_cast<int64_t>(run.timeline.slices.size());
}
inline int64_t device_op_count(const Run& run) {
  return run.released_totals ? run.released_totals->device_ops : static_cast<int64_t>(run.timeline.device_ops.size());
}

/// Everything that was opened together: one run a rank, sorted by rank.
struct Session {
  std::vector<Run> runs;
  std::vector<std::string> inputs;       // as the user named them
  std::shared_ptr<const Session> whole;  // of a selected part: the session that was opened; else null
  /// Of a selected part: for each run, the time on its clock that is shown as 0; else empty (analysis/session_clock.h).
  std::vector<int64_t> zeros;
};

}  // namespace cgpu
