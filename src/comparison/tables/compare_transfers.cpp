// Table `compare_transfers`: copies and memsets of two runs by direction and kind of memory, as `transfers` has them.
#include <map>
#include <tuple>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

/// Direction, memory that is read, memory that is written.
using Route = std::tuple<CopyKind, MemoryKind, MemoryKind>;

struct TransferSum {
  PerSide<int64_t> count;
  PerSide<int64_t> bytes;  // of those with a size
  PerSide<int64_t> time;
  PerSide<int64_t> sized_time;  // of those with a size
};

void append_transfers(const Comparison& comparison, const TableOptions&, Table& table) {
  std::map<Route, TransferSum> sums;
  for (const Side side : kSides) {
    for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
      const Timeline& timeline = comparison.facts(side).run(run).timeline;
      const DeviceOps& ops = timeline.device_ops;
      const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
      for (OpIndex op = 0; op < nodes.size(); ++op) {
        const SliceKind kind = timeline.kind(ops.slice[op]);
        if (nodes[op] == kNone || (kind != SliceKind::memcpy && kind != SliceKind::memset)) continue;
        TransferSum& sum = sums[{ops.copy[op], ops.source[op], ops.destination[op]}];
        const int64_t duration = timeline.slices.duration[ops.slice[op]];
        ++sum.count[side];
        sum.time[side] += duration;
        if (ops.bytes[op] < 0) continue;
        sum.bytes[side] += ops.bytes[op];
        sum.sized_time[side] += duration;
      }
    }
  }
  const auto times = shares_of(comparison, sums, [](const auto& row, Side side) { return row.second.time[side]; });
  const auto bytes = shares_of(comparison, sums, [](const auto& row, Side side) { return row.second.bytes[side]; });
  size_t at = 0;
  const auto memory = [](MemoryKind kind) { return kind == MemoryKind::none ? Cell() : cell(text_of(kind)); };
  for (const auto& [route, sum] : sums) {
    const auto& [kind, source, destination] = route;
    const auto bandwidth = [&sum = sum](Side side) {  // bytes a nanosecond are GB/s
      return sum.sized_time[side] == 0
                 ? Cell()
                 : Cell(static_cast<double>(sum.bytes[side]) / static_cast<double>(sum.sized_time[side]));
    };
    const PerSide<int64_t>& time = times[at];
    const PerSide<int64_t>& size = bytes[at++];
    Row row = {cell(text_of(kind)),
               memory(source),
               memory(destination),
               per_device_iteration(comparison, Side::a, sum.count.a),
               per_device_iteration(comparison, Side::b, sum.count.b),
               size.a,
               size.b,
               time.a,
               time.b,
               time.b - time.a,
               bandwidth(Side::a),
               bandwidth(Side::b)};
    append_split(comparison, sum.count, sum.time, row);
    table.append(row);
  }
  sort_most_changed(table, "delta_ns");
}

}  // namespace

ComparisonTable compare_transfers_table() {
  return {.name = "compare_transfers",
          .about = "copies and memsets of both runs by direction and kind of memory, of one iteration on one device",
          .columns = with_split(
              {key_column("direction", "HtoD, DtoH, ..., Memset"), key_column("source", "memory that is read"),
               key_column("destination", "memory that is written"), real_column("count_a", "count", "in A"),
               real_column("count_b", "count", "in B"), bytes_column("bytes_a", "in A"),
               bytes_column("bytes_b", "in B"), time_column("a_ns", "durations in A"), time_column("b_ns", "in B"),
               main_column(time_column("delta_ns", "b - a")),
               real_column("bandwidth_a", "GB/s", "in A, while they ran"), real_column("bandwidth_b", "GB/s", "in B")},
              "of one of them"),
          .append_rows = append_transfers,
          .per_iteration = true};
}

}  // namespace cgpu
