#include "analysis/idle/idle_causes.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "links/waiting_calls.h"

namespace cgpu {

namespace {

using Names = std::initializer_list<std::string_view>;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool contains_any(std::string_view text, Names parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return contains(text, part); });
}
bool is_any(std::string_view text, Names names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

std::optional<IdleCause> cause_of_call(std::string_view name) {
  const Awaited awaited = awaited_by(name);
  if (awaited != Awaited::nothing) {
    return awaited == Awaited::own_copy ? IdleCause::blocking_copy : IdleCause::synchronization;
  }
  if (contains_any(name, {"ModuleLoad", "LibraryLoad", "LinkCreate", "LinkAdd", "LinkComplete"})) {
    return IdleCause::module_load;
  }
  if (contains_any(name, {"Malloc", "MemAlloc", "HostAlloc", "HostRegister", "MemCreate", "MemMap", "MemAddressReserve",
                          "Free"})) {
    return IdleCause::allocation;
  }
  return std::nullopt;
}

/// "cudaStreamSynchronize" as a range, "file.py(12): synchronize", "<built-in function _cuda_synchronize>",
/// "<built-in method synchronize of ...>".
bool is_synchronizing(std::string_view name) {
  return name.ends_with("Synchronize") || name.ends_with("synchronize") ||
         (name.starts_with("<built-in ") && contains_any(name, {"synchronize>", "synchronize of "}));
}

std::optional<IdleCause> cause_of_other(std::string_view name) {
  if (is_synchronizing(name)) return IdleCause::synchronization;
  if (contains(name, "DataLoader")) return IdleCause::data_loading;
  if (contains(name, "gc.collect") || name.starts_with("gc:") || name == "Python GC") {
    return IdleCause::garbage_collection;
  }
  if (contains(name, "acquire of _thread") || is_any(name, {"pthread_mutex_lock", "pthread_cond_wait", "sem_wait"})) {
    return IdleCause::lock;
  }
  return std::nullopt;
}

}  // namespace

std::string_view text_of(IdleCause cause) {
  static constexpr std::array<std::string_view, kIdleCauses> texts = {
      "synchronization", "blocking_copy",      "data_loading", "allocation",
      "module_load",     "garbage_collection", "lock",         "host_code",
      "launch_overhead", "dependency",         "other_rank",   "profiler_overhead",
      "unknown"};
  return texts[static_cast<size_t>(cause)];
}

std::optional<IdleCause> cause_named_by(SliceKind kind, std::string_view name) {
  if (is_call(kind)) return cause_of_call(name);
  return is_host(kind) ? cause_of_other(name) : std::nullopt;
}

}  // namespace cgpu
