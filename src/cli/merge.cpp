// cgpu merge RUN.cgpu... -o ALL.cgpu: summaries of ranks put together.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "session/summaries/summary.h"

namespace cgpu {

namespace {

/// The exit code of a summary that lacks more of its inputs than was allowed.
constexpr int kMadeOfAPart = 5;

struct MergeCommand {
  InputOptions input;
  std::string output;
  unsigned allowed = 0;  // inputs that may be left out

  int run() const {
    check_output(output, input);
    std::vector<SummaryInput> sources = summary_inputs(input.inputs);
    InputOptions all;
    for (const SummaryInput& source : sources) all.inputs.push_back(source.name);
    check_output(output, all);
    const Summary summary = open_summaries(std::move(sources), with_progress(input));
    for (const std::string& remark : remarks(summary)) {
      if (input.strict) throw Error(remark + " (--strict)");
      say("warning: " + remark);
    }
    write_output(output, [&](std::ostream& out) { write_summary(out, summary); });
    const size_t left_out = summary.damaged().size();
    if (left_out <= allowed) return 0;
    say(fmt::format("{} is made of a part of its inputs: --allow-missing {} accepts that", output, left_out));
    return kMadeOfAPart;
  }

 private:
  /// What is not as it should be with the ranks of a job.
  static std::vector<std::string> remarks(const Summary& summary) {
    std::vector<std::string> remarks;
    if (!summary.damaged().empty()) {
      remarks.push_back("left out, because damaged or not there: " + left_out_of(summary));
    }
    if (summary.repeated() > 0) {
      remarks.push_back(fmt::format("summaries of runs that were given again, and count once: {}", summary.repeated()));
    }
    const std::vector<Summary::Entry>& runs = summary.runs();
    size_t duplicates = 0;
    std::string first;
    for (size_t i = 1; i < runs.size(); ++i) {
      if (!runs[i].rank_known || runs[i].rank != runs[i - 1].rank) continue;
      if (duplicates++ == 0) first = fmt::format("{} and {}, rank {}", runs[i - 1].file, runs[i].file, runs[i].rank);
    }
    if (duplicates > 0) {
      remarks.push_back(fmt::format("runs whose rank another one has, too: {} (first: {})", duplicates, first));
    }
    if (const std::string missing = missing_ranks(summary); !missing.empty()) {
      remarks.push_back("ranks of the job that are not there: " + missing);
    }
    return remarks;
  }
};

}  // namespace

void add_merge_verb(CommandLine& line, int& exit_code) {
  auto command = std::make_shared<MergeCommand>();
  Verb verb = line.add_verb("merge", "Put summaries of ranks together into one, in any grouping");
  verb.add_option("INPUT", command->input.inputs, "Summaries (RUN.cgpu): files, directories of them, globs").required();
  verb.add_option("-o,--output", command->output, "The file to write, ALL.cgpu").required();
  verb.add_option("--allow-missing", command->allowed,
                  "Inputs that may be damaged or not there (default: 0); the file is written in any case, but of more "
                  "than these the exit status is 5");
  verb.add_option("--threads", command->input.threads, "Threads to work with (default: all)");
  verb.add_flag(
      "--strict", command->input.strict,
      "Damaged summaries, and ranks that are missing or there twice, are an error (exit 2), and nothing is written");
  verb.set_action([command, &exit_code] { exit_code = command->run(); });
}

}  // namespace cgpu
