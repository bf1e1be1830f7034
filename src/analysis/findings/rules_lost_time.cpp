// Rules about what the critical path waits for: each kind of lost time (analysis/critical_path/edge_parts.h) is removed
// in the graph of dependencies, and what that saves is the finding's recoverable time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/common/asked_names.h"
#include "analysis/common/folded_names.h"
#include "analysis/common/name_rules.h"
#include "analysis/device/device_ops.h"
#include "analysis/findings/computing_ops.h"
#include "analysis/findings/host_copies.h"
#include "analysis/findings/lost_times.h"
#include "analysis/findings/places_of_waits.h"
#include "analysis/findings/rule_context.h"
#include "kernels/communication_names.h"
#include "links/graph_captures.h"
#include "links/waits.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// In the place of the one of kLostTimes where most of it is in launch calls.
constexpr LostTime kDriverLock{
    IdleCause::lock, "lock_contention", "waits in launch calls for a lock of the driver, which its threads share",
    "Launch from one thread of the process, or launch less from each: CUDA graphs, fused ops; or a process for each of "
    "the threads (MPS where they share a device)"};

/// In the place of the one of kLostTimes where most of it is in calls that wait for processes.
constexpr LostTime kStartedProcesses{
    IdleCause::io, "io", "waits for processes that it started",
    "Start them before the measured part, or keep what they make from run to run: compilers have caches"};

EdgeTimes::Scenario removed_long_host_code() {
  EdgeTimes::Scenario scenario;
  scenario.removed.set(kLongHostCode);
  return scenario;
}

/// Of a loop of one kernel that does little else on the host: a benchmark of it, in which nothing can be fused.
constexpr const char* kBenchmarkOfOne =
    "All that is launched is one kernel, again and again. To measure it, give it more to do at a time, or replay many of "
    "it as one CUDA graph: this measures how fast the host launches";

/// Graphs are no advice where most of the device work is launched as such already.
std::string launch_less(const Session& session) {
  int64_t ops = 0;
  int64_t in_graphs = 0;
  for (const Run& run : session.runs) {
    for_each_device_op(run.timeline, [&](OpIndex, SliceIndex slice) {
      const SliceIndex call = launch_of(run.timeline, slice);
      if (call == kNone) return;
      ++ops;
      if (replays_graph(run.timeline.name(call))) ++in_graphs;
    });
  }
  const bool graphed = 2 * in_graphs > ops;
  return std::string("Launch less: ") +
         (graphed ? "put what is still launched op by op into the graphs, "
                  : "CUDA graphs (torch.compile with mode=\"reduce-overhead\"), ") +
         "fused ops (torch.compile, foreach and fused optimizers), a larger batch. Compare with a step's time without "
         "the profiler, which lengthens what the host does";
}

/// RuleContext::awaited_event.
void find_wait_for_events(const RuleContext& context, const PathShare& path, double share, const std::string& culprit,
                          std::string_view cause, std::vector<Finding>& findings) {
  findings.push_back(
      {.rule = "no_work",
       .title = fmt::format("{} of the time a thread that launches waits in {}: without requests, or for "
                            "input that is late",
                            format_percent(100 * share), culprit),
       .evidence = fmt::format("{} on the critical path; the profile does not say which", context.per_step(path.total)),
       .suggestion = "Measure under load; if it is under load, look for what sends so late: another "
                     "thread, another process, the network",
       .command = fmt::format("idle_hosts --where 'cause = {}'", cause),
       .confidence = Confidence::low,
       .time = path.longest});
}

/// What libraries do at their first use.
bool is_of_first_use(IdleCause cause) {
  return cause == IdleCause::allocation || cause == IdleCause::module_load || cause == IdleCause::compilation;
}

/// Whether half of `time` or more is one stretch of a run without iterations, of which the recording then holds the
/// first pass alone.
bool is_once(const RuleContext& context, const Interval& longest, int64_t time) {
  return !context.judged().iterates() && 2 * (longest.end - longest.begin) >= time;
}

