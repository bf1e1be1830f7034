// Puts a graph of dependencies together (graph.h): collects the moments of all runs, orders them by time, and finds the
// edges between them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dependencies/graph.h"

namespace cgpu {

class GraphBuilder {
 public:
  explicit GraphBuilder(DependencyGraph& graph) : graph_(graph) {}
  void build(std::span<const RunForGraph> runs, const CollectivesForGraph& collectives, bool common_clock);

 private:
  /// How well the edges that have been found explain when an op began.
  enum class Explained : uint8_t { not_at_all, too_early, yes };

  /// A host call that returned when ops had ended.
  struct Return {
    SliceIndex call;
    SliceIndex op;  // the last of them
    EdgeKind kind;
    bool all_streams = false;  // it waited for the last op of every stream of the device
  };
  /// Where a host thread neither launched nor waited for a while.
  struct Stop {
    TrackIndex track;
    SliceIndex call;  // the launch before
    SliceIndex op;    // the last that it launched
    size_t place;     // of the launch among the moments of the thread
    bool at_end;      // the thread went on right after the op had ended
  };
  /// A host thread that waited for an op without a call.
  struct Spin {
    SliceIndex op;
    MomentIndex next;  // the first of the thread after it
    int64_t own;       // what the thread itself did of the time since its moment before
  };
  /// A collective of several members.
  struct SyncPoint {
    bool of_hosts = false;
    std::vector<std::pair<size_t, SliceIndex>> members;  // run, op or host slice
    int64_t latest_begin = 0;
    int64_t shortest = 0;  // from there to an end
    MomentIndex moment = kNone;
  };
  /// A call of a host that waits for messages.
  struct WaitForMessages {
    size_t run = 0;
    SliceIndex call = kNone;
    int64_t until = 0;  // it waited for other ranks until then, on the clock of the graph
    std::vector<std::pair<size_t, SliceIndex>> senders;  // run, call
    MomentIndex moment = kNone;
  };
  /// Of one run, meanwhile: where its slices are in the graph, and what its host threads and streams hold.
  struct PerRun {
    std::vector<MomentIndex> begins;  // by slice; kNone where it has no moment
    std::vector<MomentIndex> ends;
    std::vector<Return> returns;
    std::vector<Spin> spins;
    std::unordered_multimap<SliceIndex, size_t> sync_points;  // op or host slice, places in sync_points_
    std::vector<size_t> message_waits;                        // places in message_waits_
    std::vector<SliceIndex> senders;                          // calls that others wait for the begin of
    std::vector<std::vector<MomentIndex>> threads;            // by track: the moments of a host thread, in order
    std::vector<std::vector<SliceIndex>> streams;             // by track: its ops, in order of their starts
    int64_t stream_least = 0;                                 // between two ops of a stream
    size_t first_edge = 0;                                    // where those of the run begin
  };

  void find_returns(size_t run);
  void find_full_queues(size_t run, std::unordered_set<SliceIndex>& waiting);
  void reserve();
  void add_moments(size_t run);
  /// `takes_part(run, slice)`: members for which it is false are ignored.
  template <typename TakesPart>
  void find_sync_points(std::span<const CollectiveSeries> collectives, bool of_hosts, const TakesPart& takes_part);
  void find_host_sync_points(std::span<const CollectiveSeries> collectives);
  void find_message_waits(const Messages& messages);
  void add_message_edges();
  void add_sent_results(size_t run);
  void add_sync_points();
  void order_moments();
  std::vector<Stop> stops_of_threads(size_t run) const;
  void find_spins(size_t run);
  void add_thread_edges(size_t run);
  void add_handovers(size_t run);
  void add_launch_edges(size_t run);
  void add_stream_edges(size_t run);
  void add_migration_edges(size_t run);
  void add_event_edges(size_t run);
  /// By host thread, when it makes calls; in order.
  using TimesOfThreads = std::vector<std::vector<int64_t>>;
  /// `event_waits`: where threads tell streams to wait for events.
  void add_ordered_streams(size_t run, const TimesOfThreads& event_waits);
  void add_successions(size_t run, const TimesOfThreads& event_waits);
  TimesOfThreads event_waits_of(size_t run) const;
  void add_work_edges(size_t run);
  void add_host_sync_edges();
  void add_edge(MomentIndex from, MomentIndex to, EdgeKind kind, int64_t least);
  void sort_edges();
  void bind_moments();

  int64_t time_of(MomentIndex moment) const { return graph_.moments_[moment].time; }
  const Timeline& timeline(size_t run) const { return runs_[run].run->timeline; }

  DependencyGraph& graph_;
  std::span<const RunForGraph> runs_;
  std::vector<PerRun> per_run_;
  // Until all edges are found, those of the graph are in the order in which they were found, run by run, with the least
  // time as weight.
  std::vector<MomentIndex> to_;       // by edge: where it leads to
  std::vector<Explained> explained_;  // by moment
  std::vector<SyncPoint> sync_points_;
  std::vector<WaitForMessages> message_waits_;
};

}  // namespace cgpu
