// Tables `threads` and `processes`: what host threads did with their time. O(n log n) in the host slices.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/common/buckets.h"
#include "analysis/common/columns.h"
#include "analysis/host/thread_times.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct StateColumn {
  ThreadState state;
  const char* name;
  const char* about;
};
constexpr StateColumn kStateColumns[] = {
    {ThreadState::running, "running_ns",
     "on a processor and in no call that waits, by scheduling or samples; absent without both"},
    {ThreadState::device_wait, "device_wait_ns",
     "in calls that wait for a device: synchronisation and blocking copies"},
    {ThreadState::lock_wait, "lock_wait_ns", "in calls that wait for a lock, a condition or a semaphore"},
    {ThreadState::io_wait, "io_wait_ns", "in calls that read, write or wait for input"},
    {ThreadState::sleep, "sleep_ns", "in calls that sleep"},
    {ThreadState::other_wait, "other_wait_ns", "in calls that wait for a thread, a process or a signal"},
    {ThreadState::not_scheduled, "not_scheduled_ns",
     "on no processor, as scheduling says, and in no call that waits; absent without it"},
    {ThreadState::call, "call_ns", "in runtime and driver calls that may have run or waited"},
    {ThreadState::os_call, "os_call_ns", "in other calls of the operating system, likewise"},
    {ThreadState::op, "op_ns", "in framework ops outside of calls, likewise"},
    {ThreadState::python_frame, "python_ns", "in Python frames outside of ops and calls, likewise"},
    {ThreadState::annotation, "annotation_ns", "in annotations outside of everything else, likewise"},
    {ThreadState::unknown, "unknown_ns", "without a record in the profile"},
};

/// Why nothing is known of some time of a thread; "" where all is known.
std::string_view why_unknown(const ThreadTimes& thread) {
  if (thread.of(ThreadState::unknown) == 0) return "";
  switch (thread.evidence) {
    case ThreadEvidence::scheduling:
      return "its scheduling was recorded for a part of its time only";
    case ThreadEvidence::samples:
      return "too far from a sample: it did not run, or was not sampled";
    case ThreadEvidence::calls:
      break;
  }
  return "between recorded calls; neither scheduling nor samples were recorded";
}

/// The 95 % interval of a share that `hits` of `tries` samples show (Wilson's score interval), in percent.
std::pair<double, double> interval_of_share(int64_t hits, int64_t tries) {
  constexpr double z = 1.96;
  const auto n = static_cast<double>(tries);
  const double share = static_cast<double>(hits) / n;
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double reach = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {100 * std::max(0.0, middle - reach), 100 * std::min(1.0, middle + reach)};
}

/// Whether what is known of threads can say that one is in a state: calls alone tell neither that it ran nor that it
/// did not.
bool can_tell(ThreadState state, bool scheduled, bool sampled) {
  if (state == ThreadState::not_scheduled) return scheduled;
  return state != ThreadState::running || scheduled || sampled;
}

void append_states(Row& row, const std::array<int64_t, kThreadStates>& ns, bool scheduled, bool sampled) {
  for (const StateColumn& column : kStateColumns) {
    Cell& cell = row.emplace_back();
    if (can_tell(column.state, scheduled, sampled)) cell = ns[static_cast<size_t>(column.state)];
  }
}

void append_threads(const RunInSession& run, Table& table) {
  for (const ThreadTimes& thread : thread_times(run.run())) {
    const int64_t span_ns = thread.span_ns();
    Row row = {run.run().rank, thread.process, thread.thread, thread.name, span_ns};
    const bool sampled = thread.evidence == ThreadEvidence::samples;
    const bool estimated = sampled && !thread.processor_ns && thread.possible_samples > 0;
    const bool scheduled = thread.evidence == ThreadEvidence::scheduling;
    // Of processor time, a part may be of before the first sample or of after the last one.
    row.push_back(scheduled
                      ? percent_of(thread.on_processor_ns, thread.scheduled_ns)
                      : percent_of(std::min(thread.processor_ns.value_or(thread.at_work.length()), span_ns), span_ns));
    row.push_back(cell(std::string_view(text_of(thread.evidence))));
    append_states(row, thread.ns, scheduled, sampled);
    row.push_back(scheduled ? Cell(thread.on_processor_ns) : cell(thread.processor_ns));
    row.push_back(scheduled ? Cell(thread.scheduled_ns) : Cell());
    const auto [low, high] =
        estimated ? interval_of_share(thread.running_samples, thread.possible_samples) : std::pair(0.0, 0.0);
    row.push_back(estimated ? Cell(thread.running_samples) : Cell());
    row.push_back(estimated ? Cell(low) : Cell());
    row.push_back(estimated ? Cell(high) : Cell());
    const std::string_view why = why_unknown(thread);
    row.push_back(why.empty() ? Cell() : cell(why));
    table.append(row);
  }
}

/// The threads of a process together.
struct ProcessTimes {
  std::string name;
  int64_t threads = 0;
  Interval span{INT64_MAX, INT64_MIN};
  int64_t thread_ns = 0;
  int64_t busy_ns = 0;
  std::array<int64_t, kThreadStates> ns{};
  bool scheduled = false;  // of some thread that is known
  bool sampled = false;
};

