#include "dependencies/graph_builder.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/sort_runs.h"
#include "links/awaited_copies.h"
#include "links/waiting_calls.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// So many launches that have not begun fill the queue of a stream (1,024 on NVIDIA's devices; the profile may miss a
/// few).
constexpr size_t kQueue = 1000;
/// ns that a launch call takes only where it waits: else it takes 2 to 10 us.
constexpr int64_t kBlockedLaunch = 10'000;

bool is_on_host(const Timeline& timeline, SliceIndex slice) {
  const TrackIndex track = timeline.slices.track[slice];
  return track != kNone && timeline.tracks[track].kind == TrackKind::host_thread;
}

/// The call that launched an op, if it is on a host thread; else kNone.
SliceIndex host_launch_of(const Timeline& timeline, SliceIndex op) {
  const SliceIndex call = launch_of(timeline, op);
  return call != kNone && is_on_host(timeline, call) ? call : kNone;
}

/// Of moments at the same time, which come first: ends before begins, what is done before what is begun by it.
enum class Turn : uint8_t {
  start,
  op_end,
  host_end,
  host_begin,
  host_end_at_once,
  op_begin,
  sync_point,
  op_end_at_once
};

Turn turn_of(const Moment& moment, const std::span<const RunForGraph> runs) {
  if (moment.kind == Moment::Kind::start) return Turn::start;
  if (moment.kind == Moment::Kind::sync_point) return Turn::sync_point;
  const Timeline& timeline = runs[moment.run].run->timeline;
  const bool host = is_on_host(timeline, moment.slice);
  if (moment.kind == Moment::Kind::begin) return host ? Turn::host_begin : Turn::op_begin;
  const bool at_once = timeline.slices.duration[moment.slice] == 0;
  if (host) return at_once ? Turn::host_end_at_once : Turn::host_end;
  return at_once ? Turn::op_end_at_once : Turn::op_end;
}

/// Puts each value where `places` says.
template <typename T>
void put_in_order(std::vector<T>& values, std::span<const uint32_t> places) {
  std::vector<T> sorted(values.size());
  for (size_t i = 0; i < values.size(); ++i) sorted[places[i]] = values[i];
  values = std::move(sorted);
}

}  // namespace

void GraphBuilder::build(std::span<const RunForGraph> runs, const CollectivesForGraph& collectives, bool common_clock) {
  if (runs.size() > std::numeric_limits<uint16_t>::max()) throw Error("more than 65535 runs at once");
  runs_ = runs;
  per_run_.resize(runs.size());
  graph_.zeros_.resize(runs.size());
  for (size_t run = 0; run < runs.size(); ++run) graph_.zeros_[run] = common_clock ? -runs[run].run->clock_base : 0;

  graph_.moments_.push_back({.kind = Moment::Kind::start});
  for (size_t run = 0; run < runs.size(); ++run) find_returns(run);
  if (common_clock) find_host_sync_points(collectives.of_hosts);
  if (collectives.messages != nullptr) find_message_waits(*collectives.messages);
  reserve();
  for (size_t run = 0; run < runs.size(); ++run) add_moments(run);
  if (common_clock) {
    find_sync_points(collectives.of_devices, false,
                     [&](size_t run, SliceIndex op) { return per_run_[run].begins[op] != kNone; });
  }
  add_sync_points();
  order_moments();
  explained_.assign(graph_.moments_.size(), Explained::not_at_all);

  for (size_t run = 0; run < runs.size(); ++run) {
    per_run_[run].first_edge = to_.size();
    add_work_edges(run);
    add_launch_edges(run);
    add_stream_edges(run);
    add_migration_edges(run);
    add_event_edges(run);
    const TimesOfThreads event_waits = event_waits_of(run);
    add_ordered_streams(run, event_waits);
    add_successions(run, event_waits);
    find_spins(run);
    add_thread_edges(run);
    add_sent_results(run);
    add_handovers(run);
  }
  add_host_sync_edges();
  add_message_edges();
  per_run_ = {};
  sync_points_ = {};
  message_waits_ = {};
  explained_ = {};
  sort_edges();
  bind_moments();
}

