#include "cli/cli.h"

#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/built_with.h"
#include "cli/terminal.h"
#include "cli/verb.h"

#ifndef CGPU_VERSION
#error "the build defines CGPU_VERSION"
#endif

namespace cgpu {

namespace {

constexpr int kUsageError = 2;

/// `cgpu INPUT...` is `cgpu report --overview INPUT...`.
std::vector<std::string> with_verb(const CommandLine& line, std::vector<std::string> words) {
  if (words.empty()) return words;
  const std::string& first = words.front();
  for (const char* own : {"--help", "-h", "--version", "--help-all"}) {
    if (first == own) return words;
  }
  std::string verbs;
  for (const Verb& verb : line.verbs()) {
    if (first == verb.name()) return words;
    verbs += (verbs.empty() ? "" : ", ") + verb.name();
  }
  const bool is_word = first.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") == std::string::npos;
  std::error_code ignored;
  if (is_word && first[0] != '-' && !std::filesystem::exists(first, ignored)) {
    throw Error(first + ": is neither a command nor a file; the commands are " + verbs);
  }
  words.insert(words.begin(), {"report", "--overview"});
  return words;
}

int run_verb(CommandLine& line, std::vector<std::string> given) {
  std::vector<std::string> words = with_verb(line, std::move(given));
  if (words.empty()) {
    std::cerr << line.help();
    return kUsageError;
  }
  if (const Action action = line.parse(std::move(words))) action();
  return 0;
}

std::string version() {
  return std::string(CGPU_VERSION "\n") + built_with;
}

int parse_and_run(int argc, char** argv) {
  int verdict = 0;
  CommandLine line("cgpu", "cgpu: where the time goes in programs that run on CPUs and GPUs together", version(),
                   "cgpu trace.json.gz                     one screen: verdict, first findings, steps, kernels\n"
                   "cgpu report trace.json.gz              the whole report\n"
                   "cgpu report trace.json.gz -o page.html the report as a page with charts\n"
                   "cgpu table --list                      all tables\n"
                   "cgpu table trace.json kernels --top 10 one of them");
  add_report_verb(line, nullptr);
  add_info_verb(line);
  add_table_verb(line, nullptr);
  add_diagnose_verb(line, nullptr);
  add_whatif_verb(line);
  add_compare_verb(line);
  add_check_verb(line, verdict);
  add_summarize_verb(line, nullptr);
  add_merge_verb(line, verdict);
  add_scale_verb(line);
  add_history_verb(line);
  add_watch_verb(line, verdict);
  add_sql_verb(line);
  add_export_verb(line);
  add_view_verb(line);
  add_record_verb(line, verdict);
  add_completion_verb(line);
  add_manpage_verb(line);

  const int exit_code = run_verb(line, {argv + 1, argv + argc});
  return exit_code != 0 ? exit_code : verdict;
}

int parse_and_share(int argc, char** argv, Exchange& exchange) {
  CommandLine line("cgpu-mpi", "cgpu-mpi: cgpu for many ranks, whose profiles the processes of an MPI job open",
                   version(),
                   "mpirun -n 8 cgpu-mpi report profiles/                  the report\n"
                   "mpirun -n 8 cgpu-mpi summarize profiles/ -o job.cgpu   what is kept of the job\n"
                   "srun -n 64 cgpu-mpi table profiles/ stragglers         one table, under Slurm");
  add_report_verb(line, &exchange);
  add_table_verb(line, &exchange);
  add_diagnose_verb(line, &exchange);
  add_summarize_verb(line, &exchange);
  return run_verb(line, {argv + 1, argv + argc});
}

}  // namespace

int run_command_line(int argc, char** argv) {
  return exit_code_of([&] { return parse_and_run(argc, argv); });
}

int run_shared_command_line(int argc, char** argv, Exchange& exchange) {
  return exit_code_of([&] { return parse_and_share(argc, argv, exchange); });
}

int exit_code_of(const std::function<int()>& work) {
  std::ios::sync_with_stdio(false);
  try {
    return work();
  } catch (const OutOfMemory& error) {
    say(error.what());
  } catch (const std::bad_alloc&) {
    say("out of memory: give fewer inputs, or use a machine with more");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kUsageError;
}

}  // namespace cgpu
