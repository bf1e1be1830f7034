#include "report/finding_paragraphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/findings/rank_findings.h"
#include "table/text.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// A finding as a paragraph.
struct Paragraph {
  std::string heading;             // "1. critical: 23 % of the time ... (data_loading)"
  std::vector<std::string> lines;  // "could give back 211 ms (22.6 %), ...", the evidence, what to try, what tells more
};

std::vector<Paragraph> paragraphs_of(const Table& findings) {
  const auto text = [&](const RowView& row, const char* column) {
    const Cell cell = row[findings.column(column)];
    return std::holds_alternative<std::string>(cell) ? printable(std::get<std::string>(cell)) : std::string();
  };
  const auto time = [&](const RowView& row, const char* column) {
    return format_ns(std::get<int64_t>(row[findings.column(column)]));
  };
  std::vector<Paragraph> paragraphs;
  for (const RowView row : findings.rows()) {
    Paragraph one;
    one.heading = fmt::format("{}. {}: {} [{}]", std::get<int64_t>(row[findings.column("id")]), text(row, "severity"),
                              text(row, "title"), text(row, "rule"));
    if (std::holds_alternative<int64_t>(row[findings.column("recoverable_ns")])) {
      one.lines.push_back(fmt::format("could give back {} ({}; {} to {}), confidence {}", time(row, "recoverable_ns"),
                                      format_percent(std::get<double>(row[findings.column("recoverable_pct")])),
                                      time(row, "recoverable_low_ns"), time(row, "recoverable_high_ns"),
                                      text(row, "confidence")));
    }
    const auto add = [&](const char* what, const char* column) {
      const std::string words = text(row, column);
      if (!words.empty()) one.lines.push_back(what + words);
    };
    add("", "evidence");
    add("Try: ", "suggestion");
    add("More: ", "command");
    paragraphs.push_back(std::move(one));
  }
  return paragraphs;
}

/// Rule and reason of each row.
std::vector<std::pair<std::string, std::string>> reasons_of(const Table& unreported) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const RowView row : unreported.rows()) {
    reasons.emplace_back(std::get<std::string>(row[unreported.column("rule")]),
                         std::get<std::string>(row[unreported.column("reason")]));
  }
  return reasons;
}

}  // namespace

std::string findings_together(const Table& findings) {
  int64_t together = 0;
  int64_t measured = 0;
  int64_t steps = 0;
  size_t alarms = 0;
  for (const RowView row : findings.rows()) {
    const auto number = [&](const char* column) {
      const Cell cell = row[findings.column(column)];
      return std::holds_alternative<int64_t>(cell) ? std::get<int64_t>(cell) : 0;
    };
    const bool gains = std::holds_alternative<int64_t>(row[findings.column("recoverable_ns")]);
    if (gains && row[findings.column("severity")] != Cell(std::string("info"))) ++alarms;
    together = std::max(together, number("together_ns"));
    measured = std::max(measured, number("measured_ns"));
    steps = std::max(steps, number("steps"));
  }
  if (alarms < 2 || measured == 0) return "";
  const int64_t times = std::max<int64_t>(steps, 1);
  return fmt::format("All of these together: {} of {}{} ({}).", format_ns(together / times),
                     format_ns(measured / times), steps == 0 ? "" : " a step",
                     format_percent(100.0 * static_cast<double>(together) / static_cast<double>(measured)));
}

std::string findings_as_text(const Table& findings, size_t width) {
  std::string out;
  if (findings.empty()) out = wrap_text(kNothingFound, width);
  for (const Paragraph& one : paragraphs_of(findings)) {
    out += wrap_text(one.heading, width);
    for (const std::string& words : one.lines) {
      std::istringstream lines(wrap_text(words, width - 3));
      for (std::string line; std::getline(lines, line);) out += "   " + line + '\n';
    }
    out += '\n';
  }
  if (const std::string all = findings_together(findings); !all.empty()) out += wrap_text(all, width);
  if (is_of_ranks_alone(findings)) out += wrap_text(kRulesOverRanksAlone, width);
  return out;
}

std::string unreported_as_text(const Table& unreported, size_t width) {
  std::string out = "\nRules that reported nothing:\n";
  for (const auto& [rule, reason] : reasons_of(unreported)) {
    out += wrap_text(fmt::format("  {}: {}", rule, reason), width);
  }
  return out;
}

std::string unreported_as_markdown(const Table& unreported) {
  std::string out = "\n### Rules that reported nothing\n\n";
  for (const auto& [rule, reason] : reasons_of(unreported)) out += fmt::format("* {}: {}\n", rule, reason);
  return out;
}

std::string findings_as_markdown(const Table& findings) {
  std::string out;
  if (findings.empty()) out = std::string(kNothingFound) + '\n';
  for (const Paragraph& one : paragraphs_of(findings)) {
    out += "### " + one.heading + "\n\n";
    for (const std::string& words : one.lines) out += "* " + words + '\n';
    out += '\n';
  }
  if (const std::string all = findings_together(findings); !all.empty()) out += all + '\n';
  if (is_of_ranks_alone(findings)) out += std::string("\n") + kRulesOverRanksAlone + '\n';
  return out;
}

}  // namespace cgpu
