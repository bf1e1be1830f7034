// Rules about how evenly sampled threads and ranks work: one whose share of the same work is larger than the others'.
//
// The work of a function on a thread is its inclusive cost without what lies below it in waiting (frame_roles.h), so
// that those who wait for the slowest do not look busy. Only equal work is compared: a function that begins a thread
// (the body of an OpenMP region, a worker) by itself, every other one apart for each function of the user that calls
// it, among the threads or ranks that have any. Each process is one rank; a rank takes as long as its longest thread.
//
// O(values of single profiles) for reading them, O(functions * profiles) memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "model/time_range.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The longest of `parts`, and what the others take.
struct Unevenness {
  size_t slowest = 0;
  double most = 0;
  double least = 0;
  double mean = 0;
  size_t parts = 0;

  double gain() const { return most - mean; }
};

/// Of those that have any.
Unevenness unevenness_of(const std::vector<double>& values) {
  Unevenness found;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0)) continue;
    if (found.parts == 0 || values[i] < found.least) found.least = values[i];
    if (values[i] > found.most) {
      found.most = values[i];
      found.slowest = i;
    }
    found.mean += values[i];
    ++found.parts;
  }
  if (found.parts > 0) found.mean /= static_cast<double>(found.parts);
  return found;
}

/// What single threads of one call tree do in each piece of equal work.
class ThreadWork {
 public:
  struct Piece {
    FunctionIndex function;
    std::vector<double> by_thread;
  };

  ThreadWork(const CallTree& tree, const SampledWork& work, MetricIndex metric, int64_t rank_of_run)
      : tree_(tree), work_(work) {
    for (const CallProfile& profile : tree.profiles) ranks_.push_back(profile.rank.value_or(rank_of_run));
    whole_.resize(tree.profiles.size(), 0);
    choose_pieces();
    sample_ = tree.metrics[metric].sample_value.value_or(std::numeric_limits<double>::infinity());
    for (const double value : tree.metrics[metric].value) {
      if (value > 0) sample_ = std::min(sample_, value);
    }
    for (uint32_t profile = 0; profile < tree.profiles.size(); ++profile) {
      if (!tree.profiles[profile].device) add_profile(profile, tree.profile_values->of_profile(profile, metric));
    }
  }

  const std::vector<Piece>& pieces() const { return pieces_; }
  std::string name_of(FunctionIndex function) const { return tree_.name_of(work_.functions.example[function]); }
  const std::vector<int64_t>& ranks() const { return ranks_; }
  double longest() const { return *std::max_element(whole_.begin(), whole_.end()); }
  /// What one sample adds; where that is not known, the least that was found anywhere.
  double sample() const { return sample_; }

 private:
  bool is_users(NodeIndex node) const {
    return work_.functions.is_function(tree_, node) && work_.started_by[node] == kNoNode &&
           work_.worker[node] == work_.functions.function[node];
  }
  FunctionIndex caller_of(NodeIndex node) const {
    return tree_.nodes.parent[node] == kNoNode ? kNoFunction : work_.worker[tree_.nodes.parent[node]];
  }