/// What a library did at its first use is no promise for later passes.
void doubt_first_use(const Interval& longest, Finding& finding) {
  finding.evidence += fmt::format("; {} of it at once", format_ns(longest.end - longest.begin));
  finding.suggestion =
      "Warm up before the recording: what a library does at its first use does not come again. Where it does: " +
      finding.suggestion;
  finding.confidence = Confidence::low;
  finding.shown_by_little = true;
}

/// The causes that take this share of the path or more.
void find_kinds(RuleContext& context, double least, std::vector<Finding>& findings) {
  for (const LostTime& usual : kLostTimes) {
    const PathShare& path = context.path(usual.cause);
    const bool is_of_driver = usual.cause == IdleCause::lock && 2 * path.in_driver_calls > path.total;
    if (context.path_share(usual.cause) < least) continue;
    const AwaitedEvent& event = context.awaited_event(usual.cause);
    if (!event.call.empty() && !event.of_process) {
      find_wait_for_events(context, path, context.path_share(usual.cause), event.call, text_of(usual.cause), findings);
      continue;
    }
    const bool is_of_process = event.of_process && usual.cause == IdleCause::io;
    const LostTime& lost = is_of_driver ? kDriverLock : is_of_process ? kStartedProcesses : usual;
    const IdleCulprit culprit = context.culprit_of(text_of(lost.cause));
    Finding finding{.rule = lost.rule,
                    .title = std::string(kShareOfTime) + " the run " + lost.what,
                    .evidence = fmt::format("{} on the critical path", context.per_step(path.total)),
                    .suggestion = lost.suggestion,
                    .command = fmt::format("idle_hosts --where 'cause = {}'", text_of(lost.cause)),
                    .confidence = is_of_driver ? Confidence::medium : Confidence::high,
                    .time = path.longest};
    if (!culprit.name.empty()) {
      finding.evidence += fmt::format("; of the idle time, most in {}", culprit.text());
      if (lost.cause == IdleCause::allocation) finding.evidence += op_around_calls(context.session(), culprit.name);
    }
    if (is_of_first_use(lost.cause) && is_once(context, path.longest, path.total)) {
      doubt_first_use(path.longest, finding);
    }
    finding.remedy = removed({lost.cause});
    findings.push_back(std::move(finding));
  }
}

/// What is gone without waits. Where half of them or more are for single values that are copied to the host, the calls
/// for these copies, too; and the copies, where there are hardly others.
EdgeTimes::Scenario without_waits(RuleContext& context) {
  EdgeTimes::Scenario without = removed({IdleCause::synchronization});
  const ReadValues values = read_values(context.host_copies(), context.thresholds().small_copy);
  int64_t waits = 0;
  for (size_t number = 0; number < context.session().runs.size(); ++number) {
    const Timeline& t = context.session().runs[number].timeline;
    waits += std::ranges::count_if(context.facts().waits(number).all(), [&](const Wait& wait) {
      return wait.end == Wait::End::op && wait.by != Wait::By::launch && is_call(t.kind(wait.slice));
    });
  }
  if (values.count == 0 || 2 * values.count < waits) return without;
  without.removed.set(kOfSmallCopies);
  if (values.are_nearly_all) without.removed.set(BoundBy(BoundBy::memory).number());
  return without;
}