/// Room for as many as there can be, so that nothing is copied to make room. Memory that is not written to costs none.
void GraphBuilder::reserve() {
  constexpr size_t kEdgesOfMoment = 2;
  size_t moments = 2;
  for (size_t run = 0; run < runs_.size(); ++run) {
    const Timeline& t = timeline(run);
    moments += 3 * t.device_ops.size() +
               2 * (per_run_[run].returns.size() + per_run_[run].sync_points.size() + runs_[run].marks.size() +
                    t.tracks.size()) +
               3 * per_run_[run].message_waits.size() + per_run_[run].senders.size();
  }
  graph_.moments_.reserve(moments);
  graph_.edges_.reserve(kEdgesOfMoment * moments);
  to_.reserve(kEdgesOfMoment * moments);
}

/// Which host calls returned because an op had ended.
void GraphBuilder::find_returns(size_t run) {
  const Timeline& t = timeline(run);
  std::vector<SliceIndex> by_end;  // ops, for waits whose op is not known
  const auto last_ended_within = [&](int64_t begin, int64_t end, bool only_orphans) {
    if (by_end.empty()) {
      for_each_device_op(t, [&](OpIndex, SliceIndex op) { by_end.push_back(op); });
      std::sort(by_end.begin(), by_end.end(), [&](SliceIndex a, SliceIndex b) {
        return std::pair(t.slices.end(a), a) < std::pair(t.slices.end(b), b);
      });
    }
    auto at =
        std::partition_point(by_end.begin(), by_end.end(), [&](SliceIndex op) { return t.slices.end(op) <= end; });
    while (at != by_end.begin() && t.slices.end(*--at) > begin) {
      if (!only_orphans || t.slices.launch[*at] == kNone) return *at;
    }
    return kNone;
  };

  std::unordered_set<SliceIndex> waiting;
  for (const Wait& wait : runs_[run].waits->all()) {
    if (!is_call(t.kind(wait.slice)) || !is_on_host(t, wait.slice) || !is_plausible(t, wait.slice)) continue;
    SliceIndex op = wait.op;
    if (wait.end == Wait::End::ambiguous || wait.end == Wait::End::unknown) {
      op = last_ended_within(t.slices.start[wait.slice], t.slices.end(wait.slice), false);
    }
    // An op without a launch may have been submitted before the recording began, and have been waited for too.
    if (wait.end == Wait::End::op && wait.by != Wait::By::launch) {
      const SliceIndex orphan = last_ended_within(t.slices.end(op), t.slices.end(wait.slice), true);
      if (orphan != kNone) op = orphan;
    }
    if (op == kNone || !is_plausible(t, op)) continue;
    waiting.insert(wait.slice);
    const Awaited awaited = awaited_by(t.name(wait.slice));
    const bool releases = awaited == Awaited::released;
    const bool all_streams = wait.by == Wait::By::device || awaited == Awaited::device || releases;
    const EdgeKind kind = wait.by == Wait::By::launch ? EdgeKind::copy_wait
                          : releases                  ? EdgeKind::release
                                                      : EdgeKind::wait;
    per_run_[run].returns.push_back({wait.slice, op, kind, all_streams});
  }
  for_each_device_op(t, [&](OpIndex number, SliceIndex op) {
    if (t.device_ops.kind[number] != OpKind::memory) return;
    const SliceIndex call = host_launch_of(t, op);
    if (!waits_for_own_copy(t, number, call) || t.slices.end(op) > t.slices.end(call)) return;
    if (!waiting.insert(call).second) return;
    per_run_[run].returns.push_back({call, op, EdgeKind::copy_wait});
  });
  find_full_queues(run, waiting);
}

/// A launch into a full queue returns when the device has taken something out of it.
void GraphBuilder::find_full_queues(size_t run, std::unordered_set<SliceIndex>& waiting) {
  const Timeline& t = timeline(run);
  struct Launched {
    SliceIndex call;
    SliceIndex op;  // its first
  };
  std::unordered_map<TrackIndex, std::vector<Launched>> streams;
  for_each_device_op(t, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = host_launch_of(t, op);
    if (call == kNone || t.slices.track[op] == kNone) return;
    std::vector<Launched>& stream = streams[t.slices.track[op]];
    if (stream.empty() || stream.back().call != call) stream.push_back({call, op});
  });
  for (auto& [track, stream] : streams) {
    if (stream.size() < kQueue) continue;
    std::sort(stream.begin(), stream.end(), [&](const Launched& a, const Launched& b) {
      return std::pair(t.slices.start[a.call], a.call) < std::pair(t.slices.start[b.call], b.call);
    });
    for (size_t i = kQueue; i < stream.size(); ++i) {
      const SliceIndex call = stream[i].call;
      // The launches of a stream run in their order: that many before it have not begun when it is called.
      if (t.slices.duration[call] < kBlockedLaunch) continue;
      if (t.slices.start[stream[i - kQueue].op] <= t.slices.start[call]) continue;
      const auto next =
          std::partition_point(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const Launched& each) { return t.slices.end(each.op) <= t.slices.end(call); });
      if (next == stream.begin()) continue;
      const SliceIndex op = std::prev(next)->op;
      if (t.slices.end(op) > t.slices.start[call] && waiting.insert(call).second) {
        per_run_[run].returns.push_back({call, op, EdgeKind::wait});
      }
    }
  }
}

