// cgpu history DIR|FILE...: runs over time, where they changed, and what moved there.
#include "gate/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/run_inputs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "report/history_report.h"
#include "table/json.h"
#include "table/text.h"

namespace cgpu {

namespace {

bool is_absent_everywhere(const Table& table, const char* column) {
  const auto rows = table.rows();
  return std::all_of(rows.begin(), rows.end(), [&](RowView row) { return is_absent(row[table.column(column)]); });
}

struct HistoryCommand {
  InputOptions input;
  std::string format;
  std::string output;

  void run() const {
    const std::string wanted = format_of_output(format, output, {"html", "json", "txt"});
    InputOptions runs = input;
    runs.inputs.clear();
    for (const std::string& each : separate_runs(input.inputs)) {
      for (const std::string& run : runs_of_history(each)) runs.inputs.push_back(run);
    }
    check_output(output, runs);
    std::vector<CheckedRun> checked;
    for (const std::string& run : runs.inputs) checked.push_back({run, figures_of_run(run, input)});
    const History history = history_of(std::move(checked));
    write_output(output, [&](std::ostream& out) {
      const std::vector<Table> tables = {history.runs, history.changes, history.change_points, history.parts,
                                         history.latest};
      if (wanted == "json") return write_json(out, "history", input.inputs, tables);
      if (wanted == "html") {
        const std::string folder = std::filesystem::path(output).parent_path().string();
        out << render_report_html(make_history_report(tables, history.remarks, folder));
        return;
      }
      const TextOptions options = text_options(output);
      if (history.changed.empty()) out << "No change of level in " << history.runs.row_count() << " runs.\n";
      for (const std::string& change : history.changed) out << wrap_text(change, options.width);
      if (!history.judged.empty()) out << wrap_text(history.judged, options.width);
      for (const std::string& remark : history.remarks) out << wrap_text("  " + remark, options.width);
      Table shown = history.runs;
      for (const char* column : {"step_p25_ns", "step_p75_ns", "level_ns", "level_value"}) {
        shown.erase_column(shown.column(column));
      }
      for (const char* column : {"step_ns", "metric", "value", "unit", "peak_bytes"}) {
        if (is_absent_everywhere(shown, column)) shown.erase_column(shown.column(column));
      }
      out << '\n' << render_text(shown, options);
    });
  }
};

}  // namespace

void add_history_verb(CommandLine& line) {
  auto command = std::make_shared<HistoryCommand>();
  Verb verb =
      line.add_verb("history", "Runs over time, and where their step time, memory or call tree's metric changed");
  verb.add_option("INPUT", command->input.inputs, "Folders of .cgpu files, or single .cgpu files and profiles")
      .required();
  verb.add_option("--format", command->format, "text, json or html (default: by the ending of -o, else text)")
      .one_of({"text", "json", "html"});
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, false);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