/// Waits of the host for the device. A wait itself is over when the device is; what it costs is what the host does only
/// after it, while the device has nothing queued: that is gone if the host does not wait.
void find_synchronization(RuleContext& context, std::vector<Finding>& findings) {
  const EdgeTimes::Scenario without = without_waits(context);
  const int64_t gain = context.gain_of(without);
  const double share = static_cast<double>(gain) / static_cast<double>(context.measured());
  if (share < context.thresholds().noticeable) return;
  const std::string culprit = context.culprit_of("synchronization").text();
  Finding finding{
      .rule = "synchronization",
      .title =
          std::string(kShareOfTime) + " is lost because the host waits for the device and has nothing queued behind it",
      .evidence = fmt::format("{} could go on beside the device if the host did not wait", context.per_step(gain)),
      .suggestion =
          "Remove the synchronisation or do it less often: .item(), .cpu(), nonzero and print of a tensor, "
          "cudaDeviceSynchronize in the loop, a thread that spins on a value of the device; read results of an earlier "
          "step instead",
      .command = "idle_hosts --where 'cause = synchronization'",
      .confidence = Confidence::medium,  // the host may need the result
      .precedence = 0.8,      // a little more than launching: where both save as much, the wait is the reason
      .counted_last = true};  // a host that never waits hides what else it does
  if (context.path(IdleCause::synchronization).total > 0)
    finding.time = context.path(IdleCause::synchronization).longest;
  if (!culprit.empty()) finding.evidence += fmt::format("; of the idle time within waits, most in {}", culprit);
  finding.evidence += places_of_waits(context.session());
  finding.remedy = without;
  findings.push_back(std::move(finding));
}

/// What can be done about a stall that is due to one range or op.
const char* without_stall(std::string_view culprit) {
  if (culprit.starts_with(kNothingRecorded)) {
    return "Record what the host does there (NVTX, Python frames, samples, calls of the operating system); then move it "
           "out of the loop, to another thread or to the device, or queue device work before it";
  }
  if (is_in(NameList::io_range, culprit)) {
    return "Read and write on another thread, or after the next step's device work has been queued: copy into "
           "page-locked memory without blocking, and wait for the copy only before its data is used";
  }
  if (communicates_on_host(culprit)) {
    return "Let the devices communicate (NCCL, a GPU-aware MPI), beside the computation; or look for the process that "
           "comes late";
  }
  return "Move this work out of the loop, to another thread, or to the device; or queue device work before it";
}

/// "aten::to"; "something unrecorded before aten::to" for "(nothing recorded before aten::to)".
std::string place_of_culprit(const std::string& name) {
  if (!name.starts_with(kNothingRecorded)) return name;
  std::string before = name.substr(kNothingRecorded.size());
  before.pop_back();
  return "something unrecorded" + before;
}

/// Long silence of a run without marks or repetitions.
void find_silence(RuleContext& context, const RuleContext::Silence& silence, std::vector<Finding>& findings) {
  findings.push_back(
      {.rule = "no_work",
       .title = fmt::format(
           "{} of the time nothing is recorded of the thread that launches: no request to work on, or "
           "work that the profile does not show",
           format_percent(100.0 * static_cast<double>(silence.time) / static_cast<double>(context.measured()))),
       .evidence = fmt::format("{} on the critical path, in stretches of {} or more", context.per_step(silence.time),
                               format_ns(silence.least)),
       .suggestion = "Measure under load; if it is under load, record what the host does (calls of the operating "
                     "system, NVTX, Python frames, samples)",
       .command = "idle_hosts --where 'cause = host_code'",
       .confidence = Confidence::low,
       .time = context.path(IdleCause::host_code).longest});
}

/// Fewer do not show what a program does, nor the pace of its host.
constexpr int64_t kFewestLaunches = 10;

/// Calls that launched device ops, in all of the session.
int64_t launch_count(const SessionFacts& facts) {
  int64_t count = 0;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    count += static_cast<int64_t>(facts.launching_calls(run).size());
  }
  return count;
}

/// Whether something of this name is a call of a GPU runtime or driver, or an op of a framework.
bool is_of_library(const Session& session, const std::string& name) {
  return std::ranges::any_of(session.runs, [&](const Run& run) {
    const Timeline& t = run.timeline;
    AskedNames is_meant(t, [&](SliceIndex slice) { return folded_name(t.name(slice)) == name; });
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_call(t.kind(slice)) && t.kind(slice) != SliceKind::framework_op) continue;
      if (is_meant(slice)) return true;
    }
    return false;
  });
}

