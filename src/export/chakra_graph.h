// What a run did as a graph of activities, as simulators replay it: a node is something that takes time, and begins as
// soon as all that it depends on has ended.
//
// It is made from the graph of dependencies (dependencies/graph.h), whose nodes are moments: its edges between two
// moments of a thread, and from begin to end of a device op, become nodes, the others dependencies. What those weigh
// (launch latencies, gaps between kernels, unexplained delays) has no place in it. A host thread is busy for what its
// edges weigh, so that waiting takes no time of its own. docs/formats/chakra.md, "What cgpu writes".
//
// O(n log n) in the device ops and host slices; some 60 bytes a node besides the graph of dependencies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "links/waits.h"
#include "model/plausible.h"
#include "model/run.h"

namespace cgpu {

struct ChakraNode {
  static constexpr uint32_t kNoNode = UINT32_MAX;

  SliceIndex slice = kNone;  // that it is; kNone: what a host thread did outside of ops
  OpIndex op = kNone;        // of device ops
  TrackIndex track = kNone;
  bool continues = false;     // of a host slice that an earlier node is already of
  uint32_t caller = kNoNode;  // an earlier node: the host slice around it, that it continues, or that launched it
  int64_t start = 0;          // ns on the run's clock
  int64_t duration = 0;       // whole us, of which those of a track differ from its times by less than 1 in all
  uint32_t end_dependency = 0;
};

struct ChakraGraph {
  std::vector<ChakraNode> nodes;       // each behind those that it depends on
  std::vector<uint32_t> dependencies;  // node by node, ascending: nodes
  int64_t left_out = 0;                // host slices of threads that neither launch nor wait for device work
  int64_t contradictions = 0;          // dependencies that lead backward in time, and are left out

  std::span<const uint32_t> dependencies_of(size_t node) const {
    const uint32_t begin = node == 0 ? 0 : nodes[node - 1].end_dependency;
    return {dependencies.data() + begin, nodes[node].end_dependency - begin};
  }
};

/// `marks`: host slices of which begin and end matter (RunForGraph::marks).
ChakraGraph chakra_graph(const Run& run, const Waits& waits, std::vector<SliceIndex> marks);

}  // namespace cgpu