void append_processes(const RunInSession& run, Table& table) {
  std::map<std::string, ProcessTimes> processes;
  for (const ThreadTimes& thread : thread_times(run.run())) {
    ProcessTimes& process = processes[thread.process];
    if (process.name.empty()) process.name = thread.process_name;
    ++process.threads;
    process.span = {std::min(process.span.begin, thread.span.begin), std::max(process.span.end, thread.span.end)};
    process.thread_ns += thread.span_ns();
    process.busy_ns += thread.processor_ns.value_or(thread.at_work.length());
    for (size_t state = 0; state < kThreadStates; ++state) process.ns[state] += thread.ns[state];
    process.scheduled = process.scheduled || thread.evidence == ThreadEvidence::scheduling;
    process.sampled = process.sampled || thread.evidence == ThreadEvidence::samples;
  }
  for (const auto& [id, process] : processes) {
    const int64_t span_ns = process.span.end - process.span.begin;
    Row row = {run.run().rank,
               id,
               process.name,
               process.threads,
               span_ns,
               process.thread_ns,
               static_cast<double>(process.busy_ns) / static_cast<double>(span_ns)};
    append_states(row, process.ns, process.scheduled, process.sampled);
    table.append(row);
  }
}

void append_buckets_of_threads(const RunInSession& run, const TableOptions& options, Table& table) {
  const std::vector<ThreadTimes> threads = thread_times(run.run());
  Interval span{INT64_MAX, INT64_MIN};  // of all threads, so that they are beside each other
  for (const ThreadTimes& thread : threads) {
    span = {std::min(span.begin, thread.span.begin), std::max(span.end, thread.span.end)};
  }
  if (threads.empty()) return;
  const std::vector<int64_t> bounds = bounds_of(span, bucket_count(options, threads.size()));
  for (const ThreadTimes& thread : threads) {
    const std::vector<int64_t> at_work = covered_in(bounds, thread.at_work);
    const std::vector<int64_t> waiting = covered_in(bounds, thread.waiting);
    for (size_t bucket = 0; bucket + 1 < bounds.size(); ++bucket) {
      const int64_t length = bounds[bucket + 1] - bounds[bucket];
      table.append({run.run().rank, thread.process, thread.thread, thread.name, static_cast<int64_t>(bucket),
                    bounds[bucket], length, at_work[bucket], waiting[bucket], percent_of(at_work[bucket], length)});
    }
  }
}

bool has_threads(const ProfileCounts& counts) {
  return counts.nested() + counts.processor_slices > 0;
}

void add_state_columns(std::vector<Column>& columns) {
  for (const StateColumn& column : kStateColumns) columns.push_back(time_column(column.name, column.about));
}

constexpr const char* kNeededOfThreads = "calls, ops or annotations on threads, their scheduling, or samples of them";

}  // namespace

Analysis threads_analysis() {
  Analysis analysis{
      .name = "threads",
      .about =
          "what each host thread did with its time, from running to waiting calls by what they wait for; the parts add "
          "up to its span",
      .columns = {rank_column(), key_column("process", "process of the thread"), key_column("thread", "the thread"),
                  text_column("name", "name of the thread"),
                  time_column("span_ns", "from the first to the last moment that the profile shows it"),
                  real_column(
                      "utilization_pct", "%",
                      "on a processor, of the time in which that was recorded; by the processor time of the thread "
                      "where that is counted; an estimate where samples tell; else in calls, ops and annotations that "
                      "do not wait, of span_ns"),
                  text_column("evidence", "what tells when it ran: scheduling, samples, or calls (its nesting alone)")},
      .applies = has_threads,
      .needs = kNeededOfThreads,
      .fold = fold_of<RowsByRun<append_threads>>};
  add_state_columns(analysis.columns);
  analysis.columns.push_back(time_column("on_processor_ns",
                                         "on a processor, also in calls that wait: as scheduling says, or by the "
                                         "processor time that is counted of the thread"));
  analysis.columns.push_back(time_column("scheduled_ns", "of span_ns, in which its scheduling was recorded"));
  analysis.columns.push_back(count_column("samples", "samples that running_ns is estimated from"));
  analysis.columns.push_back(
      real_column("utilization_low_pct", "%", "of an estimate by samples: lower end of its 95 % interval"));
  analysis.columns.push_back(real_column("utilization_high_pct", "%", "of an estimate by samples: upper end"));
  analysis.columns.push_back(text_column("unknown_because", "why unknown_ns is not known"));
  return analysis;
}

Analysis thread_utilization_analysis() {
  return {
      .name = "thread_utilization",
      .about = "how busy every host thread is over time, in buckets of equal length over all threads of the run",
      .columns = {rank_column(), key_column("process", "process of the thread"), key_column("thread", "the thread"),
                  text_column("name", "name of the thread"), number_column("bucket", "number of the bucket, from 0"),
                  moment_column("start_ns", "where the bucket begins"),
                  time_column("duration_ns", "length of the bucket"),
                  time_column("busy_ns", "in which it is at work, as utilization_pct of threads counts it"),
                  time_column("wait_ns", "in which it is in a call that waits"),
                  real_column("busy_pct", "%", "share of busy_ns in duration_ns")},
      .options = {buckets_option()},
      .applies = has_threads,
      .needs = kNeededOfThreads,
      .fold = fold_of<RowsByRun<append_buckets_of_threads>>};
}

Analysis processes_analysis() {
  Analysis analysis{
      .name = "processes",
      .about = "the threads of each process together: how many processors they keep busy, and what they wait for",
      .columns = {rank_column(), key_column("process", "the process"), text_column("name", "name of the process"),
                  count_column("threads", "threads of it that the profile shows"),
                  time_column("span_ns", "from the first to the last moment of any of them"),
                  time_column("thread_ns",
                              "spans of the threads, summed; the columns behind busy_threads add up to it"),
                  real_column(
                      "busy_threads", "",
                      "threads that are at work, on average over span_ns, as utilization_pct of threads counts them")},
      .applies = has_threads,
      .needs = kNeededOfThreads,
      .fold = fold_of<RowsByRun<append_processes>>};
  add_state_columns(analysis.columns);
  return analysis;
}

}  // namespace cgpu
