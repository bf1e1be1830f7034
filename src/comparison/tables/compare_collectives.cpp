// Table `compare_collectives`: communication of two runs by collective and group, the time in which it waited for other
// ranks apart.
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

struct CollectiveSum {
  PerSide<int64_t> count;
  PerSide<int64_t> bytes;
  PerSide<int64_t> time;
  PerSide<int64_t> waiting;
};

/// The communication of a run that lies in the compared time, by slice.
std::unordered_set<SliceIndex> compared_communication(const Comparison& comparison, Side side, size_t run) {
  const DeviceOps& ops = comparison.facts(side).run(run).timeline.device_ops;
  const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
  std::unordered_set<SliceIndex> slices;
  for (OpIndex op = 0; op < nodes.size(); ++op) {
    if (nodes[op] != kNone && ops.kind[op] == OpKind::communication) slices.insert(ops.slice[op]);
  }
  return slices;
}

void append_collectives(const Comparison& comparison, const TableOptions&, Table& table) {
  std::map<std::pair<std::string, std::string>, CollectiveSum> sums;
  for (const Side side : kSides) {
    const SessionFacts& facts = comparison.facts(side);
    std::vector<std::unordered_set<SliceIndex>> compared;
    for (size_t run = 0; run < facts.session().runs.size(); ++run) {
      compared.push_back(compared_communication(comparison, side, run));
    }
    for (const CollectiveSeries& series : facts.collectives()) {
      CollectiveSum& sum = sums[{series.name, series.group.value_or("")}];
      for (const CollectiveMember& member : series.members) {
        for (uint32_t i = member.first; i < member.end; ++i) {
          const CollectivePart part = series.parts.row(i);
          if (!compared[member.run].contains(part.slice)) continue;
          ++sum.count[side];
          sum.bytes[side] += std::max<int64_t>(part.bytes, 0);
          if (series.is_of_op_before(i, member)) continue;
          sum.time[side] += part.duration;
          sum.waiting[side] +=
              waiting_of(comparison.ends_of_waits(side, member.run), part.slice, {part.start, part.end()});
        }
      }
    }
  }
  std::erase_if(sums, [](const auto& row) { return row.second.count.a + row.second.count.b == 0; });
  const auto shares = [&](PerSide<int64_t> CollectiveSum::*member) {
    return shares_of(comparison, sums, [&](const auto& row, Side side) { return (row.second.*member)[side]; });
  };
  const auto bytes = shares(&CollectiveSum::bytes);
  const auto times = shares(&CollectiveSum::time);
  const auto waits = shares(&CollectiveSum::waiting);
  size_t at = 0;
  for (const auto& [key, sum] : sums) {
    const PerSide<int64_t>& size = bytes[at];
    const PerSide<int64_t>& time = times[at];
    const PerSide<int64_t>& wait = waits[at++];
    Row row = {cell(key.first),
               key.second.empty() ? Cell() : cell(key.second),
               per_device_iteration(comparison, Side::a, sum.count.a),
               per_device_iteration(comparison, Side::b, sum.count.b),
               size.a,
               size.b,
               time.a,
               time.b,
               time.b - time.a,
               wait.a,
               wait.b,
               wait.b - wait.a};
    append_split(comparison, sum.count, sum.time, row);
    table.append(row);
  }
  sort_most_changed(table, "delta_ns");
}

}  // namespace

ComparisonTable compare_collectives_table() {
  return {.name = "compare_collectives",
          .about =
              "communication of both runs by collective and group, of one iteration on one device; what of it was "
              "waiting for other ranks, where their clocks can be compared",
          .columns = with_split({key_column("collective", "as in collectives"), key_column("group", "that takes part"),
                                 real_column("count_a", "count", "in A"), real_column("count_b", "count", "in B"),
                                 bytes_column("bytes_a", "of the collectives of known size, in A"),
                                 bytes_column("bytes_b", "in B"), time_column("a_ns", "durations in A"),
                                 time_column("b_ns", "in B"), main_column(time_column("delta_ns", "b - a")),
                                 time_column("waiting_a_ns", "of a_ns, until the last of the others began"),
                                 time_column("waiting_b_ns", "of b_ns"), time_column("waiting_delta_ns", "b - a")},
                                "of one of them"),
          .append_rows = append_collectives,
          .per_iteration = true};
}

}  // namespace cgpu
