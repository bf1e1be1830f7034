#include "report/finding_paragraphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/findings/rank_findings.h"
#include "report/cells.h"
#include "report/phrases.h"
#include "table/terminal_style.h"
#include "table/text.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// A finding as a paragraph.
struct Paragraph {
  std::string severity;
  std::string heading;  // "1. critical: 23 % of the time ... [data_loading]"
  std::string saving;   // "Potential saving: 211 ms of 1.21 s a step (17.4%; at least 190 ms), confidence high"
  double share = 0;     // of the time, that it could save
  std::string evidence;
  std::vector<std::string> advice;  // what bounds the run then, what to try, what tells more
};

/// "those above save", "finding 3 saves", "findings 1 and 4 save": besides which a finding saves what is said of it.
/// That is what was counted before it (`together_ns`), which may be listed after it. What only overlaps others is left
/// out.
std::string counted_before(const Table& findings, const RowView& row) {
  const auto together = [&](const RowView& of) {
    const Cell cell = of[findings.column("together_ns")];
    const auto* ns = std::get_if<int64_t>(&cell);
    const bool counts = of[findings.column("severity")] != Cell(std::string("info"));
    return ns != nullptr && counts ? std::optional(*ns) : std::nullopt;
  };
  const std::optional<int64_t> own = together(row);
  std::vector<std::string> numbers;
  bool are_above = true;  // and all above are among them
  for (const RowView other : findings.rows()) {
    const std::optional<int64_t> theirs = together(other);
    if (!own || !theirs || other.index() == row.index()) continue;
    const bool is_before = *theirs < *own;
    if (is_before) numbers.push_back(std::to_string(std::get<int64_t>(other[findings.column("id")])));
    are_above &= is_before == (other.index() < row.index());
  }
  if (are_above || numbers.empty()) return "those above save";
  return numbers.size() == 1 ? fmt::format("finding {} saves", numbers[0])
                             : fmt::format("findings {} save", listed(numbers));
}

std::vector<Paragraph> paragraphs_of(const Table& findings) {
  const auto text = [&](const RowView& row, const char* column) {
    const Cell cell = row[findings.column(column)];
    return std::holds_alternative<std::string>(cell) ? printable(std::get<std::string>(cell)) : std::string();
  };
  const auto number = [&](const RowView& row, const char* column) {
    const Cell cell = row[findings.column(column)];
    return std::holds_alternative<int64_t>(cell) ? std::get<int64_t>(cell) : 0;
  };
  std::vector<Paragraph> paragraphs;
  for (const RowView row : findings.rows()) {
    Paragraph one;
    one.severity = text(row, "severity");
    one.heading = fmt::format("{}. {}: {} [{}]", std::get<int64_t>(row[findings.column("id")]), one.severity,
                              text(row, "title"), text(row, "rule"));
    if (std::holds_alternative<int64_t>(row[findings.column("recoverable_ns")])) {
      const int64_t steps = number(row, "steps");
      const auto time = [&](const char* column) {
        return format_ns(number(row, column) / std::max<int64_t>(steps, 1));
      };
      const double pct = std::get<double>(row[findings.column("recoverable_pct")]);
      one.share = pct / 100;
      const int64_t saving = number(row, "recoverable_ns");
      const int64_t alone = number(row, "recoverable_high_ns");
      const std::string least =
          number(row, "recoverable_low_ns") < saving ? "; at least " + time("recoverable_low_ns") : "";
      const bool is_more = alone > saving && time("recoverable_high_ns") != time("recoverable_ns");
      const std::string whole = time("measured_ns") + (steps == 0 ? "" : " a step");
      const std::string besides = is_more ? "besides what " + counted_before(findings, row) : "";
      std::string words;
      if (is_more && saving == 0) {
        words = fmt::format("{} of {} by itself, nothing {}", time("recoverable_high_ns"), whole, besides);
      } else {
        words = fmt::format("{} of {} ({}{})", time("recoverable_ns"), whole, format_percent(pct), least);
        if (is_more) words += fmt::format(" {}, {} by itself", besides, time("recoverable_high_ns"));
      }
      one.saving = fmt::format("Potential saving: {}, confidence {}", words, text(row, "confidence"));
    }
    const auto add = [&](const char* what, const char* column) {
      const std::string words = text(row, column);
      if (!words.empty()) one.advice.push_back(what + words);
    };
    one.evidence = text(row, "evidence");
    if (const std::string next = has_column(findings, "next_bound") ? text(row, "next_bound") : ""; !next.empty()) {
      one.advice.push_back(next + ".");
    }
    add("Try: ", "suggestion");
    add("More: ", "command");
    paragraphs.push_back(std::move(one));
  }
  return paragraphs;
}

