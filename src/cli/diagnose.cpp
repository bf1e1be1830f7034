// cgpu diagnose INPUT... [--against BASELINE]: what slows the run down, what it could give back, and what to do; and
// what of that a baseline did not have.
#include <memory>
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
#include "report/finding_paragraphs.h"
#include "session/rank_fold.h"
#include "table/json.h"

namespace cgpu {

namespace {

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
      out << (markdown ? findings_as_markdown(findings) : findings_as_text(findings, text_options().width));
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
    return finding_words(comparison);
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