  void choose_pieces() {
    std::set<FunctionIndex> begin_threads;
    for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
      if (is_users(node) && caller_of(node) == kNoFunction) begin_threads.insert(work_.functions.function[node]);
    }
    std::map<std::pair<FunctionIndex, FunctionIndex>, size_t> known;
    piece_.resize(tree_.nodes.size(), kNone);
    for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
      if (!is_users(node) || !work_.functions.outermost[node]) continue;
      const FunctionIndex function = work_.functions.function[node];
      const FunctionIndex caller = begin_threads.count(function) > 0 ? kNoFunction : caller_of(node);
      const auto [at, is_new] = known.try_emplace({caller, function}, pieces_.size());
      if (is_new) pieces_.push_back({function, std::vector<double>(tree_.profiles.size(), 0)});
      piece_[node] = at->second;
    }
  }

  void add_profile(uint32_t profile, const std::vector<NodeValue>& values) {
    std::vector<double> work(tree_.nodes.size(), 0);  // inclusive, then without waiting
    for (const NodeValue& value : values) {
      if (std::isfinite(value.value)) work[value.node] = value.value;
    }
    whole_[profile] = work[0];
    std::vector<double> waited(tree_.nodes.size(), 0);
    for (NodeIndex node = tree_.nodes.size(); node-- > 0;) {
      if (work_.started_by[node] == node && is_waiting(work_.activity[node])) waited[node] = work[node];
      if (node > 0) waited[tree_.nodes.parent[node]] += waited[node];
      if (piece_[node] != kNone) pieces_[piece_[node]].by_thread[profile] += work[node] - waited[node];
    }
  }

  static constexpr size_t kNone = SIZE_MAX;
  const CallTree& tree_;
  const SampledWork& work_;
  std::vector<int64_t> ranks_;  // by profile
  std::vector<double> whole_;   // by profile
  std::vector<Piece> pieces_;
  std::vector<size_t> piece_;  // by node
  double sample_ = 0;
};

struct UnevenWork {
  FunctionIndex function = kNoFunction;
  Unevenness spread;
  std::string slowest;          // "rank 2", "thread 0 of rank 1"
  std::optional<int64_t> rank;  // that it is about
};

/// Whether the slowest is slower than the mean by more than samples vary by chance, and by more than equal parts do.
bool is_uneven(const Unevenness& spread, double sample, const Thresholds& thresholds) {
  constexpr double kStandardErrors = 3;
  return spread.parts > 1 && spread.most >= thresholds.unequal_work * spread.mean &&
         spread.gain() > kStandardErrors * std::sqrt(spread.most * sample);
}

/// Of those that explain most of the largest gain: callers and callees are as uneven as each other. Of ranks the
/// innermost, which does the work; of threads the outermost, which divides it.
std::optional<UnevenWork> most_uneven(std::vector<UnevenWork> all, bool of_ranks) {
  if (all.empty()) return std::nullopt;
  const auto by_gain = [](const UnevenWork& a, const UnevenWork& b) { return a.spread.gain() < b.spread.gain(); };
  const double largest = std::max_element(all.begin(), all.end(), by_gain)->spread.gain();
  constexpr double kMost = 0.9;
  std::erase_if(all, [&](const UnevenWork& one) { return one.spread.gain() < kMost * largest; });
  const auto is_inside = [](const UnevenWork& a, const UnevenWork& b) {
    return a.spread.most < b.spread.most || (a.spread.most == b.spread.most && a.function > b.function);
  };
  return of_ranks ? *std::min_element(all.begin(), all.end(), is_inside)
                  : *std::max_element(all.begin(), all.end(), is_inside);
}

std::optional<UnevenWork> uneven_ranks(const ThreadWork& work, const Thresholds& thresholds) {
  std::map<int64_t, size_t> place;
  for (const int64_t rank : work.ranks()) place.try_emplace(rank, 0);
  if (place.size() < 2) return std::nullopt;
  std::vector<int64_t> numbers;
  for (auto& [rank, at] : place) {
    at = numbers.size();
    numbers.push_back(rank);
  }
  std::vector<UnevenWork> found;
  for (const ThreadWork::Piece& piece : work.pieces()) {
    std::vector<double> by_rank(numbers.size(), 0);
    for (size_t i = 0; i < piece.by_thread.size(); ++i) {
      double& longest = by_rank[place.at(work.ranks()[i])];
      longest = std::max(longest, piece.by_thread[i]);
    }
    const Unevenness spread = unevenness_of(by_rank);
    if (!is_uneven(spread, work.sample(), thresholds)) continue;
    found.push_back({piece.function, spread, fmt::format("rank {}", numbers[spread.slowest]), numbers[spread.slowest]});
  }
  return most_uneven(std::move(found), true);
}

