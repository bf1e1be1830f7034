// The categories that PyTorch's profiler (Kineto) has given its events since 2020, and what they mean. Its own traces
// have them, and so have Perfetto traces and execution traces of the same programs.
#pragma once

#include <string_view>

#include "model/timeline.h"

namespace cgpu::kineto {

/// The kind that a category gives to its duration events; `other` for one that Kineto does not write.
/// Sources: libkineto ActivityType (2021 to 2026); docs/definitions/device-time.md, "Device ops" and "ops".
SliceKind kind_of_category(std::string_view category);

/// The kind of one duration event: its category's, unless the name says otherwise.
SliceKind kind_of(SliceKind of_category, std::string_view category, std::string_view name);

/// What a slice of kind synchronization is; empty for one that is no wait of a known kind.
std::optional<Synchronization::Kind> kind_of_synchronization(std::string_view name);

/// Direction and memory kinds of a copy or memset, from its name: "Memcpy HtoD (Pinned -> Device)".
struct Transfer {
  CopyKind kind = CopyKind::none;
  MemoryKind source = MemoryKind::none;
  MemoryKind destination = MemoryKind::none;
};
Transfer transfer_of(SliceKind kind, std::string_view name);
/// The same from the argument that MTIA writes: "HOST_TO_DEVICE".
Transfer transfer_of_direction(std::string_view direction);

}  // namespace cgpu::kineto
