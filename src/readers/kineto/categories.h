// Kineto's categories, of every era, and what they mean.
#pragma once

#include <string_view>

#include "model/timeline.h"

namespace cgpu::kineto {

/// The kind of a duration event by its category and, where that does not decide, its name.
/// Sources: libkineto ActivityType (2021 to 2026); contract, "Device ops" and "ops".
SliceKind kind_of(std::string_view category, std::string_view name);

/// Whether the category is one that only Kineto writes (recognises a trace without a header).
bool is_kineto_category(std::string_view category);

/// Direction and memory kinds of a copy or memset, from its name: "Memcpy HtoD (Pinned -> Device)".
struct Transfer {
  CopyKind kind = CopyKind::none;
  MemoryKind source = MemoryKind::none;
  MemoryKind destination = MemoryKind::none;
};
Transfer transfer_of(SliceKind kind, std::string_view name);

}  // namespace cgpu::kineto
