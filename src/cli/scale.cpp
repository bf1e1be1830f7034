// cgpu scale RUN...: how runs of several sizes grow, what does not scale, and what a size that was not run would take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parse_number.h"
#include "cli/compared_output.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/run_inputs.h"
#include "cli/table_list.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "gate/figures/run_properties.h"
#include "scaling/scaling.h"
#include "table/filter.h"

namespace cgpu {

namespace {

/// A run as it was given: "8=path" is of size 8.
struct SizedInput {
  std::string path;
  std::optional<double> size;
};

double parse_size(const std::string& text, const char* option) {
  const std::optional<double> size = parse_number<double>(text);
  if (!size) throw Error(fmt::format("scale: {}: '{}' is no number", option, text));
  return *size;
}

std::vector<SizedInput> sized_inputs(const std::vector<std::string>& inputs) {
  std::vector<SizedInput> runs;
  for (const std::string& input : inputs) {
    const size_t sign = input.find('=');
    std::error_code ignored;
    const std::optional<double> size = sign == std::string::npos || std::filesystem::exists(input, ignored)
                                           ? std::nullopt
                                           : parse_number<double>(input.substr(0, sign));
    for (const std::string& path : separate_runs({size ? input.substr(sign + 1) : input})) runs.push_back({path, size});
  }
  return runs;
}

struct ScaleCommand {
  InputOptions input;
  std::vector<std::string> sizes;
  std::string parameter;
  std::string at;
  std::string leave_out;
  std::string by;
  std::string metric;
  std::string table;
  std::string where;
  std::string sort;
  std::optional<size_t> top;
  std::string format;
  std::string output;
  bool per_rank = false;
  bool raw_csv = false;
  bool list = false;

  void run() const {
    if (list) return write_list();
    if (input.inputs.empty()) throw Error("scale: give runs of at least three sizes");
    const std::string wanted = format_of_output(format, output, {"csv", "html", "json", "md", "txt"});
    // Validate before opening.
    const Filter filter = where.empty() ? Filter() : Filter::parse(where);
    if (table.empty() && (!where.empty() || !sort.empty())) {
      throw Error("scale: --where and --sort are of one table: name it with --table");
    }
    ScalingOptions options;
    options.by = by;
    options.per_rank = per_rank;
    if (!at.empty()) options.at = parse_size(at, "--at");
    if (!leave_out.empty()) options.leave_out = parse_size(leave_out, "--leave-out");
    const std::string name = table_name();

    SizedRuns runs = open(options);
    Scaling scaling = scaling_of(std::move(runs), options);
    Compared compared;
    compared.command = "scale";
    compared.title = fmt::format("{} runs of several sizes", scaling.runs.row_count());
    compared.words_title = "How it scales";
    compared.inputs = input.inputs;
    compared.hides_empty_columns = true;
    compared.csv_text = csv_text(raw_csv);
    compared.output = output;
    compared.tables = {std::move(scaling.laws), std::move(scaling.sizes), std::move(scaling.runs)};
    if (name.empty()) {
      for (const std::string& line : scaling.words) compared.words += line + "\n";
    } else {
      std::erase_if(compared.tables, [&](const Table& one) { return one.name != name; });
    }
    choose_rows(compared.tables, filter, sort, top, wanted);
    write_output(output, [&](std::ostream& out) {
      write_compared(out, wanted, compared, [&](const Table& one) -> std::optional<size_t> {
        if (name.empty() && one.name != "scale") return std::nullopt;
        return top.value_or(name.empty() ? kRowsUnderWords : kRowsOnScreen);
      });
    });
  }

 private:
  static constexpr size_t kRowsUnderWords = 16;

  /// In full; "" for all.
  std::string table_name() const {
    if (table.empty()) return "";
    for (const Table& one : scale_tables()) {
      if (table == one.name || "scale_" + table == one.name) return one.name;
    }
    throw Error(fmt::format("scale: there is no table {}; there are scale, scale_sizes, scale_runs", table));
  }

  /// One run after another; sets what the sizes are of, and whether call trees are what is compared.
  SizedRuns open(ScalingOptions& options) const {
    std::vector<SizedInput> given = sized_inputs(input.inputs);
    take_sizes(given);
    const bool are_given = std::any_of(given.begin(), given.end(), [](const SizedInput& run) { return run.size; });
    options.parameter = !parameter.empty() ? parameter : are_given ? "size" : kRanks;
    ComparedRunOpener opener(input, metric);
    SizedRuns runs;
    for (const SizedInput& run : given) {
      InputOptions one = input;
      one.inputs = {run.path};
      check_output(output, one);
      Table info("info", "");
      runs.runs.push_back({{run.path, opener.open(run.path, info)}});
      runs.sizes.push_back(run.size ? *run.size
                                    : recorded_size(run.path, runs.runs.back().figures, info, options.parameter));
    }
    options.by_call_trees = opener.by_call_trees();
    return runs;
  }