void GraphBuilder::add_moments(size_t run) {
  const Timeline& t = timeline(run);
  PerRun& per_run = per_run_[run];
  per_run.begins.assign(t.slices.size(), kNone);
  per_run.ends.assign(t.slices.size(), kNone);
  constexpr MomentIndex kWanted = kNone - 1;  // until moments are in order
  const auto add = [&](SliceIndex slice, Moment::Kind kind) {
    MomentIndex& place = (kind == Moment::Kind::begin ? per_run.begins : per_run.ends)[slice];
    if (place != kNone) return;
    place = kWanted;
    const int64_t time = kind == Moment::Kind::begin ? t.slices.start[slice] : t.slices.end(slice);
    graph_.moments_.push_back(
        {.time = time - graph_.zeros_[run], .slice = slice, .run = static_cast<uint16_t>(run), .kind = kind});
  };
  std::vector<bool> launches(t.tracks.size(), false);  // host threads that launch or wait
  const auto add_call = [&](SliceIndex call) {
    add(call, Moment::Kind::begin);
    launches[t.slices.track[call]] = true;
  };

  // One kind after the other, since each of them is mostly in order.
  for_each_device_op(t, [&](OpIndex, SliceIndex op) { add(op, Moment::Kind::begin); });
  for_each_device_op(t, [&](OpIndex, SliceIndex op) { add(op, Moment::Kind::end); });
  for_each_device_op(t, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = host_launch_of(t, op);
    if (call != kNone) add_call(call);
  });
  for (const Return& one : per_run.returns) {
    add_call(one.call);
    add(one.call, Moment::Kind::end);
  }
  for (const auto& [call, sync_point] : per_run.sync_points) {
    add_call(call);
    add(call, Moment::Kind::end);
  }
  for (const size_t wait : per_run.message_waits) {
    add_call(message_waits_[wait].call);
    add(message_waits_[wait].call, Moment::Kind::end);
  }
  for (const SliceIndex sender : per_run.senders) add_call(sender);
  for (const SliceIndex mark : runs_[run].marks) {
    if (!is_on_host(t, mark) || !is_plausible(t, mark)) continue;
    add_call(mark);
    add(mark, Moment::Kind::end);
  }

  // Where these threads begin and end.
  std::vector<SliceIndex> first(t.tracks.size(), kNone);
  std::vector<SliceIndex> last(t.tracks.size(), kNone);
  for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
    const TrackIndex track = t.slices.track[slice];
    if (track == kNone || !launches[track] || !is_host(t.kind(slice)) || !is_plausible(t, slice)) continue;
    if (first[track] == kNone || t.slices.start[slice] < t.slices.start[first[track]]) first[track] = slice;
    if (last[track] == kNone || t.slices.end(slice) > t.slices.end(last[track])) last[track] = slice;
  }
  for (TrackIndex track = 0; track < t.tracks.size(); ++track) {
    if (first[track] == kNone) continue;
    add(first[track], Moment::Kind::begin);
    add(last[track], Moment::Kind::end);
  }
}

