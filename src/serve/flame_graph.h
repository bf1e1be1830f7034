// Flame graphs: stacks folded by name, from nested host slices with the device work below the calls that launched it,
// or from a call tree.
//
// Folding is O(slices) (analysis/call_tree/stack_tree.h), of idle time what session_idle.h says; what is made of the
// folded tree costs O(nodes), bottom-up O(nodes x depth).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/call_tree/stack_tree.h"
#include "analysis/session_facts.h"
#include "model/run.h"

namespace cgpu {

/// By the time of the host slices themselves.
StackTree fold_host_time(const Session& session, StepFrames steps);
/// By the time of the device ops, below the calls that launched them; those whose launch is unknown have a root.
StackTree fold_device_time(const Session& session, StepFrames steps);
/// By the time in which devices were idle, below the host slices that were to blame, each with the causes as leaves.
StackTree fold_idle_time(const SessionFacts& facts, StepFrames steps);
/// By a metric of the call trees, which divides among the parts of a program.
StackTree fold_call_trees(const Session& session, const std::string& metric);

/// Only what the function called `name` costs with what it calls; callers keep that share.
StackTree focus_on(const StackTree& tree, std::string_view name);
/// From callees to callers: each function by what it costs itself, split over its callers; with a focus that function
/// alone, by what it costs with what it calls.
StackTree inverted(const StackTree& tree, const std::optional<std::string>& focus);
/// In pre-order, children by falling value; nodes below `share` of the total are added up in "(other)" of their parent.
StackTree pruned(const StackTree& tree, double share);

}  // namespace cgpu
