// trace.db: what every thread and stream did when, as a timeline.
//
// An element of a trace owns the time until the next one. On the stream of a device that is an operation, from its
// start to its end; on a thread it is a sample of the call stack, which stands for the time until the next sample, but
// for no longer than samples of the thread usually lie apart (model/sample_length.h): a thread that waits, or has
// ended, is not sampled, and hpcrun marks only some of such times. The rest is a gap: no slice, and no work in any
// table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "model/run.h"
#include "readers/common/bytes.h"
#include "readers/hpctoolkit/meta.h"
#include "readers/hpctoolkit/processes.h"
#include "readers/hpctoolkit/profiles.h"

namespace cgpu::hpctoolkit {

/// Fills run.timeline, its clock and its counts from the bytes of a trace.db. O(elements). What is missing or doubtful
/// goes to the notes of the run, also where the file is no trace.db.
void read_traces(const Bytes& file, const Meta& meta, const Profiles& profiles, const Processes& processes, Run& run);

/// Where the elements that became slices lie in the call tree: read from the file again, nothing is kept.
std::shared_ptr<const SampledNodes> sampled_nodes(std::shared_ptr<const MappedFile> trace, ContextNodes contexts);

/// "rank 1 thread 3", "process 2 thread 0 (solver)", "GPU context 1 stream 7": as much as tells profiles apart.
std::vector<CallProfile> call_profiles(const std::vector<Identity>& identities, const Processes& processes);

}  // namespace cgpu::hpctoolkit
