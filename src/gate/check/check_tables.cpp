#include "gate/check/check_tables.h"

#include <cmath>
#include <string>
#include <utility>

#include "analysis/common/columns.h"

namespace cgpu {

namespace {

/// What every comparison of samples has behind its two middle values.
void add_change_columns(std::vector<Column>& columns) {
  columns.push_back(real_column("change_pct", "%", "of the baseline, more is slower or larger"));
  columns.push_back(real_column("low_pct", "%", "lower end of the interval of change_pct; absent where there is none"));
  columns.push_back(real_column("high_pct", "%", "upper end"));
  columns.push_back(text_column("verdict", "pass, improvement, inconclusive or regression; absent for what explains"));
}

}  // namespace

Cell percent(double share) {
  return std::isfinite(share) ? Cell(100 * share) : Cell();
}

Table check_table() {
  return Table(
      "check", "the rules of the gate",
      {key_column("rule", "what was asked; all: the outcome"),
       text_column("verdict", "pass, regression, inconclusive or not comparable"), text_column("why", "in words")});
}

Table check_times_table() {
  std::vector<Column> columns = {key_column("quantity", "which time"),
                                 real_column("baseline_ns", "ns", "middle value of the runs of the baseline"),
                                 real_column("candidate_ns", "ns", "middle value of the runs of the candidate")};
  add_change_columns(columns);
  columns.push_back(real_column("p", "", "two-sided chance of the rank-sum test; absent for fewer than 4 runs a side"));
  columns.push_back(real_column("cliffs_delta", "", "share of pairs of runs with the candidate above, less below"));
  columns.push_back(text_column("method", "where the interval comes from"));
  columns.push_back(text_column("about", "what is measured"));
  return Table("check_times", "times of an iteration, or of whole runs without iterations: the middle over the runs",
               std::move(columns));
}

Table check_memory_table() {
  std::vector<Column> columns = {key_column("quantity", "which size"),
                                 real_column("baseline_bytes", "bytes", "middle value of the runs of the baseline"),
                                 real_column("candidate_bytes", "bytes", "middle value of the runs of the candidate")};
  add_change_columns(columns);
  return Table("check_memory", "memory of the device that needs most", std::move(columns));
}

Table check_parts_table() {
  std::vector<Column> columns = {
      key_column(
          "kind",
          "op: framework op, of device work launched, or captured, directly in it; class; kernel; layer of the model; "
          "module: path of the innermost one"),
      key_column("name", "name"),
      real_column("baseline_ns", "ns", "device time an iteration and rank, middle of the runs of the baseline"),
      real_column("candidate_ns", "ns", "the same of the candidate"),
      real_column("change_ns", "ns", "candidate less baseline")};
  add_change_columns(columns);
  columns.push_back(real_column(
      "adjusted_p", "", "chance that it is not slower, adjusted for the number of all rows (Benjamini and Hochberg)"));
  return Table(
      "check_parts",
      "device time by op, kernel class, kernel, layer and module, where all runs have it; largest change first",
      std::move(columns));
}

Table check_calls_table() {
  std::vector<Column> columns = {
      key_column("kind", "whole: the program; function: what it spends itself, in all call paths"),
      key_column("name", "of the function"),
      text_column("metric", "of the call trees"),
      text_column("unit", "of the metric"),
      real_column("baseline", "", "middle value of the runs of the baseline"),
      real_column("candidate", "", "middle value of the runs of the candidate"),
      real_column("change", "", "candidate less baseline")};
  add_change_columns(columns);
  columns.push_back(
      real_column("adjusted_p", "", "chance that it is not slower, adjusted for the number of functions"));
  return Table("check_calls",
               "a metric of the call trees, of the whole and of functions that take 1 % of it; largest change first",
               std::move(columns));
}

Table check_runs_table() {
  return Table(
      "check_runs", "the runs",
      {key_column("side", "baseline or candidate"), key_column("input", "as it was given"),
       text_column("devices", "devices and ranks"), count_column("iterations", "complete ones"),
       count_column("warm_up", "of these, first ones that took far longer and are left out"),
       real_column("step_ns", "ns", "median of the other iterations; absent without iterations"),
       real_column("noise_pct", "%", "standard error of step_ns as the run itself shows it"),
       real_column("drift_pct", "%", "by which iterations rise from first to last; absent where none is sure")});
}

}  // namespace cgpu
