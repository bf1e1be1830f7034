// Profiles of the captures of graphs: those the user names, and those in a folder `capture_traces` beside the profile
// of the replays, as SGLang and vLLM write them.
#pragma once

#include "kernels/dictionary.h"
#include "model/run.h"
#include "session/open_options.h"

namespace cgpu {

/// Finds for the replays of a completed run where they were captured (links/graph_captures.h): in the run itself and in
/// profiles of captures, which are only opened for a run that has replays. Of files in the folder those of other ranks
/// are passed over, by their names (`rank3`, `rank_3`), and those that are no profiles. Throws Error for a named
/// profile that cannot be read.
void join_captures(Run& run, const OpenOptions& options, const KernelDictionary& dictionary, unsigned threads);

}  // namespace cgpu
