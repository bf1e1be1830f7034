// cgpu whatif INPUT... --scale NAME=FACTOR --free KIND --rank-as-median: how long the steps would last, and what would
// bind them then.
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "session/table_engine.h"
#include "table/json.h"
#include "table/text.h"

namespace cgpu {

namespace {

struct WhatifCommand {
  InputOptions input;
  std::vector<std::string> scale;
  std::vector<std::string> free;
  bool rank_as_median = false;
  bool links_as_best = false;
  bool stages_as_mean = false;
  std::string format = "text";

  void run() const {
    if (scale.empty() && free.empty() && !rank_as_median && !links_as_best && !stages_as_mean) {
      throw Error(
          "whatif: say what is to be different, like --scale gemm=0.5, --free data_loading or, of several ranks, "
          "--rank-as-median");
    }
    TableOptions change;
    if (!scale.empty()) change.set("scale", scale);
    if (!free.empty()) change.set("free", free);
    if (rank_as_median) change.set("rank-as-median", {""});
    if (links_as_best) change.set("links-as-best", {""});
    if (stages_as_mean) change.set("stages-as-mean", {""});
    const MadeTables made =
        make_tables(source_of(input), {{&find_analysis("whatif"), change}, {&find_analysis("critical_path"), change}});
    write_output("", [&](std::ostream& out) {
      if (format == "json") return write_json(out, "whatif", input.inputs, made.tables);
      out << render_text(made.tables[0], text_options()) << '\n' << render_text(made.tables[1], text_options());
    });
  }
};

}  // namespace

void add_whatif_verb(CommandLine& line) {
  auto command = std::make_shared<WhatifCommand>();
  Verb verb = line.add_verb("whatif", "How long the steps would last if work were faster or gone, and what binds then");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option(
      "--scale", command->scale,
      "NAME=FACTOR: as if device ops, a class of them, or host slices of this name took FACTOR of their time; * "
      "matches any text; may be given several times");
  verb.add_option(
          "--free", command->free,
          "KIND: as if this took no time and was not waited for: compute, communication, memory, kernel_gap, or a "
          "cause of idle time; several with commas")
      .comma_separated();
  verb.add_flag(
      "--rank-as-median", command->rank_as_median,
      "As if each rank took for its own work in a step what the median of the ranks with the same work takes");
  verb.add_flag("--links-as-best", command->links_as_best,
                "As if the collectives of slow groups of ranks were as fast as those of the fastest group");
  verb.add_flag("--stages-as-mean", command->stages_as_mean,
                "As if each stage of a pipeline computed for as long as the mean of them");
  verb.add_option("--format", command->format, "text or json").one_of({"text", "json"});
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
