// cgpu record -- COMMAND...: runs a program with a profiler in the right way, and says what came of it.
#include "record/record.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

#include "analysis/analysis.h"
#include "base/error.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "readers/common/outside_program.h"
#include "record/child.h"
#include "report/finding_paragraphs.h"
#include "report/verdict.h"
#include "session/selection/number_list.h"
#include "session/selection/selection.h"
#include "session/table_engine.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// For people, on standard error: standard output is the program's.
void tell(const std::string& line) {
  fmt::print(stderr, "cgpu record: {}\n", one_line(line));
}

struct RecordCommand {
  int& exit_code;
  RecordRequest request = {};
  std::string set = "quick";
  std::string delay = {};
  std::string duration = {};
  std::string ranks = "all";
  std::vector<std::string> environment = {};
  bool dry_run = false;
  bool report = false;
  bool no_report = false;

  void run() {
    understand();
    const PreparedRecording prepared = prepare_recording(request);
    if (dry_run) {
      write_output("", [&](std::ostream& out) { out << prepared.commands(); });
      return;
    }
    const bool speaks = prepared.job.rank == 0;
    if (speaks) {
      for (const std::string& remark : prepared.remarks) tell(remark);
      const size_t commands = prepared.plan.before.size() + 1 + (prepared.plan.beside.empty() ? 0 : 1);
      for (const std::string& command : first_lines(prepared.commands(), commands)) {
        tell("runs " + command);
      }
      tell("into " + prepared.folder);
    }
    std::fflush(stderr);
    const Recording recording = record(prepared);
    if (recording.is_last) conclude(prepared, recording);
    exit_code = 0;
    if (recording.status != 0) end_with_status(recording.status);
  }

 private:
  static Recording record(const PreparedRecording& prepared) {
    WaitingLine line;
    return run_recording(prepared, [&](const std::string& what) { line.update("cgpu record: " + what); });
  }

  void understand_server() const {
    const std::string& url = request.server;
    if (!url.starts_with("http://") && !url.starts_with("https://"))
      throw Error("--server " + url + ": a URL was expected, such as http://localhost:8000");
    if (url.find('@') != std::string::npos)
      throw Error("--server: a URL without a password was expected; a key comes from CGPU_SERVER_API_KEY");
    if (request.attach) throw Error("record: give --server or --attach, not both");
    if (request.tool != "auto") throw Error("record --server: the server has its own profiler: leave out --with");
    if (ranks != "all") throw Error("record --server: all ranks of the server record: leave out --ranks");
  }

  void understand() {
    while (request.server.ends_with("/")) request.server.pop_back();
    if (!request.server.empty()) understand_server();
    if (request.attach && !request.command.empty()) throw Error("record: give --attach or a command, not both");
    if (request.attach && request.delay) throw Error("record: --attach begins at once: leave out --delay");
    if (request.command.empty() && !request.attach && request.server.empty())
      throw Error("record: give the command to record: cgpu record [OPTIONS] -- COMMAND...");
    if (report && no_report) throw Error("record: --report and --no-report cannot be given together");
    request.set = set == "quick" ? RecordSet::quick : set == "normal" ? RecordSet::normal : RecordSet::full;
    if (!delay.empty()) request.delay = parse_time(delay, "--delay");
    if (!duration.empty()) request.duration = parse_time(duration, "--duration");
    if (request.duration && *request.duration <= 0) throw Error("--duration: a time above 0 was expected");
    if (request.delay && request.skip) throw Error("record: give --skip or --delay, not both");
    if (request.duration && request.steps) throw Error("record: give --steps or --duration, not both");
    if (request.skip && *request.skip < 0) throw Error("--skip: 0 or more was expected");
    if (request.steps && *request.steps < 1) throw Error("--steps: 1 or more was expected");
    if (ranks != "all") list_ranks();
    for (const std::string& variable : environment) {
      const size_t equals = variable.find('=');
      if (equals == std::string::npos || equals == 0) throw Error("--env " + variable + ": KEY=VALUE was expected");
      request.environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
    }
  }

  void list_ranks() {
    constexpr size_t kMostRanks = 1'000'000;
    const NumberList listed(ranks, "--ranks");
    if (listed.count(kMostRanks) == kMostRanks) throw Error("--ranks " + ranks + ": are more ranks than jobs have");
    request.ranks = listed.numbers();
  }

  static std::vector<std::string> first_lines(const std::string& text, size_t most) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; lines.size() < most && std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  /// What was recorded, the first answer, and how to go on.
  void conclude(const PreparedRecording& prepared, const Recording& recording) const {
    const std::string folder = shell_word(std::filesystem::proximate(prepared.folder).string());
    tell(recorded_words(recording) + " in " + folder);
    const std::set<std::string> failures(recording.failures.begin(), recording.failures.end());
    for (const std::string& failure : failures) tell("failed: " + failure);
    if (prepared.collector->is_inside && recording.manifest.processes.empty()) {
      tell(
          "failed: no process imported torch and did something with it: --with perf or --with py-spy records any program");
    }
    if (recording.bytes == 0) return;
    if (const std::string words = words_of_long(recording); !words.empty()) tell(words);
    if (!no_report) print_first_answer(prepared.folder);
    fmt::print(stderr, "Next: cgpu {}\n      cgpu diagnose {}\n      cgpu view {}\n", folder, folder, folder);
  }

