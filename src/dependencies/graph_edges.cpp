// The edges of a graph of dependencies: docs/definitions/critical-path.md, "dependencies", has them in words.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dependencies/graph_builder.h"
#include "dependencies/least_times.h"
#include "links/submitted_ops.h"
#include "links/waiting_calls.h"
#include "model/migrations.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// An op that begins so much later than its launch and its stream allow has waited for something else.
constexpr int64_t kNoticeableDelay = 10'000;
/// A shorter stop of a thread is not looked at for a handover.
constexpr int64_t kShortestStop = 20'000;
/// An op that was held back by an event begins so long after what it waited for, at most (14 to 19 us on AMD).
constexpr int64_t kEventLatency = 50'000;
/// A device that has its next op begins it so soon, at most.
constexpr int64_t kLongestGap = 50'000;
/// Where a profile has no op that began as soon as it was launched, or right after the one before it.
constexpr int64_t kUsualLaunch = 5'000;
constexpr int64_t kUsualGap = 1'000;
/// More threads than that of one process are not compared with each other.
constexpr size_t kMostThreads = 64;

/// When host threads make calls of names for which `is_meant` holds, by track; in order.
std::vector<std::vector<int64_t>> times_of_calls(const Timeline& t, bool (*is_meant)(std::string_view)) {
  std::vector<bool> meant(t.names.size());
  for (StringId name = 0; name < meant.size(); ++name) meant[name] = is_meant(t.names[name]);
  std::vector<std::vector<int64_t>> times(t.tracks.size());
  if (std::find(meant.begin(), meant.end(), true) == meant.end()) return times;
  for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
    const TrackIndex track = t.slices.track[slice];
    if (track == kNone || !meant[t.slices.name[slice]] || !is_call(t.kind(slice))) continue;
    times[track].push_back(t.slices.start[slice]);
  }
  for (std::vector<int64_t>& of_track : times) std::sort(of_track.begin(), of_track.end());
  return times;
}

/// The last of `times`, which are in order, before a time; none where all are later.
std::optional<int64_t> last_before(const std::vector<int64_t>& times, int64_t time) {
  const auto after = std::lower_bound(times.begin(), times.end(), time);
  return after == times.begin() ? std::nullopt : std::optional(*std::prev(after));
}

}  // namespace

void GraphBuilder::add_work_edges(size_t run) {
  const PerRun& per_run = per_run_[run];
  for (const std::vector<SliceIndex>& stream : per_run.streams) {
    for (const SliceIndex op : stream) {
      const MomentIndex begin = per_run.begins[op];
      const MomentIndex end = per_run.ends[op];
      const int64_t duration = timeline(run).slices.duration[op];
      // Its own part takes as long as it did for the member that did not wait; the rest is waiting.
      int64_t own = duration;
      const auto [first, last] = per_run.sync_points.equal_range(op);
      for (auto at = first; at != last; ++at) own = std::min(own, sync_points_[at->second].shortest);
      add_edge(begin, end, EdgeKind::work, own);
      for (auto at = first; at != last; ++at) {
        const SyncPoint& sync_point = sync_points_[at->second];
        add_edge(begin, sync_point.moment, EdgeKind::arrival, 0);
        add_edge(sync_point.moment, end, EdgeKind::collective, duration);
      }
    }
  }
}

void GraphBuilder::add_host_sync_edges() {
  for (const SyncPoint& sync_point : sync_points_) {
    if (!sync_point.of_hosts) continue;
    for (const auto& [run, call] : sync_point.members) {
      add_edge(per_run_[run].begins[call], sync_point.moment, EdgeKind::arrival, 0);
      add_edge(sync_point.moment, per_run_[run].ends[call], EdgeKind::collective, timeline(run).slices.duration[call]);
    }
  }
}

