// Divides the time of a dependency into its parts: device work, launching, gaps between ops, and the work of host
// threads.
//
// The parts of an edge of the graph (dependencies/graph.h) are in order of time and add up to its weight: a critical
// path is therefore explained to the nanosecond. Host time is distinguished by the causes of idle time
// (docs/definitions/idle.md, "idle").
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/events/slice_ops.h"
#include "analysis/idle/idle_causes.h"
#include "analysis/idle/profile_edges.h"
#include "analysis/session_facts.h"
#include "base/interval_set.h"
#include "dependencies/graph.h"

namespace cgpu {

/// What bounds a run: work of a device by its kind, a gap between ops of a stream, or a cause of idle time.
class BoundBy {
 public:
  enum Work : uint8_t { compute, communication, memory, kernel_gap };
  static constexpr size_t kCount = 4 + kIdleCauses;

  BoundBy(Work work) : number_(work) {}
  BoundBy(IdleCause cause) : number_(static_cast<uint8_t>(4 + static_cast<uint8_t>(cause))) {}
  static BoundBy of(OpKind kind);
  /// By its name ("compute", "data_loading", ...). Throws Error that lists the names.
  static BoundBy named(std::string_view name);
  static std::string_view name_of(size_t number);
  /// What the host did; empty for work of a device and gaps between ops of a stream.
  static std::optional<IdleCause> cause_of(size_t number);

  size_t number() const { return number_; }
  std::string_view name() const { return name_of(number_); }
  bool operator==(const BoundBy&) const = default;

 private:
  uint8_t number_;
};

/// A part of the time of an edge.
struct EdgePart {
  BoundBy bound_by = BoundBy::compute;
  int64_t length = 0;         // ns
  size_t run = 0;             // index into the session
  SliceIndex slice = kNone;   // the device op or call that it is about; kNone for other host time
  TrackIndex thread = kNone;  // of host time
  Interval time = {};         // of host time, on the run's clock
};

class EdgeParts {
 public:
  /// Of the graph of these facts, which are of a whole session.
  explicit EdgeParts(const SessionFacts& facts);

  /// Calls visit(part) for the parts of an edge into a moment, in order of time; together they are as long as its
  /// weight. Fastest for edges that are near the previous one. Not thread-safe.
  void for_each(uint32_t edge, MomentIndex to, const std::function<void(const EdgePart&)>& visit);

  /// The thread that touched the pages that an op moves; kNone of other ops.
  TrackIndex toucher_of(size_t run, SliceIndex op);

 private:
  void host_transfer(const Dependency& edge, const Moment& to, const std::function<void(const EdgePart&)>& visit) const;
  /// The part of an op's delay (DependencyGraph::delay) that lies in its launch call, on the run's clock; empty where
  /// there is none, or the edge does not bind the op.
  Interval delay_in_call(uint32_t edge, MomentIndex to, SliceIndex call) const;
  /// What a launch call did in a time within it. Not as time of its thread, whose own edges have that.
  void call_parts(size_t run, SliceIndex call, Interval time, const std::function<void(const EdgePart&)>& visit) const;
  /// What a thread did in a time on the run's clock, which may begin with a call that launches (else kNone).
  void host_parts(size_t run, TrackIndex thread, Interval time, SliceIndex launch_call,
                  const std::function<void(const EdgePart&)>& visit) const;

  const SessionFacts& facts_;
  const DependencyGraph& graph_;
  struct PerRun {
    explicit PerRun(const Timeline& timeline);
    SliceOps ops;
    SliceOps::Search search;
    ProfileEdges edges;
    std::map<int32_t, TrackIndex> touchers;  // by device whose pages migrate (thread_of_migrations)
  };
  std::deque<PerRun> per_run_;
};

}  // namespace cgpu
