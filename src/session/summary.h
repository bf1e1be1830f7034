// What is kept of a session when it is let go: a .cgpu file. An input like any profile, but without a timeline; a
// baseline for the gate.
//
// In it are who the runs are, partial results of the tables that are folded over runs (analysis/partial_bytes.h), the
// finished tables that cannot be folded, and the figures that the gate compares, which are bytes to this folder. The
// file is a head (magic, version, sizes, checksum) and one zstd frame; docs/formats/cgpu.md has it in detail. It is
// read with suspicion: sizes are bounded before anything is allocated, the checksum comes before the content.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"
#include "session/rank_fold.h"
#include "table/table.h"

namespace cgpu {

struct Summary {
  Session session;                              // its runs have been let go, with nothing left of their timelines
  std::vector<uint32_t> numbers;                // by index of the run: its number in the partial results
  std::map<std::string, std::string> partials;  // by name of the table
  std::vector<Table> tables;                    // finished ones
  std::vector<std::string> left_out;            // tables that would have been too large
  std::string figures;                          // what the gate compares
};

/// The whole file.
std::string summary_to_bytes(const Summary& summary);
/// Throws Error, beginning with `name`, for bytes of another version and for damaged ones.
Summary summary_from_bytes(std::string_view bytes, const std::string& name);

/// What is inside of the frame, without the checksum around it.
Summary summary_from_content(std::string_view content, const std::string& name);

/// Whether a file begins as a summary does. False where it cannot be read.
bool is_summary(const std::string& path);
/// Throws Error.
Summary read_summary(const std::string& path);

/// The only input, where it is a summary; nothing where it is a profile or there are several. Throws Error for a
/// damaged one.
std::optional<Summary> summary_of(const OpenOptions& open, const Selection& selection);

/// The tables that are wanted, as fold_ranks makes them of profiles. Throws Error for a table that is not kept.
FoldedSession fold_summary(Summary summary, const std::string& name, const std::vector<WantedTable>& wanted);

}  // namespace cgpu
