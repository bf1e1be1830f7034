#include "analysis/findings/rule_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/common/folded_names.h"
#include "analysis/common/samples.h"
#include "analysis/critical_path/path_parts.h"
#include "analysis/critical_path/periods.h"
#include "analysis/device/device_ops.h"
#include "analysis/findings/awaited_input.h"
#include "analysis/findings/filled_time.h"
#include "analysis/findings/long_stretches.h"
#include "analysis/idle/culprit_names.h"
#include "analysis/steps/step_marks.h"
#include "base/allocator.h"
#include "base/threads.h"
#include "kernels/communication_names.h"
#include "links/recorded_work.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What rules ask of nearly every session with device ops. None of it needs the graph of dependencies, which is built
/// at the same time.
constexpr std::array kTablesAhead{"idle_hosts", "gpu_time", "transfers"};

/// Computes something on another thread meanwhile. Memory that it has freed is returned to the system, since other
/// threads would not reuse it.
template <typename Find>
auto ahead(Find find) {
  return in_background([find = std::move(find)] {
    auto found = find();
    return_freed_memory();
    return found;
  });
}

/// A kernel is launched so long after it was compiled, at most.
constexpr int64_t kUntilLaunch = 1'000'000;

/// When a run is in its steps, as their marks say.
IntervalSet times_of_marks(const SessionFacts& whole, size_t run) {
  const Slices& slices = whole.run(run).timeline.slices;
  std::vector<Interval> times;
  for (const Step& step : whole.steps(run)) times.push_back({slices.start[step.mark], slices.end(step.mark)});
  return IntervalSet(std::move(times));
}

/// By run of a session, when each kernel that torch.compile made was launched first, in the times of the graph; sorted.
/// What compiles them is seldom recorded: it shows as host code before that.
std::vector<std::vector<int64_t>> first_launches_of_compiled(const SessionFacts& whole) {
  std::vector<std::vector<int64_t>> by_run;
  for (size_t run = 0; run < whole.session().runs.size(); ++run) {
    const Timeline& t = whole.run(run).timeline;
    std::vector<bool> is_compiled(t.names.size());
    for (StringId name = 0; name < is_compiled.size(); ++name) is_compiled[name] = t.names[name].starts_with("triton_");
    std::vector<int64_t>& launches = by_run.emplace_back();
    if (std::find(is_compiled.begin(), is_compiled.end(), true) == is_compiled.end()) continue;
    std::map<StringId, int64_t> first;
    for_each_device_op(t, [&](OpIndex, SliceIndex slice) {
      const SliceIndex call = is_compiled[t.slices.name[slice]] ? launch_of(t, slice) : kNone;
      if (call == kNone) return;
      const auto [at, is_new] = first.try_emplace(t.slices.name[slice], t.slices.start[call]);
      if (!is_new) at->second = std::min(at->second, t.slices.start[call]);
    });
    for (const auto& [name, launch] : first) launches.push_back(launch - whole.dependencies().zero(run));
    std::ranges::sort(launches);
  }
  return by_run;
}

/// The one with the most of a whole, in ns; none where that is less than a quarter. Where none has half of it, but all
/// communication of hosts together has (MPI_Wait, MPI_Recv, ...), that: whichever call waits, it waits for other ranks.
IdleCulprit largest_of(const std::map<std::string, int64_t>& culprits, int64_t whole) {
  const auto is_less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto part = [&](int64_t time) { return 100.0 * static_cast<double>(time) / static_cast<double>(whole); };
  const auto most = std::ranges::max_element(culprits, is_less);
  if (most == culprits.end()) return {};
  std::map<std::string, int64_t> communication;
  int64_t communicates = 0;
  for (const auto& [name, time] : culprits) {
    if (!communicates_on_host(name)) continue;
    communication.emplace(name, time);
    communicates += time;
  }
  if (2 * most->second < whole && 2 * communicates >= whole && communication.size() > 1) {
    const std::string& longest = std::ranges::max_element(communication, is_less)->first;
    return {longest + " and other communication of hosts", part(communicates)};
  }
  // So is time that nothing is recorded of, whatever comes after it.
  int64_t unrecorded = 0;
  for (const auto& [name, time] : culprits) unrecorded += name.starts_with(kNothingRecorded) ? time : 0;
  if (2 * most->second < whole && 2 * unrecorded >= whole)
    return {std::string(kNothingRecorded) + ")", part(unrecorded)};
  if (most->first.empty() || 4 * most->second < whole) return {};
  return {most->first, part(most->second)};
}

