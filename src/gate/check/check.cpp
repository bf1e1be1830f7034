#include "gate/check/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/common/columns.h"
#include "analysis/common/false_discovery.h"
#include "analysis/common/order_statistics.h"
#include "gate/check/check_calls.h"
#include "gate/check/check_tables.h"
#include "gate/check/estimate_words.h"
#include "gate/figures/samples.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr double kMemoryFloor = 1 << 20;
/// Device time that does not matter, as a share of the time of an iteration.
constexpr double kPartFloor = 0.01;
/// Parts that are slower count where all device time rose by this share of what they took more.
constexpr double kNotMoved = 0.5;

using Runs = std::vector<const RunFigures*>;

/// A file's or folder's own name.
std::string short_name(const std::string& input) {
  const size_t end = input.find_last_not_of('/') + 1;
  const size_t slash = input.rfind('/', end == 0 ? 0 : end - 1);
  return input.substr(slash == std::string::npos ? 0 : slash + 1, slash == std::string::npos ? end : end - slash - 1);
}

std::string plural(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Outcome outcome_of(Verdict verdict) {
  if (verdict == Verdict::regression) return Outcome::regression;
  return verdict == Verdict::inconclusive ? Outcome::inconclusive : Outcome::pass;
}

class Check {
 public:
  Check(const std::vector<CheckedRun>& baseline, const std::vector<CheckedRun>& candidate, const CheckOptions& options)
      : baseline_(baseline), candidate_(candidate), options_(options) {
    for (const CheckedRun& run : baseline) a_.push_back(&run.figures);
    for (const CheckedRun& run : candidate) b_.push_back(&run.figures);
    few_ = a_.size() < kRunsForRanks || b_.size() < kRunsForRanks;
    alone_ = a_.size() == 1 || b_.size() == 1;
  }

  CheckResult run() {
    compare_identity();
    by_calls_ = are_compared_by_calls(a_, b_, options_);
    if (by_calls_) {
      compare_calls();
    } else {
      compare_times();
    }
    compare_memory();
    compare_parts();
    conclude();
    add_remarks();
    if (options_.explain) {
      for (const CheckedRun& run : baseline_) add_run("baseline", run);
      for (const CheckedRun& run : candidate_) add_run("candidate", run);
    }
    sort_most_changed(parts_, "change_ns");
    result_.tables = {std::move(rules_), std::move(times_), std::move(memory_),
                      std::move(parts_), std::move(calls_), std::move(runs_)};
    return std::move(result_);
  }

 private:
  void add_rule(const std::string& name, Outcome outcome, std::string text, bool warns = false) {
    result_.rules.push_back({name, outcome, std::move(text), warns});
  }

  /// Each run with the first one of the baseline.
  void compare_identity() {
    std::vector<std::string> refused;
    std::vector<std::string> allowed;
    std::set<std::string> known;
    const auto compare = [&](const CheckedRun& run) {
      for (const Difference& difference : differences_between(*a_.front(), run.figures)) {
        if (!known.insert(difference.kind).second) continue;
        const std::string text = fmt::format("{} of {}: {}", difference.kind, short_name(run.input), difference.text);
        (options_.allowed.contains(difference.kind) ? allowed : refused).push_back(text);
        if (!options_.allowed.contains(difference.kind)) refused_kinds_.push_back(difference.kind);
      }
    };
    for (const CheckedRun& run : baseline_) compare(run);
    for (const CheckedRun& run : candidate_) compare(run);
    if (!refused.empty()) {
      add_rule("comparable", Outcome::not_comparable, fmt::format("{}", fmt::join(refused, "; ")));
    } else if (!allowed.empty()) {
      add_rule("comparable", Outcome::pass, fmt::format("allowed: {}", fmt::join(allowed, "; ")));
    } else {
      add_rule("comparable", Outcome::pass,
               fmt::format("the same devices and shapes, as many {}, as far as recorded",
                           a_.front()->by_repetition ? "device ops in what repeats" : "iterations"));
    }
  }

  static double middle(const Sample& sample) { return median_of(sample.values); }

  void compare_times() {
    const auto lacks_iterations = [](const RunFigures* run) { return run->steady_iterations().empty(); };
    of_iterations_ =
        std::none_of(a_.begin(), a_.end(), lacks_iterations) && std::none_of(b_.begin(), b_.end(), lacks_iterations);
    for (const Quantity& quantity : quantities(of_iterations_)) {
      const auto a = sample_of(quantity, a_, alone_);
      const auto b = sample_of(quantity, b_, alone_);
      if (!a || !b) continue;
      const Estimate estimate = estimate_change(*a, *b);
      const double from = middle(*a);
      const double to = middle(*b);
      Row row = {quantity.name, from, to};
      append_change(row, estimate);
      if (quantity.role != Quantity::Role::explains) {
        const bool decides = quantity.role == Quantity::Role::decides;
        const Verdict verdict =
            judge(estimate, from, {options_.tolerance, static_cast<double>(options_.floor_ns), !decides});
        row.emplace_back(text_of(verdict));
        std::string text = change_text(format_ns(from), format_ns(to), estimate);
        Outcome outcome = outcome_of(verdict);
        if (verdict == Verdict::inconclusive) {
          if (estimate.method == Estimate::Method::none) text += ", and nothing says how much such runs vary";
          if (!decides) {
            outcome = Outcome::pass;
            text += ", which is not sure";
          }
        }
        if (verdict == Verdict::improvement) faster_ = true;
        if (!main_) {
          main_ = estimate;
          step_ns_ = std::max(from, to);
          surely_faster_ = verdict == Verdict::improvement;
          seems_faster_ = verdict == Verdict::pass && estimate.change < -options_.tolerance &&
                          -estimate.change * from > static_cast<double>(options_.floor_ns);
          whole_ = {quantity.name, outcome, text};
        }
        add_rule(quantity.name, outcome, std::move(text));
      } else {
        row.emplace_back();
      }
      row.push_back(estimate.p_rank ? Cell(*estimate.p_rank) : Cell());
      row.push_back(estimate.delta ? Cell(*estimate.delta) : Cell());
      row.emplace_back(text_of(estimate.method));
      row.emplace_back(quantity.about);
      times_.append(row);
    }
    if (!main_) add_rule(of_iterations_ ? "step_time" : "span", Outcome::inconclusive, "a run has no time to compare");
  }

  void compare_calls() {
    CheckedCalls calls = check_calls(a_, b_, options_);
    main_ = calls.estimate;
    faster_ = surely_faster_ = calls.verdict == Verdict::improvement;
    whole_ = {calls.rule, outcome_of(calls.verdict), calls.text};
    add_rule(whole_.name, whole_.outcome, whole_.text);
    calls_ = std::move(calls.table);
  }

  void compare_memory() {
    const auto a = memory_of(a_);
    const auto b = memory_of(b_);
    if (!a || !b) return;
    const Estimate estimate = estimate_change(*a, *b, kBetweenRunsOfMemory);
    const Verdict verdict = judge(estimate, middle(*a), {options_.tolerance, kMemoryFloor, false});
    Row row = {"peak_allocated", middle(*a), middle(*b)};
    append_change(row, estimate);
    row.emplace_back(text_of(verdict));
    memory_.append(row);
    add_rule("memory", outcome_of(verdict), change_text(format_bytes(middle(*a)), format_bytes(middle(*b)), estimate));
  }

  /// A part of the device time, and how it changed.
  struct Part {
    std::string name;
    double from = 0;
    double to = 0;
    Estimate estimate;
    double adjusted = 1;  // the chance that it is not slower, adjusted for the number of all parts
  };

  /// The parts of a kind that take `floor` or more.
  std::vector<Part> parts_of(const TimeFigures RunFigures::*times, double floor) const {
    std::vector<Part> parts;
    for (const auto& [name, figure] : a_.front()->*times) {
      const auto a = sample_of(times, name, a_);
      const auto b = sample_of(times, name, b_);
      if (!a || !b || std::max(middle(*a), middle(*b)) < floor) continue;
      parts.push_back({name, middle(*a), middle(*b), estimate_change(*a, *b)});
    }
    return parts;
  }

  void compare_parts() {
    struct Kind {
      const char* rule;
      const char* kind;
      std::vector<Part> parts;
    };
    const double floor = std::max(static_cast<double>(options_.floor_ns), kPartFloor * step_ns_);
    std::vector<Kind> kinds = {{"ops", "op", parts_of(&RunFigures::ops, floor)},
                               {"kernel_classes", "class", parts_of(&RunFigures::classes, floor)},
                               {"kernels", "kernel", parts_of(&RunFigures::kernels, floor)},
                               {"layers", "layer", parts_of(&RunFigures::layers, floor)},
                               {"modules", "module", parts_of(&RunFigures::modules, floor)}};
    std::vector<double> chances;
    for (const Kind& kind : kinds) {
      for (const Part& part : kind.parts) chances.push_back(part.estimate.p_slower);
    }
    const std::vector<double> adjusted = adjusted_chances(chances);
    auto next = adjusted.begin();
    for (Kind& kind : kinds) {
      for (Part& part : kind.parts) part.adjusted = *next++;
    }
    for (const Kind& kind : kinds) judge_parts(kind.rule, kind.kind, kind.parts, floor);
  }

  /// What parts may take more, all that are slower together, is judged by the whole: the tolerance is a share of that.
  void judge_parts(const std::string& rule, const char* kind, const std::vector<Part>& parts, double floor) {
    if (parts.empty()) return;
    const double allowed = std::max(static_cast<double>(options_.floor_ns), options_.tolerance * step_ns_);
    std::vector<Verdict> verdicts;
    std::vector<const Part*> slower;
    double together = 0;
    for (const Part& part : parts) {
      Verdict verdict = judge(part.estimate, part.from, {options_.tolerance, floor, true});
      if (verdict == Verdict::regression && part.adjusted > kDiscoveryRate) verdict = Verdict::inconclusive;
      verdicts.push_back(verdict);
      if (verdict != Verdict::regression) continue;
      slower.push_back(&part);
      together += part.to - part.from;
    }
    const bool matters = together > allowed;
    if (!matters) slower.clear();
    for (size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      Row row = {kind, part.name, part.from, part.to, part.to - part.from};
      append_change(row, part.estimate);
      row.emplace_back(text_of(!matters && verdicts[i] == Verdict::regression ? Verdict::pass : verdicts[i]));
      row.emplace_back(part.adjusted);
      parts_.append(row);
    }
    std::sort(slower.begin(), slower.end(),
              [](const Part* a, const Part* b) { return a->to - a->from > b->to - b->from; });
    std::string text = fmt::format("{} that take {} or more; those that are slower take less than {} more together",
                                   parts.size(), format_ns(floor), format_ns(allowed));
    if (!slower.empty()) {
      constexpr size_t kNamed = 3;
      std::vector<std::string> named;
      for (const Part* part : slower) {
        if (named.size() == kNamed) break;
        named.push_back(fmt::format("{} +{} ({})", part->name, format_ns(part->to - part->from),
                                    signed_percent(part->estimate.change)));
      }
      text = fmt::format("{} of {} slower: {}{}", slower.size(), parts.size(), fmt::join(named, ", "),
                         slower.size() > kNamed ? ", ..." : "");
    }
    const bool moved = !slower.empty() && device_time_change() < kNotMoved * together;
    if (slower.empty() || moved) {
      if (moved) text += "; but all device time together changed by less than half of that: work that moved";
      return add_rule(rule, Outcome::pass, std::move(text));
    }
    // What counts is how long an iteration takes: what is slower inside of a faster one is worth a look, and no more.
    const std::string inside = of_iterations_ ? "an iteration" : "the whole";
    if (surely_faster_) return add_rule(rule, Outcome::pass, text + "; but " + inside + " is faster", true);
    if (seems_faster_) {
      return add_rule(rule, Outcome::inconclusive, text + "; but " + inside + " seems faster, which is not sure");
    }
    add_rule(rule, Outcome::regression, std::move(text));
  }

  /// By how much all device time of an iteration and rank is more than before.
  double device_time_change() const {
    const auto each = [](const Runs& runs) {
      std::vector<double> times;
      for (const RunFigures* run : runs) {
        int64_t total = 0;
        for (const auto& [name, figure] : run->classes) total += figure.total_ns;
        times.push_back(static_cast<double>(total) / static_cast<double>(std::max<int64_t>(run->steady, 1)));
      }
      return median_of(std::move(times));
    };
    return each(b_) - each(a_);
  }

  static void append_change(Row& row, const Estimate& estimate) {
    const bool has_interval = estimate.method != Estimate::Method::none;
    row.push_back(percent(estimate.change));
    row.push_back(has_interval ? percent(estimate.low) : Cell());
    row.push_back(has_interval ? percent(estimate.high) : Cell());
  }

  void conclude() {
    const auto rank = [](Outcome outcome) {
      switch (outcome) {
        case Outcome::pass:
          return 0;
        case Outcome::inconclusive:
          return 1;
        case Outcome::regression:
          return 2;
        case Outcome::not_comparable:
          break;
      }
      return 3;
    };
    const CheckedRule* worst = &result_.rules.front();
    for (const CheckedRule& rule : result_.rules) {
      if (rank(rule.outcome) > rank(worst->outcome)) worst = &rule;
    }
    result_.outcome = worst->outcome;
    const std::string limit = fmt::format("{:g}%", 100 * options_.tolerance);
    // The change of the whole is always reported, whichever rule decided.
    const std::string of_whole = whole_.name + ": " + whole_.text;
    const std::string besides = whole_.name.empty() || whole_.name == worst->name ? "" : "; " + of_whole;
    switch (result_.outcome) {
      case Outcome::not_comparable:
        result_.headline = fmt::format("the runs did not do the same: {}; --allow {} compares them all the same",
                                       worst->text, fmt::join(refused_kinds_, ","));
        break;
      case Outcome::regression:
        result_.headline =
            fmt::format("{}: {}, beyond the tolerance of {}{}", worst->name, worst->text, limit, besides);
        break;
      case Outcome::inconclusive:
        result_.headline = fmt::format("{}: {}; the runs cannot decide about a tolerance of {}: give more of them{}",
                                       worst->name, worst->text, limit, besides);
        break;
      case Outcome::pass:
        result_.headline = (faster_ ? "faster than the baseline; " : "") + of_whole;
        for (const CheckedRule& rule : result_.rules) {
          if (!rule.warns) continue;
          result_.headline += fmt::format("; a warning: {}: {}", rule.name, rule.text);
          break;
        }
        break;
    }
    rules_.append({"all", text_of(result_.outcome), result_.headline});
    for (const CheckedRule& rule : result_.rules) rules_.append({rule.name, text_of(rule.outcome), rule.text});
  }

  void add_remarks() {
    std::vector<std::string>& remarks = result_.remarks;
    remarks.push_back(fmt::format("{} against {}; {}", plural(a_.size(), "run"), plural(b_.size(), "run"),
                                  main_ ? text_of(main_->method) : "nothing to compare"));
    if (few_) {
      remarks.push_back(
          fmt::format("with fewer than {} runs a side only a change beyond a noise band is called a regression; runs "
                      "are taken to vary by {:g}% at least",
                      kRunsForRanks, 100 * kBetweenRuns));
    }
    if (options_.explain && main_ && main_->method != Estimate::Method::none) {
      const auto power = [&](double change) {
        return 100 * power_of_check(change, std::max(main_->spread, 0.001), a_.size(), b_.size(), options_.tolerance,
                                    main_->method == Estimate::Method::within_runs);
      };
      remarks.push_back(fmt::format(
          "runs vary by {}: a slowdown of 5% would be called a regression in {:.0f}% of such checks, one of {:g}% in "
          "{:.0f}%",
          format_percent(100 * main_->spread), power(0.05), 100 * (options_.tolerance + 0.05),
          power(options_.tolerance + 0.05)));
    }
    if (by_calls_) {
      remarks.push_back(fmt::format(
          "compared by {} of the call trees, which the whole program decides; functions say where", whole_.name));
    } else if (!of_iterations_) {
      remarks.emplace_back(
          "the runs have no iterations (ranges that mark them): whole recordings are compared, which shows nothing "
          "where a recording stops after a set time");
    } else if (a_.front()->by_repetition) {
      remarks.emplace_back(
          "the runs have no iterations (ranges that mark them) and repeat a sequence of device ops: an iteration is what "
          "repeats, and what does not is left out");
    }
    std::set<std::string> formats;
    const auto add_formats = [&](const Runs& runs) {
      for (const RunFigures* run : runs) {
        for (const auto& [format, count] : run->formats) formats.insert(format);
      }
    };
    add_formats(a_);
    add_formats(b_);
    if (formats.size() > 1) {
      remarks.push_back(fmt::format("recorded by different profilers ({}), which slow a program down differently",
                                    fmt::join(formats, ", ")));
    }
  }

  void add_run(const char* side, const CheckedRun& run) {
    int64_t complete = 0;
    int64_t warm_up = 0;
    for (const auto& [number, iteration] : run.figures.iterations) {
      complete += iteration.complete ? 1 : 0;
      warm_up += iteration.complete && iteration.warm_up ? 1 : 0;
    }
    Row row = {side, run.input, devices_text(run.figures), complete, warm_up};
    const auto sample = of_iterations_ ? sample_of(quantities(true).front(), {&run.figures}, true) : std::nullopt;
    row.push_back(sample ? Cell(sample->values[0]) : Cell());
    row.push_back(sample && sample->errors[0] ? percent(*sample->errors[0]) : Cell());
    row.push_back(sample && sample->drifts[0] != 0 ? percent(sample->drifts[0]) : Cell());
    runs_.append(row);
  }

  const std::vector<CheckedRun>& baseline_;
  const std::vector<CheckedRun>& candidate_;
  const CheckOptions& options_;
  Runs a_;
  Runs b_;
  CheckResult result_;
  Table rules_ = check_table();
  Table times_ = check_times_table();
  Table memory_ = check_memory_table();
  Table parts_ = check_parts_table();
  Table calls_ = check_calls_table();
  Table runs_ = check_runs_table();
  std::vector<std::string> refused_kinds_;
  std::optional<Estimate> main_;  // of the first quantity with a verdict
  double step_ns_ = 0;
  bool few_ = false;    // runs on a side
  bool alone_ = false;  // a side has a single run, so that its noise has to be known from within
  bool of_iterations_ = false;
  bool by_calls_ = false;       // whether a metric of call trees is compared
  CheckedRule whole_;           // about it; without a name where there is none
  bool surely_faster_ = false;  // by it
  bool seems_faster_ = false;   // by more than the tolerance, of an interval that shows something
  bool faster_ = false;         // by any quantity
};

}  // namespace

const char* text_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::regression:
      return "regression";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::not_comparable:
      break;
  }
  return "not comparable";
}

int CheckResult::exit_code(CheckOptions::Inconclusive inconclusive) const {
  if (outcome == Outcome::inconclusive && inconclusive != CheckOptions::Inconclusive::report) {
    return static_cast<int>(inconclusive == CheckOptions::Inconclusive::pass ? Outcome::pass : Outcome::regression);
  }
  return static_cast<int>(outcome);
}

CheckResult check_runs(std::vector<CheckedRun> baseline, std::vector<CheckedRun> candidate,
                       const CheckOptions& options) {
  std::vector<RunFigures*> all;
  for (auto* side : {&baseline, &candidate}) {
    for (CheckedRun& run : *side) all.push_back(&run.figures);
  }
  compare_by_repetitions(all);
  return Check(baseline, candidate, options).run();
}

}  // namespace cgpu
