#include "analysis/host/thread_times.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/name_rules.h"
#include "analysis/common/samples.h"
#include "analysis/idle/idle_causes.h"
#include "links/nesting.h"
#include "model/plausible.h"
#include "model/processor_time.h"

namespace cgpu {

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "threading.py(359): wait": Python's own locks and waits, whose calls of C are not always recorded.
std::optional<ThreadState> wait_of_frame(std::string_view name) {
  const size_t line = name.find(".py(");
  const size_t function = name.find("): ");
  if (line == std::string_view::npos || function == std::string_view::npos) return std::nullopt;
  const std::string_view file = name.substr(0, line);
  const std::string_view called = name.substr(function + 3);
  if (file.ends_with("threading") && is_one_of(called, {"wait", "wait_for", "acquire", "_wait_for_tstate_lock"})) {
    return ThreadState::lock_wait;
  }
  if (file.ends_with("selectors") && called == "select") return ThreadState::io_wait;
  return std::nullopt;
}

/// How a host slice of this kind and name waits; empty where it does not.
std::optional<ThreadState> wait_named_by(SliceKind kind, std::string_view name) {
  if (const auto cause = cause_named_by(kind, name)) {
    if (*cause == IdleCause::synchronization || *cause == IdleCause::blocking_copy) return ThreadState::device_wait;
    if (*cause == IdleCause::lock) return ThreadState::lock_wait;
    if (*cause == IdleCause::io) return ThreadState::io_wait;
  }
  if (is_sleep(name)) return ThreadState::sleep;
  if (kind == SliceKind::python_function) return wait_of_frame(name);
  if (kind == SliceKind::os_call && is_in(NameList::other_wait, name)) return ThreadState::other_wait;
  return std::nullopt;
}

ThreadState state_inside(SliceKind kind) {
  if (kind == SliceKind::os_call) return ThreadState::os_call;
  if (kind == SliceKind::framework_op) return ThreadState::op;
  if (kind == SliceKind::python_function) return ThreadState::python_frame;
  return kind == SliceKind::annotation ? ThreadState::annotation : ThreadState::call;
}

bool is_wait(ThreadState state) {
  return state >= ThreadState::device_wait && state <= ThreadState::other_wait;
}

/// What is known of one thread, before it is put together.
struct ThreadRecords {
  std::array<std::vector<Interval>, kThreadStates> in;  // disjoint over the states, in order
  Interval shown{INT64_MAX, INT64_MIN};                 // from the first start to the last end of its slices
  std::vector<SliceIndex> samples;                      // in order of the file
  bool are_bounded = false;                             // the reader has limited their lengths (threads_beside)
  std::vector<Interval> on_processor;
};

/// The answer for each name, of the kind that was asked last: a name is rarely of two kinds.
class WaitsByName {
 public:
  explicit WaitsByName(const Timeline& timeline) : timeline_(timeline), answers_(timeline.names.size()) {}
  std::optional<ThreadState> of(SliceIndex slice) {
    const SliceKind kind = timeline_.kind(slice);
    Answer& answer = answers_[timeline_.slices.name[slice]];
    if (!answer.known || answer.kind != kind) {
      const std::string_view name = timeline_.name(slice);
      answer = {true, kind,
                is_host(kind) ? wait_named_by(kind, name) : wait_named_by(SliceKind::os_call, called_name(name))};
    }
    return answer.wait;
  }

 private:
  struct Answer {
    bool known = false;
    SliceKind kind = SliceKind::other;
    std::optional<ThreadState> wait;
  };
  const Timeline& timeline_;
  std::vector<Answer> answers_;
};

/// Splits the time of a thread's slices, which come outer ones first: each moment to the slice that began last. What is
/// inside of a call that waits is part of the wait; a device is what was waited for, whatever calls that took.
class ThreadSlices {
 public:
  ThreadSlices(const Timeline& timeline, WaitsByName& waits, ThreadRecords& into)
      : timeline_(timeline), waits_(waits), into_(into) {}

