// cgpu check --baseline A... --candidate B...: a gate for CI.
#include "gate/check/check.h"

#include <memory>

#include "cli/check_arguments.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "gate/check/check_options.h"
#include "gate/check/check_output.h"
#include "table/json.h"

namespace cgpu {

namespace {

struct CheckCommand {
  InputOptions input;  // what is common to all inputs
  std::vector<std::string> baseline;
  std::vector<std::string> candidate;
  CheckArguments words;
  std::string format;
  std::string output;

  int run() const {
    const CheckOptions options = options_of(words);
    const std::string wanted = format_of_output(format, output, {"json", "md", "xml", "txt"});
    const CheckResult result = check_runs(open(baseline), open(candidate), options);
    write_output(output, [&](std::ostream& out) {
      if (wanted == "json") {
        std::vector<std::string> inputs = baseline;
        inputs.insert(inputs.end(), candidate.begin(), candidate.end());
        write_json(out, "check", inputs, result.tables);
      } else if (wanted == "md") {
        out << check_as_markdown(result);
      } else if (wanted == "junit" || wanted == "xml") {
        out << check_as_junit(result, options.inconclusive);
      } else if (wanted == "github") {
        out << check_as_annotations(result, options.inconclusive);
      } else {
        out << check_as_text(result, text_options(output));
      }
    });
    return result.exit_code(options.inconclusive);
  }

  /// Each input is a run by itself.
  std::vector<CheckedRun> open(const std::vector<std::string>& inputs) const {
    std::vector<CheckedRun> runs;
    for (const std::string& each : separate_runs(inputs)) {
      InputOptions one = input;
      one.inputs = {each};
      check_output(output, one);
      runs.push_back({each, figures_of_run(each, input, {.without_timeline = true, .metric = words.metric})});
    }
    return runs;
  }
};

}  // namespace

void add_check_verb(CommandLine& line, int& exit_code) {
  auto command = std::make_shared<CheckCommand>();
  Verb verb =
      line.add_verb("check", "A gate for CI: whether runs are slower than a baseline, and whether that is sure");
  verb.add_option("--baseline", command->baseline,
                  "Runs to compare with: each a profile, a folder of rank files, or a .cgpu file")
      .required();
  verb.add_option("--candidate", command->candidate, "Runs that may be slower, given likewise").required();
  add_check_options(verb, command->words);
  verb.add_option("--format", command->format,
                  "text, json, md, junit or github (default: by the ending of -o, else text)")
      .one_of({"text", "json", "md", "junit", "github"});
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command, &exit_code] { exit_code = command->run(); });
}

}  // namespace cgpu