/// What hosts send to each other after they have waited for a device comes from there: the call that communicates
/// begins no sooner than that has ended, whatever else they wait for.
void GraphBuilder::add_sent_results(size_t run) {
  const PerRun& per_run = per_run_[run];
  std::unordered_set<MomentIndex> communicates;  // begins of calls
  for (const SliceIndex call : per_run.senders) communicates.insert(per_run.begins[call]);
  for (const size_t place : per_run.message_waits) {
    communicates.insert(per_run.begins[message_waits_[place].call]);
  }
  for (const auto& [slice, place] : per_run.sync_points) {
    if (sync_points_[place].of_hosts) communicates.insert(per_run.begins[slice]);
  }
  if (communicates.empty()) return;
  std::unordered_map<MomentIndex, SliceIndex> op_of_return;
  for (const Return& one : per_run.returns) op_of_return.emplace(per_run.ends[one.call], one.op);
  for (const std::vector<MomentIndex>& thread : per_run.threads) {
    for (size_t i = 1; i < thread.size(); ++i) {
      const auto returned = op_of_return.find(thread[i - 1]);
      if (returned == op_of_return.end() || !communicates.contains(thread[i])) continue;
      const MomentIndex ended = per_run.ends[returned->second];
      // A little less than the return took: as measured the wait of the thread bounds what it does next.
      add_edge(ended, thread[i], EdgeKind::event, std::max<int64_t>(time_of(thread[i - 1]) - time_of(ended) - 1, 0));
    }
  }
}

/// A wait for messages ends no sooner than its senders have begun to send; what it takes from there on is its own.
void GraphBuilder::add_message_edges() {
  for (const WaitForMessages& wait : message_waits_) {
    const MomentIndex end = per_run_[wait.run].ends[wait.call];
    add_edge(per_run_[wait.run].begins[wait.call], wait.moment, EdgeKind::arrival, 0);
    for (const auto& [run, call] : wait.senders) {
      add_edge(per_run_[run].begins[call], wait.moment, EdgeKind::arrival, 0);
    }
    add_edge(wait.moment, end, EdgeKind::collective, timeline(wait.run).slices.duration[wait.call]);
  }
}

void GraphBuilder::add_launch_edges(size_t run) {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  const auto launch_of = [&](SliceIndex op) {
    const SliceIndex call = t.slices.launch[op];
    return call == kNone || per_run.begins[call] == kNone ? kNone : call;
  };
  // From a call to its op, by the name of the call: of ops whose stream had nothing else to do.
  LeastTimes least(kUsualLaunch);
  std::vector<bool> seen(t.slices.size());  // calls; of those that launch several ops the first counts
  for (const std::vector<SliceIndex>& stream : per_run.streams) {
    int64_t busy_until = INT64_MIN;
    for (const SliceIndex op : stream) {
      const SliceIndex call = launch_of(op);
      if (call != kNone && !seen[call]) {
        seen[call] = true;
        if (busy_until <= t.slices.start[call]) {
          least.add(t.slices.name[call], t.slices.start[op] - t.slices.start[call]);
        }
      }
      busy_until = std::max(busy_until, t.slices.end(op));
    }
  }
  least.finish();
  for (const std::vector<SliceIndex>& stream : per_run.streams) {
    for (const SliceIndex op : stream) {
      const SliceIndex call = launch_of(op);
      if (call == kNone) continue;
      add_edge(per_run.begins[call], per_run.begins[op], EdgeKind::launch, least.of(t.slices.name[call]));
    }
  }
}

void GraphBuilder::add_stream_edges(size_t run) {
  const Timeline& t = timeline(run);
  PerRun& per_run = per_run_[run];
  LeastTimes least(kUsualGap);
  const auto for_each_pair = [&](auto visit) {
    for (const std::vector<SliceIndex>& stream : per_run.streams) {
      SliceIndex before = kNone;  // of the ops so far the one that ends last
      for (const SliceIndex op : stream) {
        if (before != kNone) visit(before, op);
        if (before == kNone || t.slices.end(op) >= t.slices.end(before)) before = op;
      }
    }
  };
  for_each_pair([&](SliceIndex before, SliceIndex op) {
    const SliceIndex call = t.slices.launch[op];
    if (call != kNone && t.slices.end(call) > t.slices.end(before)) return;  // it was not there yet
    const int64_t gap = t.slices.start[op] - t.slices.end(before);
    if (gap <= kLongestGap) least.add(0, gap);  // else it waited for another stream
  });
  least.finish();
  per_run.stream_least = least.of(0);
  for_each_pair([&](SliceIndex before, SliceIndex op) {
    if (t.slices.end(before) <= t.slices.start[op]) {
      add_edge(per_run.ends[before], per_run.begins[op], EdgeKind::stream, per_run.stream_least);
    } else {  // they overlap, as launches that depend on each other by program may
      add_edge(per_run.begins[before], per_run.begins[op], EdgeKind::stream,
               t.slices.start[op] - t.slices.start[before]);
    }
  });
}

