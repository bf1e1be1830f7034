// What diagnosis rules query: the tables of a session, its critical path by kind, and the gain of a what-if scenario.
// Each is computed on first use; what the rules query of nearly every session is started early, on a second thread
// (base/threads.h).
#pragma once

#include <array>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/call_tree/host_work.h"
#include "analysis/critical_path/edge_times.h"
#include "analysis/critical_path/replayed_periods.h"
#include "analysis/findings/device_books.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/host_copies.h"
#include "analysis/findings/judged_periods.h"
#include "analysis/findings/ruleset.h"
#include "analysis/findings/scenarios.h"
#include "analysis/op_shapes/costed_work.h"
#include "analysis/ranks/slow_links.h"
#include "analysis/session_facts.h"
#include "links/graph_captures.h"
#include "table/table.h"

namespace cgpu {

/// The time on the critical path of one kind.
struct PathShare {
  int64_t total = 0;  // ns
  /// Of host_code, in stretches of long_stretch() or more: what a thread does between two of its calls that
  /// launch or wait, also where reading, writing or locks lie in between.
  int64_t in_long_stretches = 0;
  int64_t before_compiled = 0;  // of these, in those that end with the first launch of a kernel of torch.compile
  int64_t in_driver_calls = 0;  // in calls of a GPU runtime or driver
  Interval longest;             // the longest part or, of host_code, stretch, in ns from the start of the session
};

/// The largest contributor to the idle time of a cause.
struct IdleCulprit {
  std::string name;  // empty where there is none
  double pct = 0;    // of the idle time of the cause and its culprits that were asked for

  /// "cudaFree (72.10%)"; empty where there is none.
  std::string text() const;
};

/// What a thread waits for that is not in the hands of the program.
struct AwaitedEvent {
  std::string call;         // in which it waits; empty where there is none
  bool of_process = false;  // the calls wait for processes that the program started (ProcessTimes::waits_for_started)
};

class RuleContext {
 public:
  /// Both must outlive it.
  RuleContext(const SessionFacts& facts, const Ruleset& rules);

  const Thresholds& thresholds() const { return rules_.thresholds; }
  /// Those that the user gave.
  const std::vector<TableRule>& rules() const { return rules_.rules; }

  const SessionFacts& facts() const { return facts_; }
  const Session& session() const { return facts_.session(); }
  bool has_device_ops() const { return !judged_.periods.empty(); }

  /// What the rules look at.
  const JudgedPeriods& judged() const { return judged_; }
  /// When that is, on the common clock of the runs.
  IntervalSet judged_times() const;
  /// ns of all of it.
  int64_t measured() const { return measured_; }
  /// Of sampled call trees, which have no steps: ns of the thread with the most.
  void measure_longest_thread(int64_t ns) { measured_ = ns; }

  /// ns from which on a stretch of host code is a stall of its own (long_stretches.h).
  double long_stretch() const { return long_stretch_; }

  const PathShare& path(BoundBy kind);
  /// Share of the measured time that a kind takes on the critical path.
  double path_share(BoundBy kind) { return static_cast<double>(path(kind).total) / static_cast<double>(measured_); }

  /// ns on the critical path of all of these kinds.
  int64_t path_of(const BoundKinds& kinds);
  /// Whether so many replays of graphs show no device ops that it is not known how busy the devices were.
  bool lacks_replays();
  /// The calls that replay graphs, by run.
  const std::vector<ReplayCounts>& replays();
  /// Whether calls of a GPU runtime or driver are in the profile.
  bool has_host_calls() const;
  /// Whether the profile records collectives and nothing else (a flight recorder's), so that it is not known what the
  /// devices did between them.
  bool has_only_collectives() const;
  /// Whether so many device ops have no launch in the profile that replay cannot say what they waited for.
  bool hides_launches();

  /// The severity of a finding that takes this share of sampled or measured time, where no replay can compute the gain.
  Severity sampled_severity(double share) const;

  /// The first call tree that has a main metric; null where there is none.
  const CallTree* sampled_tree() const;
  /// The main metric of that tree: "cycles"; of a timeline that was folded its time.
  std::string sampled_metric() const;
  /// The sum of a metric over the ranks; 0 where the profiles have no values of it.
  double sum_of_metric(const std::string& metric);
  /// For whom the program of that tree works.
  const SampledWork& sampled_work();
  /// What was sampled of the main metrics of all call trees; nothing where one of them counts no time of a host.
  const WorkSums& work_sums();

