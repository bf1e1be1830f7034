// Table `compare_kernels`: device ops of two runs by name or class, whichever ops launched them.
#include <map>
#include <string>

#include "analysis/device/device_ops.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

const TableOption kKernelsBy{.name = "by",
                             .kind = TableOption::Kind::choice,
                             .fallback = "kernel",
                             .about = "kernel: names without template arguments and numbers; class: classes of kernels",
                             .choices = {"kernel", "class"}};

struct KernelSum {
  KernelClass kernel_class = KernelClass::unknown;
  PerSide<int64_t> count;
  PerSide<int64_t> time;
};

void append_kernels(const Comparison& comparison, const TableOptions& options, Table& table) {
  const bool by_class = options.text(kKernelsBy) == "class";
  std::map<std::string, KernelSum> sums;
  for (const Comparison::Group& group : comparison.groups()) {
    for (const Side side : kSides) {
      for (const size_t run : group.runs[side]) {
        const Timeline& timeline = comparison.facts(side).run(run).timeline;
        const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
        const std::vector<Label>& labels = comparison.labels_of_ops(side, run);
        for (OpIndex op = 0; op < nodes.size(); ++op) {
          if (nodes[op] == kNone) continue;
          const KernelClass kernel_class = class_of(timeline, op);
          KernelSum& sum = sums[std::string(by_class ? text_of(kernel_class) : comparison.text(labels[op]))];
          sum.kernel_class = kernel_class;
          sum.count[side] += comparison.is_counted(side, run, op) ? 1 : 0;
          sum.time[side] += timeline.slices.duration[timeline.device_ops.slice[op]];
        }
      }
    }
  }
  const auto shares = shares_of(comparison, sums, [](const auto& row, Side side) { return row.second.time[side]; });
  auto share = shares.begin();
  for (const auto& [name, sum] : sums) {
    const auto [a, b] = *share++;
    const Status status = sum.count.b == 0 ? Status::only_a : sum.count.a == 0 ? Status::only_b : Status::both;
    Row row = {cell(name),
               cell(text_of(sum.kernel_class)),
               cell(text_of(status)),
               per_device_iteration(comparison, Side::a, sum.count.a),
               per_device_iteration(comparison, Side::b, sum.count.b),
               a,
               b,
               b - a,
               speedup_of(a, b)};
    append_split(comparison, sum.count, sum.time, row);
    table.append(row);
  }
  sort_most_changed(table, "delta_ns");
}

}  // namespace

ComparisonTable compare_kernels_table() {
  return {
      .name = "compare_kernels",
      .about =
          "device ops of both runs by name or class, whatever launched them; their times are those of all device "
          "ops",
      .columns = with_split(
          {key_column("name", "of the kernel without template arguments and numbers, or the class"),
           key_column("class", "class of the kernel"), detail_column(key_column("status", "both, only_a or only_b")),
           real_column("count_a", "count", "in A, of one iteration on one device"),
           real_column("count_b", "count", "in B"),
           time_column("total_a_ns", "durations in A, of one iteration on one device"),
           time_column("total_b_ns", "in B"), main_column(time_column("delta_ns", "b - a")),
           main_column(real_column("speedup", "", "a / b"))},
          "of one of them"),
      .options = {kKernelsBy},
      .append_rows = append_kernels,
      .per_iteration = true};
}

}  // namespace cgpu
