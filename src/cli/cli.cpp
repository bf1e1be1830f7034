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

/// `cgpu INPUT...` is `cgpu report INPUT...`.
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
  words.insert(words.begin(), "report");
  return words;
}

int parse_and_run(int argc, char** argv) {
  int exit_code = 0;
  CommandLine line("cgpu", "cgpu: where the time goes in programs that run on CPUs and GPUs together",
                   std::string(CGPU_VERSION "\n") + built_with,
                   "cgpu trace.json.gz                     the report\n"
                   "cgpu report trace.json.gz -o page.html the report as a page with charts\n"
                   "cgpu table --list                      all tables\n"
                   "cgpu table trace.json kernels --top 10 one of them");
  add_report_verb(line);
  add_info_verb(line);
  add_table_verb(line);
  add_diagnose_verb(line);
  add_whatif_verb(line);
  add_compare_verb(line);
  add_check_verb(line, exit_code);
  add_summarize_verb(line);
  add_merge_verb(line);
  add_history_verb(line);
  add_sql_verb(line);
  add_export_verb(line);
  add_view_verb(line);
  add_completion_verb(line);
  add_manpage_verb(line);

  std::vector<std::string> words = with_verb(line, {argv + 1, argv + argc});
  if (words.empty()) {
    std::cerr << line.help();
    return kUsageError;
  }
  if (const Action action = line.parse(std::move(words))) action();
  return exit_code;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return parse_and_run(argc, argv);
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
