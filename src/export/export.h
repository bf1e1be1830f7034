// Writing a session in the formats of other tools.
//
// Every slice, counter sample, instant and link is written, times to the nanosecond. The arguments of events are read
// from the profile again, which takes most of the time; without them an export writes some millions of slices a second.
// Memory: one block of output, one group of arguments, and the slices of one track in order.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "export/sink.h"
#include "model/run.h"

namespace cgpu {

enum class ExportFormat : uint8_t { perfetto, chrome };

struct ExportOptions {
  bool arguments = true;                 // what the profile says about each event
  std::function<void(double)> progress;  // called now and then with the share done (0..1)
};

/// As Perfetto's protobuf trace (.pftrace): docs/formats/perfetto.md, "What cgpu writes".
void write_perfetto(const Session& session, Sink& sink, const ExportOptions& options);
/// As Chrome trace JSON, as the PyTorch profiler writes it.
void write_chrome(const Session& session, Sink& sink, const ExportOptions& options);

/// "pftrace" or "json".
std::optional<ExportFormat> export_format_named(std::string_view name);
/// By the ending of a file's name: .pftrace, .perfetto-trace, .json, each with or without .gz.
std::optional<ExportFormat> export_format_of_file(std::string_view name);
void write_export(const Session& session, ExportFormat format, Sink& sink, const ExportOptions& options);

}  // namespace cgpu