std::optional<UnevenWork> uneven_threads(const CallTree& tree, const ThreadWork& work, const Thresholds& thresholds) {
  std::map<int64_t, std::vector<size_t>> threads;
  std::set<int64_t> of_several_processes;
  std::set<std::pair<int64_t, int64_t>> known;
  for (size_t i = 0; i < tree.profiles.size(); ++i) {
    const int64_t rank = work.ranks()[i];
    if (tree.profiles[i].device) continue;
    threads[rank].push_back(i);
    if (!tree.profiles[i].thread || !known.emplace(rank, *tree.profiles[i].thread).second) {
      of_several_processes.insert(rank);
    }
  }
  for (const ThreadWork::Piece& piece : work.pieces()) {
    if (work.name_of(piece.function) != "main") continue;
    std::map<int64_t, size_t> mains;
    for (size_t i = 0; i < piece.by_thread.size(); ++i) {
      if (piece.by_thread[i] > 0 && ++mains[work.ranks()[i]] > 1) of_several_processes.insert(work.ranks()[i]);
    }
  }
  std::vector<UnevenWork> found;
  for (const auto& [rank, profiles] : threads) {
    if (of_several_processes.count(rank) > 0) continue;
    for (const ThreadWork::Piece& piece : work.pieces()) {
      std::vector<double> values;
      for (const size_t profile : profiles) values.push_back(piece.by_thread[profile]);
      const Unevenness spread = unevenness_of(values);
      if (!is_uneven(spread, work.sample(), thresholds)) continue;
      found.push_back({piece.function, spread, tree.profiles[profiles[spread.slowest]].name, rank});
    }
  }
  return most_uneven(std::move(found), false);
}

/// As the beginning of a sentence; a name that the program gave stays.
std::string capitalised(std::string text) {
  if (text.starts_with("rank ")) text[0] = 'R';
  if (text.starts_with("thread ")) text[0] = 'T';
  return text;
}

Finding finding_of(const ThreadWork& work, const UnevenWork& uneven, const Metric& metric, bool of_ranks) {
  const Unevenness& spread = uneven.spread;
  const char* parts = of_ranks ? "ranks" : "threads";
  return {.rule = "thread_imbalance",
          .title = fmt::format("{} works {} longer than the mean of {} {} in {}", capitalised(uneven.slowest),
                               format_percent(100 * (spread.most / spread.mean - 1)), spread.parts, parts,
                               work.name_of(uneven.function)),
          .evidence = fmt::format("{}: most {}, mean {}, least {}; waiting does not count", metric.name,
                                  format_value(spread.most, metric.unit), format_value(spread.mean, metric.unit),
                                  format_value(spread.least, metric.unit)),
          .suggestion = of_ranks ? "Divide the work of this function evenly over the ranks"
                                 : "Divide the work of this function evenly over the threads: smaller pieces that "
                                   "threads take when they are free (in OpenMP schedule(dynamic) or guided)",
          .command = "imbalance --by function",
          .confidence = Confidence::medium,
          .rank = uneven.rank};
}

