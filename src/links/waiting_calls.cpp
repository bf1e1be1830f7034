#include "links/waiting_calls.h"

#include "base/contains.h"

namespace cgpu {

namespace {

/// Copies that return when the data has arrived.
bool is_blocking_copy(std::string_view call) {
  if (call.starts_with("cuda") || call.starts_with("hip")) {
    const std::string_view copy = call.substr(call.starts_with("cuda") ? 4 : 3);
    if (is_any(copy, {"Memcpy", "Memcpy2D", "Memcpy3D", "MemcpyToSymbol", "MemcpyFromSymbol", "MemcpyPeer"}))
      return true;
  }
  return is_any(call, {"AscendCL@aclrtMemcpy", "hipMemcpyWithStream", "hipMemcpyHtoD", "hipMemcpyDtoH", "hipMemcpyDtoD",
                       "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD", "cuMemcpy"});
}

/// Calls that give memory, code or a context back, which work on the device may still use.
bool releases(std::string_view call) {
  if (contains_any(call, {"Async", "Graph"})) return false;
  return contains_any(call, {"Free", "MemUnmap", "HostUnregister", "ModuleUnload", "LibraryUnload", "MemPoolTrim",
                             "DeviceReset", "ResetDevice", "CtxDestroy", "CtxReset", "CtxRelease"});
}

}  // namespace

Awaited awaited_by(std::string_view call) {
  if (is_blocking_copy(call)) return Awaited::own_copy;
  if (releases(call)) return Awaited::released;
  if (!call.ends_with("Synchronize") && !call.starts_with("AscendCL@aclrtSynchronize")) return Awaited::nothing;
  if (contains_any(call, {"Event", "Fence"})) return Awaited::event;
  if (contains_any(call, {"Stream", "Queue"})) return Awaited::stream;
  return contains_any(call, {"Device", "Ctx", "Context", "Thread"}) ? Awaited::device : Awaited::other;
}

bool asks_for_end(std::string_view call) {
  return contains_any(call, {"EventQuery", "StreamQuery", "QueryEvent"});
}

bool records_event(std::string_view call) {
  return contains_any(call, {"EventRecord", "RecordEvent"});
}

bool makes_stream_wait(std::string_view call) {
  return contains_any(call, {"StreamWaitEvent", "StreamWaitEvt"});
}

}  // namespace cgpu
