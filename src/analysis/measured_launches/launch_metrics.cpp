// Table `launch_metrics`: one row a kernel launch that a kernel profiler measured. O(1) a launch.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/common/columns.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/measured_launches/launch_bound.h"
#include "analysis/measured_launches/launch_columns.h"
#include "analysis/tables.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

Cell extent_cell(const std::optional<std::array<int64_t, 3>>& extent) {
  if (!extent) return {};
  return fmt::format("{}x{}x{}", (*extent)[0], (*extent)[1], (*extent)[2]);
}

Cell intensity_of(const ProfiledLaunch& launch) {
  if (!launch.flops_per_s || !launch.dram_bytes_per_s || *launch.dram_bytes_per_s <= 0) return {};
  return *launch.flops_per_s / *launch.dram_bytes_per_s;
}

Table launch_metrics_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  const bool base_names = has_base_names(options);
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      std::string kernel = full_kernel_name(launch.kernel);
      if (base_names) kernel = base_kernel_name(kernel);
      table.append({run.rank,
                    launch.id,
                    std::move(kernel),
                    extent_cell(launch.grid),
                    extent_cell(launch.block),
                    cell(launch.duration_ns),
                    cell(launch.compute_pct),
                    cell(launch.memory_pct),
                    cell(launch.dram_pct),
                    cell(launch.l1_pct),
                    cell(launch.l2_pct),
                    cell(launch.achieved_occupancy_pct),
                    cell(launch.theoretical_occupancy_pct),
                    cell(launch.registers),
                    cell(bound_of(launch)),
                    cell(launch.flops_per_s),
                    intensity_of(launch),
                    cell(launch.dram_bytes_per_s),
                    cell(launch.shared_bytes),
                    launch.device ? Cell(int64_t{*launch.device}) : Cell(),
                    cell(launch.stream)});
    }
  }
  return table;
}

}  // namespace

Analysis launch_metrics_analysis() {
  return {
      .name = "launch_metrics",
      .about =
          "kernel launches that a kernel profiler measured one by one; their durations are not those of the "
          "program",
      .subject = Subject::launches,
      .columns =
          {rank_column(),
           launch_column(),
           key_column("kernel", "name of the device function"),
           text_column("grid", "blocks in x, y and z"),
           text_column("block", "threads of a block in x, y and z"),
           time_column("duration_ns", "replayed alone, at fixed clocks and with cold caches unless told otherwise"),
           real_column("compute_pct", "%", "of what the multiprocessors could sustain"),
           real_column("memory_pct", "%", "of what the busiest part of the memory system could sustain"),
           real_column("dram_pct", "%", "of what the device memory could sustain"),
           real_column("l1_pct", "%", "of what the L1 caches could sustain while multiprocessors were active"),
           real_column("l2_pct", "%", "of what the L2 cache could sustain"),
           real_column("achieved_occupancy_pct", "%", "warps that were resident, of those a multiprocessor holds"),
           real_column("theoretical_occupancy_pct", "%",
                       "warps that registers, shared memory and block size let in, of those a multiprocessor holds"),
           count_column("registers", "registers of a thread"),
           text_column("bound", "what limits it: compute, memory, balanced (both) or latency (neither)"),
           real_column("flops_per_s", "FLOP/s",
                       "floating-point operations, a multiply-add being two; absent where not all were counted"),
           real_column("intensity", "FLOP/byte", "floating-point operations for a byte of device memory traffic"),
           real_column("dram_bytes_per_s", "B/s", "traffic of the device memory, both directions"),
           bytes_column("shared_bytes", "static and dynamic shared memory of a block"),
           device_column(),
           stream_column()},
      .options = {kNamesOption},
      .applies = [](const ProfileCounts& counts) { return counts.measured_launches > 0; },
      .whole = launch_metrics_table};
}

}  // namespace cgpu
