// Matches the device ops of graph replays with the calls that were captured as them: a replay shows which kernels ran,
// but was launched by one call, so that the framework op, the module and the shapes of each kernel are only known where
// the graph was captured.
//
// A capture lies between two calls "...StreamBeginCapture" and "...StreamEndCapture" of a thread, and holds the calls
// in between, of any thread of the process, that put work on a device and have none of their own in the profile. A
// replay is a call
// "...GraphLaunch" with its device ops, in the order of their graph node ids where the profile has these (they count in
// the order of capture), else of their starts. docs/definitions/kernels-and-calls.md, "Replays of graphs", says how a
// replay finds its capture and each op its call. O(n log n) in the device ops of the replays and the calls of the
// captures, besides comparing each kind of replay with each kind of capture once (base/sequence_difference.h).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/dictionary.h"
#include "model/run.h"

namespace cgpu {

/// Whether a call of this name replays a graph.
bool replays_graph(std::string_view call);

/// Whether a run has replays whose device ops it shows.
bool has_graph_replays(const Run& run);

/// The calls that replay graphs in a profile with device ops, and how many of them show none: none where as many ops
/// have no launch that may be theirs.
struct ReplayCounts {
  int64_t all = 0;
  int64_t unrecorded = 0;
};
/// After launches are linked. O(n).
ReplayCounts count_replays(const Timeline& timeline);
/// Whether so many show none that the idle time of the devices is not known.
bool lacks_replays(const ReplayCounts& counts);

/// Fills Run::captured from the captures in these profiles (null: the run itself), all of which are completed, and says
/// in the notes for which share of the time of replays a capture was found. Throws Error where a profile has vanished.
void find_captured_work(Run& run, const std::vector<std::shared_ptr<const Run>>& captures,
                        const KernelDictionary& dictionary);

}  // namespace cgpu