template <typename TakesPart>
void GraphBuilder::find_sync_points(std::span<const CollectiveSeries> collectives, bool of_hosts,
                                    const TakesPart& takes_part) {
  for (const CollectiveSeries& series : collectives) {
    if (series.members.size() < 2) continue;
    std::vector<SyncPoint> instances(series.instances);
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        if (takes_part(member.run, part.slice)) instances[part.instance].members.emplace_back(member.run, part.slice);
      }
    }
    for (SyncPoint& sync_point : instances) {
      if (sync_point.members.size() < 2) continue;
      sync_point.of_hosts = of_hosts;
      sync_point.latest_begin = INT64_MIN;
      for (const auto& [run, op] : sync_point.members) {
        sync_point.latest_begin =
            std::max(sync_point.latest_begin, timeline(run).slices.start[op] - graph_.zeros_[run]);
      }
      sync_point.shortest = INT64_MAX;
      bool met = true;  // else the collective does not wait for all, or clocks differ by more than it lasts
      for (const auto& [run, op] : sync_point.members) {
        const int64_t after = timeline(run).slices.end(op) - graph_.zeros_[run] - sync_point.latest_begin;
        met = met && (of_hosts ? after > 0 : after >= 0);  // of moments at one time ends of the host come first
        sync_point.shortest = std::min(sync_point.shortest, after);
      }
      if (!met) continue;
      for (const auto& [run, op] : sync_point.members) per_run_[run].sync_points.emplace(op, sync_points_.size());
      sync_points_.push_back(std::move(sync_point));
    }
  }
}

/// Without the calls that wait for a device, which cannot wait for both.
void GraphBuilder::find_host_sync_points(std::span<const CollectiveSeries> collectives) {
  std::vector<std::unordered_set<SliceIndex>> returns(runs_.size());
  for (size_t run = 0; run < runs_.size(); ++run) {
    for (const Return& one : per_run_[run].returns) returns[run].insert(one.call);
  }
  find_sync_points(collectives, true, [&](size_t run, SliceIndex call) {
    return is_on_host(timeline(run), call) && returns[run].count(call) == 0;
  });
}

/// Without the calls that wait for a device too, and for others what is no call of a host.
void GraphBuilder::find_message_waits(const Messages& messages) {
  std::vector<std::unordered_set<SliceIndex>> senders(runs_.size());
  std::vector<std::unordered_set<SliceIndex>> returns(runs_.size());
  for (size_t run = 0; run < runs_.size(); ++run) {
    for (const Return& one : per_run_[run].returns) returns[run].insert(one.call);
  }
  for (const Messages::Thread& thread : messages.threads()) {
    const Slices& slices = timeline(thread.run).slices;
    for (size_t i = 0; i < thread.messages.waits.size(); ++i) {
      const MessageWait wait = thread.messages.waits[i];
      if (returns[thread.run].contains(wait.call)) continue;
      WaitForMessages& added = message_waits_.emplace_back();
      added.run = thread.run;
      added.call = wait.call;
      added.until = wait.until - graph_.zeros_[thread.run];
      const int64_t end = slices.end(wait.call) - graph_.zeros_[thread.run];
      for (const MessageSender& sender : thread.senders_of(i)) {
        const int64_t start = timeline(sender.run).slices.start[sender.call] - graph_.zeros_[sender.run];
        if (start >= end) continue;
        if (added.senders.empty()) added.until = wait.start - graph_.zeros_[thread.run];  // then on the message travels
        added.until = std::max(added.until, start);
        added.senders.emplace_back(sender.run, sender.call);
        if (senders[sender.run].insert(sender.call).second) per_run_[sender.run].senders.push_back(sender.call);
      }
      per_run_[thread.run].message_waits.push_back(message_waits_.size() - 1);
    }
  }
}

void GraphBuilder::add_sync_points() {
  for (size_t i = 0; i < sync_points_.size(); ++i) {
    graph_.moments_.push_back({.time = sync_points_[i].latest_begin,
                               .slice = static_cast<SliceIndex>(i),  // until moments are in order
                               .kind = Moment::Kind::sync_point});
  }
  for (size_t i = 0; i < message_waits_.size(); ++i) {
    graph_.moments_.push_back({.time = message_waits_[i].until,
                               .slice = static_cast<SliceIndex>(sync_points_.size() + i),
                               .run = static_cast<uint16_t>(message_waits_[i].run),
                               .kind = Moment::Kind::sync_point});
  }
}