  void add(std::span<const SliceIndex> outer_first) {
    for (const SliceIndex slice : outer_first) {
      if (!is_plausible(timeline_, slice)) continue;
      const int64_t start = timeline_.slices.start[slice];
      const int64_t end = timeline_.slices.end(slice);
      into_.shown = {std::min(into_.shown.begin, start), std::max(into_.shown.end, end)};
      advance_to(start);
      const bool inside = !open_.empty() && end <= open_.back().end;
      open_.push_back({end, state(slice, inside && is_wait(open_.back().state) ? std::optional(open_.back().state)
                                                                               : std::nullopt)});
    }
    advance_to(INT64_MAX);
  }

 private:
  struct Open {
    int64_t end;
    ThreadState state;
  };

  ThreadState state(SliceIndex slice, std::optional<ThreadState> wait_around) {
    if (wait_around == ThreadState::device_wait) return ThreadState::device_wait;
    if (const auto wait = waits_.of(slice)) return *wait;
    return wait_around.value_or(state_inside(timeline_.kind(slice)));
  }

  void advance_to(int64_t time) {
    while (!open_.empty() && now_ < time) {
      const int64_t end = std::min(open_.back().end, time);
      if (now_ < end) {
        into_.in[static_cast<size_t>(open_.back().state)].push_back({now_, end});
        now_ = end;
      }
      if (open_.back().end <= now_) open_.pop_back();
    }
    now_ = time;
  }

  const Timeline& timeline_;
  WaitsByName& waits_;
  ThreadRecords& into_;
  std::vector<Open> open_;  // the innermost at the back
  int64_t now_ = INT64_MIN;
};

/// Puts together what is known of a thread, the surest first.
class ThreadAccount {
 public:
  explicit ThreadAccount(ThreadTimes& times) : times_(times), left_({times.span}) { times.ns.fill(0); }

  /// `state` has of the time that nothing has been said of what lies in `when`.
  void give(ThreadState state, const IntervalSet& when) {
    const IntervalSet now = left_.intersect(when);
    times_.ns[static_cast<size_t>(state)] += now.length();
    left_ = left_.subtract(now);
  }
  void give_rest(ThreadState state) { times_.ns[static_cast<size_t>(state)] += left_.length(); }

