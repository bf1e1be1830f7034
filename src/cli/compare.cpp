// cgpu compare A B: what changed between two runs, ranked, in words and as tables.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/table_list.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "comparison/change_words.h"
#include "comparison/comparison.h"
#include "comparison/comparison_table.h"
#include "report/report.h"
#include "table/csv.h"
#include "table/filter.h"
#include "table/html.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/text.h"

namespace cgpu {

namespace {

struct CompareCommand {
  InputOptions input;
  std::string with_rank;
  std::string step;
  std::string table;
  std::string by;
  std::string metric;
  std::string where;
  std::string sort;
  std::optional<size_t> top;
  std::string format;
  std::string output;
  bool list = false;

  void run() const {
    if (list) return write_list();
    const std::string wanted = format_of_output(format, output, {"csv", "html", "json", "md", "txt"});
    check_output(output, input);
    if (table.empty() && (!by.empty() || !metric.empty() || !where.empty() || !sort.empty() || wanted == "csv")) {
      throw Error("compare: --by, --metric, --where, --sort and --format csv are of one table: name it with --table");
    }
    if (!table.empty()) find_comparison_table(table);  // what is wrong is said before any work
    const Filter filter = where.empty() ? Filter() : Filter::parse(where);
    OfSides<Session> sessions;
    open(sessions);
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    std::optional<NumberRange> steps;
    if (!step.empty()) steps = parse_number_range(step, "--step");
    const Comparison comparison(a, b, steps);
    std::vector<Table> tables;
    for (const ComparisonTable& declared : comparison_tables()) {
      if (table.empty() ? declared.only_named : declared.name != find_comparison_table(table).name) continue;
      TableOptions options;
      if (!by.empty()) options.set("by", {by});
      if (!metric.empty()) options.set("metric", {metric});
      tables.push_back(make_table(declared, comparison, options));
      filter.apply(tables.back());
      if (!sort.empty()) sort_rows(tables.back(), sort);
      if (top && wanted != "text") take_top(tables.back(), *top);
    }
    write_output(output, [&](std::ostream& out) {
      if (wanted == "json") return write_json(out, "compare", input.inputs, tables);
      if (wanted == "csv") return CsvWriter(out).add(tables.front());
      const std::string words = table.empty() ? paragraph_of(comparison) : "";
      if (wanted == "html") return write_html(out, words, tables);
      if (wanted == "md") return write_markdown(out, words, tables);
      write_text(out, words, tables);
    });
  }

 private:
  void write_list() const {
    std::vector<DeclaredTable> declared;
    for (const ComparisonTable& one : comparison_tables()) {
      declared.push_back({.name = one.name,
                          .about = one.about,
                          .subject = "two runs",
                          .columns = one.columns,
                          .options = one.options});
    }
    write_output(output, [&](std::ostream& out) {
      if (format_of_output(format, output, {"json", "txt"}) == "json") {
        return write_json(out, "compare", {}, whole_list(declared));
      }
      out << list_as_text(declared, "tables that `cgpu compare A B --table NAME` can show");
    });
  }

  /// Both sides, each with its selected ranks and devices.
  void open(OfSides<Session>& sessions) const {
    if (input.inputs.size() == 2 && with_rank.empty()) {
      for (const Side side : kSides) {
        InputOptions one = input;
        one.inputs = {input.inputs[side == Side::a ? 0 : 1]};
        sessions[side] = open_selected(one);
      }
      return;
    }
    if (input.inputs.empty()) throw Error("compare: give two inputs: A, the run before, and B, the run after");
    if (with_rank.empty()) {
      throw Error(
          fmt::format("compare: give two inputs, A and B (there {} {}); a run of many files is a directory of "
                      "them; two ranks of one run: --rank N --with-rank M",
                      input.inputs.size() == 1 ? "is" : "are", input.inputs.size()));
    }
    if (input.rank.empty())
      throw Error("compare: --with-rank compares two ranks of one run: say the other with --rank");
    InputOptions one = input;
    sessions.a = open_selected(one);
    one.rank = with_rank;
    sessions.b = open_selected(one);
  }

  void write_text(std::ostream& out, const std::string& words, const std::vector<Table>& tables) const {
    constexpr size_t kRowsOnScreen = 40;
    constexpr size_t kRowsOfEach = 12;
    out << words;
    for (const Table& one : tables) {
      // What the paragraph says already is left to --table.
      if (table.empty() && (one.empty() || one.name == "compare_causes" || one.name == "compare_idle")) continue;
      TextOptions options = text_options();
      options.max_rows = top.value_or(!table.empty() ? kRowsOnScreen : one.name == "compare_summary" ? 0 : kRowsOfEach);
      if (!words.empty()) out << '\n';
      out << render_text(one, options);
    }
  }

  static void write_markdown(std::ostream& out, const std::string& words, const std::vector<Table>& tables) {
    if (!words.empty()) out << "# What changed\n\n```\n" << words << "```\n";
    for (const Table& one : tables) out << "\n## " << one.name << "\n\n" << render_markdown(one);
  }

  void write_html(std::ostream& out, const std::string& words, const std::vector<Table>& tables) const {
    constexpr size_t kRowsOfEach = 200;
    Report report;
    report.title = fmt::format("{} compared with {}", input.inputs.back(), input.inputs.front());
    for (size_t begin = 0; begin < words.size();) {
      const size_t end = std::min(words.find('\n', begin), words.size());
      report.headline.push_back(words.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const Table& one : tables) {
      Section& section = report.sections.emplace_back();
      section.title = one.name;
      section.summary = one.about;
      section.table = one;
      section.page = one;
      take_top(section.page, kRowsOfEach);
    }
    out << render_report_html(report);
  }
};

}  // namespace

void add_compare_verb(CommandLine& line) {
  auto command = std::make_shared<CompareCommand>();
  Verb verb = line.add_verb("compare", "What changed between two runs, and what explains it");
  verb.add_option("INPUT", command->input.inputs,
                  "A, the run before, and B, the run after: files or directories of rank files");
  verb.add_option("--with-rank", command->with_rank, "Compare this rank with the one of --rank, of one run");
  verb.add_option("--table", command->table, "Only this table: summary, causes, ops, kernels or idle");
  verb.add_flag("--list", command->list, "List the tables with their meaning; with --format json also their columns");
  verb.add_option("--by", command->by, "Of the table: ops by op, top or shapes; kernels by kernel or class");
  verb.add_option("--metric", command->metric, "Of the table call_tree: this metric, as in table metrics");
  verb.add_option("--where", command->where, "Of the table only rows for which this holds, like delta_ns > 1ms");
  verb.add_option("--sort", command->sort, "Order the rows of the table by this column; -COLUMN for descending");
  verb.add_option("--top", command->top, "Show this many rows of each table");
  verb.add_option("--format", command->format, "text, json, html, md or csv (default: by the ending of -o, else text)")
      .one_of({"text", "json", "html", "md", "csv"});
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  verb.add_option("--step", command->step, "Only this iteration of both, or iterations N-M");
  verb.add_option("--rank", command->input.rank, "Only this rank of both, or these: 0,2,8-15");
  verb.add_option("--device", command->input.device, "Only what ran on this device, or on these: 0,2,4-7");
  verb.add_option("--kernel-rules", command->input.kernel_rules,
                  "File with rules for kernel classes, asked before the built-in ones");
  add_input_options(verb, command->input, false);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