bool is_made_ahead(const std::string& table) {
  return std::find(kTablesAhead.begin(), kTablesAhead.end(), table) != kTablesAhead.end();
}

}  // namespace

RuleContext::RuleContext(const SessionFacts& facts, const Ruleset& rules) : facts_(facts), rules_(rules) {
  const std::vector<Run>& runs = facts.session().runs;
  if (std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.timeline.device_ops.slice.empty(); })) {
    return;
  }
  tables_ahead_ = ahead([&facts] {
    Tables tables;
    for (const char* name : kTablesAhead) tables.emplace(name, make_table(find_analysis(name), facts));
    return tables;
  });
  judged_ = judged_periods(facts);
  measured_ = judged_.length();
  long_stretch_ = cgpu::long_stretch(facts.whole(), thresholds().host_stall);
  const EdgeTimes::Limits limits{long_stretch_, thresholds().small_copy, thresholds().many_copies};
  times_ahead_ = ahead([&facts, limits] { return EdgeTimes(facts.whole(), limits); });
}

IntervalSet RuleContext::judged_times() const {
  const SessionFacts& whole = facts_.whole();
  const int64_t zero = whole.dependencies().zero(0) + whole.run(0).clock_base;
  std::vector<Interval> times;
  for (const Period& period : judged_.periods) times.push_back({period.begin + zero, period.end + zero});
  return IntervalSet(std::move(times));
}

void RuleContext::find_path() {
  path_.emplace();
  const std::vector<std::vector<int64_t>> first_launches = first_launches_of_compiled(facts_.whole());
  const SessionFacts& whole = facts_.whole();
  const DependencyGraph& graph = whole.dependencies();
  const Replay replayed = as_measured(graph);
  EdgeParts parts(whole);
  const auto parts_of = [&](uint32_t edge, MomentIndex to, const auto& visit) { parts.for_each(edge, to, visit); };
  std::vector<OnPath> path;
  for (const Period& period : judged_.periods) {
    path.clear();
    for_each_part_of_path(
        graph, replayed, period.last, period.begin, parts_of,
        [&](const EdgePart& part, EdgeKind, int64_t from, int64_t to) {
          const bool moves_pages = part.bound_by == BoundBy(BoundBy::memory) && part.slice != kNone &&
                                   parts.toucher_of(part.run, part.slice) != kNone;
          path.push_back({part.bound_by, part.run, part.thread, {from, to}, part.length - (to - from), moves_pages});
          PathShare& share = (*path_)[part.bound_by.number()];
          share.total += to - from;
          const bool in_call = part.slice != kNone && is_call(whole.run(part.run).timeline.kind(part.slice));
          if (in_call) share.in_driver_calls += to - from;
          if (to - from <= share.longest.end - share.longest.begin) return;
          share.longest = {shown_time(whole, part.run, from), shown_time(whole, part.run, to)};
        });
    find_stretches(path, first_launches);
  }
}

/// `path` leads backwards.
void RuleContext::find_stretches(const std::vector<OnPath>& path,
                                 const std::vector<std::vector<int64_t>>& first_launches) {
  PathShare& code = (*path_)[BoundBy(IdleCause::host_code).number()];
  const SessionFacts& whole = facts_.whole();
  const auto is_code = [](const OnPath& part) { return part.bound_by == BoundBy(IdleCause::host_code); };
  const auto goes_on = [&](const OnPath& part) {
    return is_code(part) || part.bound_by == BoundBy(IdleCause::io) || part.bound_by == BoundBy(IdleCause::lock) ||
           part.moves_pages;
  };
  for (size_t last = 0; last < path.size(); ++last) {
    if (!is_code(path[last])) continue;
    int64_t length = 0;
    size_t first = last;
    size_t next = last;
    for (; next < path.size() && goes_on(path[next]) && path[next].run == path[last].run; ++next) {
      if (!is_code(path[next])) continue;
      length += path[next].time.end - path[next].time.begin;
      first = next;
    }
    if (static_cast<double>(length + path[first].before) >= long_stretch_) {
      code.in_long_stretches += length;
      const std::vector<int64_t>& launches = first_launches[path[last].run];
      const int64_t zero = whole.dependencies().zero(path[first].run);
      stretches_.push_back(
          {path[first].run, path[first].thread, {path[first].time.begin + zero, path[last].time.end + zero}, length});
      const auto launch = std::ranges::lower_bound(launches, path[last].time.end);
      if (launch != launches.end() && *launch <= path[last].time.end + kUntilLaunch) code.before_compiled += length;
    }
    const Interval stretch{shown_time(whole, path[first].run, path[first].time.begin),
                           shown_time(whole, path[last].run, path[last].time.end)};
    if (stretch.end - stretch.begin > code.longest.end - code.longest.begin) code.longest = stretch;
    last = next - 1;
  }
}

