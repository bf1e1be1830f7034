#include "cli/sql_prompt.h"

#include <editline/readline.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <exception>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "cli/browser.h"
#include "cli/terminal.h"
#include "sql/arguments_module.h"
#include "sql/query.h"
#include "sql/schema.h"

namespace cgpu {

namespace {

/// ~/.local/state/cgpu/sql_history, as the XDG base directory specification has it; "" where there is no home.
std::string history_file() {
  std::string state = environment("XDG_STATE_HOME");
  if (state.empty()) {
    const std::string home = environment("HOME");
    if (home.empty()) return "";
    state = home + "/.local/state";
  }
  std::error_code failed;
  std::filesystem::create_directories(state + "/cgpu", failed);
  return failed ? "" : state + "/cgpu/sql_history";
}

/// All that can be completed, and of that the columns; set while the prompt is there.
std::set<std::string> completions;
std::set<std::string> column_completions;

/// The next word that begins like `begin`; called with state 0 for the first. As readline wants it. A dot behind the
/// name or an alias of a table, which only the rest of the statement declares, is followed by a column.
char* next_completion(const char* begin, int state) {
  static std::string table;
  static std::string word;
  static const std::set<std::string>* words;
  static std::set<std::string>::const_iterator at;
  if (state == 0) {
    words = &completions;
    table.clear();
    word = begin;
    at = words->lower_bound(word);
    const size_t dot = word.rfind('.');
    if ((at == words->end() || !at->starts_with(word)) && dot != std::string::npos && dot > 0) {
      words = &column_completions;
      table = word.substr(0, dot + 1);
      word.erase(0, dot + 1);
      at = words->lower_bound(word);
    }
  }
  if (at == words->end() || !at->starts_with(word)) return nullptr;
  return ::strdup((table + *at++).c_str());
}

char** complete(const char* begin, int, int) {
  rl_attempted_completion_over = 1;  // no names of files
  return rl_completion_matches(begin, next_completion);
}

std::set<std::string> names_in(SqlDatabase& database) {
  std::set<std::string> names = {".tables", ".schema", ".help", ".quit"};
  for (const char* word :
       {"SELECT", "FROM",       "WHERE",       "GROUP BY",    "ORDER BY", "LIMIT",   "JOIN",     "USING",  "DISTINCT",
        "HAVING", "BETWEEN",    "span_union(", "percentile(", "median(",  "stddev(", "overlap(", "class(", "demangle(",
        "REGEXP", "arguments(", "ancestors(", "descendants(", "interval_intersect(", "count(",      "sum(",        "avg(",     "min(",    "max("}) {
    names.insert(word);
  }
  for (const auto& [schema, tables] : database.schemas()) {
    const std::string before = schema == kMainSchema ? "" : sql_identifier(schema) + ".";
    for (const SqlTable& table : tables->list()) {
      if (table.has_rows) names.insert(before + table.name);
    }
  }
  return names;
}

std::set<std::string> columns_in(SqlDatabase& database) {
  std::set<std::string> names;
  for (const auto& [schema, tables] : database.schemas()) {
    for (const SqlTable& table : tables->list()) {
      for (const std::string& column : sql_names(table.columns)) names.insert(sql_identifier(column));
    }
  }
  return names;
}

/// Ctrl-C while the prompt waits for a key: a signal can come between two calls of read, so it writes into a pipe that
/// is waited for together with the terminal. While it is there, it owns SIGINT.
class KeyReader {
 public:
  explicit KeyReader(SqlDatabase& database) {
    if (::pipe2(interrupts_, O_CLOEXEC | O_NONBLOCK) != 0) {
      throw Error(fmt::format("sql: cannot make a pipe: {}", std::strerror(errno)));
    }
    database_ = &database;
    struct sigaction action {};
    action.sa_handler = [](int) {
      const int error = errno;
      database_->interrupt();
      [[maybe_unused]] const ssize_t written = ::write(interrupts_[1], "", 1);
      errno = error;
    };
    ::sigaction(SIGINT, &action, &before_);
    rl_getc_function = next;
  }
  ~KeyReader() {
    rl_getc_function = nullptr;
    ::sigaction(SIGINT, &before_, nullptr);
    for (int& end : interrupts_) ::close(std::exchange(end, -1));
  }
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  /// Before a line is asked for: forgets earlier interruptions, and has keys as they are typed from here on, so that
  /// none that comes while the prompt is written is taken for the terminal's own.
  void begin_line() {
    for (char byte = 0; ::read(interrupts_[0], &byte, 1) == 1;) {
    }
    database_->begin_query({});
    rl_prep_terminal(1);
  }

 private:
  /// The next character of the terminal; EOF at its end and after Ctrl-C.
  static int next(FILE*) {
    std::mbstate_t state{};
    for (;;) {
      pollfd waiting[2] = {{STDIN_FILENO, POLLIN, 0}, {interrupts_[0], POLLIN, 0}};
      if (::poll(waiting, 2, -1) < 0) {
        if (errno == EINTR) continue;
        return EOF;
      }
      char byte = 0;
      if (waiting[1].revents != 0 || ::read(STDIN_FILENO, &byte, 1) != 1) return EOF;
      constexpr wchar_t kControlD = 4;  // Ctrl-D; typed while a query ran, the terminal hands it over as 0
      wchar_t character = kControlD;
      const size_t bytes = byte == 0 ? 1 : std::mbrtowc(&character, &byte, 1, &state);
      constexpr size_t kIncomplete = static_cast<size_t>(-2);
      if (bytes == 1) return static_cast<int>(character);
      if (bytes != kIncomplete) state = {};  // no character of this locale: passed over
    }
  }

  static inline SqlDatabase* database_ = nullptr;
  static inline int interrupts_[2] = {-1, -1};
  struct sigaction before_ {};
};

}  // namespace

void prompt_for_sql(SqlDatabase& database, SqlConsole& console) {
  column_completions = columns_in(database);
  completions = names_in(database);
  completions.insert(column_completions.begin(), column_completions.end());
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  rl_readline_name = const_cast<char*>("cgpu");
  rl_attempted_completion_function = complete;
  rl_completer_word_break_characters = const_cast<char*>(" \t\n\"\\'`@$><=;|&{(,)+-*/");
  KeyReader keys(database);  // before libedit starts, which asks only then who reads
  using_history();
  const std::string history = history_file();
  if (!history.empty()) read_history(history.c_str());

  fmt::print("SQL over the tables of the profile; .tables names them, .help says more, Ctrl-D ends.\n");
  std::string text;
  while (!console.has_ended()) {
    std::fflush(stdout);
    keys.begin_line();
    char* line = ::readline(text.empty() ? "sql> " : "...> ");
    if (line == nullptr && !database.why_ended().empty()) {  // Ctrl-C
      fmt::print("\n");
      text.clear();
      continue;
    }
    if (line == nullptr) break;
    text += line;
    std::free(line);
    const bool is_done = SqlConsole::is_command(text) || is_whole_statement(text);
    if (text.find_first_not_of(" \t;") == std::string::npos) {
      text.clear();
      continue;
    }
    if (!is_done) {
      text += '\n';
      continue;
    }
    std::string entry = text;
    std::replace(entry.begin(), entry.end(), '\n', ' ');
    add_history(entry.c_str());
    if (!history.empty()) write_history(history.c_str());
    try {
      console.run(text);
    } catch (const std::exception& error) {
      say(error.what());
    }
    std::cout.flush();
    text.clear();
  }
  fmt::print("\n");
}

}  // namespace cgpu
