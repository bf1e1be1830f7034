// What a report tells, and in which order.
#include <fmt/format.h>

#include "analysis/tables.h"
#include "report/cells.h"
#include "report/headline.h"
#include "report/phrases.h"
#include "report/report.h"
#include "report/sections.h"

namespace cgpu {

namespace {

struct Part {
  Table (*table)(const Session&, const AnalysisOptions&);
  Section (*tell)(Table, const Scope&);
};

constexpr Part kParts[] = {
    {info_table, tell_info},
    {devices_table, tell_devices},
    {gpu_time_table, tell_gpu_time},
    {streams_table, tell_streams},
    {steps_table, tell_steps},
    {idle_table, tell_idle},
    {kernel_classes_table, tell_kernel_classes},
    {kernels_table, tell_kernels},
    {ops_table, tell_ops},
    {api_table, tell_api},
    {transfers_table, tell_transfers},
    {collectives_table, tell_collectives},
    {stragglers_table, tell_stragglers},
    {launches_table, tell_launches},
    {queue_table, tell_queue},
    {ranges_table, tell_ranges},
    {memory_table, tell_memory},
    {launch_metrics_table, tell_launch_metrics},
    {launch_rules_table, tell_launch_rules},
    {et_ops_table, tell_et_ops},
    {metrics_table, tell_metrics},
    {hot_path_table, tell_hot_path},
    {stalls_table, tell_stalls},
    {notes_table, tell_notes},
};

/// What the devices of these makers are called.
std::string device_word(const Session& session) {
  bool known = false;
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) {
      if (device.vendor != "NVIDIA" && device.vendor != "AMD" && device.vendor != "Intel") return "device";
      known = true;
    }
  }
  return known ? "GPU" : "device";
}

Scope scope_of(const Session& session, const std::vector<Table>& tables) {
  Scope scope;
  scope.device = device_word(session);
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

Report make_report(const Session& session, const AnalysisOptions& options) {
  std::vector<Table> tables;
  for (const Part& part : kParts) tables.push_back(part.table(session, options));
  const Scope scope = scope_of(session, tables);

  Report report;
  report.title = title_of(session);
  for (size_t i = 0; i < tables.size(); ++i) {
    if (!tables[i].empty()) report.sections.push_back(kParts[i].tell(std::move(tables[i]), scope));
  }
  report.headline = headline_of(session, report, scope);
  return report;
}

const Table* Report::find(std::string_view table) const {
  for (const Section& section : sections) {
    if (section.table.name == table) return &section.table;
  }
  return nullptr;
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