/// Stretches of host code that are stalls of their own.
void find_host_stalls(RuleContext& context, std::vector<Finding>& findings) {
  const PathShare& code = context.path(IdleCause::host_code);
  const int64_t stalls = code.in_long_stretches;
  if (static_cast<double>(stalls) < context.thresholds().noticeable * static_cast<double>(context.measured())) return;
  constexpr double kNearlyAll = 0.9;
  const RuleContext::Silence silence = context.silence();
  if (static_cast<double>(silence.time) >= kNearlyAll * static_cast<double>(stalls)) {
    return find_silence(context, silence, findings);
  }
  IdleCulprit culprit = context.culprit_of_stalls();
  const bool in_gaps = !culprit.name.empty();
  if (!in_gaps) culprit = context.culprit_of_stretches();
  const bool one = culprit.pct >= 50;  // that most of it is due to
  const std::string place = place_of_culprit(culprit.name);
  const bool is_part = one && culprit.pct < 100 * kNearlyAll;
  const bool compiles = 2 * code.before_compiled >= stalls;
  const bool are_few = launch_count(context.facts()) < kFewestLaunches;
  const bool is_unseen = one && culprit.name.starts_with(kNothingRecorded);
  Finding finding{
      .rule = "host_stall",
      .title = std::string(kShareOfTime) + " the host " +
               (is_part ? "works"
                : one   ? (is_unseen ? "does " : "is in ") + place
                        : "computes") +
               " while the device has nothing to do" +
               (is_part ? fmt::format(", {} of that in {}", format_percent(culprit.pct), place) : ""),
      .evidence = fmt::format("{} on the critical path, in stretches of {} or more", context.per_step(stalls),
                              format_ns(static_cast<int64_t>(context.long_stretch()))),
      .suggestion = without_stall(one ? culprit.name : ""),
      .command =
          in_gaps ? "idle_hosts --where 'cause = host_code'" : "critical_path_trace --where 'bound_by = host_code'",
      .confidence = are_few     ? Confidence::low
                    : is_unseen ? Confidence::medium
                                : Confidence::high,
      .shown_by_little = are_few,
      .time = code.longest,
      .remedy = removed_long_host_code()};
  if (one && is_once(context, code.longest, stalls) && is_of_library(context.session(), culprit.name)) {
    doubt_first_use(code.longest, finding);
  }
  if (are_few) {
    finding.suggestion += ". Record more of the program: so few launches do not show what it does in the long run";
  }
  if (compiles) {
    finding.rule = "compilation";
    finding.title = std::string(kShareOfTime) +
                    " the host seems to compile: kernels of torch.compile run for the first "
                    "time right after it";
    finding.evidence += fmt::format("; {} of it ends with the first launch of a kernel of torch.compile (triton_...)",
                                    context.of_step(code.before_compiled));
    finding.suggestion = kCompileBefore;
    finding.confidence = Confidence::medium;
  }
  if (!culprit.name.empty()) {
    finding.evidence +=
        (in_gaps ? "; of the idle time within long ones, most in " : "; most of them in ") + culprit.text();
  }
  if (const IdleCulprit function = in_gaps ? context.sampled_function_of_stalls() : IdleCulprit{};
      !function.name.empty() && function.name != culprit.name) {
    finding.evidence += "; samples of the host were taken there most often in " + function.text();
  }
  findings.push_back(std::move(finding));
}

/// Launch calls that return only after their op has ended, as under CUDA_LAUNCH_BLOCKING.
struct BlockingLaunches {
  int64_t count = 0;
  int64_t blocking = 0;
  int64_t time = 0;           // ns in these calls
  int64_t blocking_time = 0;  // of it in those that block

  static constexpr int64_t kFewest = 20;
  static constexpr double kNearlyAll = 0.9;
  bool are_nearly_all() const { return blocking >= kFewest && is_nearly_all(blocking, count); }
  bool take_nearly_all_time() const { return blocking >= kFewest && is_nearly_all(blocking_time, time); }