const PathShare& RuleContext::path(BoundBy kind) {
  if (!path_) find_path();
  return (*path_)[kind.number()];
}

int64_t RuleContext::path_of(const BoundKinds& kinds) {
  if (!path_) find_path();
  int64_t total = 0;
  for (size_t kind = 0; kind < BoundBy::kCount; ++kind) {
    if (kinds[kind]) total += (*path_)[kind].total - (*path_)[kind].in_long_stretches;
  }
  if (kinds[kLongHostCode]) total += path(IdleCause::host_code).in_long_stretches;
  return total;
}

const std::vector<ReplayCounts>& RuleContext::replays() {
  if (!replays_) {
    replays_.emplace();
    for (const Run& run : session().runs) replays_->push_back(count_replays(run.timeline));
  }
  return *replays_;
}

bool RuleContext::lacks_replays() {
  return std::ranges::any_of(replays(), cgpu::lacks_replays);
}

bool RuleContext::has_host_calls() const {
  return std::ranges::any_of(session().runs, [](const Run& run) { return has_calls(run.timeline); });
}

bool RuleContext::has_only_collectives() const {
  return has_device_ops() && !has_host_calls() && std::ranges::all_of(session().runs, [](const Run& run) {
           return run.timeline.device_ops.slice.empty() || records_only_collectives(run.timeline);
         });
}

bool RuleContext::hides_launches() {
  if (!hides_launches_) hides_launches_ = share_without_launch(session()) > thresholds().orphans;
  return *hides_launches_;
}

Severity RuleContext::sampled_severity(double share) const {
  if (share >= thresholds().critical) return Severity::critical;
  return share >= thresholds().sampled_share ? Severity::warning : Severity::info;
}

const CallTree* RuleContext::sampled_tree() const {
  for (const Run& run : session().runs) {
    if (run.call_tree && run.call_tree->main_metric) return &*run.call_tree;
  }
  return nullptr;
}

std::string RuleContext::sampled_metric() const {
  const CallTree* tree = sampled_tree();
  return tree ? tree->metrics[*tree->main_metric].name : "the time";
}

double RuleContext::sum_of_metric(const std::string& metric) {
  const Table& metrics = table("metrics");
  double sum = 0;
  for (const RowView row : metrics.rows()) {
    if (row[metrics.column("name")] != Cell(metric)) continue;
    const Cell value = row[metrics.column("value")];
    if (const auto* number = std::get_if<double>(&value)) sum += *number;
  }
  return std::isfinite(sum) ? sum : 0;
}

const SampledWork& RuleContext::sampled_work() {
  if (!sampled_work_) sampled_work_ = sampled_work_of(*sampled_tree());
  return *sampled_work_;
}

const WorkSums& RuleContext::work_sums() {
  if (work_sums_) return *work_sums_;
  work_sums_.emplace();
  const CallTree* first = sampled_tree();
  for (const Run& run : session().runs) {
    if (!run.call_tree || !run.call_tree->main_metric) continue;
    const CallTree& tree = *run.call_tree;
    if (!counts_host_time(tree.metrics[*tree.main_metric])) return work_sums_.emplace();
    if (&tree == first) {
      work_sums_->add(tree, sampled_work(), *tree.main_metric);
    } else {
      work_sums_->add(tree, sampled_work_of(tree), *tree.main_metric);
    }
  }
  return *work_sums_;
}