  /// Those of --sizes.
  void take_sizes(std::vector<SizedInput>& runs) const {
    const auto with_size = std::count_if(runs.begin(), runs.end(), [](const SizedInput& run) { return run.size; });
    if (with_size != 0 && (static_cast<size_t>(with_size) != runs.size() || !sizes.empty())) {
      throw Error("scale: give the sizes of all runs in one way: SIZE=RUN of each, or --sizes, or neither");
    }
    if (sizes.empty()) return;
    if (sizes.size() != runs.size()) {
      throw Error(fmt::format("scale: --sizes has {} sizes for {} runs: it gives each its own, in their order",
                              sizes.size(), runs.size()));
    }
    for (size_t run = 0; run < runs.size(); ++run) runs[run].size = parse_size(sizes[run], "--sizes");
  }

  /// As the run says it of itself.
  static double recorded_size(const std::string& run, const RunFigures& figures, const Table& info,
                              const std::string& parameter) {
    if (parameter == kRanks) return static_cast<double>(std::max<int64_t>(figures.world_size, 1));
    const auto properties = properties_of(run, info);
    const std::optional<std::string> value = property_called(properties, parameter);
    if (!value) {
      std::vector<std::string> keys;
      keys.reserve(properties.size());
      for (const auto& [key, text] : properties) keys.push_back(key);
      throw Error(run, fmt::format("does not say what its {} is; it says {}; or give sizes: --sizes 2,4,8, SIZE=RUN",
                                   parameter, fmt::join(keys, ", ")));
    }
    const std::optional<double> size = parse_number<double>(*value);
    if (!size) throw Error(run, fmt::format("its {} is '{}', which is no number", parameter, *value));
    return *size;
  }

  void write_list() const {
    std::vector<DeclaredTable> declared;
    for (const Table& one : scale_tables()) {
      declared.push_back(
          {.name = one.name, .about = one.about, .subject = "runs of several sizes", .columns = one.columns});
    }
    write_output(output, [&](std::ostream& out) {
      write_table_list(out, format_of_output(format, output, {"json", "md", "txt"}), "scale", declared,
                       "cgpu scale RUN... --table NAME");
    });
  }
};

}  // namespace

void add_scale_verb(CommandLine& line) {
  auto command = std::make_shared<ScaleCommand>();
  Verb verb =
      line.add_verb("scale", "How runs of several sizes grow, what does not scale, and what another size takes");
  verb.add_option(
      "RUN", command->input.inputs,
      "Runs of at least three sizes: each a profile, a folder of rank files, or a .cgpu file; SIZE=RUN says "
      "its size; several of one size are repetitions");
  verb.add_option("--sizes", command->sizes,
                  "Sizes of the runs, in their order, with commas (default: their numbers of ranks)")
      .comma_separated();
  verb.add_option("--parameter", command->parameter,
                  "What the sizes are of: ranks, or a key of table info that is a number; with sizes given, a word");
  verb.add_option("--at", command->at, "Predict this size (default: twice the largest)");
  verb.add_option("--leave-out", command->leave_out,
                  "Hold the laws of the other sizes against this one (default: the largest)");
  verb.add_option("--by", command->by, "Figures besides those of an iteration (default: op, kernel or function)")
      .one_of({std::begin(kScaledKinds), std::end(kScaledKinds)});
  verb.add_option("--metric", command->metric, "Of the call trees of the runs: this one (default: the main one)");
  verb.add_flag("--per-rank", command->per_rank,
                "Divide what call trees sum over ranks by their number: what a rank takes");
  verb.add_option("--table", command->table, "Only this table (--list names them)");
  verb.add_flag("--list", command->list,
                "List the tables with their meaning; with --format json or md also their columns");
  verb.add_option("--where", command->where, "Of the table only rows for which this holds, like share_pct > 5");
  verb.add_option("--sort", command->sort, "Order the rows of the table by this column; -COLUMN for descending");
  verb.add_option("--top", command->top, "Show this many rows of each table");
  verb.add_option("--format", command->format, "text, json, html, md or csv (default: by the ending of -o, else text)")
      .one_of({"text", "json", "html", "md", "csv"});
  add_csv_option(verb, command->raw_csv);
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
