#include "analysis/findings/rank_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/rank_suggestions.h"
#include "analysis/findings/thresholds.h"
#include "analysis/findings/vendor_words.h"
#include "analysis/ranks/collective_replay.h"
#include "analysis/ranks/outlier_place.h"
#include "analysis/ranks/pipelines.h"
#include "base/number_ranges.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kMostRanges = 6;

/// A row of rank_outliers.
struct Outlier {
  std::string owner;
  std::string scope;
  std::string place;  // as outlier_place has it
  std::vector<int64_t> ranks;
  int64_t time = 0;
  int64_t usual = 0;
  int64_t caused = 0;
  int64_t rank = 0;
  int64_t device = 0;

  int64_t excess() const { return time - usual; }
};

/// One finding, with what would be different without it.
struct Suspect {
  Finding finding;
  CollectiveChange change;
  bool is_waited_for = false;  // noticeably; asked where no replay tells
};

class RankDiagnosis {
 public:
  RankDiagnosis(const SessionFacts& facts, const Table& rank_outliers, const Table& gpu_time)
      : facts_(facts),
        iterations_(rank_outliers.empty() ? 0 : integer(rank_outliers, 0, "iterations")),
        iteration_ns_(rank_outliers.empty() ? 0 : integer(rank_outliers, 0, "iteration_ns")),
        replay_(facts, iterations_),
        is_pipeline_(is_pipeline(facts)),
        devices_(gpu_time.row_count()) {
    for (size_t run = 0; run < facts.session().runs.size(); ++run) {
      runs_[facts.run(run).rank].push_back(run);
    }
    const std::optional<double> error = replay_.error();
    if (error && *error <= CollectiveReplay::kBelieved) replayed_ = replay_.time(replay_.nothing());
    confidence_ = error && *error <= thresholds_.noticeable ? Confidence::medium : Confidence::low;
    measured_ = replayed_.value_or(0);
    if (!rank_outliers.empty() && __builtin_mul_overflow(iteration_ns_, iterations_, &measured_)) measured_ = 0;
    find_exposed(gpu_time);
    for (size_t row = 0; row < rank_outliers.row_count(); ++row) take(rank_outliers, row);
  }

  Diagnosis diagnose() {
    std::vector<Suspect> suspects;
    for (const auto& [owner_and_scope, rows] : outliers_) suspects.push_back(suspect_of(rows));
    add_late_rank(suspects);
    Diagnosis diagnosis;
    diagnosis.measured = measured_;
    if (iterations_ > 0) diagnosis.steps = iterations_;
    diagnosis.findings = replayed_ && *replayed_ > 0 ? by_gain(std::move(suspects)) : by_waiting(std::move(suspects));
    const std::string vendor = vendor_of(facts_.session());
    for (Finding& finding : diagnosis.findings)
      finding.suggestion = in_words_of(vendor, true, std::move(finding.suggestion), true);
    return diagnosis;
  }

 private:
  static int64_t integer(const Table& table, size_t row, const char* column) {
    return std::get<int64_t>(table.cell(row, table.column(column)));
  }
  static std::string text(const Table& table, size_t row, const char* column) {
    const Cell cell = table.cell(row, table.column(column));
    return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
  }

  void find_exposed(const Table& gpu_time) {
    double exposed = 0;
    double all = 0;
    for (size_t row = 0; row < gpu_time.row_count(); ++row) {
      exposed += static_cast<double>(integer(gpu_time, row, "exposed_comm_ns"));
      all += static_cast<double>(integer(gpu_time, row, "comm_ns"));
    }
    if (all > 0) exposed_ = exposed / all;
  }

  void take(const Table& table, size_t row) {
    Outlier outlier{text(table, row, "owner"), text(table, row, "scope"), "",
                    numbers_of_ranges(text(table, row, "ranks"))};
    // Stages have different work: their ranks are reported only where they are a whole stage.
    if (is_pipeline_ && outlier.owner == "compute" && outlier.scope != "stage") return;
    outlier.place = outlier_place(table, row);
    outlier.time = integer(table, row, "time_ns");
    outlier.usual = integer(table, row, "usual_ns");
    outlier.caused = integer(table, row, "caused_ns");
    outlier.rank = integer(table, row, "rank");
    outlier.device = integer(table, row, "device");
    outliers_[{outlier.owner, outlier.scope}].push_back(outlier);
    if (outlier.owner == "transfer") return;
    for (const int64_t rank : outlier.ranks) own_excess_[rank] += static_cast<double>(outlier.excess());
  }

