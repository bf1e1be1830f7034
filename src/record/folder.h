// The folder of a recording: a new one each time, which the processes of a parallel job share. FOLDER/manifest.jsonl
// (readers/manifest.h) says what is in it; FOLDER/.recorder holds what is no profile.
#pragma once

#include <string>

#include "record/collector.h"
#include "record/job.h"
#include "record/program.h"
#include "record/request.h"

namespace cgpu {

/// The name that a new folder gets: as given, else NAME-DATE-TIME, of a job NAME-JOB. Absolute.
std::string folder_name(const RecordRequest& request, const Program& program, const Job& job);

/// Makes the folder and its manifest with a first line, or enters it where another process of the job has made it.
/// Throws Error where it holds anything else already.
void make_recording_folder(const std::string& folder, const Collector& collector, const RecordRequest& request,
                           const Job& job, bool has_torch_recorder);

/// Appends a line of JSON to the manifest, in one write. Throws Error where that fails.
void append_to_manifest(const std::string& folder, const std::string& json);

}  // namespace cgpu
