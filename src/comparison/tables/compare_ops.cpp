// Table `compare_ops`: the ops of two runs that are the same work, and those on one side only, with their device work.
#include <map>
#include <string>
#include <utility>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

const TableOption kOpsBy{
    .name = "by",
    .kind = TableOption::Kind::choice,
    .fallback = "op",
    .about =
        "op: the innermost op that both sides have; top: the outermost op; shapes: the op with the "
        "shapes of its inputs",
    .choices = {"op", "top", "shapes"}};

struct OpSum {
  PerSide<int64_t> count;
  PerSide<int64_t> duration;
};

uint32_t outermost_op(const MergedWork& work, uint32_t node) {
  uint32_t found = node;
  for (uint32_t above = work.node(node).parent; above != kNone; above = work.node(above).parent) {
    if (work.node(above).kind == WorkKind::op) found = above;
  }
  return found;
}

/// Of device work in no op that has another name on the other side, both names.
std::string name_of_place(const Comparison& comparison, const Comparison::Group& group, Side side, uint32_t place) {
  std::string own(comparison.text(group.work[side]->node(place).label));
  const uint32_t partner = group.alignment->node(side, place).partner;
  if (partner == kNone || !is_device_work(group.work[side]->node(place).kind)) return own;
  const std::string theirs(comparison.text(group.work[other(side)]->node(partner).label));
  if (own == theirs) return own;
  return side == Side::a ? own + " -> " + theirs : theirs + " -> " + own;
}

void append_ops(const Comparison& comparison, const TableOptions& options, Table& table) {
  const std::string by = options.text(kOpsBy);
  std::map<std::pair<std::string, Status>, OpSum> sums;
  for (const Comparison::Group& group : comparison.groups()) {
    for (const Side side : kSides) {
      const MergedWork& work = *group.work[side];
      for (uint32_t index = 0; index < work.nodes().size(); ++index) {
        const WorkNode& node = work.node(index);
        if (!is_device_work(node.kind)) continue;
        const AlignedNode& aligned = group.alignment->node(side, index);
        const uint32_t place = by == "top" && node.kind != WorkKind::orphan ? outermost_op(work, index) : aligned.place;
        std::string key = name_of_place(comparison, group, side, place);
        if (by == "shapes" && work.node(place).shapes != 0) {
          key += ' ';
          key += comparison.text(work.node(place).shapes);
        }
        OpSum& sum = sums[{std::move(key), aligned.status}];
        sum.count[side] += node.count;
        sum.duration[side] += node.duration;
      }
    }
  }
  const auto shares = shares_of(comparison, sums, [](const auto& row, Side side) { return row.second.duration[side]; });
  int64_t change = 0;
  for (const auto& [a, b] : shares) change += b - a;
  auto share = shares.begin();
  for (const auto& [key, sum] : sums) {
    const auto [a, b] = *share++;
    Row row = {cell(key.first),
               cell(text_of(key.second)),
               per_device_iteration(comparison, Side::a, sum.count.a),
               per_device_iteration(comparison, Side::b, sum.count.b),
               a,
               b,
               b - a,
               speedup_of(a, b),
               percent_of(b - a, change)};
    append_split(comparison, sum.count, sum.duration, row);
    table.append(row);
  }
  sort_most_changed(table, "delta_ns");
}

}  // namespace

ComparisonTable compare_ops_table() {
  return {.name = "compare_ops",
          .about =
              "framework ops that are the same work in both runs, and those of one run only, with the durations of "
              "their device ops; of device work without ops, the device ops themselves",
          .columns = with_split(
              {key_column("key", "the innermost op that both sides have, or the op on one side"),
               detail_column(key_column("status", "both, only_a, only_b, or orphan: nothing says where it belongs")),
               real_column("count_a", "count", "device ops in A, of one iteration on one device"),
               real_column("count_b", "count", "in B"),
               time_column("device_a_ns", "durations of these device ops in A, of one iteration on one device"),
               time_column("device_b_ns", "in B"), main_column(time_column("delta_ns", "b - a")),
               main_column(real_column("speedup", "", "a / b")),
               real_column("share_pct", "%", "of the change of the durations of all device ops")},
              "of one device op"),
          .options = {kOpsBy},
          .append_rows = append_ops,
          .per_iteration = true};
}

}  // namespace cgpu
