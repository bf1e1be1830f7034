// cgpu watch DIR: a verdict on each run that is written into a folder.
#include "watch/watch.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/signal_cleanup.h"
#include "cli/check_arguments.h"
#include "cli/input_options.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "gate/check/check_options.h"
#include "session/selection/selection.h"

namespace cgpu {

namespace {

void end_well(int) {
  remove_registered_paths();
  ::_exit(0);
}

/// To be asked to end is the usual end of a watch. It is done at once: whatever was written is complete, and a run that
/// was being read is read again.
void end_on_request() {
  struct sigaction action {};
  action.sa_handler = end_well;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

struct WatchCommand {
  InputOptions input;
  std::string folder;
  std::string output;
  std::vector<std::string> baseline;
  std::string interval = "5s";
  std::string settle = "2s";
  bool once = false;
  CheckArguments words;

  int run() const {
    WatchOptions options{.folder = folder, .output = output, .input = input, .check = options_of(words), .once = once};
    if (output.empty()) options.output = (std::filesystem::path(folder) / "cgpu-watch").string();
    options.interval = std::chrono::nanoseconds(parse_time(interval, "--interval"));
    options.settle = std::chrono::nanoseconds(parse_time(settle, "--settle"));
    if (options.interval < std::chrono::milliseconds(1)) throw Error("--interval " + interval + ": at least 1ms");
    input.selection();  // validate before opening
    for (const std::string& each : separate_runs(baseline)) {
      options.baseline.push_back(
          {each, figures_of_run(each, input, {.without_timeline = true, .metric = words.metric})});
    }
    if (!once) end_on_request();
    return watch(options, {.line = write_line, .remark = say});
  }

 private:
  static void write_line(const std::string& line) {
    if (!(std::cout << line << '\n' << std::flush)) throw Error("standard output", "cannot be written");
  }
};

}  // namespace

void add_watch_verb(CommandLine& line, int& exit_code) {
  auto command = std::make_shared<WatchCommand>();
  Verb verb = line.add_verb("watch", "A verdict on each run that is written into a folder, as long as it runs");
  verb.add_option("DIR", command->folder,
                  "The folder: each profile in it, and each folder of the profiles of ranks, is a run")
      .required();
  verb.add_option("-o,--output", command->output,
                  "The folder for summaries, verdicts.jsonl and cgpu.prom (default: DIR/cgpu-watch)");
  verb.add_option("--baseline", command->baseline,
                  "Runs to compare with: each a profile, a folder of rank files, or a .cgpu file");
  verb.add_option("--interval", command->interval, "Time between two looks into the folder (default: 5s)");
  verb.add_option("--settle", command->settle, "How long a run must not change before it is read (default: 2s)");
  verb.add_flag("--once", command->once, "End when all that is there is judged; the exit status is the worst verdict");
  add_check_options(verb, command->words);
  add_input_options(verb, command->input, true);
  verb.set_action([command, &exit_code] { exit_code = command->run(); });
}

}  // namespace cgpu
