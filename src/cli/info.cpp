// cgpu info INPUT...: what the input is. Nothing is linked or analysed.
#include <memory>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "session/summaries/summary_session.h"
#include "table/json.h"
#include "table/text.h"

namespace cgpu {

namespace {

struct InfoCommand {
  InputOptions input;
  std::string format = "text";

  void run() const {
    const ProfileSource source(with_progress(input));
    Table info;
    Table notes;
    if (source.summary()) {
      std::vector<Table> kept = source.summary()->tables({{&find_analysis("info")}, {&find_analysis("notes")}});
      info = std::move(kept[0]);
      notes = std::move(kept[1]);
    } else {
      const Session session = source.read();
      info = make_table("info", session);
      notes = make_table("notes", session);
    }
    write_output("", [&](std::ostream& out) {
      if (format == "json") {
        write_json(out, "info", input.inputs, {info, notes});
        return;
      }
      out << render_text(info, text_options());
      if (!notes.empty()) out << '\n' << render_text(notes, text_options());
    });
  }
};

}  // namespace

void add_info_verb(CommandLine& line) {
  auto command = std::make_shared<InfoCommand>();
  Verb verb = line.add_verb("info", "What the input is: format, ranks, devices, time span, counts, notes");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option("--format", command->format, "text or json").one_of({"text", "json"});
  add_input_options(verb, command->input, false);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
