// The manifest of a recording (`cgpu record`): FOLDER/manifest.jsonl, to which each process of the program appends a
// line. docs/record.md lists its members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/notes.h"

namespace cgpu {

inline constexpr std::string_view kManifestName = "manifest.jsonl";

/// What one process left.
struct RecordedProcess {
  std::string tool;
  std::string tool_version;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::string file;  // name of its profile in the folder; "" for none
  std::optional<int64_t> steps;
  std::string steps_by;  // "optimizer SGD.step"
  std::optional<double> overhead_percent;
  std::string ended;   // "steps", "exit 0", "signal SIGTERM"
  std::string failed;  // what is wrong and what to do; "" for nothing
};

struct RecordingManifest {
  std::string tool;
  std::string job;    // of all processes; "" outside of a parallel job
  std::string ranks;  // that were to record, as "0,3-5"; "" for all
  std::vector<RecordedProcess> processes;
  /// Of processes whose profiler is outside of them: which steps they had it record. Without files.
  std::vector<RecordedProcess> steps;
};

/// Nothing where the folder has none, or none of `cgpu record`. Lines that are damaged are passed over.
std::optional<RecordingManifest> read_manifest(const std::string& folder);

/// A line for each rank that was to record and left no line in the manifest, the first few of them.
std::vector<std::string> words_of_missing_ranks(const RecordingManifest& manifest);

/// Adds what the manifest of a folder says of the profiles in it: what failed, what the recording cost.
void note_recording(const std::string& folder, Notes& notes);

}  // namespace cgpu
