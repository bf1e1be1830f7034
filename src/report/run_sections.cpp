// Sections about the run as a whole: what it is, its devices, its steps, its ranges, and caveats.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/common/statistics.h"
#include "analysis/findings/rank_findings.h"
#include "base/parse_number.h"
#include "report/cells.h"
#include "report/facts.h"
#include "report/finding_paragraphs.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/filter.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The facts of `info`, readable.
class InfoPage {
 public:
  explicit InfoPage(const Table& info) : info_(info) {}

  std::string text(std::string_view key) const {
    for (const RowView row : info_.rows()) {
      if (text_of(info_, row, "key") == key) return text_of(info_, row, "value");
    }
    return "";
  }
  std::optional<int64_t> number(std::string_view key) const { return parse_number(text(key)); }
  void add(const std::string& key, std::string value) {
    if (!value.empty()) page.append({key, std::move(value)});
  }

  Table page{"info", "", {{"fact", ColumnType::text, "", ""}, {"value", ColumnType::text, "", ""}}};

 private:
  const Table& info_;
};

std::string date_text(int64_t nanoseconds) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(nanoseconds));
  const std::chrono::sys_seconds time(seconds);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string ranks_text(const InfoPage& info) {
  const std::string which = info.text("rank_list");
  const std::string of = info.text("world_size").empty() ? "" : " of " + info.text("world_size");
  if (info.number("ranks").value_or(1) > 1) return info.text("ranks") + of + (which.empty() ? "" : ": " + which);
  return which.empty() ? "" : "rank " + which + of;
}

