// The pictures of the page, each a <figure> with a title, a legend and an inline SVG. A function answers "" where there
// is nothing to draw.
#pragma once

#include <string>

#include "report/report.h"
#include "table/table.h"

namespace cgpu {

/// The span of each device as a stacked bar.
std::string draw_device_time(const Table& gpu_time, std::string_view idle_word);
/// A heat map of four devices or more: for what each takes longer or shorter than the median of them, idle time by its
/// causes where the table `idle` (null for none) has them. All colours are of one scale of time. Beyond 128 rows, of
/// each group of neighbours the one that deviates most.
std::string draw_deviations(const Table& gpu_time, const Table* idle);
/// Every step as a stacked column; beyond what a page can hold, the longest of each group of neighbours.
std::string draw_steps(const Table& steps);
/// Idle time by cause, from the page of the section, which sums over the devices.
std::string draw_idle(const Table& page);
std::string draw_kernel_classes(const Table& kernel_classes);
std::string draw_kernels(const Table& kernels);
/// Framework ops by own time on the host.
std::string draw_ops(const Table& ops);
/// Bytes by direction and kind of memory.
std::string draw_transfers(const Table& transfers);
/// What the devices of `gpu_time` did over time, a strip a device, out of the histories or, without these, out of table
/// `rank_activity`; of more than 32 devices the heat map. `steps` (null for none) marks where steps begin.
std::string draw_timeline(const std::vector<RunHistory>& runs, const Table& rank_activity, const Table& gpu_time,
                          const Table* steps);
/// A heat map of what many devices did over time: a row a device, in each column the colour of what most of that time
/// went to. Beyond 128 rows, of each group of neighbours the device that falls behind the median device most.
std::string draw_activity(const Table& rank_activity, const Table* steps);
/// Step time, or the metric of a call tree, and peak of memory over the runs of table `history`, a picture a series, of
/// the first series with two runs or more; with the levels and the changes of them in table `history_changes`.
std::string draw_history(const Table& history, const Table& changes);
/// The allocator's totals over time.
std::string draw_memory(const std::vector<RunHistory>& runs);

}  // namespace cgpu