/// Pages of managed memory that move to the host after a kernel: the host reads what the kernel wrote, so that they
/// come after it, and what the host launches next comes after them.
void GraphBuilder::add_migration_edges(size_t run) {
  const Timeline& t = timeline(run);
  const DeviceOps& ops = t.device_ops;
  const PerRun& per_run = per_run_[run];
  struct OfDevice {
    std::vector<std::pair<int64_t, SliceIndex>> kernels;     // by their ends
    std::vector<std::pair<int64_t, SliceIndex>> migrations;  // to the host, by their starts
    std::vector<std::pair<int64_t, SliceIndex>> calls;       // that launch the kernels, by their starts
  };
  if (std::ranges::none_of(ops.copy, is_migration)) return;
  std::map<int32_t, OfDevice> devices;
  for (OpIndex op = 0; op < ops.size(); ++op) {
    const SliceIndex slice = ops.slice[op];
    if (per_run.ends[slice] == kNone) continue;
    OfDevice& of_device = devices[ops.device[op]];
    if (ops.copy[op] == CopyKind::uvm_DtoH) of_device.migrations.emplace_back(t.slices.start[slice], slice);
    if (ops.kind[op] != OpKind::compute) continue;
    of_device.kernels.emplace_back(t.slices.end(slice), slice);
    const SliceIndex call = launch_of(t, slice);
    if (call != kNone && per_run.begins[call] != kNone) of_device.calls.emplace_back(t.slices.start[call], call);
  }
  for (auto& [device, of_device] : devices) {
    std::ranges::sort(of_device.kernels);
    std::ranges::sort(of_device.migrations);
    for (size_t i = 0; i < of_device.kernels.size(); ++i) {
      const auto [end, kernel] = of_device.kernels[i];
      const auto first = std::ranges::lower_bound(of_device.migrations, std::pair(end, SliceIndex{0}));
      if (first == of_device.migrations.end()) break;
      if (i + 1 < of_device.kernels.size() && of_device.kernels[i + 1].first <= first->first) continue;
      add_edge(per_run.ends[kernel], per_run.begins[first->second], EdgeKind::stream, first->first - end);
    }
    std::ranges::sort(of_device.calls);
    int64_t since = INT64_MIN;  // the call before
    for (const auto& [begin, call] : of_device.calls) {
      const auto next = std::ranges::lower_bound(of_device.migrations, std::pair(begin, SliceIndex{0}));
      const int64_t before = std::exchange(since, begin);
      if (next == of_device.migrations.begin()) continue;
      const SliceIndex last = std::prev(next)->second;
      const int64_t end = t.slices.end(last);
      if (t.slices.start[last] < before || end > begin) continue;
      add_edge(per_run.ends[last], per_run.begins[call], EdgeKind::host, begin - end);
    }
  }
}

/// Waits of streams for other streams, as the profile records them.
void GraphBuilder::add_event_edges(size_t run) {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  const auto first_from = [&](TrackIndex track, int64_t time) {
    const std::vector<SliceIndex>& ops = per_run.streams[track];
    const auto at =
        std::partition_point(ops.begin(), ops.end(), [&](SliceIndex op) { return t.slices.start[op] < time; });
    return at == ops.end() ? kNone : *at;
  };
  for (const Wait& wait : runs_[run].waits->all()) {
    if (wait.end != Wait::End::op || per_run.ends[wait.op] == kNone) continue;
    SliceIndex held = wait.held;
    const TrackIndex track = t.slices.track[wait.slice];
    if (held == kNone && track != kNone && t.tracks[track].kind == TrackKind::device_stream) {
      held = first_from(track, t.slices.end(wait.slice));
    }
    if (held == kNone) continue;
    add_edge(per_run.ends[wait.op], per_run.begins[held], EdgeKind::event, per_run.stream_least);
  }
}

