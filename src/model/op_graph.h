// An execution trace: the ops of a program with their tensors and dependencies.
//
// PyTorch's execution traces and Chakra's traces are such graphs, made to be replayed and simulated. They say what was
// done, not when: a node has a duration where the trace states it, or where a profile of the same run was opened with
// the trace. 120 bytes a node; texts are stored once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/string_pool.h"

namespace cgpu {

enum class NodeClass : uint8_t {
  metadata,  // processes, threads, parameters
  op,        // on a host thread
  annotation,
  kernel,  // on a device
  memory_load,
  memory_store,
  send,
  receive,
  collective,
  storage,  // files
  other,
};
const char* text_of(NodeClass kind);  // "metadata", ...

struct OpNode {
  int64_t id = 0;
  int64_t record_function = 0;  // the profiler's number of the call; 0 where there is none
  int64_t thread = 0;           // as the trace numbers them
  int64_t sequence = -1;        // autograd's number of the op; -1 where there is none
  StringId name = 0;
  NodeClass kind = NodeClass::other;
  bool joined = false;        // found in the profile that was opened with the trace
  StringId input_shapes = 0;  // as written
  StringId input_types = 0;
  StringId collective = 0;  // "all_reduce", ...; 0 where the trace does not say
  uint32_t inputs = 0;
  uint32_t outputs = 0;
  uint32_t dependencies = 0;  // on data of other nodes
  int64_t input_bytes = 0;    // of tensors
  int64_t output_bytes = 0;
  std::optional<int64_t> communicated_bytes;
  std::optional<int64_t> duration;  // ns
};

struct OpGraph {
  StringPool names;
  std::vector<OpNode> nodes;  // in the order of the trace
  std::optional<int64_t> process;
  std::string profile;  // the profile that durations were taken from; "" where they are the trace's own
};

}  // namespace cgpu
