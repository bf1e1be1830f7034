// Writes a session in the formats of other tools.
//
// Traces hold every slice, counter sample, instant and link, with times in nanoseconds; formats of stacks hold call
// trees; Chakra's execution traces what ran and what it had to wait for. The arguments of events are read
// from the profile again, which takes most of the time; without them an export writes several million slices a second.
// Memory: one block of output, one group of arguments, and the sorted slices of one track.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/sink.h"
#include "model/run.h"

namespace cgpu {

enum class ExportFormat : uint8_t { perfetto, chrome, folded, pprof, chakra };

struct ExportOptions {
  bool arguments = true;                 // write the arguments of events too
  std::function<void(double)> progress;  // called repeatedly with the share done (0..1)
  std::string metric = {};               // of stacks: as people type it; "" for the main one of the profile
};

/// Writes a Perfetto protobuf trace (.pftrace): docs/formats/perfetto.md, "What cgpu writes".
void write_perfetto(const Session& session, Sink& sink, const ExportOptions& options);
/// Writes Chrome trace JSON in the dialect of the PyTorch profiler.
void write_chrome(const Session& session, Sink& sink, const ExportOptions& options);
/// Writes folded stacks with what each costs by itself in one metric: docs/formats/folded.md, "What cgpu writes".
void write_folded(const Session& session, Sink& sink, const ExportOptions& options);
/// Writes a profile of pprof with all metrics that can be added up: docs/formats/pprof.md.
void write_pprof(const Session& session, Sink& sink, const ExportOptions& options);

/// Writes an execution trace of Chakra (.et): docs/formats/chakra.md, "What cgpu writes". One is of one rank: throws
/// Error where the session has several, of which ChakraExport (chakra.h) writes a file each.
void write_chakra(const Session& session, Sink& sink, const ExportOptions& options);

/// "pftrace", "json", "folded", "pprof" or "chakra".
std::optional<ExportFormat> export_format_named(std::string_view name);
/// ".pftrace", ...
const char* ending_of(ExportFormat format);
/// Whether it holds stacks, and not a timeline.
bool is_of_stacks(ExportFormat format);
/// By the extension of a file name: .pftrace, .perfetto-trace, .json, .folded, .pprof, .pb, .et, each with or without
/// .gz.
std::optional<ExportFormat> export_format_of_file(std::string_view name);
/// Whether there is anything that a trace can hold: not the costs of a call tree, metrics of launches, graphs.
bool has_timeline(const Session& session);
/// The earliest time of anything, from the start of the session (`zeros`: by run); 0 if nothing is before that.
int64_t earliest_time(const Session& session, const std::vector<int64_t>& zeros);
/// Throws Error where there is no timeline, or of formats of stacks no call tree and no timeline to fold, or of Chakra
/// no device op.
void write_export(const Session& session, ExportFormat format, Sink& sink, const ExportOptions& options);
/// To the stream of a file of this name, compressed where that ends in .gz. Throws Error also where the stream does not
/// take everything.
void write_export(const Session& session, ExportFormat format, std::ostream& out, const std::string& name,
                  const ExportOptions& options);

}  // namespace cgpu
