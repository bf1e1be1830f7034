#include "readers/companions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace cgpu {

bool holds_only_memory(const Run& run) {
  const Timeline& timeline = run.timeline;
  return timeline.slices.size() == 0 && !timeline.memory.empty() && !run.call_tree && !run.launch_metrics;
}

namespace {

bool is_trace(const Run& run) {
  return run.timeline.slices.size() > 0;
}

/// Time (of the session) in microseconds, bytes: what a trace and a timeline of one run write alike.
using Allocation = std::pair<int64_t, int64_t>;
std::vector<Allocation> allocations_of(const Run& run) {
  std::vector<Allocation> all;
  for (const MemoryEvent& event : run.timeline.memory) {
    int64_t time = 0;
    if (!__builtin_add_overflow(event.time, run.clock_base, &time)) all.emplace_back(time / 1000, event.bytes);
  }
  std::sort(all.begin(), all.end());
  return all;
}

size_t common(const std::vector<Allocation>& a, const std::vector<Allocation>& b) {
  std::vector<Allocation> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

/// What is asked of every trace again and again.
struct Trace {
  Run* run;
  std::vector<Allocation> allocations;
  std::optional<std::pair<int64_t, int64_t>> extent;
};

bool lies_in(const std::vector<Allocation>& allocations, const Trace& trace) {
  if (!trace.extent) return false;
  const auto inside = std::count_if(allocations.begin(), allocations.end(), [&](const Allocation& one) {
    return one.first >= trace.extent->first / 1000 && one.first <= trace.extent->second / 1000;
  });
  return static_cast<size_t>(inside) * 2 >= allocations.size();
}

/// The only trace for which `score` is largest; null where that is 0.
template <typename Score>
const Trace* single_best(const std::vector<Trace>& traces, Score score) {
  const Trace* best = nullptr;
  size_t most = 0;
  bool single = false;
  for (const Trace& trace : traces) {
    const size_t value = score(trace);
    if (value < most || value == 0) continue;
    single = value > most;
    most = value;
    best = &trace;
  }
  return single ? best : nullptr;
}

const Trace* trace_of(const Run& companion, const std::vector<Trace>& traces) {
  const std::vector<Allocation> allocations = allocations_of(companion);
  const Trace* by_events =
      single_best(traces, [&](const Trace& trace) { return common(allocations, trace.allocations); });
  if (by_events != nullptr) return by_events;
  const Trace* by_time = single_best(traces, [&](const Trace& trace) -> size_t { return lies_in(allocations, trace); });
  if (by_time != nullptr || !companion.rank_known) return by_time;
  return single_best(traces, [&](const Trace& trace) -> size_t {
    return trace.run->rank_known && trace.run->rank == companion.rank && lies_in(allocations, trace);
  });
}

/// The only device on which the trace shows work.
std::optional<int32_t> only_device(const Run& run) {
  const auto& devices = run.timeline.device_ops.device;
  const std::set<int32_t> used(devices.begin(), devices.end());
  return used.size() == 1 ? std::optional(*used.begin()) : std::nullopt;
}

void join(Run& trace, Run& companion) {
  Timeline& to = trace.timeline;
  Timeline& from = companion.timeline;
  const int64_t shift = companion.clock_base - trace.clock_base;
  if (to.memory.empty()) {
    const std::optional<int32_t> device = only_device(trace);
    for (MemoryEvent event : from.memory) {
      event.time += shift;
      if (device) event.device = *device;
      to.memory.push_back(event);
    }
    trace.events += companion.events;
  }
  const auto tracks = static_cast<uint32_t>(to.counters.tracks.size());
  to.counters.tracks.insert(to.counters.tracks.end(), from.counters.tracks.begin(), from.counters.tracks.end());
  for (size_t i = 0; i < from.counters.track.size(); ++i) {
    to.counters.track.push_back(from.counters.track[i] + tracks);
    to.counters.time.push_back(from.counters.time[i] + shift);
    to.counters.value.push_back(from.counters.value[i]);
  }
  trace.input_bytes += companion.input_bytes;
  trace.text_bytes += companion.text_bytes;
  trace.metadata.emplace_back("memory_timeline", companion.file);
  trace.notes.merge(companion.notes);
}

}  // namespace

std::optional<std::pair<int64_t, int64_t>> recorded_time(const Run& run) {
  const Slices& slices = run.timeline.slices;
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  if (run.released_totals && run.released_totals->slices_time) {
    first = run.released_totals->slices_time->begin;
    last = run.released_totals->slices_time->end;
  }
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    first = std::min(first, slices.start[i]);
    last = std::max(last, slices.end(i));
  }
  if (first > last || __builtin_add_overflow(first, run.clock_base, &first) ||
      __builtin_add_overflow(last, run.clock_base, &last)) {
    return std::nullopt;
  }
  return std::pair(first, last);
}

void join_companions(std::vector<Run>& runs) {
  if (runs.size() < 2 || std::none_of(runs.begin(), runs.end(), holds_only_memory)) return;
  std::vector<Trace> traces;
  for (Run& run : runs) {
    if (is_trace(run)) traces.push_back({&run, allocations_of(run), recorded_time(run)});
  }
  std::vector<Run*> joined;
  for (Run& run : runs) {
    if (!holds_only_memory(run)) continue;
    if (const Trace* trace = trace_of(run, traces)) {
      join(*trace->run, run);
      joined.push_back(&run);
    } else if (!traces.empty()) {
      run.notes.add("unmatched_companion", 1,
                    "memory timelines that fit no single one of the traces beside them; they are shown as ranks");
    }
  }
  std::vector<Run> kept;
  for (Run& run : runs) {
    if (std::find(joined.begin(), joined.end(), &run) == joined.end()) kept.push_back(std::move(run));
  }
  runs = std::move(kept);
}

}  // namespace cgpu
