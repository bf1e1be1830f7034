#include "export.h"

#include <memory>
#include <optional>

#include "analysis/session_facts.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "export/chakra.h"
#include "export/export.h"
#include "session/complete_run.h"
#include "sql/run_tables.h"
#include "sql/write_database.h"
#include "work.h"

namespace cgpu::python {

namespace {

constexpr const char* kDatabase = "sqlite";

void write_tables(const OpenedProfile& profile, const std::string& path, bool arguments, const Stopped& stopped) {
  AtomicFile file(path);
  if (file.temporary_path().empty()) throw Error(path, "a database can be written to a file only");
  write_database(std::make_unique<RunTables>(profile), dictionary_of(profile.options().open()), file.temporary_path(),
                 arguments, [stopped](double) {
                   if (*stopped) throw Stop();
                 });
  file.finish();
}

/// A file a rank.
void write_execution_traces(const Session& session, const std::string& path, const ExportOptions& options) {
  ChakraExport chakra(session, options);
  for (const ChakraExport::File& rank : chakra.files(path)) {
    AtomicFile file(rank.path);
    chakra.write(rank.run, *sink_of_file(file.out(), rank.path));
    file.finish();
  }
}

}  // namespace

void export_profile(const OpenedProfile& profile, const std::string& path, const std::string& format, bool arguments,
                    const std::string& metric) {
  work([=](const Stopped& stopped) {
    const bool is_database = format == kDatabase || (format.empty() && path.ends_with(".sqlite"));
    if (is_database) return write_tables(profile, path, arguments, stopped);
    const std::optional<ExportFormat> wanted =
        format.empty() ? export_format_of_file(path) : export_format_named(format);
    if (!wanted && !format.empty())
      throw Error("format " + format + ": is none of pftrace, json, folded, pprof, chakra, sqlite");
    if (!wanted)
      throw Error(path,
                  "names no format: end it in .pftrace, .json, .folded, .pprof, .et (.gz where wanted) or .sqlite, or "
                  "give format");
    if (!metric.empty() && !is_of_stacks(*wanted)) throw Error("metric: is of stacks, folded or pprof");
    const SessionFacts& facts = profile.facts("an export");
    const ExportOptions options{arguments,
                                [stopped](double) {
                                  if (*stopped) throw Stop();
                                },
                                metric};
    if (*wanted == ExportFormat::chakra) return write_execution_traces(facts.session(), path, options);
    AtomicFile file(path);
    write_export(facts.session(), *wanted, file.out(), path, options);
    file.finish();
  });
}

}  // namespace cgpu::python
