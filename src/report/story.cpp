// What a report tells, and in which order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/slices_by_name.h"
#include "base/error.h"
#include "model/unknown_utilization.h"
#include "report/cells.h"
#include "report/headline.h"
#include "report/phrases.h"
#include "report/report.h"
#include "report/sections.h"
#include "report/verdict.h"

namespace cgpu {

namespace {

struct ReportPart {
  const char* table;
  Section (*describe)(Table, const Scope&);
};

constexpr ReportPart kParts[] = {
    {"findings", describe_findings},
    {"devices", describe_devices},
    {"gpu_time", describe_gpu_time},
    {"mfu", describe_mfu},
    {"streams", describe_streams},
    {"steps", describe_steps},
    {"loops", describe_loops},
    {"micro_batches", describe_micro_batches},
    {"experts", describe_experts},
    {"idle", describe_idle},
    {"kernel_classes", describe_kernel_classes},
    {"kernels", describe_kernels},
    {"ops", describe_ops},
    {"api", describe_api},
    {"processes", describe_processes},
    {"transfers", describe_transfers},
    {"collectives", describe_collectives},
    {"stragglers", describe_stragglers},
    {"rank_outliers", describe_rank_outliers},
    {"rank_path", describe_rank_path},
    {"launches", describe_launches},
    {"queue", describe_queue},
    {"ranges", describe_ranges},
    {"memory", describe_memory},
    {"memory_at_peak", describe_memory_at_peak},
    {"launch_metrics", describe_launch_metrics},
    {"launch_rules", describe_launch_rules},
    {"et_ops", describe_et_ops},
    {"metrics", describe_metrics},
    {"hot_path", describe_hot_path},
    {"functions", describe_functions},
    {"imbalance", describe_imbalance},
    {"stalls", describe_stalls},
    {"notes", describe_notes},
    {"info", describe_info},
};

/// Too long for a page: only its picture is there.
constexpr const char* kOnlyDrawn = "rank_activity";

/// Ranks whose files hold no more than this, uncompressed, are kept open together for what needs that: findings.
constexpr double kOpenForReport = 256.0 * 1024 * 1024;

Scope scope_of(const Session& session, const std::vector<Table>& tables) {
  Scope scope;
  scope.device = device_word(session);
  scope.unknown_utilization = why_utilization_is_unknown(session);
  scope.several_ranks = session.runs.size() > 1;
  for (const Table& table : tables) {
    if (table.name == "gpu_time") scope.several_devices = table.row_count() > 1;
    if (table.name == "kernel_classes") scope.device_op_ns = sum_of(table, "total_ns");
  }
  return scope;
}

std::string file_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string name = path.substr(path.rfind('/') + 1);
  return name == "-" ? "standard input" : name.empty() ? path : name;
}

std::string title_of(const Session& session) {
  if (session.inputs.empty()) return "Profile";
  std::string title = file_name(session.inputs[0]);
  if (session.inputs.size() > 1) title += fmt::format(" and {} more", session.inputs.size() - 1);
  return title;
}

}  // namespace

std::vector<WantedTable> report_tables(const std::string& kernel_names, bool with_pictures,
                                       const std::vector<std::string>& sections) {
  for (const std::string& name : sections) {
    const bool known =
        std::any_of(std::begin(kParts), std::end(kParts), [&](const ReportPart& part) { return part.table == name; });
    if (known) continue;
    std::vector<std::string_view> names;
    for (const ReportPart& part : kParts) names.emplace_back(part.table);
    throw Error(fmt::format("report: there is no section {}; there are {}", name, fmt::join(names, ", ")));
  }
  std::vector<WantedTable> wanted;
  const auto add = [&](const char* name) {
    WantedTable& table = wanted.emplace_back(WantedTable{&find_analysis(name)});
    table.most_open_bytes = kOpenForReport;
    if (table.analysis->name == "kernels") table.options.set(kNamesOption, {kernel_names});
    if (table.analysis->name == "imbalance") table.options.set(kComparedOption, {kByFunction});
  };
  for (const ReportPart& part : kParts) {
    if (sections.empty() || std::find(sections.begin(), sections.end(), part.table) != sections.end()) add(part.table);
  }
  if (with_pictures) add(kOnlyDrawn);
  return wanted;
}

