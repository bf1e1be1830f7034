// cgpu table INPUT... NAME: one table, filtered, sorted and cut as asked.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/events/choose_rows.h"
#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/table_list.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "session/table_engine.h"
#include "table/csv.h"
#include "table/filter.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/text.h"

namespace cgpu {

namespace {

std::string default_text(const TableOption& option) {
  return option.fallback.empty() ? "" : fmt::format(" (default: {})", option.fallback);
}

/// The options that single tables declare, each name once, with the tables that take it.
struct DeclaredOption {
  TableOption option;
  std::vector<std::string> tables;
  std::string elsewhere = "";  // what it means for other tables, as a continuation of its help
};
std::vector<DeclaredOption> declared_options() {
  std::vector<DeclaredOption> all;
  for (const Analysis& analysis : all_analyses()) {
    for (const TableOption& option : analysis.options) {
      auto at = std::find_if(all.begin(), all.end(),
                             [&](const DeclaredOption& known) { return known.option.name == option.name; });
      if (at == all.end()) at = all.insert(all.end(), {option, {}});
      if (option.about == at->option.about) {
        at->tables.push_back(analysis.name);
      } else {
        at->elsewhere += fmt::format("; table {}: {}{}", analysis.name, option.about, default_text(option));
      }
    }
  }
  return all;
}

struct TableCommand {
  Exchange* exchange;
  std::vector<std::string> words = {};  // inputs, then the table's name
  InputOptions input = {};
  std::map<std::string, bool> flags = {};                         // options of single tables, by name
  std::map<std::string, std::string> values = {};                 // "" where not given
  std::map<std::string, std::vector<std::string>> separate = {};  // several values
  std::string format = {};                                        // "" until run()
  std::string where = {};
  std::string sort = {};
  std::optional<size_t> top = {};
  std::string output = {};
  bool raw_csv = false;
  bool list = false;

  void run() {
    format = format_of_output(format, output, {"csv", "json", "md", "txt"});
    if (list) return write_list();
    if (words.empty()) throw Error("table: give one or more inputs and the name of a table (cgpu table --list)");
    if (words.size() == 1) {
      throw Error(words.front() + ": give an input and the name of a table, like: cgpu table trace.json kernels");
    }
    if (words.back().starts_with("compare_")) {
      throw Error(fmt::format("{} is a table of two runs: cgpu compare A B --table {}", words.back(),
                              words.back().substr(std::string_view("compare_").size())));
    }
    const Analysis& wanted = find_analysis(words.back());
    const TableOptions options = given_options();
    check_options(wanted.name, wanted.options, options);
    const Filter filter = where.empty() ? Filter() : Filter::parse(where);
    input.inputs.assign(words.begin(), words.end() - 1);
    check_output(output, input);

    if (wanted.events != nullptr) return write_events(wanted, options, filter);
    std::vector<Table> tables = make_tables(source_of(input, exchange), {{&wanted, options}}).tables;
    Table& table = tables.front();
    const std::string why_empty =
        table.empty() && !wanted.needs.empty() ? "the profile has no " + wanted.needs : std::string();
    if (!why_empty.empty() && format != "text") say(fmt::format("{}: no rows: {}", wanted.name, why_empty));
    if (const auto line = filter.unknown_text(table)) say(*line);
    filter.apply(table);
    if (!sort.empty()) sort_rows(table, sort);
    if (format == "json" || format == "csv") take_top(table, top.value_or(0));  // text says what it leaves out
    write(table, 0, why_empty);
  }

  TableOptions given_options() const {
    TableOptions options;
    for (const auto& [name, given] : flags) {
      if (given) options.set(name, {""});
    }
    for (const auto& [name, value] : values) {
      if (!value.empty()) options.set(name, {value});
    }
    for (const auto& [name, several] : separate) {
      if (!several.empty()) options.set(name, several);
    }
    return options;
  }

