// cgpu diagnose INPUT... [--against BASELINE]: what slows the run down, what it could give back, and what to do; and
// what of that a baseline did not have.
#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/table_options.h"
#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "comparison/change_words.h"
#include "comparison/comparison_table.h"
#include "session/rank_fold.h"
#include "table/json.h"
#include "table/text.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// A finding as a paragraph.
struct Paragraph {
  std::string heading;  // "1. critical: 23 % of the time ... (data_loading)"
  std::string gain;     // "could give back 211 ms (22.6 %), ..."; "" where there is nothing to gain
  std::string evidence;
  std::string suggestion;
  std::string command;
};

std::vector<Paragraph> paragraphs_of(const Table& findings) {
  const auto text = [&](const RowView& row, const char* column) {
    const Cell cell = row[findings.column(column)];
    return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : std::string();
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
      one.gain =
          fmt::format("could give back {} ({}; {} to {}), confidence {}", time(row, "recoverable_ns"),
                      format_percent(std::get<double>(row[findings.column("recoverable_pct")])),
                      time(row, "recoverable_low_ns"), time(row, "recoverable_high_ns"), text(row, "confidence"));
    }
    one.evidence = text(row, "evidence");
    one.suggestion = text(row, "suggestion");
    one.command = text(row, "command");
    paragraphs.push_back(std::move(one));
  }
  return paragraphs;
}

struct DiagnoseCommand {
  InputOptions input;
  std::string against;
  std::string rules;
  std::string format;
  std::string output;

  void run() const {
    const std::string wanted = format_of_output(format, output, {"json", "md", "txt"});
    check_output(output, input);
    if (!rules.empty() && !against.empty()) throw Error("diagnose: --rules and --against cannot be given together");
    TableOptions options;
    if (!rules.empty()) options.set("rules", {rules});
    std::vector<Table> tables;
    std::string changes;
    if (against.empty()) {
      tables =
          fold_ranks(OpeningWithProgress(input).options(), input.selection(), {{&find_analysis("findings"), options}})
              .tables;
    } else {
      changes = compare_with_baseline(tables);
    }
    const Table& findings = tables.front();
    write_output(output, [&](std::ostream& out) {
      if (wanted == "json") return write_json(out, "diagnose", input.inputs, tables);
      const bool markdown = wanted == "md";
      if (!changes.empty()) out << (markdown ? "```\n" + changes + "```\n\n" : changes + "\n");
      if (findings.empty()) {
        out << "Nothing found that would give back 3 % of the time or more.\n";
        return;
      }
      const size_t width = markdown ? 1000 : text_options().width;
      for (const Paragraph& one : paragraphs_of(findings)) {
        out << (markdown ? "### " + one.heading + "\n\n" : wrap_text(one.heading, width));
        const auto line = [&](const char* what, const std::string& words) {
          if (words.empty()) return;
          if (markdown) {
            out << "* " << what << words << '\n';
          } else {
            std::istringstream lines(wrap_text(what + words, width - 3));
            for (std::string one_line; std::getline(lines, one_line);) out << "   " << one_line << '\n';
          }
        };
        line("", one.gain);
        line("", one.evidence);
        line("Try: ", one.suggestion);
        line("More: ", one.command);
        out << '\n';
      }
    });
  }

 private:
  /// Appends the findings and how they differ from those of the baseline; returns that in words.
  std::string compare_with_baseline(std::vector<Table>& tables) const {
    InputOptions other = input;
    other.inputs = {against};
    const Session baseline = open_selected(other);
    const Session session = open_selected(input);
    const SessionFacts a(baseline);
    const SessionFacts b(session);
    const Comparison comparison(a, b);
    tables.push_back(comparison.findings(Side::b));
    tables.push_back(make_table(find_comparison_table("findings"), comparison));
    const std::string words = finding_words(comparison);
    return words.empty() ? "Against the baseline no finding came, went, or changed by 3 % of the time or more.\n"
                         : words;
  }
};

}  // namespace

void add_diagnose_verb(CommandLine& line) {
  auto command = std::make_shared<DiagnoseCommand>();
  Verb verb = line.add_verb("diagnose", "What slows the run down, what it could give back, and what to do");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option("--against", command->against,
                  "A profile, or a directory of rank files, to compare the findings with");
  verb.add_option("--rules", command->rules, "A file of thresholds and rules of your own (docs/diagnosis.md)");
  verb.add_option("--format", command->format, "text, json or md (default: by the ending of -o, else text)")
      .one_of({"text", "json", "md"});
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