int64_t RuleContext::gain_of(const EdgeTimes::Scenario& scenario) {
  if (!replayed_) {
    replayed_.emplace(facts_.whole(), judged_.periods);
    fixed_ = {judged_.begins(facts_), arrivals()};
  }
  const std::vector<int64_t> times = edge_times().replayed(scenario, fixed_);
  int64_t predicted = 0;
  for (const ReplayedPeriod& period : replayed_->at(times, scenario.left_out(facts_.whole().session().runs.size()))) {
    predicted += period.end - period.begin;
  }
  return std::clamp<int64_t>(measured_ - predicted, 0, books().most_recoverable(scenario));
}

int64_t RuleContext::idle_time_of(const BoundKinds& kinds) {
  std::set<std::string_view> causes;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!kinds[kind]) continue;
    const auto cause = kind == kLongHostCode      ? IdleCause::host_code
                       : kind == kOfSmallCopies   ? IdleCause::launch_overhead
                       : kind == kTimeOfCopyCalls ? IdleCause::blocking_copy
                                                  : BoundBy::cause_of(kind);
    if (!cause) return INT64_MAX;
    causes.insert(text_of(*cause));
  }
  const Table& hosts = table("idle_hosts");
  const size_t cause = hosts.column("cause"), time = hosts.column("total_ns");
  int64_t total = 0;
  for (const RowView row : hosts.rows()) {
    if (causes.contains(std::get<std::string>(row[cause]))) total += std::get<int64_t>(row[time]);
  }
  return total;
}

double RuleContext::idle_share_of(const BoundKinds& kinds) {
  const Table& devices = table("gpu_time");
  int64_t span = 0;
  for (const RowView row : devices.rows()) span += std::get<int64_t>(row[devices.column("span_ns")]);
  return static_cast<double>(idle_time_of(kinds)) / static_cast<double>(std::max<int64_t>(span, 1));
}

const EdgeTimes& RuleContext::edge_times() {
  if (!times_) times_.emplace(times_ahead_.get());
  return *times_;
}

int64_t RuleContext::time_in_graph(const BoundKinds& kinds) {
  if (!time_of_kinds_) time_of_kinds_ = edge_times().totals();
  int64_t total = 0;
  for (size_t kind = 0; kind < kinds.size(); ++kind) total += kinds[kind] ? (*time_of_kinds_)[kind] : 0;
  return total;
}

const DeviceBooks& RuleContext::books() {
  if (!books_) {
    books_.emplace(facts_, judged_.periods, thresholds().small_copy,
                   [this](const Run& run) -> const std::vector<float>& { return filled_shares(run); });
  }
  return *books_;
}

const std::vector<float>& RuleContext::filled_shares(const Run& run) {
  const auto [place, is_new] = filled_shares_.try_emplace(&run);
  if (is_new) place->second = cgpu::filled_shares(run, thresholds().short_kernel);
  return place->second;
}

const std::vector<CostedWork>& RuleContext::costed_work() {
  if (!costed_work_) costed_work_ = find_costed_work(facts_.whole(), thresholds().noticeable);
  return *costed_work_;
}

const std::vector<HostCopy>& RuleContext::host_copies() {
  if (!host_copies_) host_copies_ = judged_copies(*this);
  return *host_copies_;
}

const SlowLinks& RuleContext::slow_links() {
  if (!slow_links_) slow_links_ = find_slow_links(facts_.whole(), {thresholds().slow_link, thresholds().large_message});
  return *slow_links_;
}

const Table& RuleContext::table(const std::string& name) {
  const auto found = tables_.find(name);
  if (found != tables_.end()) return found->second;
  if (is_made_ahead(name) && tables_ahead_.valid()) {
    tables_.merge(tables_ahead_.get());
    return tables_.at(name);
  }
  return tables_.emplace(name, make_table(find_analysis(name), facts_)).first->second;
}

std::string RuleContext::of_step(int64_t total) const {
  return format_ns(judged_.has_marks() ? total / static_cast<int64_t>(judged_.periods.size()) : total);
}

std::string RuleContext::in_all(int64_t total) const {
  return format_ns(total) + (judged_.has_marks() && judged_.periods.size() > 1 ? " in all" : "");
}

