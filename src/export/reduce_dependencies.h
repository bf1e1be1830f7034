// Transitive reduction: leaves out dependencies that follow from others.
//
// By the chains of nodes that follow each other on one track: of each node it is known which was the last on every
// chain that it waits for. Of at most 32 tracks; 4 bytes a node and track, O(nodes and dependencies, times tracks).
#pragma once

#include "export/chakra_graph.h"

namespace cgpu {

void reduce_dependencies(ChakraGraph& graph);

}  // namespace cgpu
