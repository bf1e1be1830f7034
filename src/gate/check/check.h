// `cgpu check`: whether the runs of a candidate are slower than those of a baseline, or take more memory.
//
// Each rule is one question with one verdict; the worst of them is the outcome. What is no rule (busy, idle and exposed
// time) explains. O(runs x names).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gate/check/verdict.h"
#include "gate/figures/comparable.h"
#include "gate/figures/figures.h"
#include "table/table.h"

namespace cgpu {

/// A run as it was given.
struct CheckedRun {
  std::string input;
  RunFigures figures;
};

struct CheckOptions {
  enum class Inconclusive : uint8_t { report, pass, fail };
  double tolerance = 0.05;
  int64_t floor_ns = 100'000;
  std::set<std::string> allowed;  // of kDifferences
  std::string metric;             // of call trees that are compared, as people type it; "" for the main one
  Inconclusive inconclusive = Inconclusive::report;
  bool explain = true;  // whether the power is computed, and the noise of each run, which takes some milliseconds
};

/// The outcome for the runs as a whole; the values are the exit codes of the program.
enum class Outcome : uint8_t { pass = 0, regression = 1, inconclusive = 3, not_comparable = 4 };
const char* text_of(Outcome outcome);  // "pass", "regression", "inconclusive", "not comparable"

/// A rule that was asked.
struct CheckedRule {
  std::string name;  // comparable, step_time, step_time_mean, span, memory, ops, kernel_classes, kernels, layers,
                     // modules, the name of a metric of call trees
  Outcome outcome = Outcome::pass;
  std::string text;    // why, in a sentence
  bool warns = false;  // whether a rule that passed found something to look at
};

struct CheckResult {
  Outcome outcome = Outcome::pass;
  std::string headline;              // the result, in a sentence
  std::vector<std::string> remarks;  // how it was decided, and what could not be checked
  std::vector<CheckedRule> rules;
  std::vector<Table> tables;  // check, check_times, check_memory, check_parts, check_calls, check_runs

  /// Counts inconclusive results as the user asks.
  int exit_code(CheckOptions::Inconclusive inconclusive) const;
};

/// Both sides have a run at least.
CheckResult check_runs(std::vector<CheckedRun> baseline, std::vector<CheckedRun> candidate,
                       const CheckOptions& options);

}  // namespace cgpu
