// cgpu export INPUT -o FILE: the profile in the format of another tool.
#include "export/export.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/browser.h"
#include "cli/input_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "export/chakra.h"
#include "serve/http/perfetto_trace_server.h"
#include "session/complete_run.h"
#include "sql/write_database.h"

namespace cgpu {

namespace {

constexpr const char* kDatabase = "sqlite";

struct ExportCommand {
  InputOptions input;
  std::string output;
  std::string to;  // a format that overrides the ending
  std::string metric;
  bool without_arguments = false;
  bool open_perfetto = false;

  ExportFormat format() const {
    if (const auto named = export_format_named(to)) return *named;
    if (const auto by_ending = export_format_of_file(output)) return *by_ending;
    throw Error(
        output,
        "names no format: end it in .pftrace, .json, .folded, .pprof, .et (.gz where wanted) or .sqlite, or give --to");
  }

  ExportOptions options_with(ProgressBar& progress) const {
    return {!without_arguments, [&progress](double share) { progress.update(share); }, metric};
  }

  void run() {
    // --to is the end of a time window with every verb; here it may name a format instead.
    if (export_format_named(input.to) || input.to == kDatabase) to = std::exchange(input.to, "");
    if (open_perfetto) return show_in_perfetto();
    if (output.empty()) throw Error("export: name the file to write with -o, like -o trace.pftrace");
    check_output(output, input);
    if (to == kDatabase || (to.empty() && output.ends_with(".sqlite"))) return write_tables();
    const ExportFormat wanted = format();
    if (!metric.empty() && !is_of_stacks(wanted)) throw Error("export: --metric is of stacks: .folded or .pprof");
    const Session session = source_of(input).open();
    ProgressBar progress("writing " + output);
    const ExportOptions options = options_with(progress);
    if (wanted == ExportFormat::chakra && output != "-") return write_execution_traces(session, options);
    write_output(output, [&](std::ostream& out) { write_export(session, wanted, out, output, options); });
  }

  /// A file a rank.
  void write_execution_traces(const Session& session, const ExportOptions& options) {
    ChakraExport chakra(session, options);
    for (const ChakraExport::File& file : chakra.files(output)) {
      check_output(file.path, input);
      write_output(file.path, [&](std::ostream& out) { chakra.write(file.run, *sink_of_file(out, file.path)); });
    }
    for (const std::string& line : chakra.summary()) fmt::print(stderr, "{}\n", line);
  }

  /// All tables, as an SQLite file.
  void write_tables() {
    AtomicFile file(output);
    if (file.temporary_path().empty()) throw Error(output, "a database can be written to a file only");
    auto run = std::make_unique<RunTables>(opened_profile(input));
    ProgressBar progress("writing " + output);
    write_database(std::move(run), dictionary_of(input.open()), file.temporary_path(), !without_arguments,
                   [&](double share) { progress.update(share); });
    file.finish();
  }

  /// Serves the trace until Perfetto's page has it, or until Ctrl-C.
  void show_in_perfetto() {
    if (!output.empty()) throw Error("export: give -o or --open-perfetto, not both");
    std::string trace;
    {
      const Session session = source_of(input).open();
      ProgressBar progress("writing the trace");
      const auto sink = plain_sink([&](std::string_view bytes) { trace += bytes; });
      write_perfetto(session, *sink, options_with(progress));
    }
    const EndSignals end;
    PerfettoTraceServer server(std::move(trace));
    std::thread([&] {  // until the end of the program, which is soon after the page has its trace
      end.wait();
      server.stop();
    })
        .detach();
    fmt::print("{}\nOpen this in a browser on this machine; it ends when the page has the trace, or with Ctrl-C.\n",
               server.url());
    std::fflush(stdout);
    if (has_display()) open_browser(server.url());
    server.wait_until_fetched();
    std::fflush(nullptr);
    std::_Exit(0);  // the thread that waits for signals cannot be ended otherwise
  }
};

}  // namespace

void add_export_verb(CommandLine& line) {
  auto command = std::make_shared<ExportCommand>();
  Verb verb =
      line.add_verb("export",
                    "The profile for other tools: Perfetto's .pftrace, Chrome trace .json, stacks as .folded or "
                    ".pprof, Chakra's execution traces .et, tables as .sqlite");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option(
      "-o,--output", command->output,
      "File to write: .pftrace (Perfetto), .json (Chrome trace), .folded (stacks for flame graphs), .pprof or .et "
      "(Chakra, a file a rank: run.0.et, run.1.et, ...), each compressed with .gz; .sqlite (all tables); - for stdout");
  verb.add_option(
      "--metric", command->metric,
      "Of stacks: the metric of .folded, as in table metrics; what pprof shows first. Default: the main one");
  verb.add_flag("--no-args", command->without_arguments,
                "Leave out what the profile says about each event: quicker and smaller");
  verb.add_flag("--open-perfetto", command->open_perfetto,
                "Show it in ui.perfetto.dev: serves the trace to that page on 127.0.0.1:9001, once");
  add_input_options(verb, command->input, true);
  verb.option("--to").description(
      "pftrace, json, folded, pprof, chakra or sqlite, whatever the file is called; or the end of the time to export");
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