  /// What to do about profiles so large that they take long to copy and to open; "" for others.
  static std::string words_of_long(const Recording& recording) {
    constexpr uint64_t kLong = 1'000'000'000;  // bytes of one process, compressed or not
    const uint64_t bytes = recording.bytes / std::max<size_t>(recording.manifest.processes.size(), 1);
    if (bytes < kLong) return "";
    return fmt::format(
        "long: {} a process; a few steps or seconds say as much: --steps 3 or --duration 10s where the tool has them, "
        "else a shorter run",
        format_bytes(static_cast<double>(bytes)));
  }

  /// "2 of 2 ranks, 3 steps each (marked by optimizer SGD.step), 1.20 MB, steps 4 % longer than before,"
  static std::string recorded_words(const Recording& recording) {
    size_t profiles = 0;
    int64_t expected = 0;
    std::set<int64_t> steps;
    std::set<std::string> marks;
    double overhead = 0;
    const RecordingManifest& manifest = recording.manifest;
    for (const RecordedProcess& process : manifest.processes) {
      profiles += process.file.empty() ? 0 : 1;
      expected = std::max(expected, process.world_size.value_or(0));
    }
    for (const RecordedProcess& process : manifest.steps.empty() ? manifest.processes : manifest.steps) {
      if (process.steps && *process.steps > 0) steps.insert(*process.steps);
      if (!process.steps_by.empty()) marks.insert(process.steps_by);
      overhead = std::max(overhead, process.overhead_percent.value_or(0));
    }
    std::string words = expected > 1 ? fmt::format("{} of {} ranks", profiles, expected)
                                     : fmt::format("{} {}", profiles, profiles == 1 ? "profile" : "profiles");
    if (!steps.empty()) {
      words += fmt::format(", {} {} each (marked by {})",
                           steps.size() == 1 ? fmt::format("{}", *steps.begin())
                                             : fmt::format("{} to {}", *steps.begin(), *steps.rbegin()),
                           *steps.rbegin() == 1 ? "step" : "steps", fmt::join(marks, ", "));
    }
    words += ", " + format_bytes(static_cast<double>(recording.bytes));
    if (overhead >= 1) words += fmt::format(", steps up to {:.0f} % longer than before,", overhead);
    return words;
  }

  /// The verdict and the first findings. What cannot be opened says why.
  static void print_first_answer(const std::string& folder) {
    constexpr size_t kFirstFindings = 3;
    try {
      InputOptions input;
      input.inputs = {folder};
      std::vector<WantedTable> wanted = verdict_tables();
      wanted.push_back({&find_analysis("findings"), {}});
      const MadeTables made = make_tables(source_of(input), wanted);
      const size_t width = text_options().width;
      const std::string verdict = verdict_of(*made.session, made.tables);
      fmt::print(stderr, "\n{}{}\n", verdict.empty() ? "" : wrap_text(verdict, width) + "\n",
                 first_findings_as_text(made.tables.back(), {.width = width}, kFirstFindings));
    } catch (const std::exception& error) {
      say(error.what());
    }
  }
};

}  // namespace

void add_record_verb(CommandLine& line, int& exit_code) {
  auto command = std::make_shared<RecordCommand>(RecordCommand{exit_code});
  Verb verb = line.add_verb("record", "Runs a program with a profiler: cgpu record [OPTIONS] -- COMMAND...");
  std::vector<std::string> tools{"auto"};
  for (const Collector* collector : all_collectors()) tools.emplace_back(collector->name);
  verb.add_option("--with", command->request.tool,
                  "The profiler (default auto: what suits the program and the machine)")
      .one_of(tools);
  verb.add_option("-o,--output", command->request.folder, "A new folder for the recording (default: NAME-DATE-TIME)");
  verb.add_option("--set", command->set, "How much is recorded: quick (default), normal or full")
      .one_of({"quick", "normal", "full"});
  verb.add_option("--skip", command->request.skip,
                  "Steps before the recording (default 5); of Nsight Compute kernel launches (20)");
  verb.add_option("--steps", command->request.steps,
                  "Steps that are recorded (default 3); of Nsight Compute kernel launches (20)");
  verb.add_option("--delay", command->delay, "Time before the recording, as 10s or 500ms, in the place of --skip");
  verb.add_option("--duration", command->duration, "Time that is recorded, in the place of --steps");
  verb.add_option("--ranges", command->request.ranges, "Record the ranges of this name (NVTX, record_function)");
  verb.add_option("--kernels", command->request.kernels,
                  "Measure the kernels whose names this regular expression matches (Nsight Compute)");
  verb.add_option("--ranks", command->ranks, "Ranks that record, as 0,3-5 (default all)");
  verb.add_option("--env", command->environment,
                  "KEY=VALUE: a variable that the program gets; can be given several times")
      .one_at_a_time();
  verb.add_option("--attach", command->request.attach,
                  "Record this running process (its number), for --duration or until Ctrl-C");
  verb.add_option(
      "--server", command->request.server,
      "Have this server (vLLM, SGLang; its URL) profile itself, for --duration, until Ctrl-C or until COMMAND ends");
  verb.add_flag("--dry-run", command->dry_run, "Only print the commands");
  verb.add_flag("--report", command->report, "End with the first lines of the report (the default)");
  verb.add_flag("--no-report", command->no_report, "End without them");
  line.take_command(verb, command->request.command);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
