// The sections of a report: for each table what of it is shown and what the sentences say. Arithmetic on the rows only;
// every function wants a table with rows.
#pragma once

#include <cstdint>
#include <string>

#include "report/report.h"
#include "table/table.h"

namespace cgpu {

/// What the sentences about one table need to know of the others.
struct Scope {
  std::string device = "device";         // what to call one: "GPU" where the profile says that they are
  std::string unknown_utilization = {};  // why it is not known how busy the devices were; "" where it is
  bool several_ranks = false;            // more than one has device ops, steps or profiles
  bool several_devices = false;          // (rank, device) pairs with device ops
  int64_t device_op_ns = 0;              // sum of the durations of all device ops
};

/// Rows of a table on the page.
inline constexpr size_t kPageRows = 12;

Section describe_info(Table table, const Scope& scope);
Section describe_findings(Table table, const Scope& scope);
Section describe_devices(Table table, const Scope& scope);
Section describe_gpu_time(Table table, const Scope& scope);
Section describe_mfu(Table table, const Scope& scope);
Section describe_streams(Table table, const Scope& scope);
Section describe_steps(Table table, const Scope& scope);
Section describe_loops(Table table, const Scope& scope);
Section describe_micro_batches(Table table, const Scope& scope);
Section describe_experts(Table table, const Scope& scope);
Section describe_idle(Table table, const Scope& scope);
Section describe_kernel_classes(Table table, const Scope& scope);
Section describe_kernels(Table table, const Scope& scope);
Section describe_ops(Table table, const Scope& scope);
Section describe_api(Table table, const Scope& scope);
Section describe_processes(Table table, const Scope& scope);
Section describe_transfers(Table table, const Scope& scope);
Section describe_collectives(Table table, const Scope& scope);
Section describe_stragglers(Table table, const Scope& scope);
Section describe_rank_outliers(Table table, const Scope& scope);
Section describe_rank_path(Table table, const Scope& scope);
Section describe_launches(Table table, const Scope& scope);
Section describe_queue(Table table, const Scope& scope);
Section describe_ranges(Table table, const Scope& scope);
Section describe_memory(Table table, const Scope& scope);
Section describe_memory_at_peak(Table table, const Scope& scope);
Section describe_launch_metrics(Table table, const Scope& scope);
Section describe_launch_rules(Table table, const Scope& scope);
Section describe_et_ops(Table table, const Scope& scope);
Section describe_metrics(Table table, const Scope& scope);
Section describe_hot_path(Table table, const Scope& scope);
/// Whether table functions has rows, and a metric; then it can be described.
bool has_function_costs(const Table& functions);
Section describe_functions(Table table, const Scope& scope);
/// Whether table imbalance, by function, has functions of the program that several threads come to; then it can be
/// described.
bool has_divided_work(const Table& imbalance);
Section describe_imbalance(Table table, const Scope& scope);
Section describe_stalls(Table table, const Scope& scope);
Section describe_notes(Table table, const Scope& scope);

/// "rank 3, GPU 0", as much of it as tells the rows of this run apart; "the GPU" where there is one.
std::string place_of(const Table& table, RowView row, const Scope& scope);
/// The columns that place_of uses.
std::vector<std::string_view> place_columns(const Scope& scope);
/// A section whose page is the first `rows` rows (0 for all) of these columns.
Section section_of(std::string title, std::string summary, Table table, const std::vector<std::string_view>& columns,
                   size_t rows = kPageRows);

}  // namespace cgpu