GraphBuilder::TimesOfThreads GraphBuilder::event_waits_of(size_t run) const {
  return times_of_calls(timeline(run), makes_stream_wait);
}

/// A thread that records an event and then makes a stream wait, with no launch in between, makes that stream wait for
/// what it launched last (PyTorch's wait_stream): so the op that it launches next into another stream begins after
/// that, also where something else held it longer.
void GraphBuilder::add_ordered_streams(size_t run, const TimesOfThreads& waits) {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  if (std::ranges::all_of(waits, [](const auto& of_track) { return of_track.empty(); })) return;
  const TimesOfThreads records = times_of_calls(t, records_event);
  struct Launch {
    int64_t time = 0;  // of the call
    SliceIndex op = kNone;
    int32_t device = 0;
  };
  std::vector<std::vector<Launch>> launches(t.tracks.size());  // by thread
  for (size_t op = 0; op < t.device_ops.size(); ++op) {
    const SliceIndex slice = t.device_ops.slice[op];
    const SliceIndex call = t.slices.launch[slice];
    if (call == kNone || per_run.ends[slice] == kNone || t.slices.track[call] == kNone) continue;
    if (t.slices.track[slice] == kNone) continue;
    launches[t.slices.track[call]].push_back({t.slices.start[call], slice, t.device_ops.device[op]});
  }
  for (TrackIndex thread = 0; thread < launches.size(); ++thread) {
    if (waits[thread].empty() || records[thread].empty()) continue;
    std::vector<Launch>& of_thread = launches[thread];
    std::ranges::sort(of_thread, [&](const Launch& a, const Launch& b) {
      return std::pair(a.time, t.slices.start[a.op]) < std::pair(b.time, t.slices.start[b.op]);
    });
    for (size_t i = 0; i < of_thread.size(); ++i) {
      const Launch& held = of_thread[i];
      const TrackIndex stream = t.slices.track[held.op];
      const auto wait = last_before(waits[thread], held.time);
      const auto record = wait ? last_before(records[thread], *wait) : std::nullopt;
      if (!record) continue;
      size_t before = i;           // the first launch after the wait
      TrackIndex between = kNone;  // the one stream of those after the wait and before this one
      bool is_first = true;        // into another stream than that
      while (is_first && before > 0 && of_thread[before - 1].time > *wait) {
        const TrackIndex other = t.slices.track[of_thread[--before].op];
        is_first = other != stream && (between == kNone || between == other);
        between = other;
      }
      if (!is_first || before == 0 || of_thread[before - 1].time > *record) continue;
      const Launch& awaited = of_thread[before - 1];
      const TrackIndex awaited_stream = t.slices.track[awaited.op];
      if (awaited_stream == stream || awaited.device != held.device) continue;
      if (between != kNone && between != awaited_stream) continue;
      if (t.slices.end(awaited.op) > t.slices.start[held.op]) continue;
      add_edge(per_run.ends[awaited.op], per_run.begins[held.op], EdgeKind::event, per_run.stream_least);
    }
  }
}

