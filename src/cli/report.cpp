// cgpu report INPUT...: the whole story of a run on a page.
#include "report/report.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/report_of_inputs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/viewer_file.h"
#include "report/history_report.h"
#include "table/json.h"

namespace cgpu {

namespace {

struct ReportCommand {
  Exchange* exchange;
  InputOptions input = {};
  std::string format = {};
  std::string output = {};
  std::string viewer = {};
  std::string names = "full";
  std::vector<std::string> sections = {};
  bool overview = false;

  void run() const {
    if (overview && !sections.empty()) throw Error("report: --overview and --sections cannot be given together");
    const std::string wanted = format_of_output(format, output, {"html", "json", "md", "txt"});
    check_output(output, input);
    if (!viewer.empty()) check_viewer(wanted);
    Report report = report_of(input, {exchange, wanted == "html", names, sections});
    if (!viewer.empty()) {
      write_viewer_file(viewer, input);
      report.viewer = {link_to_viewer(), !input.selection().has_window()};
    }
    write_output(output, [&](std::ostream& out) {
      if (wanted == "json") {
        JsonWriter json(out, "report", input.inputs);
        for (const Section& section : report.sections) {
          if (!section.table.empty()) json.add(section.table);
        }
        json.finish();
      } else if (wanted == "html") {
        out << render_report_html(report);
      } else if (wanted == "md") {
        out << render_report_markdown(report);
      } else {
        out << (overview ? render_overview_text : render_report_text)(report, text_options(output));
      }
    });
  }

  void check_viewer(const std::string& wanted) const {
    if (wanted != "html") throw Error("report: --viewer is for a page: end the name of -o in .html");
    if (viewer == "-") throw Error("report: --viewer: name a file, which the page links to");
    if (viewer == output) throw Error(viewer, "is the report itself: give the viewer another name");
    check_viewer_file(viewer, input);
  }

  /// The viewer's file as it is found from the report.
  std::string link_to_viewer() const {
    const std::string folder = is_stdout(output) ? "" : std::filesystem::path(output).parent_path().string();
    return relative_address(viewer, folder);
  }
};

}  // namespace

void add_report_verb(CommandLine& line, Exchange* exchange) {
  auto command = std::make_shared<ReportCommand>(ReportCommand{exchange});
  Verb verb = line.add_verb("report", "The whole story of a run on a page");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option("--format", command->format, "text, json, html or md (default: by the ending of -o, else text)")
      .one_of({"text", "json", "html", "md"});
  verb.add_option("-o,--output", command->output, "Write to this file instead of stdout");
  verb.add_option("--viewer", command->viewer,
                  "Write a copy of the viewer, too, as cgpu view -o does, to this file (.html), and link to it");
  verb.add_option("--names", command->names, "Kernel names: full or base (without types and arguments)")
      .one_of({"full", "base"});
  verb.add_option("--sections", command->sections, "Only these sections, by their tables: idle,steps,kernels")
      .comma_separated();
  verb.add_flag("--overview", command->overview, "One screen of text, as cgpu INPUT... shows it");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