  /// ns of all that is judged that would be saved in a scenario: by replay, and no more than the books of the devices
  /// allow.
  int64_t gain_of(const EdgeTimes::Scenario& scenario);
  const DeviceBooks& books();
  /// Those of kernels that are not short (filled_time.h), of a run of the session or of the whole; read once.
  const std::vector<float>& filled_shares(const Run& run);
  /// ns that the devices are idle for the causes among these kinds, all of the session; no bound (INT64_MAX) where work
  /// of devices is among them.
  int64_t idle_time_of(const BoundKinds& kinds);
  /// The part of the devices' spans, from their first op to their last, that they are idle for these causes (0..1).
  double idle_share_of(const BoundKinds& kinds);
  /// ns that the edges of the graph have of these kinds, of all runs: no scenario without them saves more.
  int64_t time_in_graph(const BoundKinds& kinds);

  /// What the framework ops of the whole session computed and moved; of those that take a noticeable share.
  const std::vector<CostedWork>& costed_work();

  /// The copies between hosts and devices that are judged.
  const std::vector<HostCopy>& host_copies();

  /// Of the whole session, which has several ranks.
  const SlowLinks& slow_links();

  const Table& table(const std::string& name);
  /// The culprit that at least a quarter of the idle time of a cause is due to, if there is one.
  IdleCulprit culprit_of(std::string_view cause);
  /// That of host code in gaps that have long_stretch() or more of it: by the part in these gaps.
  IdleCulprit culprit_of_stalls();
  /// The function in which most samples of the threads were taken during the host code of these gaps, by the number of
  /// samples; none of fewer than 20. Ranges and ops say what a program meant to do, samples what it did.
  IdleCulprit sampled_function_of_stalls();
  /// Of a way of waiting the call or frame in which half of its idle time or more waits, outside of marks of
  /// iterations, for others to say something (waits_for_event), or reads for 100 ms or more what somebody types: a
  /// server without requests does so, and a program whose input is late. Which it is, the profile does not say. None of
  /// other causes.
  const AwaitedEvent& awaited_event(IdleCause cause);
  /// That of long stretches of host code on the critical path. Gaps between device ops do not show those before the
  /// first op. O(slices log stretches).
  IdleCulprit culprit_of_stretches();
  /// Host code on the critical path that nothing recorded explains.
  struct Silence {
    int64_t time = 0;   // ns
    int64_t least = 0;  // ns from which on a stretch counts: 100 ms, or any long one where they vary widely
  };
  /// Of a run without marks or repetitions: of threads that neither begin nor end a slice in such a stretch, of which
  /// no calls of the operating system nor frames are recorded, which would show whether they wait, nor that they ran.
  Silence silence();

  /// "12.0 ms of 154.9 ms a step", or of the run.
  std::string per_step(int64_t total) const;
  /// "12.0 ms", of a step or of the run, as in per_step.
  std::string of_step(int64_t total) const;
  /// "36.0 ms in all": a sum over several steps, beside figures of one; else "36.0 ms".
  std::string in_all(int64_t total) const;

 private:
  /// Calls visit(run of the whole, part) for the host code of gaps that have long_stretch() or more of it.
  template <typename Visit>
  void for_each_part_of_stalls(Visit visit);
  struct OnPath {
    BoundBy bound_by = BoundBy::compute;
    size_t run = 0;
    TrackIndex thread = kNone;  // of host time
    Interval time;              // in the graph
    int64_t before = 0;         // ns of it before the period
    bool moves_pages = false;   // that a thread touched in the midst of its code
  };
  /// A long stretch of host code on the path.
  struct Stretch {
    size_t run = 0;  // of the whole session
    TrackIndex thread = kNone;
    Interval time;       // on the run's clock
    int64_t length = 0;  // ns of host code in it

    bool operator<(const Stretch& other) const {
      return std::tuple(run, thread, time.begin) < std::tuple(other.run, other.thread, other.time.begin);
    }
  };
  using Tables = std::map<std::string, Table>;
  const EdgeTimes& edge_times();
  void find_path();
  AwaitedEvent find_awaited_event(IdleCause cause) const;
  /// The kinds of waiting that end when something comes from outside.
  BoundKinds arrivals();
  void find_stretches(const std::vector<OnPath>& path, const std::vector<std::vector<int64_t>>& first_launches);