 private:
  ThreadTimes& times_;
  IntervalSet left_;
};

/// Fills all but the names and the processor time. `recorded_until`: the end of all scheduling that was recorded.
void account_for(const Timeline& timeline, WaitsByName& waits, ThreadRecords& records, int64_t recorded_until,
                 ThreadTimes& times) {
  std::array<IntervalSet, kThreadStates> in;
  Interval span = records.shown;
  const auto reach = [&](const Interval& time) {
    span = {std::min(span.begin, time.begin), std::max(span.end, time.end)};
  };
  for (size_t state = 0; state < kThreadStates; ++state) {
    in[state] = IntervalSet(std::move(records.in[state]));
  }
  for (const Interval& time : records.on_processor) reach(time);
  const IntervalSet on_processor(std::move(records.on_processor));

  int64_t period = 0;  // of sampling
  IntervalSet sampled_running;
  std::array<IntervalSet, kThreadStates> sampled_waits;
  if (!records.samples.empty()) {
    const auto [usual, most] = sample_length(timeline, records.samples);
    period = usual;
    const int64_t longest = records.are_bounded ? INT64_MAX : most;
    std::vector<Interval> running;
    std::array<std::vector<Interval>, kThreadStates> waiting;
    for (const SliceIndex sample : records.samples) {
      const int64_t start = timeline.slices.start[sample];
      const Interval time{start, start + std::min(timeline.slices.duration[sample], longest)};
      reach({start, timeline.slices.end(sample)});
      if (const auto wait = waits.of(sample)) {
        waiting[static_cast<size_t>(*wait)].push_back(time);
      } else {
        running.push_back(time);
        times.running_samples += time.begin < time.end ? 1 : 0;
      }
    }
    if (times.processor_ns && times.running_samples > 0) {
      // On a loaded machine samples lie further apart than the processor time that each stands for.
      const int64_t share_ns = *times.processor_ns / times.running_samples;
      for (Interval& time : running) time.end = std::min(time.end, time.begin + share_ns);
    }
    sampled_running = IntervalSet(std::move(running));
    for (size_t state = 0; state < kThreadStates; ++state)
      sampled_waits[state] = IntervalSet(std::move(waiting[state]));
  }
  times.span = span.begin < span.end ? span : Interval{};
  if (period > 0) times.possible_samples = std::max(times.running_samples, times.span_ns() / period);

  const auto gathered = [](const std::array<IntervalSet, kThreadStates>& sets, bool waits_alone) {
    IntervalSet all;
    for (size_t state = 0; state < kThreadStates; ++state) {
      if (is_wait(static_cast<ThreadState>(state)) == waits_alone) all = all.unite(sets[state]);
    }
    return all;
  };
  times.waiting = gathered(in, true).unite(gathered(sampled_waits, true));
  times.at_work = !on_processor.empty()      ? on_processor
                  : !records.samples.empty() ? sampled_running.subtract(times.waiting)
                                             : gathered(in, false);

  ThreadAccount rest(times);
  const auto give_waits = [&](const std::array<IntervalSet, kThreadStates>& sets) {
    for (size_t state = 0; state < kThreadStates; ++state) {
      if (is_wait(static_cast<ThreadState>(state))) rest.give(static_cast<ThreadState>(state), sets[state]);
    }
  };
  give_waits(in);
  if (!on_processor.empty()) {
    times.evidence = ThreadEvidence::scheduling;
    const IntervalSet recorded({{on_processor.intervals().front().begin, std::min(recorded_until, times.span.end)}});
    times.scheduled_ns = recorded.length();
    times.on_processor_ns = on_processor.length();
    rest.give(ThreadState::running, on_processor);
    rest.give(ThreadState::not_scheduled, recorded);
  }
  if (!records.samples.empty()) {
    if (on_processor.empty()) times.evidence = ThreadEvidence::samples;
    rest.give(ThreadState::running, sampled_running);
    give_waits(sampled_waits);
  }
  for (size_t state = 0; state < kThreadStates; ++state) rest.give(static_cast<ThreadState>(state), in[state]);
  rest.give_rest(ThreadState::unknown);
}

using ThreadKey = std::pair<std::string_view, std::string_view>;  // process, thread

/// The processor time of the threads that the call tree of a run counts it of. Reads it from the file.
class ProcessorTimes {
 public:
  explicit ProcessorTimes(const Run& run) {
    if (!run.call_tree || !run.call_tree->profile_values) return;
    const CallTree& tree = *run.call_tree;
    const auto metric = tree.find_metric("CPUTIME");
    if (!metric || tree.metrics[*metric].unit != "sec") return;
    const std::vector<double> values = values_by_profile(tree, 0, *metric);
    for (size_t i = 0; i < values.size(); ++i) {
      const CallProfile& profile = tree.profiles[i];
      if (profile.device || !profile.thread) continue;
      // Of several processes that are not distinguished, threads of one number are not either.
      for (const std::string& name : {"thread " + std::to_string(*profile.thread), without_program(profile.name)}) {
        const auto [at, is_new] = of_.try_emplace({profile.rank, name}, i, values[i]);
        if (!is_new && at->second.first != i) at->second.second = kNoValue;
      }
    }
  }
  std::optional<int64_t> of(const Track& track) const {
    auto found = of_.find({track.rank, track.process + " " + track.thread});
    if (found == of_.end()) found = of_.find({track.rank, track.thread});
    if (found == of_.end()) return std::nullopt;
    const double seconds = found->second.second;
    if (!(seconds > 0 && seconds < kMostSeconds)) return std::nullopt;
    return static_cast<int64_t>(std::llround(seconds * 1e9));
  }

