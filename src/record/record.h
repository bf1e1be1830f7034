// `cgpu record`: runs a program with a profiler and leaves a folder with what was recorded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "readers/manifest.h"
#include "record/collector.h"
#include "record/request.h"

namespace cgpu {

/// What is to be run. Made before anything is written.
struct PreparedRecording {
  RecordRequest request;
  Program program;
  Machine machine;
  Job job;
  std::string folder;
  const Collector* collector = nullptr;
  std::vector<std::string> remarks;  // what was chosen and why, what could not be found; for the user
  RecordPlan plan;

  RecordContext context() const;
  /// The commands as they would be typed into a shell, one a line.
  std::string commands() const;
};

/// Chooses the collector and makes the plan. Throws Error where nothing can record this.
PreparedRecording prepare_recording(RecordRequest request);

struct Recording {
  int status = 0;              // of the program, as waitpid() has it
  bool is_last = true;         // of the processes of the job: the recording is complete, and what follows is known
  RecordingManifest manifest;  // of all processes
  std::vector<std::string> failures;  // what went wrong and what to do
  uint64_t bytes = 0;                 // of the profiles in the folder
};

/// What is being done, as "recording; Ctrl-C ends it"; called several times a second, and never while a program runs
/// that may write to the terminal.
using RecordingProgress = std::function<void(const std::string& what)>;

/// Runs the program. Its output and its input are those of this process. Throws Error where the recording cannot be
/// started; what fails in it later is in `failures`.
Recording run_recording(const PreparedRecording& prepared, const RecordingProgress& progress);

}  // namespace cgpu