constexpr std::string_view kFull = "\u2588";

/// "[#####...............]", of 20 signs.
std::string bar_of(double share) {
  constexpr size_t kSigns = 20;
  const double signs = std::clamp(share, 0.0, 1.0) * static_cast<double>(kSigns);
  const size_t full = share > 0 ? std::max<size_t>(1, static_cast<size_t>(signs + 0.5)) : 0;
  std::string bar = "[";
  for (size_t i = 0; i < kSigns; ++i) bar += i < full ? kFull : "\u00b7";
  return bar + "]";
}

/// The clauses of the evidence that fit so many columns, the first one always; the last one ends with "; ..." where
/// there are more.
std::string first_clauses(const std::string& evidence, size_t columns) {
  constexpr std::string_view kMore = "; ...";
  size_t end = evidence.find("; ");
  if (end == std::string::npos || display_width(evidence) <= columns) return evidence;
  for (size_t next = end; next != std::string::npos; next = evidence.find("; ", next + 1)) {
    if (display_width(evidence.substr(0, next)) + kMore.size() > columns) break;
    end = next;
  }
  return evidence.substr(0, end) + std::string(kMore);
}

constexpr size_t kIndent = 3;

std::string indented(const std::string& words, size_t width) {
  return wrap_indented(std::string(kIndent, ' ') + words, width, kIndent);
}

std::string_view style_of_severity(std::string_view severity) {
  if (severity == "critical") return terminal_style::kRed;
  if (severity == "warning") return terminal_style::kYellow;
  return terminal_style::kCyan;
}

/// Heading and bar.
std::string head_of(const Paragraph& one, const TextOptions& options) {
  std::string heading = wrap_indented(one.heading, options.width, kIndent);
  std::string saving = one.saving.empty() ? "" : indented(bar_of(one.share) + " " + one.saving, options.width);
  if (options.color) {
    const std::string_view style = style_of_severity(one.severity);
    const auto mark = [&](std::string& text, const std::string& part) {
      const size_t at = part.empty() ? std::string::npos : text.find(part);
      if (at != std::string::npos) text.replace(at, part.size(), terminal_style::styled(part, style));
    };
    mark(heading, one.severity);
    const size_t full = saving.find(kFull);
    if (full != std::string::npos) mark(saving, saving.substr(full, saving.rfind(kFull) + kFull.size() - full));
  }
  return heading + saving;
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

std::string first_findings_as_text(const Table& findings, const TextOptions& options, size_t most) {
  std::string out;
  const std::vector<Paragraph> paragraphs = paragraphs_of(findings);
  for (size_t i = 0; i < std::min(most, paragraphs.size()); ++i) out += head_of(paragraphs[i], options);
  if (paragraphs.size() > most) out += fmt::format("   {} more: cgpu diagnose INPUT\n", paragraphs.size() - most);
  return out;
}

std::string findings_as_text(const Table& findings, const TextOptions& options, Evidence evidence) {
  constexpr size_t kLinesOfEvidence = 2;
  const size_t width = options.width;
  std::string out;
  if (findings.empty()) out = wrap_text(kNothingFound, width);
  for (const Paragraph& one : paragraphs_of(findings)) {
    out += head_of(one, options);
    if (!one.evidence.empty()) {
      const size_t columns = kLinesOfEvidence * (width - 10);  // words do not end at the last column
      out += indented(evidence == Evidence::all ? one.evidence : first_clauses(one.evidence, columns), width);
    }
    for (const std::string& words : one.advice) out += indented(words, width);
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
    if (!one.saving.empty()) out += "* " + one.saving + '\n';
    if (!one.evidence.empty()) out += "* " + one.evidence + '\n';
    for (const std::string& words : one.advice) out += "* " + words + '\n';
    out += '\n';
  }
  if (const std::string all = findings_together(findings); !all.empty()) out += all + '\n';
  if (is_of_ranks_alone(findings)) out += std::string("\n") + kRulesOverRanksAlone + '\n';
  return out;
}

}  // namespace cgpu