/// One thread of a process that works nearly always while the others, which work too, mostly do not.
void find_idle_threads(RuleContext& context, std::vector<Finding>& findings) {
  constexpr double kAlways = 0.7;
  constexpr double kSeldom = 0.25;
  constexpr double kWorks = 0.01;  // threads that a library keeps for its own use do less
  struct Busy {
    std::string name;
    double ns = 0;
  };
  struct ProcessThreads {
    std::vector<Busy> threads;
    double span = 0;
  };
  const Table& table = context.table("threads");
  std::map<std::pair<int64_t, std::string>, ProcessThreads> processes;
  for (const RowView row : table.rows()) {
    const Cell pct = row[table.column("utilization_pct")];
    const Cell name = row[table.column("thread")];
    const Cell process = row[table.column("process")];
    if (is_absent(pct) || is_absent(name) || is_absent(process)) continue;
    const auto span = static_cast<double>(std::get<int64_t>(row[table.column("span_ns")]));
    ProcessThreads& found = processes[{std::get<int64_t>(row[table.column("rank")]), std::get<std::string>(process)}];
    found.threads.push_back({std::get<std::string>(name), std::get<double>(pct) / 100 * span});
    found.span = std::max(found.span, span);
  }
  for (auto& [process, threads_of] : processes) {
    std::erase_if(threads_of.threads,
                  [least = kWorks * threads_of.span](const Busy& thread) { return thread.ns < least; });
    if (threads_of.threads.size() < 2) continue;
    const Busy most = *std::max_element(threads_of.threads.begin(), threads_of.threads.end(),
                                        [](const Busy& a, const Busy& b) { return a.ns < b.ns; });
    double others = -most.ns;
    for (const Busy& thread : threads_of.threads) others += thread.ns;
    others /= static_cast<double>(threads_of.threads.size() - 1);
    if (most.ns < kAlways * threads_of.span || others > kSeldom * threads_of.span) continue;
    findings.push_back(
        {.rule = "idle_threads",
         .title = fmt::format("{} works for {} of the time; of the other threads {} work, for {} of it on average",
                              capitalised(most.name), format_percent(100 * most.ns / threads_of.span),
                              threads_of.threads.size() - 1, format_percent(100 * others / threads_of.span)),
         .evidence = fmt::format("{} and {} of {}, by samples", format_ns(most.ns), format_ns(others),
                                 format_ns(threads_of.span)),
         .suggestion = "See whether the other threads can take some of its work",
         .command = "threads",
         .confidence = Confidence::medium,
         .rank = process.first});
    return;  // one such process is named, however many there are
  }
}

}  // namespace

void find_thread_work(RuleContext& context, std::vector<Finding>& findings) {
  // Several call trees are of several files, and nothing says that these ran together.
  const std::vector<Run>& runs = context.session().runs;
  if (context.has_device_ops() || runs.size() != 1 || !runs[0].call_tree || !runs[0].call_tree->main_metric) return;
  const CallTree& tree = *runs[0].call_tree;
  const Metric& metric = tree.metrics[*tree.main_metric];
  if (!counts_host_time(metric) || !metric.measured() || !tree.profile_values || tree.profiles.size() < 2) return;
  const ThreadWork work(tree, context.sampled_work(), *tree.main_metric, runs[0].rank);
  const double longest = work.longest();
  const std::optional<double> ns = ns_in_unit(metric.unit);
  if (!(longest > 0) || longest * ns.value_or(1) >= static_cast<double>(kMostTime)) return;
  find_idle_threads(context, findings);
  const std::optional<UnevenWork> ranks = uneven_ranks(work, context.thresholds());
  const std::optional<UnevenWork> threads = uneven_threads(tree, work, context.thresholds());
  if (!ranks && !threads) return;
  // Both gains may be of the same time: only one is promised.
  const bool ranks_first = ranks && (!threads || ranks->spread.gain() >= threads->spread.gain());
  const UnevenWork& most = ranks_first ? *ranks : *threads;
  const double share = most.spread.gain() / longest;
  if (!(share >= context.thresholds().noticeable)) return;
  Finding finding = finding_of(work, most, metric, ranks_first);
  if (ns) {
    context.measure_longest_thread(std::llround(longest * *ns));
    finding.gain = std::llround(most.spread.gain() * *ns);
  } else {
    finding.severity = share >= context.thresholds().critical ? Severity::critical : Severity::warning;
  }
  findings.push_back(std::move(finding));
  const std::optional<UnevenWork>& other = ranks_first ? threads : ranks;
  if (other && other->spread.gain() / longest >= context.thresholds().noticeable) {
    findings.push_back(finding_of(work, *other, metric, !ranks_first));
  }
}

}  // namespace cgpu
