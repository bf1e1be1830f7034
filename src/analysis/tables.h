// The list of all tables, in the order in which they are shown. A new table is a line here and a file that defines
// `Analysis NAME_analysis()`: what the table is and how it is computed (analysis.h).
#pragma once

#include "analysis/analysis.h"

namespace cgpu {

#define CGPU_TABLES(TABLE)   \
  TABLE(info)                \
  TABLE(findings)            \
  TABLE(unreported_rules)    \
  TABLE(notes)               \
  TABLE(devices)             \
  TABLE(gpu_time)            \
  TABLE(ascend_overlap)      \
  TABLE(utilization)         \
  TABLE(stream_utilization)  \
  TABLE(streams)             \
  TABLE(overlap)             \
  TABLE(kernels)             \
  TABLE(kernel_classes)      \
  TABLE(occupancy)           \
  TABLE(ops)                 \
  TABLE(op_shapes)           \
  TABLE(mfu)                 \
  TABLE(experts)             \
  TABLE(modules)             \
  TABLE(api)                 \
  TABLE(os_calls)            \
  TABLE(threads)             \
  TABLE(processes)           \
  TABLE(thread_utilization)  \
  TABLE(transfers)           \
  TABLE(transfer_overlap)    \
  TABLE(memory_bandwidth)    \
  TABLE(launches)            \
  TABLE(queue)               \
  TABLE(queue_length)        \
  TABLE(idle)                \
  TABLE(idle_hosts)          \
  TABLE(idle_gaps)           \
  TABLE(idle_streams)        \
  TABLE(steps)               \
  TABLE(layers)              \
  TABLE(loops)               \
  TABLE(micro_batches)       \
  TABLE(critical_path)       \
  TABLE(critical_path_trace) \
  TABLE(op_dependencies)     \
  TABLE(replay)              \
  TABLE(whatif)              \
  TABLE(ranges)              \
  TABLE(collectives)         \
  TABLE(exposed_collectives) \
  TABLE(stragglers)          \
  TABLE(rank_outliers)       \
  TABLE(rank_path)           \
  TABLE(rank_activity)       \
  TABLE(clocks)              \
  TABLE(memory)              \
  TABLE(memory_steps)        \
  TABLE(memory_over_time)    \
  TABLE(memory_at_peak)      \
  TABLE(counters)            \
  TABLE(launch_metrics)      \
  TABLE(launch_rules)        \
  TABLE(launch_values)       \
  TABLE(launch_stalls)       \
  TABLE(launch_sections)     \
  TABLE(launch_instructions) \
  TABLE(launch_lines)        \
  TABLE(instruction_counts)  \
  TABLE(metrics)             \
  TABLE(profiles)            \
  TABLE(call_tree)           \
  TABLE(hot_path)            \
  TABLE(functions)           \
  TABLE(callers)             \
  TABLE(imbalance)           \
  TABLE(stalls)              \
  TABLE(stall_places)        \
  TABLE(et_ops)              \
  TABLE(et_shapes)           \
  TABLE(device_ops)          \
  TABLE(activities)          \
  TABLE(kernel_grids)        \
  TABLE(api_trace)           \
  TABLE(device_trace)        \
  TABLE(launch_trace)        \
  TABLE(range_trace)         \
  TABLE(range_kernels)       \
  TABLE(slices)              \
  TABLE(tracks)              \
  TABLE(links)               \
  TABLE(waits)               \
  TABLE(counter_samples)     \
  TABLE(memory_events)

#define CGPU_DECLARE_TABLE(name) Analysis name##_analysis();
CGPU_TABLES(CGPU_DECLARE_TABLE)
#undef CGPU_DECLARE_TABLE

}  // namespace cgpu
