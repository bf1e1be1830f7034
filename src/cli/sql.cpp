// cgpu sql INPUT... ["SELECT ..."]: the tables in SQL.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/run_inputs.h"
#include "cli/sql_console.h"
#include "cli/sql_prompt.h"
#include "cli/verb.h"
#include "session/complete_run.h"
#include "session/selection/selection.h"
#include "sql/query.h"
#include "sql/run_tables.h"

namespace cgpu {

namespace {

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Whether a word that is no file is SQL, or a command of the prompt.
bool is_query(const std::string& word, bool has_inputs) {
  if (is_there(word)) return false;
  if (SqlConsole::is_command(word)) return true;
  const size_t end = word.find_first_of(" \t\n(");
  if (end == std::string::npos) return false;
  return has_inputs || sqlite3_keyword_check(word.data(), static_cast<int>(end)) != 0;
}

/// "a" of "a=trace.json"; "" where the word is an input by itself.
std::string name_of_run(const std::string& word) {
  const size_t end = word.find('=');
  if (end == std::string::npos || end == 0 || is_there(word)) return "";
  const std::string name = word.substr(0, end);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  const bool is_name = name.find_first_not_of(kLetters) == std::string::npos && !(name[0] >= '0' && name[0] <= '9');
  return is_name ? name : "";
}

/// While it is there, Ctrl-C ends the query that runs. A second one ends the program, where it does not answer: while a
/// table is made.
class InterruptByKey {
 public:
  explicit InterruptByKey(SqlDatabase& database) {
    database_ = &database;
    struct sigaction action {};
    action.sa_handler = [](int) {
      database_->interrupt();
      ::sigaction(SIGINT, &before_, nullptr);
    };
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptByKey() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptByKey(const InterruptByKey&) = delete;
  InterruptByKey& operator=(const InterruptByKey&) = delete;

 private:
  static inline SqlDatabase* database_ = nullptr;
  static inline struct sigaction before_ {};
};

struct SqlCommand {
  std::vector<std::string> words;  // inputs, then the query
  InputOptions input;
  std::string format;  // "" until run()
  std::string timeout;
  std::optional<size_t> top;
  std::string output;
  std::vector<std::string> parameters;
  bool raw_csv = false;
  bool apart = false;

  void run() {
    format = format_of_output(format, output, {"csv", "json", "txt"});
    std::optional<std::string> query;
    if (!words.empty() && is_query(words.back(), words.size() > 1)) {
      query = words.back();
      words.pop_back();
    }
    if (words.empty()) throw Error("sql: give one or more inputs, like: cgpu sql trace.json \"SELECT * FROM kernels\"");
    input.inputs = words;
    const bool from_terminal = !query && ::isatty(STDIN_FILENO) == 1;
    if (!query && std::find(words.begin(), words.end(), "-") != words.end()) {
      throw Error("sql: standard input is the profile: give the query behind it, in quotes");
    }
    SqlConsoleOptions options{format, words, top, std::nullopt, csv_text(raw_csv), given_parameters()};
    if (!timeout.empty()) options.most_time = std::chrono::nanoseconds(parse_time(timeout, "--timeout"));

    const std::vector<NamedInputs> runs = named_inputs();
    for (const NamedInputs& one : runs) check_output(output, inputs_of(one.inputs));
    SqlDatabase database(opened(runs), dictionary_of(input.open()));
    if (from_terminal && output.empty()) {
      SqlConsole console(database, options, std::cout);
      return prompt_for_sql(database, console);
    }
    write_output(output, [&](std::ostream& out) {
      const InterruptByKey key(database);
      SqlConsole console(database, options, out);
      if (query) {
        console.run(*query);
      } else {
        run_lines(console, std::cin);
      }
      console.finish();
    });
  }

 private:
  InputOptions inputs_of(const std::vector<std::string>& inputs) const {
    InputOptions one = input;
    one.inputs = inputs;
    return one;
  }

  struct NamedInputs {
    std::string name;
    std::vector<std::string> inputs;
  };

  SqlParameters given_parameters() const {
    std::map<std::string, SqlValue> given;
    for (const std::string& parameter : parameters) given.insert(parse_sql_parameter(parameter, "--param"));
    return given;
  }

  /// The runs in the order in which they are named first.
  std::vector<NamedInputs> named_inputs() const {
    std::vector<NamedInputs> runs;
    if (apart) {
      for (const std::string& path : separate_runs(words)) runs.push_back({name_of_path(path, runs), {path}});
      return runs;
    }
    for (const std::string& word : words) {
      std::string name = name_of_run(word);
      const std::string path = name.empty() ? word : word.substr(name.size() + 1);
      if (name.empty()) name = kMainSchema;
      auto at = std::find_if(runs.begin(), runs.end(), [&](const NamedInputs& run) { return run.name == name; });
      if (at == runs.end()) at = runs.insert(runs.end(), {name, {}});
      at->inputs.push_back(path);
    }
    return runs;
  }

  /// "night_12" of "runs/night-12.json.gz", with a number behind it where another run has that name.
  static std::string name_of_path(const std::string& path, const std::vector<NamedInputs>& others) {
    const std::filesystem::path place = std::filesystem::path(path).lexically_normal();
    std::string name = (place.has_filename() ? place : place.parent_path()).filename().string();
    name = name.substr(0, name.find('.', 1));
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "run_" + name;
    const auto is_taken = [&](const std::string& wanted) {
      return std::any_of(others.begin(), others.end(), [&](const NamedInputs& run) { return run.name == wanted; });
    };
    std::string free = name;
    for (int copy = 2; is_taken(free); ++copy) free = fmt::format("{}_{}", name, copy);
    return free;
  }

  std::vector<OpenedRun> opened(const std::vector<NamedInputs>& runs) const {
    std::vector<OpenedRun> opened;
    for (const auto& [name, inputs] : runs) {
      opened.push_back({name, std::make_unique<RunTables>(opened_profile(inputs_of(inputs)))});
    }
    return opened;
  }

  /// Statements, and commands in lines of their own.
  static void run_lines(SqlConsole& console, std::istream& in) {
    std::string text;
    for (std::string line; !console.has_ended() && std::getline(in, line);) {
      text += line + '\n';
      const bool is_blank = text.find_first_not_of(" \t\r\n;") == std::string::npos;
      if (!is_blank && !SqlConsole::is_command(text) && !is_whole_statement(text)) continue;
      if (!is_blank) console.run(text);
      text.clear();
    }
    console.run(text);  // the last one needs no ';'
  }
};

}  // namespace

void add_sql_verb(CommandLine& line) {
  auto command = std::make_shared<SqlCommand>();
  Verb verb = line.add_verb("sql", "The tables in SQL: one query, or a prompt");
  verb.add_option("INPUT... SELECT", command->words,
                  "Profiles, or NAME=PROFILE for a run of its own whose tables are NAME.kernels, ...; then the query");
  verb.add_option("--format", command->format, "text, csv or json (default: by the ending of -o, else text)")
      .one_of({"text", "csv", "json"});
  add_csv_option(verb, command->raw_csv);
  verb.add_option("--top", command->top, "Only the first N rows of a result (0: all; text shows 40 unless told)");
  verb.add_option("--param", command->parameters, "NAME=VALUE: the value of the parameter :NAME of the query");
  verb.add_flag("--apart", command->apart,
                "Each input is a run of its own, named after its file: tables of all of them in schema runs");
  verb.add_option("--timeout", command->timeout, "End a query that takes longer: 500ms, 10s");
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
