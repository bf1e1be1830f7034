// The dependency graph of a session: the begins and ends of what ran, and which of them had to wait for which.
//
// Its nodes are moments: the begin and end of every device op, of every call that waits for a device or for other
// ranks, the begin of every call that launched something, and begin and end of the marks of iterations and of the
// threads that have such calls. An edge says that its second moment cannot come before the first one plus the edge's
// weight (in ns). Edges lead forward in time only, so that there are no cycles; docs/definitions/critical-path.md,
// "dependencies", lists what makes an edge.
//
// The weight of an edge is the least time that it takes: what the thread did in between, the duration of an op, the
// shortest time that launches and successions of this profile need. A moment that came later than all of its edges
// explain was delayed by something that the profile does not show; that delay stays on the edge that bound the moment,
// the one that allowed it last. The graph replayed with its own weights therefore gives the measured times back, to the
// nanosecond.
//
// Built in O(n log n) in device ops, calls that launch or wait, and collectives; 28 bytes a moment and 13 an edge, some
// three moments and four edges a device op.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "links/collective_series.h"
#include "links/messages.h"
#include "links/waits.h"
#include "model/narrow_column.h"
#include "model/run.h"
#include "model/struct_of_arrays.h"

namespace cgpu {

using MomentIndex = uint32_t;

/// Why the second moment of an edge cannot come earlier, from the strongest reason to the weakest: where several allow
/// a moment at the same time, the first of these bound it.
enum class EdgeKind : uint8_t {
  work,        // a device op runs
  arrival,     // a member of a collective has begun it; the sender of a message has begun to send it
  collective,  // all members have begun a collective; it now runs to its end; a wait for messages ends likewise
  copy_wait,   // a blocking copy has finished: its call returns
  wait,        // what a call of the host waits for has finished, or what a host thread spins on: it goes on
  release,     // all work on the device has finished: a call that releases memory or code returns
  event,       // an op of another stream has finished, for which this one waits by an event, or whose result is sent
  succession,  // an op of another stream ended just before this one began; nothing else explains why it began then
  stream,      // the op before it in the stream has finished (or, where they overlap, begun)
  launch,      // the launch call has begun
  host,        // the same thread goes on
  handover,    // another thread of the process stopped: this one goes on with its work
  start,       // nothing: the profile shows no reason
};

const char* text_of(EdgeKind kind);  // "work", ...

struct Dependency {
  int64_t weight = 0;  // ns
  MomentIndex from = 0;
  EdgeKind kind = EdgeKind::start;
};

/// Columns of equal length, one entry an edge.
struct Dependencies : StructOfArrays<Dependencies, Dependency> {
  std::vector<int64_t> weight;
  std::vector<MomentIndex> from;
  std::vector<EdgeKind> kind;

  size_t size() const { return kind.size(); }
  Dependency operator[](size_t edge) const { return row(edge); }

  template <typename Visit>
  static void for_each_read_column(Visit visit) {
    visit(&Dependencies::weight, &Dependency::weight);
    visit(&Dependencies::from, &Dependency::from);
    visit(&Dependencies::kind, &Dependency::kind);
  }
};

struct Moment {
  enum class Kind : uint8_t { start, begin, end, sync_point };
  int64_t time = 0;          // measured: ns after the first moment of the session
  SliceIndex slice = kNone;  // that begins or ends; kNone for the start, and for a sync point: where the members of a
                             // collective have met, or a wait for messages no longer waits for another rank
  uint32_t first_edge = 0;   // of the edges into it
  uint32_t bound_by = 0;     // the edge that allowed it last; of the start: none
  uint16_t run = 0;          // index into Session::runs; of a sync point of messages: of the one that waits
  Kind kind = Kind::begin;
};

/// What the graph needs to know of a run besides its timeline.
struct RunForGraph {
  const Run* run = nullptr;
  const Waits* waits = nullptr;
  std::vector<SliceIndex> marks = {};  // host slices that are to be moments, besides calls
};

/// Collectives of the runs of a graph, matched, and messages of their hosts.
struct CollectivesForGraph {
  std::span<const CollectiveSeries> of_devices;
  std::span<const CollectiveSeries> of_hosts = {};
  const Messages* messages = nullptr;
};

class DependencyGraph {
 public:
  /// `collectives` are ignored unless the clocks of the runs can be compared (`common_clock`), but for the waits for
  /// messages. Runs, waits and collectives are not needed afterwards.
  DependencyGraph(std::span<const RunForGraph> runs, const CollectivesForGraph& collectives, bool common_clock);

  std::span<const Moment> moments() const { return {moments_.data(), moments_.size() - 1}; }
  const Dependencies& edges() const { return edges_; }
  /// The edges into a moment, as numbers of edges: [first, end).
  uint32_t first_edge(MomentIndex to) const { return moments_[to].first_edge; }
  uint32_t end_edge(MomentIndex to) const { return moments_[to + 1].first_edge; }
  /// Of the time of a moment, ns that no edge explains: part of the weight of the edge that bound it.
  int64_t delay(MomentIndex moment) const { return delays_[moment]; }

  /// The last moment at or before a time; the start if there is none.
  MomentIndex last_until(int64_t time) const;
  /// The time on a run's clock at which the graph begins: its moments count from there.
  int64_t zero(size_t run) const { return zeros_[run]; }

  /// Whether this moment is the end of a collective of several members.
  bool ends_collective(MomentIndex moment) const;

  /// Edges that were left out because they led backward in time.
  int64_t contradictions() const { return contradictions_; }

 private:
  friend class GraphBuilder;
  std::vector<Moment>
      moments_;  // in order of time, so that edges lead from lower to higher numbers; one more at the end
  Dependencies edges_;
  NarrowColumn<int64_t, 0, uint32_t> delays_;  // by moment; seldom seconds
  std::vector<int64_t> zeros_;                 // by run
  int64_t contradictions_ = 0;
};

}  // namespace cgpu