 private:
  static bool is_nearly_all(int64_t part, int64_t whole) {
    return static_cast<double>(part) >= kNearlyAll * static_cast<double>(whole);
  }
};

/// Of kernels.
BlockingLaunches blocking_launches(const Session& session) {
  BlockingLaunches launches;
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    enum class Launch : uint8_t { none, returns, blocks };
    std::vector<Launch> calls(t.slices.size(), Launch::none);  // of one op or several
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      const SliceIndex call = launch_of(t, slice);
      if (call == kNone || t.device_ops.kind[op] != OpKind::compute) return;
      const bool is_over = t.slices.end(call) >= t.slices.end(slice);
      calls[call] = is_over && calls[call] != Launch::returns ? Launch::blocks : Launch::returns;
    });
    for (SliceIndex call = 0; call < calls.size(); ++call) {
      if (calls[call] == Launch::none) continue;
      ++launches.count;
      launches.time += t.slices.duration[call];
      if (calls[call] != Launch::blocks) continue;
      ++launches.blocking;
      launches.blocking_time += t.slices.duration[call];
    }
  }
  return launches;
}

/// The pace of the host: short stretches between its calls, and the calls that launch.
void find_launch_bound(RuleContext& context, std::vector<Finding>& findings) {
  const PathShare& code = context.path(IdleCause::host_code);
  const PathShare& launches = context.path(IdleCause::launch_overhead);
  const int64_t between = code.total - code.in_long_stretches;
  const int64_t pace = between + launches.total;
  if (static_cast<double>(pace) < context.thresholds().noticeable * static_cast<double>(context.measured())) return;
  const int64_t count = launch_count(context.facts());
  if (count < kFewestLaunches) return;
  const bool are_few = static_cast<double>(count) < context.thresholds().many_launches;
  const std::string culprit = code.in_long_stretches > 0 ? "" : context.culprit_of("host_code").text();
  constexpr int64_t kLittle = 4;  // times what the launch calls take
  const bool is_benchmark = between <= kLittle * launches.total && repeats_one_kernel(context.session());
  Finding finding{
      .rule = "launch_bound",
      .title = std::string(kShareOfTime) + " the device waits for the host to launch its next op",
      .evidence = fmt::format("{} on the critical path: {} in launch calls, {} between them", context.per_step(pace),
                              context.of_step(launches.total), context.of_step(between)),
      .suggestion = are_few
                        ? "Record more iterations: so few launches do not show what the program does in the long run"
                    : is_benchmark ? kBenchmarkOfOne
                                   : launch_less(context.session()),
      .command = "launches",
      .confidence = are_few ? Confidence::low : Confidence::medium,
      .precedence = 0.7,     // launching always takes time
      .counted_last = true,  // no host launches in no time, whereas the time of other causes can be saved in full
      .time = code.in_long_stretches > 0 ? launches.longest : code.longest,
      .remedy = removed({IdleCause::host_code, IdleCause::launch_overhead})};
  if (!culprit.empty()) finding.evidence += "; of the idle time between them, most in " + culprit;
  const BlockingLaunches blocking = are_few ? BlockingLaunches{} : blocking_launches(context.session());
  const bool wait_in_launches = launches.total > between && blocking.take_nearly_all_time();
  if (blocking.are_nearly_all() || wait_in_launches) {
    finding.evidence += blocking.are_nearly_all()
                            ? "; nearly every launch call returns only after its kernel has ended"
                            : fmt::format(
                                  "; {} launch calls return only after their kernel has ended and take {} of the "
                                  "time in launch calls",
                                  format_count(blocking.blocking),
                                  format_percent(100.0 * static_cast<double>(blocking.blocking_time) /
                                                 static_cast<double>(blocking.time)));
    finding.suggestion =
        "Let launches return at once: unset CUDA_LAUNCH_BLOCKING (HIP_LAUNCH_BLOCKING, "
        "AMD_SERIALIZE_KERNEL, ASCEND_LAUNCH_BLOCKING)";
  } else if (launches.total > between && !are_few)
    finding.suggestion += ". Look whether single calls are far longer than others";
  findings.push_back(std::move(finding));
}

