#include "analysis/idle/idle_causes.h"

#include <algorithm>
#include <array>

#include "analysis/common/name_rules.h"
#include "links/waiting_calls.h"

namespace cgpu {

namespace {

constexpr std::array<std::string_view, kIdleCauses> kTexts = {
    "synchronization",    "blocking_copy", "data_loading", "allocation",        "compilation",  "module_load",
    "garbage_collection", "lock",          "io",           "not_scheduled",     "no_work",      "host_code",
    "launch_overhead",    "dependency",    "other_rank",   "profiler_overhead", "profile_edge", "unknown"};

std::optional<IdleCause> cause_called(std::string_view text) {
  const auto* const at = std::find(kTexts.begin(), kTexts.end(), text);
  return at == kTexts.end() ? std::nullopt : std::optional(static_cast<IdleCause>(at - kTexts.begin()));
}

std::optional<IdleCause> cause_of_call(std::string_view name) {
  const Awaited awaited = awaited_by(name);
  if (awaited == Awaited::own_copy) return IdleCause::blocking_copy;
  if (awaited != Awaited::nothing && awaited != Awaited::released) return IdleCause::synchronization;
  return cause_called(label_of(NameList::idle_call, name));
}

std::optional<IdleCause> cause_of_other(SliceKind kind, std::string_view name) {
  if (kind == SliceKind::os_call) {
    if (const auto cause = cause_called(label_of(NameList::idle_os_call, name))) return cause;
  }
  return cause_called(label_of(NameList::idle_host, name));
}

}  // namespace

bool waits_for_event(std::string_view name) {
  return is_in(NameList::event_wait, name);
}

bool is_sleep(std::string_view name) {
  return is_in(NameList::sleep, name);
}

std::string_view text_of(IdleCause cause) {
  return kTexts[static_cast<size_t>(cause)];
}

std::optional<IdleCause> cause_named_by(SliceKind kind, std::string_view name) {
  if (is_call(kind)) return cause_of_call(name);
  if (is_host(kind)) return cause_of_other(kind, name);
  if (kind == SliceKind::overhead || kind == SliceKind::other) {
    return cause_called(label_of(NameList::idle_driver, name));
  }
  return std::nullopt;
}

}  // namespace cgpu
