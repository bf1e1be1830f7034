// cgpu table INPUT... NAME: one table, filtered, sorted and cut as asked.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/analysis.h"
#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "table/csv.h"
#include "table/filter.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/text.h"

namespace cgpu {

namespace {

Table list_of_tables() {
  Table list{"tables", "tables that `cgpu table INPUT... NAME` can show", {}, {}};
  list.columns = {{"name", ColumnType::text, "", "what to type as NAME"},
                  {"about", ColumnType::text, "", "what it tells"},
                  {"aliases", ColumnType::text, "", "names that other tools give it, accepted too"}};
  for (const Analysis& analysis : all_analyses()) {
    list.rows.push_back({analysis.name, analysis.about, fmt::format("{}", fmt::join(analysis.aliases, ", "))});
  }
  return list;
}

struct TableCommand {
  std::vector<std::string> words;  // inputs, then the table's name
  InputOptions input;
  AnalysisOptions analysis;
  std::string format = "text";
  std::string names = "full";
  std::string where;
  std::string sort;
  std::optional<size_t> top;
  std::string output;
  bool list = false;

  void run() {
    if (list) return write(list_of_tables());
    if (words.empty()) throw Error("table: give one or more inputs and the name of a table (cgpu table --list)");
    if (words.size() == 1) {
      throw Error(words.front() + ": give an input and the name of a table, like: cgpu table trace.json kernels");
    }
    const Analysis& wanted = find_analysis(words.back());
    const Filter filter = where.empty() ? Filter() : Filter::parse(where);
    input.inputs.assign(words.begin(), words.end() - 1);
    analysis.base_names = names == "base";

    const Session session = open_session(input, true);
    Table table = wanted.run(session, analysis);
    filter.apply(table);
    if (!sort.empty()) sort_rows(table, sort);
    if (format == "json" || format == "csv") take_top(table, top.value_or(0));  // text says what it leaves out
    write(table);
  }

  void write(const Table& table) const {
    write_output(output, [&](std::ostream& out) {
      if (format == "json") {
        write_json(out, "table", input.inputs, {table});
      } else if (format == "csv") {
        write_csv(out, table);
      } else if (format == "md") {
        out << render_markdown(table, top.value_or(0));
      } else {
        TextOptions options = text_options();
        constexpr size_t kRowsOnScreen = 40;
        options.max_rows = top ? *top : kRowsOnScreen;
        out << render_text(table, options);
      }
    });
  }
};

}  // namespace

void add_table_verb(CommandLine& line) {
  auto command = std::make_shared<TableCommand>();
  Verb verb = line.add_verb("table", "One table as text, CSV, JSON or Markdown; --list names them all");
  verb.add_option("INPUT... NAME", command->words, "Profiles, then the name of a table");
  verb.add_flag("--list", command->list, "List the tables with their meaning");
  verb.add_option("--format", command->format, "text, csv, json or md").one_of({"text", "csv", "json", "md"});
  verb.add_option("--top", command->top, "Only the first N rows (0: all; text shows 40 unless told)");
  verb.add_option("--sort", command->sort,
                  "Sort by this column: numbers descending, text ascending; +COLUMN or -COLUMN force it");
  verb.add_option("--where", command->where, "Only rows that match: \"total_ns > 1ms and name ~ gemm\"");
  verb.add_option("--names", command->names, "Kernel names: full or base (without types and arguments)")
      .one_of({"full", "base"});
  verb.add_flag("--args", command->analysis.arguments, "Table slices: also the arguments of every event");
  verb.add_option("--metric", command->analysis.metrics,
                  "Tables over a call tree: these metrics, as in table metrics (several separated by commas)")
      .comma_separated();
  verb.add_option("--scope", command->analysis.scopes,
                  "Table call_tree: also the values of these other scopes, as stored (function, point, lex_aware, ...)")
      .comma_separated();
  verb.add_option("--threshold", command->analysis.hot_path_pct,
                  "Table hot_path: follow a child that has this percentage of its parent (default 50)")
      .between(0.0, 100.0);
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
