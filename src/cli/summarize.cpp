// cgpu summarize INPUT... -o RUN.cgpu: what is kept of a run.
#include "gate/summarize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cgpu {

namespace {

struct SummarizeCommand {
  Exchange* exchange;
  InputOptions input = {};
  std::string output = {};
  bool with_host = false;

  void run() const {
    check_output(output, input);
    const SummaryFile summary = summarize(source_of(input, exchange), with_host);
    if (!summary.left_out.empty()) {
      say(fmt::format("left out of the summary, because they are too large: {}", fmt::join(summary.left_out, ", ")));
    }
    write_output(output, [&](std::ostream& out) { out << summary.bytes; });
  }
};

}  // namespace

void add_summarize_verb(CommandLine& line, Exchange* exchange) {
  auto command = std::make_shared<SummarizeCommand>(SummarizeCommand{exchange});
  Verb verb = line.add_verb("summarize",
                            "Keep a run as a small file: a baseline for check, a point of a history, a rank for merge");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option("-o,--output", command->output, "The file to write, RUN.cgpu").required();
  verb.add_flag("--with-host", command->with_host, "Keep the names of machines, too");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