void GraphBuilder::order_moments() {
  std::vector<Moment>& moments = graph_.moments_;
  int64_t first = INT64_MAX;
  for (const Moment& moment : moments) {
    if (moment.kind != Moment::Kind::start) first = std::min(first, moment.time);
  }
  if (first == INT64_MAX) first = 0;
  moments.front().time = first;
  sort_runs(std::span(moments), [&](const Moment& a, const Moment& b) {
    if (a.time != b.time) return a.time < b.time;
    const Turn turn_a = turn_of(a, runs_);
    const Turn turn_b = turn_of(b, runs_);
    if (turn_a != turn_b) return turn_a < turn_b;
    if (a.run != b.run) return a.run < b.run;
    // What is within another one begins later and ends first.
    if (turn_a == Turn::host_end || turn_a == Turn::host_begin) {
      const Slices& slices = timeline(a.run).slices;
      const int64_t longer = slices.duration[a.slice] - slices.duration[b.slice];
      if (longer != 0) return (longer > 0) == (turn_a == Turn::host_begin);
    }
    return a.slice < b.slice;
  });
  for (PerRun& per_run : per_run_) {
    per_run.threads.resize(timeline(static_cast<size_t>(&per_run - per_run_.data())).tracks.size());
    per_run.streams.resize(per_run.threads.size());
  }
  for (MomentIndex i = 0; i < moments.size(); ++i) {
    Moment& moment = moments[i];
    moment.time -= first;
    if (moment.kind == Moment::Kind::start) continue;
    if (moment.kind == Moment::Kind::sync_point) {
      const size_t collectives = sync_points_.size();
      (moment.slice < collectives ? sync_points_[moment.slice].moment
                                  : message_waits_[moment.slice - collectives].moment) = i;
      moment.slice = kNone;
      continue;
    }
    PerRun& per_run = per_run_[moment.run];
    (moment.kind == Moment::Kind::begin ? per_run.begins : per_run.ends)[moment.slice] = i;
    const Timeline& t = timeline(moment.run);
    const TrackIndex track = t.slices.track[moment.slice];
    if (is_on_host(t, moment.slice)) {
      per_run.threads[track].push_back(i);
    } else if (moment.kind == Moment::Kind::begin && track != kNone) {
      per_run.streams[track].push_back(moment.slice);
    }
  }
  for (int64_t& zero : graph_.zeros_) zero += first;
}

void GraphBuilder::add_edge(MomentIndex from, MomentIndex to, EdgeKind kind, int64_t least) {
  if (from == kNone || to == kNone) return;
  if (from >= to) {
    ++graph_.contradictions_;
    return;
  }
  graph_.edges_.append({std::min(least, time_of(to) - time_of(from)), from, kind});
  to_.push_back(to);
}

/// Orders the edges by the moment that they lead to, those into one as they were found.
void GraphBuilder::sort_edges() {
  std::vector<Moment>& moments = graph_.moments_;
  Dependencies& edges = graph_.edges_;
  moments.push_back({.kind = Moment::Kind::end});  // its first edge is the end of the last one's
  for (const MomentIndex to : to_) ++moments[to].first_edge;
  for (MomentIndex to = 1; to + 1 < moments.size(); ++to) {
    if (moments[to].first_edge > 0) continue;  // nothing explains it: it comes when it came
    edges.append({moments[to].time, 0, EdgeKind::start});
    to_.push_back(to);
    moments[to].first_edge = 1;
  }
  uint32_t next = 0;
  for (Moment& moment : moments) next += std::exchange(moment.first_edge, next);
  for (uint32_t& to : to_) to = moments[to].first_edge++;
  put_in_order(edges.weight, to_);
  put_in_order(edges.from, to_);
  put_in_order(edges.kind, to_);
  for (size_t to = moments.size() - 1; to > 0; --to) moments[to].first_edge = moments[to - 1].first_edge;
  moments.front().first_edge = 0;
  to_ = {};
}

/// What the edges of a moment do not explain is put on the one that allowed it last.
void GraphBuilder::bind_moments() {
  std::vector<Moment>& moments = graph_.moments_;
  graph_.delays_.resize(moments.size());
  for (MomentIndex to = 1; to + 1 < moments.size(); ++to) {
    uint32_t bound_by = kNone;
    int64_t latest = 0;
    for (uint32_t e = moments[to].first_edge; e < moments[to + 1].first_edge; ++e) {
      const Dependency edge = graph_.edges_[e];
      const int64_t time = moments[edge.from].time + edge.weight;
      if (bound_by == kNone || time > latest || (time == latest && edge.kind < graph_.edges_.kind[bound_by])) {
        latest = time;
        bound_by = e;
      }
    }
    moments[to].bound_by = bound_by;
    graph_.delays_[to] = moments[to].time - latest;
    graph_.edges_.weight[bound_by] += moments[to].time - latest;
  }
}

}  // namespace cgpu
