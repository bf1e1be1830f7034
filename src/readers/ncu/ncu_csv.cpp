// What `ncu --csv` prints. Details page: a row a metric, and a row a finding of a rule. Raw page: a row a launch, a
// column a metric, and the units in the row behind the header.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json_text.h"
#include "readers/common/csv.h"
#include "readers/common/input.h"
#include "readers/ncu/figures.h"
#include "readers/ncu/ncu.h"
#include "readers/ncu/printed.h"

namespace cgpu::ncu {

namespace {

constexpr std::string_view kHeader = "\"ID\",\"Process ID\"";

/// The columns that say what a row is about; all others of a raw page are metrics.
enum Column : size_t {
  kId,
  kProcess,
  kProcessName,
  kHost,
  kKernel,
  kKernelTime,
  kContext,
  kStream,
  kBlock,
  kGrid,
  kDevice,
  kCapability,
  kSection,
  kMetric,
  kUnit,
  kValue,
  kRule,
  kRuleType,
  kRuleText,
  kSpeedupScope,
  kSpeedup,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kColumnNames{"ID",
                                                              "Process ID",
                                                              "Process Name",
                                                              "Host Name",
                                                              "Kernel Name",
                                                              "Kernel Time",
                                                              "Context",
                                                              "Stream",
                                                              "Block Size",
                                                              "Grid Size",
                                                              "Device",
                                                              "CC",
                                                              "Section Name",
                                                              "Metric Name",
                                                              "Metric Unit",
                                                              "Metric Value",
                                                              "Rule Name",
                                                              "Rule Type",
                                                              "Rule Description",
                                                              "Estimated Speedup Type",
                                                              "Estimated Speedup"};

class PageReader {
 public:
  PageReader(TextSource& source, const std::string& path)
      : source_(source), csv_(source), path_(path), run_(new_run(path, "ncu-csv")) {
    run_.launch_metrics.emplace();
  }

  Run read() {
    find_header();
    for (std::vector<std::string> row; csv_.next(row) && !csv_.unfinished();) read_row(row);
    if (csv_.unfinished()) {
      run_.notes.add("truncated_input", 1,
                     fmt::format("the row that begins in line {} has no end; it was left out", csv_.line()), true);
    }
    add_source(source_, run_, "damaged_input");
    std::vector<ProfiledLaunch>& launches = metrics().launches;
    if (launches.empty()) throw Error(path_, "is a page of Nsight Compute without a launch");
    for (ProfiledLaunch& launch : launches) fill_figures(metrics().names, launch);
    check_figures(run_);
    return std::move(run_);
  }

 private:
  LaunchMetrics& metrics() { return *run_.launch_metrics; }
  bool is_details() const { return columns_.count(kMetric) > 0; }

  void find_header() {
    std::vector<std::string> header;
    while (!csv_.continues_with(kHeader)) {
      if (!csv_.skip_line()) throw Error(path_, "has no line that begins with " + std::string(kHeader));
    }
    csv_.next(header);
    read_header(header);
  }

  void read_header(const std::vector<std::string>& header) {
    columns_.clear();
    metric_columns_.clear();
    by_id_.clear();
    for (size_t i = 0; i < header.size(); ++i) {
      const auto known = std::find(kColumnNames.begin(), kColumnNames.end(), header[i]);
      if (known != kColumnNames.end()) {
        columns_.emplace(static_cast<Column>(known - kColumnNames.begin()), i);
      } else if (header[i].find("Domain:") == std::string::npos) {  // NVTX ranges
        metric_columns_.emplace_back(i, valid_utf8(header[i]));
      }
    }
    if (columns_.count(kKernel) == 0) throw Error(path_, "is a page of Nsight Compute without kernel names");
    units_.clear();
    width_ = header.size();
    if (run_.format_version.empty()) run_.format_version = is_details() ? "details page" : "raw page";
  }

  std::string_view cell(const std::vector<std::string>& row, Column column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() || found->second >= row.size() ? std::string_view() : row[found->second];
  }

