// cgpu compare A B [C...]: what changed between two runs, ranked, in words and as tables; of more runs, how they vary.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "base/error.h"
#include "cli/compare_many.h"
#include "cli/compared_output.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/run_inputs.h"
#include "cli/table_list.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "comparison/comparison.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/change_words.h"
#include "comparison/words/moment_words.h"
#include "serve/profile.h"
#include "session/selection/selection.h"
#include "session/summaries/summary.h"
#include "table/filter.h"

namespace cgpu {

namespace {

struct CompareCommand {
  InputOptions input;
  std::string with_rank;
  std::string with_peak;
  std::string step;
  std::string table;
  std::string by;
  std::vector<std::string> metric;
  std::vector<std::string> columns;
  std::vector<std::string> at;
  std::string where;
  std::string sort;
  std::optional<size_t> top;
  std::string format;
  std::string output;
  bool raw_csv = false;
  bool every_table = false;
  bool list = false;

  void run() const {
    if (list) return write_list();
    const std::string wanted = format_of_output(format, output, {"csv", "html", "json", "md", "txt"});
    check_output(output, input);
    if (every_table && !table.empty()) throw Error("compare: --all and --table cannot be given together");
    const std::vector<std::string> runs = separate_runs(input.inputs);
    const bool many = with_rank.empty() && (runs.size() > 2 || of_figures(runs));  // else they are files of one run
    if (table.empty() && at.empty() &&
        (((!by.empty() || !metric.empty()) && !many) || !where.empty() || !sort.empty() || wanted == "csv")) {
      throw Error("compare: --by, --metric, --where, --sort and --format csv are of one table: name it with --table");
    }
    const Filter filter = where.empty() ? Filter() : Filter::parse(where);
    Compared compared = many ? of_many(runs) : of_two(runs);
    compared.csv_text = csv_text(raw_csv);
    compared.output = output;
    choose_rows(compared.tables, filter, sort, top, wanted);
    if (!table.empty()) compared.words = {};
    write_output(output, [&](std::ostream& out) {
      if (wanted == "text" && !many && !every_table && table.empty() && at.empty()) {
        return write_overview(out, compared, top.value_or(kRowsOfEach));
      }
      write_compared(out, wanted, compared, [&](const Table& one) { return rows_on_screen(one); });
    });
  }

 private:
  static constexpr size_t kRowsOfEach = 12;

  /// The table that is wanted, as it is called in full; "" for all.
  std::string table_name() const { return table.empty() || table.starts_with("compare_") ? table : "compare_" + table; }

  Compared of_two(const std::vector<std::string>& runs) const {
    if (!columns.empty()) throw Error("compare: --columns is of more than two runs, or of summaries");
    // Validate before opening.
    const std::string name =
        table.empty() && at.empty() ? "" : find_comparison_table(table.empty() ? "times" : table).name;
    for (const std::string& moment : at) parse_time(moment, "--at");
    PerSide<Session> sessions;
    open(runs, sessions);
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    ComparisonOptions options{.findings_ahead = name.empty()};
    if (!step.empty()) options.steps = parse_number_range(step, "--step");
    const Comparison comparison(a, b, options);
    Compared compared;
    compared.title = fmt::format("{} compared with {}", title_of(sessions.b), title_of(sessions.a));
    compared.inputs = runs;
    if (name.empty()) {
      ChangeWords words = change_words(comparison);
      compared.words = std::move(words.summary);
      compared.causes = std::move(words.causes);
    }
    for (const ComparisonTable& declared : comparison_tables()) {
      if (name.empty() ? declared.on_request : declared.name != name) continue;
      TableOptions of_table;
      if (!by.empty()) of_table.set("by", {by});
      if (!metric.empty()) of_table.set(kMetricOption, metric);
      if (!at.empty()) of_table.set(kAtOption, at);
      compared.tables.push_back(make_table(declared, comparison, of_table));
    }
    if (!at.empty()) compared.words = moment_words(compared.tables.front());
    return compared;
  }

  /// Of more than two runs; "" for the main one.
  std::string metric_of_many() const {
    if (metric.size() > 1) throw Error("compare: of more than two runs one metric is compared; --metric names several");
    return metric.empty() ? "" : metric.front();
  }

  bool wants_table_of_many() const {
    const std::vector<DeclaredTable> declared = tables_of_many_runs();
    return std::any_of(declared.begin(), declared.end(),
                       [&](const DeclaredTable& one) { return one.name == table_name(); });
  }

  /// Whether two runs are compared by their figures alone: where a summary is one of them, which has no timeline, and
  /// where a table of figures is wanted.
  bool of_figures(const std::vector<std::string>& runs) const {
    return runs.size() == 2 && (wants_table_of_many() || std::any_of(runs.begin(), runs.end(), stands_for_summaries));
  }

  Compared of_many(const std::vector<std::string>& runs) const {
    if (!at.empty()) throw Error("compare: --at is of two profiles");
    if (!input.peaks.empty() || !with_peak.empty()) throw Error("compare: --peak and --with-peak are of two profiles");
    if (!table.empty() && !wants_table_of_many()) {
      throw Error(fmt::format(
          "compare: {} is no table of more than two runs or of summaries; there are compare_runs, compare_groups, "
          "compare_statistics (two ranks of files of one run: --rank N --with-rank M)",
          table));
    }
    InputOptions selected = input;
    selected.step = step;
    Compared compared =
        compare_many(selected, runs, by.empty() && runs.size() == 2 ? "input" : by, metric_of_many(), columns);
    if (!table.empty()) std::erase_if(compared.tables, [&](const Table& one) { return one.name != table_name(); });
    return compared;
  }