  const SessionFacts& facts_;
  const Ruleset& rules_;
  JudgedPeriods judged_;
  int64_t measured_ = 0;
  double long_stretch_ = 0;
  std::optional<std::array<PathShare, BoundBy::kCount>> path_;
  std::vector<Stretch> stretches_;  // with path_
  std::optional<SampledWork> sampled_work_;
  std::optional<WorkSums> work_sums_;
  std::optional<std::vector<CostedWork>> costed_work_;
  std::optional<std::vector<HostCopy>> host_copies_;
  std::optional<SlowLinks> slow_links_;
  Tables tables_;
  std::future<Tables> tables_ahead_;
  std::optional<EdgeTimes> times_;
  std::future<EdgeTimes> times_ahead_;
  std::optional<EdgeTimes::Totals> time_of_kinds_;
  std::optional<ReplayedPeriods> replayed_;
  EdgeTimes::Fixed fixed_;  // with replayed_
  std::map<IdleCause, AwaitedEvent> awaited_events_;
  std::optional<std::vector<ReplayCounts>> replays_;
  std::optional<bool> hides_launches_;
  std::optional<DeviceBooks> books_;
  std::map<const Run*, std::vector<float>> filled_shares_;
};

/// Begins the culprit of a time in which no slice of the thread is recorded: "(nothing recorded before aten::to)".
inline constexpr std::string_view kNothingRecorded = "(nothing recorded";

/// A rule adds what it finds.
using Rule = void (*)(RuleContext&, std::vector<Finding>&);

// One function a subject (rules_*.cpp).
void find_lost_time(RuleContext&, std::vector<Finding>&);  // what the critical path waits for
/// One finding for each cause of lost time, however little of the path it takes: without another cause it may take
/// more.
std::vector<Finding> all_lost_times(RuleContext& context);
void find_uneven_steps(RuleContext&, std::vector<Finding>&);      // steps that take longer than the others
void find_communication(RuleContext&, std::vector<Finding>&);     // what the devices send each other
void find_copies(RuleContext&, std::vector<Finding>&);            // how data is moved
void find_kernels(RuleContext&, std::vector<Finding>&);           // what runs on the devices
void find_fusable_kernels(RuleContext&, std::vector<Finding>&);   // kernels that could be one
void find_inefficient_ops(RuleContext&, std::vector<Finding>&);   // what ops reach of what their device could
void find_uneven_ops(RuleContext&, std::vector<Finding>&);        // products of one shape, some far slower
void find_ranks(RuleContext&, std::vector<Finding>&);             // ranks that others wait for
void find_sampled(RuleContext&, std::vector<Finding>&);           // call trees
void find_thread_work(RuleContext&, std::vector<Finding>&);       // how evenly threads and ranks were sampled at work
void find_host_work(RuleContext&, std::vector<Finding>&);         // what sampled hosts do besides the user's code
void find_host_steps(RuleContext&, std::vector<Finding>&);        // what hosts without devices do in their steps
void find_hottest_function(RuleContext&, std::vector<Finding>&);  // where no other rule says anything
void find_profile_gaps(RuleContext&, std::vector<Finding>&);      // what the profile itself lacks
void find_memory(RuleContext&, std::vector<Finding>&);            // how memory is held
void find_links(RuleContext&, std::vector<Finding>&);             // how fast collectives move data
void find_hung_collectives(RuleContext&, std::vector<Finding>&);  // collectives that never completed
void find_start_and_end(RuleContext&, std::vector<Finding>&);     // what is before and after the loop
void find_extra_work(RuleContext&, std::vector<Finding>&);  // device work that another way of saying the same saves
void find_by_users_rules(RuleContext&, std::vector<Finding>&);
/// What a kernel profiler says of the launches that it measured.
void find_measured_launches(RuleContext&, std::vector<Finding>&);

/// All findings of a session: the most recoverable time first, then what there is nothing to gain from. What they give
/// back is counted one after another, so that no time is promised twice. O(edges) for each finding.
struct Diagnosis {
  std::vector<Finding> findings;
  int64_t measured = 0;          // ns of the steps that were looked at
  std::optional<int64_t> steps;  // how many these are; none where it is the whole run, or what it repeats
};
Diagnosis diagnose(const SessionFacts& facts, const Ruleset& rules = {});

/// A rule that reported nothing, and why: what the profile lacks for it, or how far what it looks at is from being
/// worth a finding.
struct UnreportedRule {
  std::string rule;
  std::string reason;
};
/// In the order of docs/diagnosis.md. O(edges) for each finding, as diagnose().
std::vector<UnreportedRule> unreported_rules(const SessionFacts& facts, const Ruleset& rules = {});

}  // namespace cgpu
