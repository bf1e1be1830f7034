// What the names in an Ascend profile mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/timeline.h"

namespace cgpu::ascend {

/// Framework records of iterations, data loading and optimizer steps: ranges, though they are written as ops.
bool is_range(std::string_view op);

/// "hcom_allReduce__428_0_1": a collective, its group (the last three digits of the group's id), its number.
bool is_communication_name(std::string_view name);
/// "allreduce" of "hcom_allReduce__428_0_1", "hcom_allReduce_" and "HcclAllReduce".
std::string collective_name(std::string_view name);
/// "428" of "hcom_allReduce__428_0_1", the last digits of the group's id; "" where there are none.
std::string group_digits(std::string_view op);

/// The id under which communication.json knows a group, from its name: two polynomial hashes (29 and 131) of 32 bits,
/// side by side.
std::string group_id(std::string_view group_name);

/// What a device task is, by its type ("AI_CORE", "SDMA_SQE", ...) and name.
SliceKind kind_of_task(std::string_view type, std::string_view name);
/// What a task of kind synchronization is; empty for one that has nothing to do with events.
std::optional<Synchronization::Kind> kind_of_event_task(std::string_view type, std::string_view name);
/// Whether a task of this name only schedules a collective, on the AI CPU or a vector core.
bool schedules_communication(std::string_view name);

/// "host to device", "ACL_MEMCPY_DEVICE_TO_HOST", ...
CopyKind copy_kind_of(std::string_view operation);
MemoryKind source_of(CopyKind kind);
MemoryKind destination_of(CopyKind kind);

}  // namespace cgpu::ascend
