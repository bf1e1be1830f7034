// Rules about profiles without a timeline: sampled call trees (HPCToolkit) and measured launches (Nsight Compute).
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/investigation.h"
#include "table/units.h"

namespace cgpu {

namespace {

std::string text_in(const Table& table, size_t row, const char* column) {
  const Cell cell = table.cell(row, table.column(column));
  return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
}

/// Waiting that HPCToolkit attributes to places of its own ("<omp barrier wait>").
void find_barriers(Investigation& run, std::vector<Finding>& findings) {
  const Table& functions = run.table("functions");
  const Table& metrics = run.table("metrics");
  if (functions.empty() || metrics.empty()) return;
  for (const char* time : {"CPUTIME", "REALTIME"}) {
    double whole = 0;
    for (size_t row = 0; row < metrics.row_count(); ++row) {
      if (text_in(metrics, row, "name") != time) continue;
      const Cell value = metrics.cell(row, metrics.column("value"));
      if (std::holds_alternative<double>(value)) whole = std::get<double>(value);
    }
    const std::string wanted = std::string(time) + ".exclusive";
    const auto column = std::find_if(functions.columns.begin(), functions.columns.end(), [&](const Column& one) {
      return one.name.starts_with(time) && one.name.ends_with(".exclusive");
    });
    if (whole <= 0 || column == functions.columns.end()) continue;
    const auto index = static_cast<size_t>(column - functions.columns.begin());
    for (size_t row = 0; row < functions.row_count(); ++row) {
      const std::string name = text_in(functions, row, "name");
      const Cell value = functions.cell(row, index);
      if (!name.starts_with("<omp") || name.find("wait") == std::string::npos || !std::holds_alternative<double>(value))
        continue;
      const double share = std::get<double>(value) / whole;
      if (share < run.thresholds().sampled_share) continue;
      findings.push_back(
          {.rule = "barrier_wait",
           .title = fmt::format("{} of the threads' time is spent in {}", format_percent(100 * share), name),
           .evidence = fmt::format("{} of {} s of {}", format_real(std::get<double>(value)), format_real(whole), time),
           .suggestion =
               "Balance the work of the threads between barriers (schedule(dynamic) or guided), or need fewer "
               "barriers (nowait)",
           .command = "imbalance",
           .confidence = Confidence::high});
    }
    return;
  }
}

void find_stalls(Investigation& run, std::vector<Finding>& findings) {
  const Table& stalls = run.table("stalls");
  for (size_t row = 0; row < stalls.row_count(); ++row) {
    const Cell share = stalls.cell(row, stalls.column("pct"));
    if (!std::holds_alternative<double>(share) || std::get<double>(share) < 50) continue;
    findings.push_back({.rule = "instruction_stalls",
                        .title = fmt::format("{} of the stalled samples of GPU instructions wait for one reason: {}",
                                             format_percent(std::get<double>(share)), text_in(stalls, row, "reason")),
                        .evidence = text_in(stalls, row, "about"),
                        .suggestion = "Look at the lines with the most of these stalls",
                        .command = "stalls",
                        .confidence = Confidence::high});
  }
}

/// What Nsight Compute's own rules promise, the best of each kernel.
void find_rules_of_launches(Investigation& run, std::vector<Finding>& findings) {
  const Table& rules = run.table("launch_rules");
  if (rules.empty()) return;
  std::vector<size_t> rows;
  const size_t speedup = rules.column("speedup_pct");
  const auto value = [&](size_t row) { return std::get<double>(rules.cell(row, speedup)); };
  for (size_t row = 0; row < rules.row_count(); ++row) {
    if (std::holds_alternative<double>(rules.cell(row, speedup)) && text_in(rules, row, "scope") == "kernel")
      rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return value(a) > value(b); });
  std::vector<std::string> kernels;
  for (const size_t row : rows) {
    const std::string kernel = text_in(rules, row, "kernel");
    if (value(row) < 100 * run.thresholds().sampled_share || kernels.size() >= 5) break;
    if (std::find(kernels.begin(), kernels.end(), kernel) != kernels.end()) continue;
    kernels.push_back(kernel);
    findings.push_back({.rule = "slow_kernel",
                        .title = fmt::format("Nsight Compute estimates {} for {} ({})", format_percent(value(row)),
                                             kernel, text_in(rules, row, "rule")),
                        .evidence = text_in(rules, row, "message"),
                        .suggestion = "See the rule's message; estimates of different rules do not add up",
                        .command = "launch_rules",
                        .confidence = Confidence::medium});
  }
}

}  // namespace

void find_sampled(Investigation& run, std::vector<Finding>& findings) {
  bool call_tree = false;
  bool launches = false;
  for (const Run& one : run.session().runs) {
    call_tree = call_tree || one.call_tree.has_value();
    launches = launches || one.launch_metrics.has_value();
  }
  if (call_tree) {
    find_barriers(run, findings);
    find_stalls(run, findings);
  }
  if (launches) find_rules_of_launches(run, findings);
}

}  // namespace cgpu
