#include "gate/check/check_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "table/html.h"
#include "table/markdown.h"
#include "table/unicode.h"

namespace cgpu {

namespace {

constexpr size_t kRowsShown = 12;

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

enum class Counts : unsigned char { passed, skipped, failed, error };

/// What a rule counts as in a list of tests.
Counts counts_as(Outcome outcome, CheckOptions::Inconclusive inconclusive) {
  switch (outcome) {
    case Outcome::pass:
      return Counts::passed;
    case Outcome::regression:
      return Counts::failed;
    case Outcome::not_comparable:
      return Counts::error;
    case Outcome::inconclusive:
      break;
  }
  if (inconclusive == CheckOptions::Inconclusive::pass) return Counts::passed;
  return inconclusive == CheckOptions::Inconclusive::fail ? Counts::failed : Counts::skipped;
}

/// Text of an annotation: '%' and line ends would end it.
std::string escape_annotation(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '%') {
      escaped += "%25";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// The tables for readers: without the outcome, which is printed above them, and of the parts only those that did not
/// just pass. Of runs that cannot be compared only the table of the runs.
std::vector<Table> told_tables(const CheckResult& check) {
  std::vector<Table> told;
  for (Table table : check.tables) {
    const bool compares = table.name != "check" && table.name != "check_runs";
    if (table.empty() || (check.outcome == Outcome::not_comparable && compares)) continue;
    if (table.name == "check") table.keep_rows([](RowView row) { return std::get<std::string>(row[0]) != "all"; });
    if (table.name == "check_parts") {
      const size_t verdict = table.column("verdict");
      table.keep_rows([&](RowView row) { return std::get<std::string>(row[verdict]) != "pass"; });
    }
    if (!table.empty()) told.push_back(std::move(table));
  }
  return told;
}

}  // namespace

std::string check_as_text(const CheckResult& check, const TextOptions& options) {
  std::string text = wrap_text(upper(text_of(check.outcome)) + ": " + check.headline, options.width);
  for (const std::string& remark : check.remarks) text += wrap_text("  " + remark, options.width);
  TextOptions limited = options;
  limited.max_rows = kRowsShown;
  for (const Table& table : told_tables(check)) text += '\n' + render_text(table, limited);
  return text;
}

std::string check_as_markdown(const CheckResult& check) {
  const char* const mark = check.outcome == Outcome::pass         ? ":white_check_mark:"
                           : check.outcome == Outcome::regression ? ":x:"
                                                                  : ":warning:";
  std::string text =
      fmt::format("### {} cgpu check: {}\n\n{}\n\n", mark, text_of(check.outcome), escape_markdown(check.headline));
  for (const std::string& remark : check.remarks) text += "* " + escape_markdown(remark) + "\n";
  for (const Table& table : told_tables(check)) text += '\n' + render_markdown(table, kRowsShown);
  return text;
}

std::string check_as_junit(const CheckResult& check, CheckOptions::Inconclusive inconclusive) {
  std::string cases;
  size_t count[4] = {};
  for (const CheckedRule& rule : check.rules) {
    const Counts as = counts_as(rule.outcome, inconclusive);
    ++count[static_cast<size_t>(as)];
    const std::string message = escape_html(rule.text);
    cases += fmt::format("    <testcase classname=\"cgpu.check\" name=\"{}\"", rule.name);
    switch (as) {
      case Counts::passed:
        cases += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", message);
        break;
      case Counts::skipped:
        cases += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", message);
        break;
      case Counts::failed:
        cases += fmt::format(">\n      <failure message=\"{}\" type=\"{}\"/>\n    </testcase>\n", message,
                             text_of(rule.outcome));
        break;
      case Counts::error:
        cases += fmt::format(">\n      <error message=\"{}\" type=\"{}\"/>\n    </testcase>\n", message,
                             text_of(rule.outcome));
        break;
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n"
      "  <testsuite name=\"cgpu check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n"
      "{}"
      "  </testsuite>\n"
      "</testsuites>\n",
      check.rules.size(), count[static_cast<size_t>(Counts::failed)], count[static_cast<size_t>(Counts::error)],
      count[static_cast<size_t>(Counts::skipped)], cases);
}

std::string check_as_annotations(const CheckResult& check, CheckOptions::Inconclusive inconclusive) {
  std::string lines;
  const auto add = [&](Outcome outcome, const std::string& title, const std::string& text, bool warns = false) {
    const Counts as = counts_as(outcome, inconclusive);
    const char* const level = warns || as == Counts::skipped ? "warning" : as == Counts::passed ? "notice" : "error";
    lines += fmt::format("::{} title=cgpu check {}::{}\n", level, title, escape_annotation(text));
  };
  for (const CheckedRule& rule : check.rules) {
    if (rule.outcome != Outcome::pass || rule.warns) add(rule.outcome, rule.name, rule.text, rule.warns);
  }
  add(check.outcome, text_of(check.outcome), check.headline);
  return lines;
}

}  // namespace cgpu