std::string RuleContext::per_step(int64_t total) const {
  return fmt::format("{} of {}{}", of_step(total), of_step(measured_), judged_.has_marks() ? " a step" : "");
}

std::string IdleCulprit::text() const {
  return name.empty() ? "" : fmt::format("{} ({})", name, format_percent(pct));
}

IdleCulprit RuleContext::culprit_of_stretches() {
  const int64_t whole = path(IdleCause::host_code).in_long_stretches;
  std::sort(stretches_.begin(), stretches_.end());
  // Of each stretch the innermost slice that its thread is in for most of it and that lies mostly in it; such a slice
  // has its middle there.
  std::vector<SliceIndex> main(stretches_.size(), kNone);
  for (size_t run = 0; run < facts_.whole().session().runs.size() && !stretches_.empty(); ++run) {
    const Timeline& t = facts_.whole().run(run).timeline;
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_host(t.kind(slice)) || !is_plausible(t, slice)) continue;
      const Stretch middle{run, t.slices.track[slice], {t.slices.start[slice] + t.slices.duration[slice] / 2, 0}};
      const auto next = std::upper_bound(stretches_.begin(), stretches_.end(), middle);
      if (next == stretches_.begin()) continue;
      const Stretch& in = *std::prev(next);
      const int64_t inside =
          std::min(t.slices.end(slice), in.time.end) - std::max(t.slices.start[slice], in.time.begin);
      const bool is_other = in.run != run || in.thread != middle.thread;
      if (is_other || 2 * inside <= in.time.end - in.time.begin || 2 * inside <= t.slices.duration[slice]) continue;
      SliceIndex& found = main[static_cast<size_t>(std::prev(next) - stretches_.begin())];
      const bool is_mark = t.name(slice).starts_with(kStepMark);
      if (!is_mark && (found == kNone || t.slices.duration[slice] < t.slices.duration[found])) found = slice;
    }
  }
  std::map<std::string, int64_t> times;
  for (size_t i = 0; i < main.size(); ++i) {
    if (main[i] == kNone) continue;
    times[folded_name(facts_.whole().run(stretches_[i].run).timeline.name(main[i]))] += stretches_[i].length;
  }
  return largest_of(times, whole);
}

const AwaitedEvent& RuleContext::awaited_event(IdleCause cause) {
  const auto [found, is_new] = awaited_events_.try_emplace(cause);
  const bool may_be = is_new && is_way_of_waiting(cause);
  if (may_be && path_share(cause) >= thresholds().noticeable / 3) found->second = find_awaited_event(cause);
  return found->second;
}

AwaitedEvent RuleContext::find_awaited_event(IdleCause cause) const {
  std::map<std::string, int64_t> events;
  std::map<std::string, int64_t> of_processes;
  std::map<std::string, int64_t> reads;
  std::vector<int64_t> lengths;  // of reads
  int64_t whole = 0;
  for (size_t number = 0; number < session().runs.size(); ++number) {
    const size_t in_whole = facts_.place_in_whole(number);
    const Timeline& host = facts_.whole().run(in_whole).timeline;
    const ProcessTimes processes(host);
    const IntervalSet marks = judged_.has_marks() ? times_of_marks(facts_.whole(), in_whole) : IntervalSet();
    for (const auto& [device, ops] : ops_by_device(session().runs[number].timeline)) {
      facts_.idle().for_each_gap(number, ops, [&](const IdleGap&, const std::vector<IdlePart>& parts) {
        for (const IdlePart& part : parts) {
          if (part.cause != cause) continue;
          const int64_t length = part.time.end - part.time.begin;
          whole += length;
          // In a step a run waits for what it needs; between steps, for the next request.
          if (2 * marks.clip(part.time.begin, part.time.end).length() > length) continue;
          const AwaitedInput awaited = awaited_input(host, part.culprit);
          if (awaited.slice == kNone) continue;
          const std::string name = folded_name(host.name(awaited.slice));
          const bool of_process = !awaited.is_read && processes.waits_for_started(awaited.slice);
          (awaited.is_read ? reads : of_process ? of_processes : events)[name] += length;
          if (awaited.is_read) lengths.push_back(host.slices.duration[awaited.slice]);
        }
      });
    }
  }
  if (are_unequal(std::move(lengths))) events.insert(reads.begin(), reads.end());
  constexpr double kMost = 50;
  for (const bool of_process : {false, true}) {
    const IdleCulprit most = largest_of(of_process ? of_processes : events, whole);
    if (most.pct >= kMost) return {most.name, of_process};
  }
  return {};
}