  /// Rows that are not shown are not made.
  void write_events(const Analysis& wanted, const TableOptions& options, const Filter& filter) const {
    const Session session = source_of(input).open();
    const SessionFacts facts(session);
    const std::unique_ptr<EventTable> events = wanted.events(wanted, facts, options);
    if (format == "json" || format == "csv") {
      ChosenRows rows(wanted, *events, {filter, sort, top.value_or(0)});  // validate before any output
      return write_output(output, [&](std::ostream& out) {
        if (format == "csv") {
          CsvWriter csv(out, csv_text(raw_csv));
          while (const std::optional<Table> batch = rows.next()) csv.add(*batch);
          return;
        }
        JsonWriter json(out, "table", input.inputs);
        while (const std::optional<Table> batch = rows.next()) json.add_batch(*batch);
        json.end_table();
        json.finish();
      });
    }
    const size_t shown = top.value_or(format == "text" ? kRowsOnScreen : 0);
    const Table table = chosen_rows(wanted, *events, {filter, sort, shown});
    write(table, shown == 0 ? 0 : count_rows(wanted, *events, filter) - table.row_count());
  }

  /// `more_rows`: that there are besides those of the table.
  void write(const Table& table, size_t more_rows, const std::string& why_empty = "") const {
    write_output(output, [&](std::ostream& out) {
      if (format == "json") {
        write_json(out, "table", input.inputs, {table});
      } else if (format == "csv") {
        write_csv(out, table, csv_text(raw_csv));
      } else if (format == "md") {
        out << render_markdown(table, top.value_or(0), more_rows);
      } else {
        TextOptions options = text_options();
        options.max_rows = top ? *top : kRowsOnScreen;
        options.more_rows = more_rows;
        options.why_empty = why_empty;
        out << render_text(table, options);
      }
    });
  }

  void write_list() {
    if (format == "json") {  // all that is declared
      return write_output(output,
                          [&](std::ostream& out) { write_json(out, "table", {}, whole_list(declared_tables())); });
    }
    if (format == "csv") return write(list_of_tables(declared_tables()), 0);
    const auto list_as = format == "md" ? list_as_markdown : list_as_text;
    write_output(output, [&](std::ostream& out) { out << list_as(declared_tables(), "cgpu table INPUT... NAME"); });
  }
};

}  // namespace

void add_table_verb(CommandLine& line, Exchange* exchange) {
  auto command = std::make_shared<TableCommand>(TableCommand{exchange});
  Verb verb = line.add_verb("table", "One table as text, CSV, JSON or Markdown; --list names them all");
  verb.add_option("INPUT... NAME", command->words, "Profiles, then the name of a table");
  verb.add_flag("--list", command->list,
                "List the tables with their meaning; with --format json or md also their columns");
  verb.add_option("--format", command->format, "text, csv, json or md (default: by the ending of -o, else text)")
      .one_of({"text", "csv", "json", "md"});
  add_csv_option(verb, command->raw_csv);
  verb.add_option("--top", command->top, "Only the first N rows (0: all; text shows 40 unless told)");
  verb.add_option("--sort", command->sort,
                  "Sort by this column: numbers descending, text ascending; +COLUMN or -COLUMN force it");
  verb.add_option("--where", command->where, "Only rows that match: \"total_ns > 1ms and name ~ gemm\"");
  for (const DeclaredOption& declared : declared_options()) {
    const std::string& name = declared.option.name;
    const std::string about =
        fmt::format("{} {}: {}{}{}", declared.tables.size() == 1 ? "Table" : "Tables", fmt::join(declared.tables, ", "),
                    declared.option.about, default_text(declared.option), declared.elsewhere);
    switch (declared.option.kind) {
      case TableOption::Kind::flag:
        verb.add_flag("--" + name, command->flags[name], about);
        break;
      case TableOption::Kind::choice:
      case TableOption::Kind::choices:
      case TableOption::Kind::number:
      case TableOption::Kind::file:
        verb.add_option("--" + name, command->values[name], about);
        break;
      case TableOption::Kind::names:
        verb.add_option("--" + name, command->separate[name], about).comma_separated();
        break;
    }
  }
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