/// Facts of the profile's own header whose key says `word`, as "key value".
std::string metadata_text(const Table& info, std::string_view word) {
  constexpr std::string_view kPrefix = "metadata.";
  std::vector<std::string> found;
  for (const RowView row : info.rows()) {
    const std::string key = text_of(info, row, "key");
    if (!key.starts_with(kPrefix) || key.find(word) == std::string::npos) continue;
    found.push_back(key.substr(kPrefix.size()) + " " + text_of(info, row, "value"));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

/// What was recorded besides times, as the profile's header says.
std::string options_text(const InfoPage& info) {
  std::vector<std::string> on;
  for (const char* option : {"with_stack", "record_shapes", "profile_memory", "with_flops", "with_modules"}) {
    const std::string value = info.text(std::string("metadata.") + option);
    if (value == "1" || value == "true" || value == "True") on.emplace_back(option);
  }
  return fmt::format("{}", fmt::join(on, ", "));
}

std::string size_text(const InfoPage& info) {
  const auto input = info.number("input_bytes");
  const auto text = info.number("text_bytes");
  if (!input) return "";
  if (!text || *text == *input) return format_bytes(*input);
  return fmt::format("{}, uncompressed {}", format_bytes(*input), format_bytes(*text));
}

}  // namespace

Section describe_info(Table table, const Scope&) {
  InfoPage info(table);
  const auto count = [&](std::string_view key) { return format_count(info.number(key).value_or(0)); };
  info.add("file", info.text("file"));
  info.add("profile",
           info.text("format") + (info.text("format_version").empty() ? "" : " ") + info.text("format_version"));
  info.add("machine", info.text("host"));
  info.add("ranks", ranks_text(info));
  info.add("devices", info.text("device_names"));
  if (const auto start = info.number("start_ns"); start && info.text("clock") == "unix") {
    info.add("recorded", date_text(*start));
  }
  const bool timeline = info.text("bodies").find("timeline") != std::string::npos;
  if (const auto span = info.number("span_ns"); span && timeline) info.add("time span", format_ns(*span));
  if (timeline) {
    info.add("events", fmt::format("{}; {} with a duration, {} of them on a device; on {} threads and streams",
                                   count("events"), count("slices"), count("device_slices"), count("tracks")));
  }
  if (const auto launches = info.number("profiled_launches")) {
    info.add("measured", counted(*launches, "kernel launch", "kernel launches"));
  }
  info.add("versions", metadata_text(table, "version"));
  info.add("options", options_text(info));
  info.add("size", size_text(info));
  return {"Summary", "", std::move(table), std::move(info.page), ""};
}

Section describe_findings(Table table, const Scope&) {
  constexpr const char* kTitle = "Findings";
  const std::string judged = is_of_ranks_alone(table) ? " " + std::string(kRulesOverRanksAlone) : "";
  if (table.empty()) {  // make_report asks for that where the ranks are not open
    Table how{"findings", "", {{"command", ColumnType::text, "", ""}}};
    how.append({std::string("cgpu diagnose PROFILE")});
    return {kTitle, std::string(kNothingFound) + judged, std::move(table), std::move(how), ""};
  }
  const RowView first = table.row(0);
  const bool gains = has_value(table, first, "recoverable_ns");
  std::string summary = gains || text_of(table, first, "severity") != "info" ? "" : std::string(kNothingFound) + " ";
  if (text_of(table, first, "command").ends_with("launch_metrics")) summary.clear();  // not judged by time of a run
  summary += "`cgpu diagnose` has the evidence and what to do.";
  if (const std::string all = findings_together(table); !all.empty()) summary += " " + all;
  summary += judged;
  std::vector<std::string_view> columns{"severity",   "title",    "recoverable_ns", "recoverable_pct",
                                        "confidence", "evidence", "next_bound",     "suggestion"};
  if (!has_column(table, "next_bound")) std::erase(columns, "next_bound");
  return section_of(kTitle, summary, std::move(table), columns, 5);
}

Section describe_devices(Table table, const Scope& scope) {
  const auto used = static_cast<size_t>(sum_of(table, "used"));
  Table shown = table;
  if (used > 0) shown.keep_rows([&](RowView row) { return integer_of(table, row, "used") != 0; });

  std::map<std::string, int64_t> models;
  for (const RowView row : shown.rows()) ++models[text_of(table, row, "name")];
  std::vector<std::string> names;
  for (const auto& [name, count] : models) {
    names.push_back(fmt::format("{} x {}", count, name.empty() ? "a model that is not recorded" : quoted_name(name)));
  }
  std::string summary = used == 0 ? fmt::format("The profile describes {}; nothing ran on {}.", listed(names),
                                                shown.row_count() == 1 ? "it" : "them")
                                  : fmt::format("Work ran on {}.", listed(names));
  if (used > 0 && used < table.row_count()) {
    summary +=
        fmt::format(" {} stayed unused.", counted(static_cast<int64_t>(table.row_count() - used), "more device"));
  }

  std::vector<std::string_view> columns;
  if (scope.several_ranks) columns.emplace_back("rank");
  columns.insert(columns.end(), {"device", "name", "sm_count", "memory_bytes", "memory_bandwidth", "peak_flops"});
  Section section{"Devices", summary, std::move(table), cut_table(shown, columns, 16), ""};
  const bool described =
      std::any_of(section.page.columns.begin(), section.page.columns.end(),
                  [](const Column& column) { return column.name != "rank" && column.name != "device"; });
  if (!described) section.page.clear_rows();
  if (section.page.row_count() < shown.row_count()) {
    section.cut = fmt::format("{} of {} in use", section.page.row_count(), shown.row_count());
  }
  return section;
}

Section describe_steps(Table table, const Scope& scope) {
  const StepFacts facts = step_facts(table);
  const auto duration = [&](RowView row) { return format_ns(integer_of(table, row, "duration_ns")); };
  const auto name = [&](RowView row) {
    return fmt::format("step {}{}", integer_of(table, row, "step"),
                       scope.several_ranks ? fmt::format(" of rank {}", integer_of(table, row, "rank")) : "");
  };

  std::string summary;
  if (facts.rows.size() == 1) {
    summary = fmt::format("One step of {}: ", duration(facts.rows[0]));
  } else {
    summary =
        fmt::format("{}, median {}, mean {}, from {} ({}) to {} ({}). Where their time went: ",
                    counted(static_cast<int64_t>(facts.rows.size()), "step"), format_ns(facts.median),
                    format_ns(static_cast<double>(facts.total) / static_cast<double>(facts.rows.size())),
                    duration(*facts.shortest), name(*facts.shortest), duration(*facts.longest), name(*facts.longest));
  }
  summary += largest_shares(facts.parts, facts.total, 5) + ".";
  if (facts.incomplete > 0) {
    summary += fmt::format(" {} cut short by the end of the profile and left out of these numbers.",
                           facts.incomplete == 1 ? "The last step is" : "The last steps are");
  }
  if (varies(table, "rank")) {
    std::map<int64_t, std::vector<int64_t>> by_rank;
    for (const RowView row : facts.rows) {
      by_rank[integer_of(table, row, "rank")].push_back(integer_of(table, row, "duration_ns"));
    }
    std::vector<std::pair<double, int64_t>> medians;
    for (const auto& [rank, durations] : by_rank) medians.emplace_back(median(durations), rank);
    const auto [fastest, slowest] = std::minmax_element(medians.begin(), medians.end());
    summary += fmt::format(" The median step takes {} on rank {} and {} on rank {}.", format_ns(fastest->first),
                           fastest->second, format_ns(slowest->first), slowest->second);
  }

  std::vector<std::string_view> columns;
  if (scope.several_ranks) columns.emplace_back("rank");
  columns.insert(columns.end(), {"step", "duration_ns"});
  std::vector<StepPart> parts(kStepParts.begin(), kStepParts.end());
  std::erase_if(parts, [&](const StepPart& part) { return sum_of(table, part.column) == 0; });
  for (const StepPart& part : parts) columns.push_back(part.column);

  // The longest steps, in their order.
  Table shown = table;
  std::string cut;
  if (table.row_count() > kPageRows) {
    sort_rows(shown, "duration_ns");
    take_top(shown, kPageRows);
    const auto place = [&](uint32_t row) {
      return std::pair(integer_of(shown, shown.row(row), "rank"), integer_of(shown, shown.row(row), "start_ns"));
    };
    shown.sort([&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    cut = fmt::format("the {} longest of {}", kPageRows, table.row_count());
  }
  return {"Steps", summary, std::move(table), cut_table(shown, columns), cut};
}

Section describe_ranges(Table table, const Scope&) {
  const bool device = sum_of(table, "device_ns") > 0;
  Table shown = table;
  sort_rows(shown, device ? "device_ns" : "total_ns");
  // Steps have a section of their own.
  shown.keep_rows([&](RowView row) { return !text_of(table, row, "name").starts_with("ProfilerStep#"); });
  std::string summary;
  if (!shown.empty()) {
    RowView first = shown.row(0);
    const std::string name = text_of(table, first, "name");
    summary = device ? fmt::format("Most device work was launched inside {}: {} in {}.", quoted_name(name),
                                   format_ns(integer_of(table, first, "device_ns")),
                                   counted(integer_of(table, first, "count"), "range"))
                     : fmt::format("{} lasted longest: {} in {}.", quoted_name(name),
                                   format_ns(integer_of(table, first, "total_ns")),
                                   counted(integer_of(table, first, "count"), "range"));
    summary += " Ranges nest, so their times do not add up.";
  }
  std::vector<std::string_view> columns = {"name", "count", "total_ns", "mean_ns"};
  if (device) columns.insert(columns.end(), {"device_ns", "device_ops"});
  Section section{"Ranges", summary, std::move(table), cut_table(shown, columns, kPageRows), ""};
  if (section.page.row_count() < shown.row_count()) {
    section.cut = fmt::format("{} of {}, steps apart", section.page.row_count(), shown.row_count());
  }
  return section;
}

Section describe_notes(Table table, const Scope&) {
  const std::string summary =
      fmt::format("{}; losses come first.", counted(static_cast<int64_t>(table.row_count()), "caveat"));
  return section_of("Caveats", summary, std::move(table), {"code", "count", "text"}, 0);
}

}  // namespace cgpu
