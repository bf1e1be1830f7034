#include "export/export.h"

namespace cgpu {

std::optional<ExportFormat> export_format_named(std::string_view name) {
  if (name == "pftrace") return ExportFormat::perfetto;
  if (name == "json") return ExportFormat::chrome;
  return std::nullopt;
}

std::optional<ExportFormat> export_format_of_file(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".pftrace") || name.ends_with(".perfetto-trace")) return ExportFormat::perfetto;
  if (name.ends_with(".json")) return ExportFormat::chrome;
  return std::nullopt;
}

void write_export(const Session& session, ExportFormat format, Sink& sink, const ExportOptions& options) {
  if (format == ExportFormat::perfetto) return write_perfetto(session, sink, options);
  write_chrome(session, sink, options);
}

}  // namespace cgpu
