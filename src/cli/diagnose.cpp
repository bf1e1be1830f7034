// cgpu diagnose INPUT... [--against BASELINE]: what slows the run down, its potential saving, and what to do; and
// what of that a baseline did not have.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/table_options.h"
#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "comparison/tables/compare_findings.h"
#include "comparison/words/change_words.h"
#include "report/finding_paragraphs.h"
#include "report/verdict.h"
#include "session/summaries/summary.h"
#include "session/table_engine.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/text.h"

namespace cgpu {

namespace {

struct DiagnoseCommand {
  Exchange* exchange;
  InputOptions input = {};
  std::string against = {};
  std::string rules = {};
  bool why_not = false;
  bool all_evidence = false;
  std::string format = {};
  std::string output = {};

  void run() const {
    const std::string wanted = format_of_output(format, output, {"json", "md", "txt"});
    check_output(output, input);
    if (!rules.empty() && !against.empty()) throw Error("diagnose: --rules and --against cannot be given together");
    if (why_not && !against.empty()) throw Error("diagnose: --why-not and --against cannot be given together");
    TableOptions options;
    if (!rules.empty()) options.set("rules", {rules});
    std::vector<Table> tables;
    MarkedText changes;
    std::string verdict;
    const bool with_verdict = wanted == "text" || wanted == "md";
    if (against.empty()) {
      tables = made_of(input, options, why_not, with_verdict ? &verdict : nullptr);
    } else {
      InputOptions baseline = input;
      baseline.inputs = {against};
      const Table before = findings_of_baseline(baseline);
      tables.push_back(made_of(input, {}, false, with_verdict ? &verdict : nullptr).front());
      tables.push_back(compare_findings(before, tables.front()));
      changes = finding_words(tables.back());
    }
    const Table& findings = tables.front();
    write_output(output, [&](std::ostream& out) {
      if (wanted == "json") return write_json(out, "diagnose", input.inputs, tables);
      const bool markdown = wanted == "md";
      const TextOptions text = text_options(output);
      const size_t width = text.width;
      if (!verdict.empty()) out << (markdown ? verdict + "\n" : wrap_text(verdict, width)) << '\n';
      if (!changes.empty())
        out << (markdown     ? markdown_code(changes.plain())
                : text.color ? changes.coloured(changes.plain())
                             : changes.plain())
            << '\n';
      const Evidence evidence = all_evidence ? Evidence::all : Evidence::brief;
      out << (markdown ? findings_as_markdown(findings) : findings_as_text(findings, text, evidence));
      if (!why_not) return;
      const Table& unreported = tables.back();
      out << (markdown ? unreported_as_markdown(unreported) : unreported_as_text(unreported, width));
    });
  }

 private:
  Table findings_of_baseline(const InputOptions& baseline) const {
    try {
      return made_of(baseline, {}).front();
    } catch (const Error& error) {
      if (!stands_for_summaries(against)) throw;
      throw Error(std::string(error.what()) +
                  "; the findings of single ranks are in their own summaries (cgpu summarize RANK -o RANK.cgpu)");
    }
  }
  /// The findings of profiles, or of what a summary keeps of them; with the rules that have none, where that is asked.
  /// `verdict`: gets the run in one line.
  std::vector<Table> made_of(const InputOptions& from, const TableOptions& options, bool with_unreported = false,
                             std::string* verdict = nullptr) const {
    std::vector<WantedTable> wanted_tables{{&find_analysis("findings"), options}};
    if (with_unreported) wanted_tables.push_back({&find_analysis("unreported_rules"), options});
    const size_t own = wanted_tables.size();
    if (verdict != nullptr) {
      for (WantedTable& table : verdict_tables()) wanted_tables.push_back(std::move(table));
    }
    MadeTables made = make_tables(source_of(from, exchange), wanted_tables);
    if (verdict != nullptr) {
      *verdict = verdict_of(*made.session, made.tables);
      made.tables.resize(own);
    }
    return std::move(made.tables);
  }
};

}  // namespace

void add_diagnose_verb(CommandLine& line, Exchange* exchange) {
  auto command = std::make_shared<DiagnoseCommand>(DiagnoseCommand{exchange});
  Verb verb = line.add_verb("diagnose", "What slows the run down, how much each cause could save, and what to do");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option("--against", command->against,
                  "A profile, a directory of rank files, or a summary (.cgpu), to compare the findings with");
  verb.add_option("--rules", command->rules, "A file of thresholds and rules of your own (docs/diagnosis.md)");
  verb.add_flag("--why-not", command->why_not, "Also say of each rule that found nothing why it did not");
  verb.add_flag("--all", command->all_evidence, "Text with all of the evidence of each finding");
  verb.add_option("--format", command->format, "text, json or md (default: by the ending of -o, else text)")
      .one_of({"text", "json", "md"});
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