Report make_report(const Session& session, std::vector<Table> tables, std::vector<RunHistory> histories) {
  const Scope scope = scope_of(session, tables);
  Report report;
  report.title = title_of(session);
  report.unknown_utilization = scope.unknown_utilization;
  report.histories = std::move(histories);
  const bool has_call_tree =
      std::any_of(session.runs.begin(), session.runs.end(), [](const Run& run) { return run.call_tree.has_value(); });
  const bool timelines_released =
      session.runs.size() > 1 && std::any_of(session.runs.begin(), session.runs.end(),
                                             [](const Run& run) { return run.released_totals.has_value(); });
  if (!tables.empty() && tables.back().name == kOnlyDrawn) {
    report.rank_activity = std::move(tables.back());
    tables.pop_back();
  }
  const bool whole = tables.size() == std::size(kParts);
  for (Table& table : tables) {
    const auto part = std::find_if(std::begin(kParts), std::end(kParts),
                                   [&](const ReportPart& one) { return one.table == table.name; });
    // The page shows recorded call trees; what a timeline would fold to is in its other sections.
    if (find_analysis(table.name).subject == Subject::call_tree && !has_call_tree) continue;
    const bool is_reported = table.name == "findings"    ? !table.empty() || timelines_released
                             : table.name == "mfu"       ? has_any(table, "flops")
                             : table.name == "functions" ? has_function_costs(table)
                             : table.name == "imbalance" ? has_divided_work(table)
                                                         : !table.empty();
    if (is_reported) report.sections.push_back(part->describe(std::move(table), scope));
  }
  if (!whole) return report;  // the sentences are made of all tables
  report.headline = headline_of(session, report, scope);
  std::vector<const Table*> reported;
  for (const Section& section : report.sections) reported.push_back(&section.table);
  report.verdict = verdict_of(session, reported);
  return report;
}

Report make_report(const SessionFacts& facts, const std::string& kernel_names) {
  const Session& session = facts.session();
  std::vector<Table> tables;
  for (const WantedTable& table : report_tables(kernel_names, true)) {
    tables.push_back(make_table(*table.analysis, facts, table.options));
  }
  std::vector<RunHistory> histories;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    histories.push_back(history_of(session.runs[run]));
    histories.back().rank = session.runs[run].rank;
    histories.back().zero = facts.zeros()[run];
  }
  return make_report(session, std::move(tables), std::move(histories));
}

Report make_report(const Session& session) {
  return make_report(SessionFacts(session), "full");
}

const Section* Report::section_of(std::string_view table) const {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const Section& one) { return one.table.name == table; });
  return found == sections.end() ? nullptr : &*found;
}

const Table* Report::find(std::string_view table) const {
  const Section* section = section_of(table);
  return section == nullptr ? nullptr : &section->table;
}

std::string place_of(const Table& table, RowView row, const Scope& scope) {
  if (!scope.several_devices) return "the " + scope.device;
  const std::string device = fmt::format("{} {}", scope.device, integer_of(table, row, "device"));
  if (!scope.several_ranks) return device;
  return fmt::format("rank {}, {}", integer_of(table, row, "rank"), device);
}

std::vector<std::string_view> place_columns(const Scope& scope) {
  if (!scope.several_devices) return {};
  if (!scope.several_ranks) return {"device"};
  return {"rank", "device"};
}

Section section_of(std::string title, std::string summary, Table table, const std::vector<std::string_view>& columns,
                   size_t rows) {
  Table page = cut_table(table, columns, rows);
  std::string cut;
  if (page.row_count() < table.row_count()) cut = fmt::format("{} of {}", page.row_count(), table.row_count());
  return {std::move(title), std::move(summary), std::move(table), std::move(page), std::move(cut)};
}

}  // namespace cgpu
