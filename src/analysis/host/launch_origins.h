// Where the device ops of a run were launched from: the iteration, the framework op, the module and the annotation
// around the launch call.
//
// Device ops of graph replays have the framework op and the module that they were captured in, as in tables `ops` and
// `modules`; their iteration and annotation are those of the replay. Work of the backward pass has the module of its
// forward pass (module_calls.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/session_facts.h"
#include "base/string_pool.h"
#include "table/table.h"

namespace cgpu {

enum class LaunchOrigin : uint8_t { op, module, range };
const char* text_of(LaunchOrigin origin);   // "op", ...
const char* about_of(LaunchOrigin origin);  // what a column of it says
/// The number of the iteration, as a column.
Column launch_step_column();

/// Texts by device op.
struct TextsOfOps {
  StringPool texts;
  std::vector<StringId> of_op;  // StringPool::absent where there is none
};
/// The innermost framework op, the path of the innermost module, or the innermost annotation around the launch of each
/// device op. Absent where there is none, or the profile does not have the launch. O(n) in the slices.
TextsOfOps find_launch_origins(const SessionFacts& facts, size_t run, LaunchOrigin origin);
/// The same without the whole of a run that is a part: absent also where the launch lies outside of the part.
TextsOfOps find_launch_origins_in_part(const SessionFacts& facts, size_t run, LaunchOrigin origin);

/// The number of the iteration in whose mark each device op was launched; absent where it was launched in none. The
/// ops of an iteration are as many as `Step::device_ops` says. O(n log steps) in the device ops.
std::vector<std::optional<int64_t>> steps_of_launches(const SessionFacts& facts, size_t run);

}  // namespace cgpu