  /// `rows`: most excess first.
  Suspect suspect_of(const std::vector<Outlier>& rows) {
    const Outlier& worst = rows.front();
    const bool is_link = worst.owner == "transfer";
    Suspect suspect{{}, replay_.nothing()};
    std::vector<int64_t> ranks;
    double caused = 0;
    for (const Outlier& row : rows) {
      caused += static_cast<double>(row.caused);
      ranks.insert(ranks.end(), row.ranks.begin(), row.ranks.end());
      for (const int64_t rank : row.ranks) {
        for (const size_t run : runs_[rank]) {
          if (is_link) {
            suspect.change.transfers[run] = 1;
          } else {
            suspect.change.own[run] = static_cast<double>(row.excess()) / own_excess_[rank];
          }
        }
      }
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    const std::string place = rows.size() == 1 ? worst.place : places(worst.scope, rows.size());
    const std::string who =
        fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", ranges_text(ranks, kMostRanges), place);
    const char* up_to = rows.size() == 1 ? "" : "up to ";
    Finding& finding = suspect.finding;
    finding.rule = is_link ? "slow_link" : "straggler";
    finding.rank = worst.rank;
    finding.device = worst.device;
    finding.command = file_of(worst.rank);
    finding.confidence = confidence_;
    finding.evidence = fmt::format("{} of an iteration of {}, where the median device has {}", format_ns(worst.time),
                                   format_ns(iteration_ns_), format_ns(worst.usual));
    if (is_link) {
      finding.title =
          fmt::format("Slow link: {} do not wait for others, but transfer {}{} longer an iteration than usual", who,
                      up_to, format_ns(worst.excess()));
      finding.suggestion = kLookAtPath;
      if (const auto slow = replay_.slow_transfers(suspect.change.transfers)) {
        finding.evidence += fmt::format(
            "; most of it in {} of {} devices {}: {} from when the last one has come, "
            "usually {}",
            slow->collective, slow->members, slow->between_machines ? "on several machines" : "of one machine",
            format_ns(slow->mean), format_ns(slow->usual));
      }
      suspect.is_waited_for = true;  // by all of them
      return suspect;
    }
    const bool is_compute = worst.owner == "compute";
    finding.title = fmt::format("{}: {} {}{} longer an iteration than usual", who, takes(worst.owner), up_to,
                                format_ns(worst.excess()));
    finding.title.front() = 'R';
    finding.suggestion = is_compute ? kCompareKernels : kLookAtHost;
    if (is_compute && worst.scope == "stage") {
      finding.rule = "stage_imbalance";
      finding.suggestion = kMoveLayers;
    }
    finding.evidence += fmt::format("; others waited {} in all for {} an iteration",
                                    format_ns(static_cast<int64_t>(caused)), ranks.size() == 1 ? "it" : "them");
    const auto others = static_cast<double>(std::max<size_t>(devices_, ranks.size() + 1) - ranks.size());
    suspect.is_waited_for = caused / others >= thresholds_.noticeable * static_cast<double>(iteration_ns_);
    return suspect;
  }

  /// Where several rows of a scope are.
  static std::string places(const std::string& scope, size_t rows) {
    if (scope == "host") return fmt::format(" on {} machines", rows);
    if (scope == "rack") return fmt::format(" in {} racks", rows);
    if (scope == "stage") return fmt::format(" of {} pipeline stages", rows);
    if (scope == "group") return fmt::format(" of {} groups", rows);
    return scope == "device" ? ", each by itself" : "";
  }

  /// "kernels take"
  static std::string takes(const std::string& owner) {
    if (owner == "compute") return "kernels take";
    if (owner == "copies") return "exposed copies take";
    std::string words = owner;
    std::replace(words.begin(), words.end(), '_', ' ');
    return words + " takes";
  }

  /// A rank that the others wait for without deviating in anything that is known of it.
  void add_late_rank(std::vector<Suspect>& suspects) {
    if (!replayed_ || is_pipeline_ || runs_.size() < 2) return;
    const std::vector<int64_t>& caused = replay_.caused();
    double all = 0;
    for (const int64_t each : caused) all += static_cast<double>(each);
    const auto late = static_cast<size_t>(std::max_element(caused.begin(), caused.end()) - caused.begin());
    if (all <= 0 || static_cast<double>(caused[late]) < thresholds_.straggler * all) return;
    const int64_t rank = facts_.run(late).rank;
    if (own_excess_.count(rank) != 0) return;
    Suspect suspect{{}, replay_.nothing()};
    suspect.change.own[late] = 1;
    const int64_t by_itself = gain_of(suspect.change);
    if (static_cast<double>(by_itself) < thresholds_.noticeable * static_cast<double>(measured_)) return;
    suspect.finding.rule = "straggler";
    suspect.finding.title = fmt::format("Rank {} comes late to collectives: it causes {} of all waiting in them", rank,
                                        format_percent(100 * static_cast<double>(caused[late]) / all));
    suspect.finding.evidence =
        fmt::format("others waited {} in all for it; why, only its timeline tells", format_ns(caused[late]));
    suspect.finding.suggestion = kLookAtHost;
    suspect.finding.command = file_of(rank);
    suspect.finding.confidence = Confidence::low;
    suspect.finding.rank = rank;
    suspects.push_back(std::move(suspect));
  }

  std::string file_of(int64_t rank) { return facts_.run(runs_[rank].front()).file; }

  /// ns of all iterations.
  int64_t gain_of(const CollectiveChange& change) const {
    const std::optional<int64_t> time = replay_.time(change);
    if (!time) return 0;
    const double share = 1 - static_cast<double>(*time) / static_cast<double>(*replayed_);
    return std::max<int64_t>(std::llround(share * static_cast<double>(measured_)), 0);
  }

  /// The one that saves most besides those before it first; those without a gain last.
  std::vector<Finding> by_gain(std::vector<Suspect> suspects) const {
    const auto noticeable = static_cast<int64_t>(thresholds_.noticeable * static_cast<double>(measured_));
    for (Suspect& suspect : suspects) suspect.finding.recoverable_high = gain_of(suspect.change);
    CollectiveChange joint = replay_.nothing();
    int64_t before = 0;
    size_t alarms = 0;  // up to the last one that saves something besides those before it
    for (size_t place = 0; place < suspects.size(); ++place) {
      size_t next = place;
      int64_t most = -1;
      for (size_t i = place; i < suspects.size(); ++i) {
        const int64_t all = gain_of(together(joint, suspects[i].change));
        if (all <= most) continue;
        most = all;
        next = i;
      }
      std::swap(suspects[place], suspects[next]);
      joint = together(joint, suspects[place].change);
      Finding& finding = suspects[place].finding;
      finding.recoverable = std::max<int64_t>(most - before, 0);
      before = std::max(before, most);
      finding.together = before;
      if (*finding.recoverable >= noticeable) alarms = place + 1;
    }
    std::vector<Finding> findings;
    std::vector<Finding> others;
    for (size_t place = 0; place < suspects.size(); ++place) {
      Finding& finding = suspects[place].finding;
      const int64_t by_itself = *finding.recoverable_high;
      const int64_t besides = *finding.recoverable;
      finding.recoverable_high = std::max(by_itself, besides);
      finding.recoverable_low = std::llround(exposed_ * static_cast<double>(std::min(by_itself, besides)));
      if (place < alarms && (besides >= noticeable || is_needed(suspects, place, alarms, noticeable))) {
        if (besides < noticeable) {
          finding.evidence += "; saves little before those below it are gone too";
        } else if (by_itself < noticeable) {
          finding.evidence += "; saves nothing before those above it are gone";
        }
        finding.severity = static_cast<double>(besides) >= thresholds_.critical * static_cast<double>(measured_)
                               ? Severity::critical
                               : Severity::warning;
        findings.push_back(std::move(finding));
        continue;
      }
      finding.evidence += by_itself < noticeable ? "; without it the job would wait for others all the same"
                                                 : "; its potential saving overlaps the findings above";
      others.push_back(std::move(finding));
    }
    findings.insert(findings.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return findings;
  }

  /// Whether the alarms save noticeably less without this one.
  bool is_needed(const std::vector<Suspect>& suspects, size_t place, size_t alarms, int64_t noticeable) const {
    CollectiveChange all = replay_.nothing();
    CollectiveChange without = all;
    for (size_t i = 0; i < alarms; ++i) {
      all = together(all, suspects[i].change);
      if (i != place) without = together(without, suspects[i].change);
    }
    return gain_of(all) - gain_of(without) >= noticeable;
  }

  /// Where no replay tells what could be gained.
  static std::vector<Finding> by_waiting(std::vector<Suspect> suspects) {
    std::ranges::stable_sort(suspects,
                             [](const Suspect& a, const Suspect& b) { return a.is_waited_for && !b.is_waited_for; });
    std::vector<Finding> findings;
    for (Suspect& suspect : suspects) {
      suspect.finding.severity = suspect.is_waited_for ? Severity::warning : Severity::info;
      suspect.finding.confidence = Confidence::low;
      findings.push_back(std::move(suspect.finding));
    }
    return findings;
  }

  const SessionFacts& facts_;
  const Thresholds thresholds_;
  const int64_t iterations_;
  const int64_t iteration_ns_;
  const CollectiveReplay replay_;
  const bool is_pipeline_;
  const size_t devices_;
  double exposed_ = 1;               // share of communication that no compute hides
  std::optional<int64_t> replayed_;  // ns, when nothing is changed; absent where that is not to be believed
  Confidence confidence_ = Confidence::low;
  int64_t measured_ = 0;                                                          // ns of all iterations
  std::map<int64_t, std::vector<size_t>> runs_;                                   // by rank
  std::map<std::pair<std::string, std::string>, std::vector<Outlier>> outliers_;  // by owner and scope
  std::map<int64_t, double> own_excess_;  // by rank, of all that is not transfer
};

}  // namespace

Diagnosis diagnose_ranks(const SessionFacts& facts, const Table& rank_outliers, const Table& gpu_time) {
  return RankDiagnosis(facts, rank_outliers, gpu_time).diagnose();
}

}  // namespace cgpu