 private:
  /// "process 2 thread 0" of "process 2 thread 0 (solver)".
  static std::string without_program(const std::string& name) { return name.substr(0, name.find(" (")); }

  static constexpr double kMostSeconds = 9e9;  // 64 bits of nanoseconds
  /// By rank and thread, and by the name of the whole thread: index of the profile, seconds.
  std::map<std::pair<std::optional<int64_t>, std::string>, std::pair<size_t, double>> of_;
};

}  // namespace

const char* text_of(ThreadEvidence evidence) {
  switch (evidence) {
    case ThreadEvidence::scheduling:
      return "scheduling";
    case ThreadEvidence::samples:
      return "samples";
    case ThreadEvidence::calls:
      break;
  }
  return "calls";
}

std::vector<ThreadTimes> thread_times(const Run& run) {
  const Timeline& timeline = run.timeline;
  WaitsByName waits(timeline);
  std::vector<ThreadRecords> of_track(timeline.tracks.size());
  for_each_thread_outer_first(timeline, [&](std::span<const SliceIndex> slices) {
    if (!slices.empty()) ThreadSlices(timeline, waits, of_track[timeline.slices.track[slices[0]]]).add(slices);
  });
  const std::vector<TrackIndex> thread_beside = threads_beside(timeline);
  std::map<StringId, std::vector<Interval>> scheduled;  // by the name that says which thread
  int64_t recorded_until = INT64_MIN;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (timeline.kind(slice) != SliceKind::other || !is_plausible(timeline, slice)) continue;
    const Interval time{timeline.slices.start[slice], timeline.slices.end(slice)};
    if (is_sample(timeline, slice)) {
      const TrackIndex track = timeline.slices.track[slice];
      ThreadRecords& records = of_track[thread_beside[track]];
      records.samples.push_back(slice);
      records.are_bounded = thread_beside[track] != track;
    } else if (timeline.categories[timeline.slices.category[slice]].name == kSchedulingCategory) {
      scheduled[timeline.slices.name[slice]].push_back(time);
      recorded_until = std::max(recorded_until, time.end);
    }
  }
  std::map<ThreadKey, std::pair<ScheduledThread, std::vector<Interval>*>> by_thread;
  for (auto& [name, times] : scheduled) {
    const auto thread = scheduled_thread(timeline.names[name]);
    if (!thread) continue;
    auto& known = by_thread.try_emplace({thread->process, thread->thread}, *thread, &times).first->second;
    if (known.second != &times) known.second->insert(known.second->end(), times.begin(), times.end());
  }

  const ProcessorTimes processor_times(run);
  std::vector<ThreadTimes> threads;
  const auto add = [&](ThreadTimes names, ThreadRecords& records) {
    account_for(timeline, waits, records, recorded_until, names);
    if (names.span_ns() > 0) threads.push_back(std::move(names));
  };
  for (TrackIndex at = 0; at < timeline.tracks.size(); ++at) {
    const Track& track = timeline.tracks[at];
    if (track.kind != TrackKind::host_thread) continue;
    if (const auto found = by_thread.find({track.process, track.thread}); found != by_thread.end()) {
      of_track[at].on_processor = std::move(*found->second.second);
      by_thread.erase(found);
    }
    add({.process = track.process,
         .process_name = track.process_name,
         .thread = track.thread,
         .name = track.thread_name,
         .processor_ns = of_track[at].on_processor.empty() && !of_track[at].samples.empty() ? processor_times.of(track)
                                                                                            : std::nullopt},
        of_track[at]);
  }
  for (auto& [key, thread] : by_thread) {
    ThreadRecords records;
    records.on_processor = std::move(*thread.second);
    add({.process = std::string(key.first), .thread = std::string(key.second), .name = std::string(thread.first.name)},
        records);
  }
  return threads;
}

}  // namespace cgpu