BoundKinds RuleContext::arrivals() {
  BoundKinds kinds;
  kinds.set(BoundBy(IdleCause::no_work).number());
  for (const IdleCause cause : {IdleCause::io, IdleCause::lock}) {
    const AwaitedEvent& event = awaited_event(cause);
    if (!event.call.empty() && !event.of_process) kinds.set(BoundBy(cause).number());
  }
  return kinds;
}

template <typename Visit>
void RuleContext::for_each_part_of_stalls(Visit visit) {
  for (size_t number = 0; number < session().runs.size(); ++number) {
    for (const auto& [device, ops] : ops_by_device(session().runs[number].timeline)) {
      facts_.idle().for_each_gap(number, ops, [&](const IdleGap&, const std::vector<IdlePart>& parts) {
        int64_t of_gap = 0;
        for (const IdlePart& part : parts) {
          if (part.cause == IdleCause::host_code) of_gap += part.time.end - part.time.begin;
        }
        if (static_cast<double>(of_gap) < long_stretch_) return;
        for (const IdlePart& part : parts) {
          if (part.cause == IdleCause::host_code) visit(facts_.place_in_whole(number), part);
        }
      });
    }
  }
}

IdleCulprit RuleContext::culprit_of_stalls() {
  std::map<std::string, int64_t> culprits;
  int64_t whole = 0;
  CulpritNames names;
  std::optional<size_t> entered;
  for_each_part_of_stalls([&](size_t run, const IdlePart& part) {
    if (entered != run) names.enter(facts_.whole().run(run).timeline);
    entered = run;
    const int64_t length = part.time.end - part.time.begin;
    culprits[std::string(names.text(names.number(part)))] += length;
    whole += length;
  });
  return largest_of(culprits, whole);
}

IdleCulprit RuleContext::sampled_function_of_stalls() {
  const auto& runs = facts_.whole().session().runs;
  if (std::ranges::none_of(runs, [](const Run& run) { return has_samples(run.timeline); })) return {};
  struct Place {
    size_t run;
    TrackIndex thread;
    Interval time;
  };
  std::vector<Place> places;
  for_each_part_of_stalls([&](size_t run, const IdlePart& part) {
    const SliceIndex slice = part.host != kNone ? part.host : part.culprit;
    if (slice != kNone) places.push_back({run, runs[run].timeline.slices.track[slice], part.time});
  });
  std::set<std::pair<size_t, SliceIndex>> samples;  // several devices may be idle at the moment of one
  for (const Place& place : places) {
    const Slices& slices = runs[place.run].timeline.slices;
    facts_.idle().for_each_sample(place.run, place.thread, place.time, [&](Interval, IdleCause, SliceIndex sample) {
      const int64_t moment = slices.end(sample);
      if (place.time.begin < moment && moment <= place.time.end) samples.emplace(place.run, sample);
    });
  }
  constexpr size_t kFewest = 20;
  if (samples.size() < kFewest) return {};
  std::map<std::string, int64_t> functions;
  for (const auto& [run, sample] : samples) {
    const std::string name = folded_name(runs[run].timeline.name(sample));
    if (!name.starts_with("(unknown")) ++functions[name];
  }
  return largest_of(functions, static_cast<int64_t>(samples.size()));
}

IdleCulprit RuleContext::culprit_of(std::string_view cause) {
  const Table& hosts = table("idle_hosts");
  std::map<std::string, int64_t> culprits;
  int64_t whole = 0;
  for (const RowView row : hosts.rows()) {
    if (row[hosts.column("cause")] != Cell(std::string(cause))) continue;
    const int64_t total = std::get<int64_t>(row[hosts.column("total_ns")]);
    culprits[std::get<std::string>(row[hosts.column("culprit")])] += total;
    whole += total;
  }
  return largest_of(culprits, whole);
}

}  // namespace cgpu