/// Of the waiting that nothing explains, what was before ops whose launch is in the profile, and the rest.
std::string unexplained_words(int64_t launched, int64_t unknown) {
  std::vector<std::string> words;
  if (launched > 0) {
    words.push_back(fmt::format("for {} it had been given the next op and did not begin it", format_ns(launched)));
  }
  if (unknown > 0) {
    words.push_back(
        fmt::format("for {} the call that launched the next op is not in the profile, so that it is not "
                    "known what the host did",
                    format_ns(unknown)));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

void find_unexplained(RuleContext& context, std::vector<Finding>& findings) {
  // A path through ops without a launch also waits where the device does something else: that is no idle time. It may
  // also lead through what a thread did meanwhile, which no op is known to have waited for: then the idle time of the
  // mean device counts.
  const bool hides_launches = context.hides_launches();
  const auto waits = [&](IdleCause cause) {
    BoundKinds kinds;
    kinds.set(BoundBy(cause).number());
    const int64_t idle = context.idle_time_of(kinds);
    if (!hides_launches) return std::min(context.path(cause).total, idle);
    return static_cast<int64_t>(std::min(context.idle_share_of(kinds), 1.0) * static_cast<double>(context.measured()));
  };
  const int64_t dependency = waits(IdleCause::dependency);
  const int64_t unknown = waits(IdleCause::unknown);
  const int64_t both = dependency + unknown;
  const double share = static_cast<double>(both) / static_cast<double>(context.measured());
  if (share < context.thresholds().orphans) return;
  findings.push_back(
      {.rule = "untraced_host",
       .title = fmt::format("{} of the time the device waits for something that the profile does not show",
                            format_percent(100 * share)),
       .evidence = unexplained_words(dependency, unknown),
       .suggestion = context.has_host_calls()
                         ? "Begin the recording before the work, and record events between streams"
                         : "Record the host too (calls of the runtime, NVTX, Python frames), begin the recording "
                           "before the work, and record events between streams",
       .command = "critical_path_trace --where 'bound_by in (dependency, unknown)'",
       .confidence = Confidence::low,
       .time =
           (dependency > unknown ? context.path(IdleCause::dependency) : context.path(IdleCause::unknown)).longest});
}

/// What the device did before the recording began, or beyond what is recorded of the host: no time of the program's.
void find_profile_edge(RuleContext& context, std::vector<Finding>& findings) {
  if (const int64_t edge = context.judged().edge; edge > 0) {
    findings.push_back(
        {.rule = "profile_edge",
         .title =
             fmt::format("At first the device was for {} at work that was launched before the recording; this time "
                         "is not judged",
                         format_ns(edge)),
         .evidence = fmt::format("beside {} that are judged", format_ns(context.measured())),
         .suggestion = "Nothing to do; or let the program wait for the device before the recording begins",
         .command = "idle_hosts --where 'cause = profile_edge'",
         .confidence = Confidence::medium});
  }
  const PathShare& path = context.path(IdleCause::profile_edge);
  if (context.path_share(IdleCause::profile_edge) < context.thresholds().orphans) return;
  findings.push_back(
      {.rule = "profile_edge",
       .title = fmt::format("{} of the time lies at the edge of the profile: the device was at work that is not in it",
                            format_percent(100 * context.path_share(IdleCause::profile_edge))),
       .evidence =
           fmt::format("{}, {} of it at once: what was launched before the recording began was still running, or "
                       "nothing of the host is recorded",
                       context.per_step(path.total), format_ns(path.longest.end - path.longest.begin)),
       .suggestion = fmt::format("No bottleneck: leave this time out (--from {}ns), or let the program wait for the "
                                 "device before the recording begins",
                                 path.longest.end),
       .command = "idle_hosts --where 'cause = profile_edge'",
       .confidence = Confidence::medium,
       .time = path.longest});
}

/// A server that had no request: nothing that the program could do better.
void find_no_work(RuleContext& context, std::vector<Finding>& findings) {
  const JudgedPeriods& judged = context.judged();
  const auto with_empty = static_cast<double>(judged.time_of_empty_marks + context.measured());
  if (judged.empty_marks > 1 && !context.hides_launches() &&
      static_cast<double>(judged.time_of_empty_marks) >= context.thresholds().noticeable * with_empty) {
    findings.push_back(
        {.rule = "no_work",
         .title = fmt::format("{} marks of steps have no device work; they are left out of all figures",
                              format_count(judged.empty_marks)),
         .evidence = fmt::format("{} in all", format_ns(judged.time_of_empty_marks)),
         .suggestion = "Nothing to gain in the program where it looks for work and finds none: measure under load",
         .command = "steps",
         .confidence = Confidence::medium});
  }
  const PathShare& path = context.path(IdleCause::no_work);
  if (context.path_share(IdleCause::no_work) < context.thresholds().noticeable) return;
  findings.push_back({.rule = "no_work",
                      .title = fmt::format("{} of the time there was no request to work on",
                                           format_percent(100 * context.path_share(IdleCause::no_work))),
                      .evidence = fmt::format("{} on the critical path", context.per_step(path.total)),
                      .suggestion = "Nothing to gain in the program: measure under load, or use fewer devices",
                      .command = "idle_hosts --where 'cause = no_work'",
                      .confidence = Confidence::high,
                      .time = path.longest});
}

void find_warm_up(RuleContext& context, std::vector<Finding>& findings) {
  if (context.judged().had_earlier_work) {
    findings.push_back(
        {.rule = "warm_up",
         .title = "In the first step the device still did what was launched before the recording; the step "
                  "is left out of all figures",
         .evidence = "device ops without a launch take 1% of it or more, of the second step less",
         .suggestion = "Nothing to do; or let the program wait for the device before the recording begins",
         .command = "steps",
         .confidence = Confidence::high});
  }
  if (context.judged().warm_up.empty()) return;
  int64_t time = 0;
  for (const Period& period : context.judged().warm_up) time += period.end - period.begin;
  const auto count = static_cast<int64_t>(context.judged().warm_up.size());
  const auto usual = context.measured() / static_cast<int64_t>(context.judged().periods.size());
  std::vector<std::string> excesses;
  for (const WarmUp::Excess& excess : context.judged().warm_up_excess) {
    excesses.push_back(fmt::format("{} of {}", format_ns(excess.time), excess.cause));
  }
  findings.push_back(
      {.rule = "warm_up",
       .title = fmt::format(
           "{}: {} instead of {} a step; left out of all figures",
           count == 1 ? "The first step is a warm-up" : fmt::format("The first {} steps are warm-ups", count),
           format_ns(time / count), format_ns(usual)),
       .evidence = fmt::format("{} in all{}", format_ns(time),
                               excesses.empty() ? ""
                                                : fmt::format("; on its critical path the first has {} more than the "
                                                              "median of those after it",
                                                              fmt::join(excesses, ", "))),
       .suggestion = "Nothing to do where it happens once; begin the recording after it",
       .command = "steps",
       .confidence = Confidence::high});
}

}  // namespace

std::vector<Finding> all_lost_times(RuleContext& context) {
  std::vector<Finding> findings;
  find_kinds(context, 0, findings);
  return findings;
}

void find_lost_time(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  find_kinds(context, context.thresholds().noticeable / 3, findings);
  find_synchronization(context, findings);
  find_host_stalls(context, findings);
  find_launch_bound(context, findings);
  find_unexplained(context, findings);
  find_profile_edge(context, findings);
  find_no_work(context, findings);
  find_warm_up(context, findings);
}

}  // namespace cgpu
