#include "export/export.h"

#include <algorithm>

#include "base/error.h"

namespace cgpu {

std::optional<ExportFormat> export_format_named(std::string_view name) {
  if (name == "pftrace") return ExportFormat::perfetto;
  if (name == "json") return ExportFormat::chrome;
  if (name == "folded") return ExportFormat::folded;
  if (name == "pprof") return ExportFormat::pprof;
  if (name == "chakra") return ExportFormat::chakra;
  return std::nullopt;
}

const char* ending_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::perfetto:
      return ".pftrace";
    case ExportFormat::chrome:
      return ".json";
    case ExportFormat::folded:
      return ".folded";
    case ExportFormat::pprof:
      return ".pprof";
    case ExportFormat::chakra:
      return ".et";
  }
  return "";
}

bool is_of_stacks(ExportFormat format) {
  return format == ExportFormat::folded || format == ExportFormat::pprof;
}

std::optional<ExportFormat> export_format_of_file(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".pftrace") || name.ends_with(".perfetto-trace")) return ExportFormat::perfetto;
  if (name.ends_with(".json")) return ExportFormat::chrome;
  if (name.ends_with(".folded")) return ExportFormat::folded;
  if (name.ends_with(".pprof") || name.ends_with(".pb")) return ExportFormat::pprof;
  if (name.ends_with(".et")) return ExportFormat::chakra;
  return std::nullopt;
}

bool has_timeline(const Session& session) {
  return std::any_of(session.runs.begin(), session.runs.end(), [](const Run& run) {
    const Timeline& timeline = run.timeline;
    return timeline.slices.size() > 0 || !timeline.counters.time.empty() || !timeline.instants.empty() ||
           !timeline.memory.empty();
  });
}

int64_t earliest_time(const Session& session, const std::vector<int64_t>& zeros) {
  int64_t first = 0;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    const auto see = [&](int64_t time) { first = std::min(first, time - zeros[run]); };
    for (const int64_t time : timeline.slices.start) see(time);
    for (const int64_t time : timeline.counters.time) see(time);
    for (const Instant& instant : timeline.instants) see(instant.time);
    for (const MemoryEvent& event : timeline.memory) see(event.time);
  }
  return first;
}

void write_export(const Session& session, ExportFormat format, Sink& sink, const ExportOptions& options) {
  const bool is_trace = format == ExportFormat::perfetto || format == ExportFormat::chrome;
  if (is_trace && !has_timeline(session)) {
    const bool has_tree = std::ranges::any_of(session.runs, [](const Run& run) { return run.call_tree.has_value(); });
    throw Error(session.inputs.empty() ? "export" : session.inputs.front(),
                std::string("has no timeline, which is what a trace holds: ") +
                    (has_tree ? "its call tree goes to .folded or .pprof"
                              : "cgpu table --list names what else can be made of it"));
  }
  switch (format) {
    case ExportFormat::perfetto:
      return write_perfetto(session, sink, options);
    case ExportFormat::chrome:
      return write_chrome(session, sink, options);
    case ExportFormat::folded:
      return write_folded(session, sink, options);
    case ExportFormat::pprof:
      return write_pprof(session, sink, options);
    case ExportFormat::chakra:
      return write_chakra(session, sink, options);
  }
}

void write_export(const Session& session, ExportFormat format, std::ostream& out, const std::string& name,
                  const ExportOptions& options) {
  write_export(session, format, *sink_of_file(out, name), options);
}

}  // namespace cgpu