/// Ops that waited although neither their launch nor their stream held them, and began just after an op of another
/// stream of their device had ended: they waited for that one.
void GraphBuilder::add_successions(size_t run, const TimesOfThreads& event_waits) {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  for (size_t i = per_run.first_edge; i < to_.size(); ++i) {
    const Dependency edge = graph_.edges_[i];
    if (graph_.moments_[to_[i]].kind != Moment::Kind::begin) continue;
    const int64_t delay = time_of(to_[i]) - time_of(edge.from) - edge.weight;
    Explained& explained = explained_[to_[i]];
    explained = std::max(explained, delay < kNoticeableDelay ? Explained::yes : Explained::too_early);
  }
  std::map<int32_t, std::vector<SliceIndex>> by_end;  // of each device
  std::vector<int32_t> device_of(t.tracks.size(), -1);
  for (size_t op = 0; op < t.device_ops.size(); ++op) {
    const SliceIndex slice = t.device_ops.slice[op];
    if (per_run.ends[slice] == kNone || t.slices.track[slice] == kNone) continue;
    by_end[t.device_ops.device[op]].push_back(slice);
    device_of[t.slices.track[slice]] = t.device_ops.device[op];
  }
  for (auto& [device, ops] : by_end) {
    std::sort(ops.begin(), ops.end(), [&](SliceIndex a, SliceIndex b) {
      return std::pair(t.slices.end(a), a) < std::pair(t.slices.end(b), b);
    });
  }
  const auto waits_between = [&](SliceIndex before, SliceIndex call) {
    const SliceIndex call_before = before == kNone ? kNone : t.slices.launch[before];
    if (call == kNone || call_before == kNone || t.slices.track[call] == kNone) return false;
    const std::vector<int64_t>& waits = event_waits[t.slices.track[call]];
    const auto wait = std::upper_bound(waits.begin(), waits.end(), t.slices.start[call_before]);
    return wait != waits.end() && *wait < t.slices.start[call];
  };
  const int64_t usual_latency = 2 * per_run.stream_least + 2'000;
  for (TrackIndex track = 0; track < per_run.streams.size(); ++track) {
    SliceIndex before = kNone;  // in the stream
    for (const SliceIndex op : per_run.streams[track]) {
      const SliceIndex op_before = std::exchange(before, op);
      const MomentIndex begin = per_run.begins[op];
      if (explained_[begin] != Explained::too_early) continue;
      const std::vector<SliceIndex>& ended = by_end[device_of[track]];
      const int64_t start = t.slices.start[op];
      const int64_t at_once =
          waits_between(op_before, t.slices.launch[op]) ? std::max(kEventLatency, usual_latency) : usual_latency;
      auto at = std::partition_point(ended.begin(), ended.end(),
                                     [&](SliceIndex other) { return t.slices.end(other) <= start; });
      while (at != ended.begin() && t.slices.end(*std::prev(at)) >= start - at_once) {
        const SliceIndex other = *--at;
        if (t.slices.track[other] == track || t.slices.start[other] >= start) continue;
        add_edge(per_run.ends[other], begin, EdgeKind::succession, per_run.stream_least);
        break;
      }
    }
  }
}