  void skip(const std::string& why) { run_.notes.add("skipped_row", 1, why, true); }

  void read_row(const std::vector<std::string>& row) {
    if (row[0] == "ID") return read_header(row);  // another page behind the first
    const auto id = printed_integer(cell(row, kId));
    if (!id && !is_details() && units_.empty() && cell(row, kKernel).empty()) {
      units_ = row;
      return;
    }
    if (!id) {
      // A log may go on behind the header.
      if (row[0].starts_with("==")) return;
      return skip("rows that are no row of the page were left out");
    }
    if (row.size() <= columns_.at(kKernel) || cell(row, kKernel).empty()) {
      return skip("rows that end before the name of the kernel were left out");
    }
    if (row.size() > width_)
      run_.notes.add("ragged_row", 1, "rows have more fields than the header; these were left out");
    ProfiledLaunch& launch = launch_of(*id, row);
    if (!is_details()) return read_raw(row, launch);
    if (!cell(row, kMetric).empty()) {
      add_metric(run_, launch, std::string(cell(row, kSection)), std::string(cell(row, kMetric)), cell(row, kUnit),
                 cell(row, kValue));
    } else if (!cell(row, kRule).empty()) {
      read_rule(row, launch);
    }
  }

  ProfiledLaunch& launch_of(int64_t id, const std::vector<std::string>& row) {
    const auto [found, is_new] = by_id_.try_emplace({id, std::string(cell(row, kProcess))}, metrics().launches.size());
    if (is_new) {
      ProfiledLaunch& launch = metrics().launches.emplace_back();
      launch.id = id;
      launch.kernel = valid_utf8(cell(row, kKernel));
      launch.grid = printed_extent(cell(row, kGrid));
      launch.block = printed_extent(cell(row, kBlock));
      if (const auto device = printed_integer(cell(row, kDevice)); device && std::in_range<int32_t>(*device)) {
        launch.device = static_cast<int32_t>(*device);
      }
      launch.stream = printed_integer(cell(row, kStream));
      add_device(run_, launch, cell(row, kCapability));
      if (run_.host.empty()) run_.host = valid_utf8(cell(row, kHost));
    }
    return metrics().launches[found->second];
  }

  void read_raw(const std::vector<std::string>& row, ProfiledLaunch& launch) {
    for (const auto& [column, name] : metric_columns_) {
      if (column >= row.size()) {
        run_.notes.add("ragged_row", 1, "rows have fewer fields than the header; the rest counts as absent");
        return;
      }
      add_metric(run_, launch, "", name, column < units_.size() ? units_[column] : "", row[column]);
    }
  }

  void read_rule(const std::vector<std::string>& row, ProfiledLaunch& launch) {
    RuleResult result;
    result.rule = valid_utf8(cell(row, kRule));
    result.section = valid_utf8(cell(row, kSection));
    result.severity = severity_of(cell(row, kRuleType));
    result.message = valid_utf8(cell(row, kRuleText));
    result.speedup_pct = printed_number(cell(row, kSpeedup), 0);
    if (result.speedup_pct) result.speedup_scope = cell(row, kSpeedupScope) == "global" ? "kernel" : "unit";
    launch.rules.push_back(std::move(result));
  }

  TextSource& source_;
  CsvReader csv_;
  const std::string& path_;
  Run run_;
  std::map<Column, size_t> columns_;
  std::vector<std::pair<size_t, std::string>> metric_columns_;
  std::vector<std::string> units_;  // of a raw page, by column
  size_t width_ = 0;
  std::map<std::pair<int64_t, std::string>, size_t> by_id_;  // (id, process) to the index of the launch
};

}  // namespace

bool is_csv(std::string_view head) {
  for (size_t at = head.find(kHeader); at != std::string_view::npos; at = head.find(kHeader, at + 1)) {
    if (at == 0 || head[at - 1] == '\n') return true;
  }
  return false;
}

Run read_csv(TextSource& source, const std::string& path) {
  return PageReader(source, path).read();
}

}  // namespace cgpu::ncu
