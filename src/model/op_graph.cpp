#include "model/op_graph.h"

namespace cgpu {

const char* text_of(NodeClass kind) {
  switch (kind) {
    case NodeClass::metadata:
      return "metadata";
    case NodeClass::op:
      return "op";
    case NodeClass::annotation:
      return "annotation";
    case NodeClass::kernel:
      return "kernel";
    case NodeClass::memory_load:
      return "memory_load";
    case NodeClass::memory_store:
      return "memory_store";
    case NodeClass::send:
      return "send";
    case NodeClass::receive:
      return "receive";
    case NodeClass::collective:
      return "collective";
    case NodeClass::storage:
      return "storage";
    case NodeClass::other:
      return "other";
  }
  return "other";
}

}  // namespace cgpu