/// A thread goes on after its last moment; where a call returned because ops had ended, the call itself takes only as
/// long as it took to return, a thread that spun as long as it took to react, and a collective as long as for the
/// member that did not wait.
void GraphBuilder::add_thread_edges(size_t run) {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  std::unordered_map<MomentIndex, int64_t> return_times;
  std::map<int32_t, std::vector<TrackIndex>> tracks_of_devices;
  std::vector<bool> known(t.tracks.size(), false);
  for (size_t op = 0; op < t.device_ops.size(); ++op) {
    const TrackIndex track = t.slices.track[t.device_ops.slice[op]];
    if (track == kNone || known[track]) continue;
    known[track] = true;
    tracks_of_devices[t.device_ops.device[op]].push_back(track);
  }
  for (const Return& one : per_run.returns) {
    const MomentIndex end = per_run.ends[one.call];
    if (t.slices.end(one.op) > t.slices.end(one.call)) {  // by the times of the profile it returned too early
      add_edge(per_run.begins[one.op], end, EdgeKind::work, t.slices.duration[one.op]);
      return_times.emplace(end, 0);
      continue;
    }
    const int64_t return_time = t.slices.end(one.call) - std::max(t.slices.end(one.op), t.slices.start[one.call]);
    add_edge(per_run.ends[one.op], end, one.kind, t.slices.end(one.call) - t.slices.end(one.op));
    return_times.emplace(end, return_time);
    if (!one.all_streams) continue;
    for (const auto& [device, tracks] : tracks_of_devices) {
      if (std::find(tracks.begin(), tracks.end(), t.slices.track[one.op]) == tracks.end()) continue;
      for (const TrackIndex track : tracks) {  // the last op that was there when the wait began
        const std::vector<SliceIndex>& ops = per_run.streams[track];
        auto at = std::partition_point(ops.begin(), ops.end(),
                                       [&](SliceIndex op) { return t.slices.end(op) <= t.slices.end(one.call); });
        while (at != ops.begin() && submission_of(t, *std::prev(at)) > t.slices.start[one.call]) --at;
        if (at != ops.begin() && *std::prev(at) != one.op) {
          add_edge(per_run.ends[*std::prev(at)], end, one.kind, return_time);
        }
      }
    }
  }
  for (const Spin& spin : per_run.spins) {
    const MomentIndex ended = per_run.ends[spin.op];
    add_edge(ended, spin.next, EdgeKind::wait, time_of(spin.next) - time_of(ended));
    return_times.emplace(spin.next, spin.own);
  }
  for (const auto& [slice, place] : per_run.sync_points) {
    if (sync_points_[place].of_hosts) return_times.emplace(per_run.ends[slice], sync_points_[place].shortest);
  }
  for (const size_t place : per_run.message_waits) {
    const MomentIndex end = per_run.ends[message_waits_[place].call];
    return_times.emplace(end, time_of(end) - time_of(message_waits_[place].moment));
  }
  for (const std::vector<MomentIndex>& thread : per_run.threads) {
    for (size_t i = 0; i < thread.size(); ++i) {
      const MomentIndex from = i == 0 ? 0 : thread[i - 1];
      int64_t time = time_of(thread[i]) - time_of(from);
      if (const auto found = return_times.find(thread[i]); found != return_times.end() && i > 0) {
        time = std::min(time, found->second);
      }
      add_edge(from, thread[i], i == 0 ? EdgeKind::start : EdgeKind::host, time);
    }
  }
}

/// Threads that take turns, as the one that runs a forward pass and the one that runs the backward pass: where the
/// moments of one fill at least half of the time between two moments of another, the other one waited, and went on
/// when the first had stopped.
void GraphBuilder::add_handovers(size_t run) {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  std::map<std::string_view, std::vector<TrackIndex>> processes;
  for (TrackIndex track = 0; track < per_run.threads.size(); ++track) {
    if (!per_run.threads[track].empty()) processes[t.tracks[track].process].push_back(track);
  }
  std::unordered_map<MomentIndex, MomentIndex>
      went_on;  // moment of a thread -> the other thread's that it went on after
  for (const auto& [process, threads] : processes) {
    if (threads.size() < 2 || threads.size() > kMostThreads) continue;
    for (const TrackIndex track : threads) {
      const std::vector<MomentIndex>& own = per_run.threads[track];
      for (size_t i = 0; i < own.size(); ++i) {
        const MomentIndex before = i == 0 ? 0 : own[i - 1];
        const int64_t stop = time_of(own[i]) - time_of(before);
        if (stop < kShortestStop || graph_.moments_[own[i]].kind != Moment::Kind::begin) continue;
        MomentIndex last = kNone;
        for (const TrackIndex other : threads) {
          if (other == track) continue;
          const std::vector<MomentIndex>& moments = per_run.threads[other];
          const auto from = std::upper_bound(moments.begin(), moments.end(), before);
          const auto to = std::lower_bound(from, moments.end(), own[i]);
          if (to - from < 2) continue;
          const MomentIndex end = *std::prev(to);
          if (2 * (time_of(end) - time_of(*from)) < stop) continue;
          if (last == kNone || end > last) last = end;
        }
        if (last != kNone) went_on.emplace(own[i], last);
      }
    }
  }
  if (went_on.empty()) return;
  for (size_t i = per_run.first_edge; i < to_.size(); ++i) {  // these did not go on by themselves
    const EdgeKind kind = graph_.edges_.kind[i];
    if ((kind == EdgeKind::host || kind == EdgeKind::start) && went_on.count(to_[i]) > 0) graph_.edges_.weight[i] = 0;
  }
  for (const auto& [to, from] : went_on) add_edge(from, to, EdgeKind::handover, time_of(to) - time_of(from));
}

}  // namespace cgpu