  void write_list() const {
    std::vector<DeclaredTable> declared;
    for (const ComparisonTable& one : comparison_tables()) {
      declared.push_back({.name = one.name,
                          .about = one.about,
                          .subject = "two runs",
                          .columns = one.columns,
                          .options = one.options});
    }
    for (DeclaredTable& one : tables_of_many_runs()) declared.push_back(std::move(one));
    write_output(output, [&](std::ostream& out) {
      write_table_list(out, format_of_output(format, output, {"json", "md", "txt"}), "compare", declared,
                       "cgpu compare A B --table NAME");
    });
  }

  /// Both sides, each with its selected ranks and devices.
  void open(const std::vector<std::string>& runs, PerSide<Session>& sessions) const {
    if (runs.size() == 2 && with_rank.empty()) {
      for (const Side side : kSides) {
        InputOptions one = input;
        one.inputs = {runs[side == Side::a ? 0 : 1]};
        if (side == Side::b && !with_peak.empty()) one.peaks = with_peak;
        sessions[side] = source_of(one).open();
      }
      return;
    }
    if (runs.empty()) throw Error("compare: give two inputs: A, the run before, and B, the run after");
    if (with_rank.empty()) {
      throw Error(
          "compare: give two inputs, A and B, or more (there is 1); a run of many files is a directory of them; two "
          "ranks of one run: --rank N --with-rank M");
    }
    if (!with_peak.empty()) throw Error("compare: --with-peak is of two runs: both ranks of one have the same devices");
    if (input.rank.empty())
      throw Error("compare: --with-rank compares two ranks of one run: say the other with --rank");
    InputOptions one = input;
    sessions.a = source_of(one).open();
    one.rank = with_rank;
    sessions.b = source_of(one).open();
  }

  /// What the words say already is left to --table.
  std::optional<size_t> rows_on_screen(const Table& one) const {
    if (!table.empty()) return top.value_or(kRowsOnScreen);
    if (one.empty() || is_listed_in_words(one)) return std::nullopt;
    const bool all = one.name == "compare_summary" || one.name == "compare_runs";
    return top.value_or(all ? 0 : kRowsOfEach);
  }
};

}  // namespace

void add_compare_verb(CommandLine& line) {
  auto command = std::make_shared<CompareCommand>();
  Verb verb = line.add_verb("compare", "What changed between two runs, and what explains it; how more than two vary");
  verb.add_option("INPUT", command->input.inputs,
                  "A, the run before, and B, the run after, or more runs: files, directories of rank files, globs");
  verb.add_option("--with-rank", command->with_rank, "Compare this rank with the one of --rank, of one run");
  verb.add_option("--peak", command->input.peaks,
                  "Peak rates of the devices of both that are not known, or to compare with instead: "
                  "bf16=400TFLOP/s,memory=2TB/s");
  verb.add_option("--device-model", command->input.device_model,
                  "What the devices of both are, where the profiles do not say it: MI300X, H100 SXM");
  verb.add_option("--with-peak", command->with_peak, "Those of B, where its devices are others than those of A");
  verb.add_option("--table", command->table, "Only this table (--list names them)");
  verb.add_flag("--all", command->every_table, "Text with all tables, not only the figures that differ");
  verb.add_flag("--list", command->list,
                "List the tables with their meaning; with --format json or md also their columns");
  verb.add_option("--by", command->by,
                  "Of the table: ops by op, top or shapes; kernels by kernel or class; call_tree by node or function. "
                  "Of more than two runs: groups by this key "
                  "of table info, like ranks or device_names, or by file or folder");
  verb.add_option("--metric", command->metric,
                  "Of the table call_tree: these metrics, as in table metrics, several with commas; what changed by "
                  "the first of them comes first. Of the call trees of more than two runs: this one")
      .comma_separated();
  verb.add_option("--columns", command->columns,
                  "Of more than two runs: columns of compare_runs with what each says of these keys of table info, "
                  "several with commas")
      .comma_separated();
  verb.add_option("--at", command->at,
                  "When in B is this moment of A (from its start: 1500 (ns), 250us, 1.5ms, 2s), with its error: table "
                  "times of these moments; several with commas")
      .comma_separated();
  verb.add_option("--where", command->where, "Of the table only rows for which this holds, like delta_ns > 1ms");
  verb.add_option("--sort", command->sort, "Order the rows of the table by this column; -COLUMN for descending");
  verb.add_option("--top", command->top, "Show this many rows of each table");
  verb.add_option("--format", command->format, "text, json, html, md or csv (default: by the ending of -o, else text)")
      .one_of({"text", "json", "html", "md", "csv"});
  add_csv_option(verb, command->raw_csv);
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  verb.add_option("--step", command->step, "Only this iteration of both, or iterations N-M");
  verb.add_option("--rank", command->input.rank, "Only this rank of both, or these: 0,2,8-15");
  verb.add_option("--device", command->input.device, "Only what ran on this device, or on these: 0,2,4-7");
  add_completion_options(verb, command->input);
  add_input_options(verb, command->input, false);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
