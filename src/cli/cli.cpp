#include "cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/verb.h"

#ifndef CGPU_VERSION
#error "the build defines CGPU_VERSION"
#endif

namespace cgpu {

namespace {

constexpr int kUsageError = 2;

/// `cgpu INPUT...` is `cgpu report INPUT...`.
std::vector<std::string> with_verb(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) return words;
  const std::string& first = words.front();
  for (const char* own : {"--help", "-h", "--version", "--help-all"}) {
    if (first == own) return words;
  }
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (first == verb->get_name()) return words;
  }
  words.insert(words.begin(), "report");
  return words;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"cgpu: where the time goes in programs that run on CPUs and GPUs together"};
  app.name("cgpu");
  app.set_version_flag("--version", std::string("cgpu ") + CGPU_VERSION);
  app.require_subcommand(1);
  app.footer(
      "cgpu trace.json.gz                     the report\n"
      "cgpu report trace.json.gz -o page.html the report as a page with charts\n"
      "cgpu table --list                      all tables\n"
      "cgpu table trace.json kernels --top 10 one of them");
  Action action;
  add_report_verb(app, action);
  add_info_verb(app, action);
  add_table_verb(app, action);
  add_export_verb(app, action);
  add_view_verb(app, action);
  add_completion_verb(app, action);

  std::vector<std::string> words = with_verb(app, {argv + 1, argv + argc});
  if (words.empty()) {
    std::cerr << app.help();
    return kUsageError;
  }
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    fmt::print(stderr, "cgpu: {} (cgpu --help lists the verbs, cgpu VERB --help its options)\n", what);
    return kUsageError;
  }
  action();
  return 0;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "cgpu: out of memory: select a part with --step or --from/--to, or use a larger machine\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "cgpu: {}\n", error.what());
  }
  return kUsageError;
}

}  // namespace cgpu
