// Table `compare_summary`: the figures of both runs beside each other.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "analysis/device/memory_peak.h"
#include "comparison/sides/iteration_spread.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

using Figure = PerSide<std::optional<double>>;

/// Durations of device ops by where they are found.
std::array<int64_t, 4> durations_by_status(const Comparison& comparison, Side side) {
  std::array<int64_t, 4> durations{};
  for (const Comparison::Group& group : comparison.groups()) {
    for (uint32_t index = 0; index < group.work[side]->nodes().size(); ++index) {
      const WorkNode& node = group.work[side]->node(index);
      if (is_device_work(node.kind)) {
        durations[static_cast<size_t>(group.alignment->node(side, index).status)] += node.duration;
      }
    }
  }
  return durations;
}

int64_t device_op_time(const Comparison& comparison, Side side) {
  const std::array<int64_t, 4> durations = durations_by_status(comparison, side);
  return std::accumulate(durations.begin(), durations.end(), int64_t{0});
}

/// What the ops computed and moved, and how much that is of what the devices could have.
template <typename Add>
void add_work_of_ops(const Comparison& comparison, Add add) {
  using Value = std::optional<double>;
  const auto figure = [&](auto value) {
    const auto of_side = [&](Side side) -> Value {
      const std::optional<OpWork>& work = comparison.work_of_ops(side);
      return work ? value(side, *work) : std::nullopt;
    };
    return Figure{of_side(Side::a), of_side(Side::b)};
  };
  const auto windows = [&](Side side) { return static_cast<double>(comparison.totals(side).divisor()); };
  const auto seconds = [&](Side side) { return static_cast<double>(comparison.totals(side).time) * 1e-9; };
  const auto divided = [](const Value& value, double by) { return value && by > 0 ? Value(*value / by) : Value(); };
  add("flops", "FLOP", figure([&](Side side, const OpWork& work) { return divided(work.flops, windows(side)); }));
  add("flops_per_s", "FLOP/s",
      figure([&](Side side, const OpWork& work) { return divided(work.flops, seconds(side)); }));
  add("mfu_pct", "%", figure([&](Side side, const OpWork& work) {
        const auto time = static_cast<double>(comparison.totals(side).time);
        return time > 0 ? work.matrix.mfu_pct(time) : std::nullopt;
      }));
  add("peak_known_pct", "%", figure([](Side, const OpWork& work) { return work.matrix.known_pct(); }));
  add("op_bytes", "bytes", figure([&](Side side, const OpWork& work) { return divided(work.bytes, windows(side)); }));
  add("op_bytes_per_s", "B/s",
      figure([&](Side side, const OpWork& work) { return divided(work.bytes, seconds(side)); }));
  const auto share = [&](int64_t OpWork::*ns) {
    return figure([&](Side side, const OpWork& work) {
      const Value known = work.flops || work.bytes ? Value(100 * static_cast<double>(work.*ns)) : Value();
      return divided(known, static_cast<double>(device_op_time(comparison, side)));
    });
  };
  add("flops_known_pct", "%", share(&OpWork::flops_ns));
  add("op_bytes_known_pct", "%", share(&OpWork::bytes_ns));
}

void append_figures(const Comparison& comparison, const TableOptions&, Table& table) {
  if (comparison.totals(Side::a).time == 0 && comparison.totals(Side::b).time == 0) return;  // no timelines
  const std::optional<Spread> spread = iteration_spread(comparison);
  const auto add = [&](const std::string& name, const std::string& unit, const Figure& figure, bool bounds = false) {
    if (!figure.a && !figure.b) return;
    Row row = {cell(name), cell(unit), cell(figure.a), cell(figure.b)};
    const bool both = figure.a && figure.b;
    row.push_back(both ? Cell(*figure.b - *figure.a) : Cell());
    row.push_back(both && *figure.a != 0 ? Cell(*figure.b / *figure.a) : Cell());
    row.push_back(bounds && spread ? Cell(spread->low) : Cell());
    row.push_back(bounds && spread ? Cell(spread->high) : Cell());
    table.append(row);
  };
  const auto figure_of = [&](auto value) { return Figure{value(Side::a), value(Side::b)}; };
  const auto count_of = [&](auto member) {
    return figure_of([&](Side side) { return static_cast<double>(comparison.totals(side).*member); });
  };
  const auto time_of = [&](auto value) {
    return figure_of([&](Side side) { return per_device_iteration(comparison, side, value(side)); });
  };
  add("ranks", "count",
      figure_of([&](Side side) { return static_cast<double>(comparison.facts(side).session().runs.size()); }));
  add("devices", "count", count_of(&SideTotals::devices));
  if (comparison.per_iteration()) {
    add("iterations", "count", count_of(&SideTotals::iterations));
    add("warm_up_iterations", "count", count_of(&SideTotals::warm_up));
  }
  add("time_ns", "ns", time_of([&](Side side) { return comparison.totals(side).time; }), true);
  const auto add_activity = [&](const char* name, int64_t DeviceActivity::*member) {
    add(name, "ns", time_of([&](Side side) { return comparison.activity(side).*member; }));
  };
  add_activity("busy_ns", &DeviceActivity::busy);
  add_activity("compute_ns", &DeviceActivity::compute);
  add_activity("communication_ns", &DeviceActivity::communication);
  add_activity("exposed_communication_ns", &DeviceActivity::exposed_communication);
  add_activity("exposed_memory_ns", &DeviceActivity::exposed_memory);

  add("idle_ns", "ns", time_of([&](Side side) { return comparison.activity(side).idle; }));
  std::map<std::string, PerSide<int64_t>> idle;  // by cause
  PerSide<int64_t> waiting;
  for (const Cause& cause : comparison.causes()) {
    for (const Side side : kSides) {
      if (cause.kind == CauseKind::idle) idle[cause.key.substr(0, cause.key.find(": "))][side] += cause.time[side];
      if (cause.kind == CauseKind::waiting) waiting[side] += cause.time[side];
    }
  }
  for (const auto& [cause, time] : idle) {
    add("idle_" + cause + "_ns", "ns", time_of([&, ns = time](Side side) { return ns[side]; }));
  }
  if (waiting.a + waiting.b > 0) add("waiting_for_ranks_ns", "ns", time_of([&](Side side) { return waiting[side]; }));

  add("device_ops", "count", time_of([&](Side side) { return comparison.totals(side).device_ops; }));
  const PerSide<std::array<int64_t, 4>> durations{durations_by_status(comparison, Side::a),
                                                  durations_by_status(comparison, Side::b)};
  const auto sum_of = [&](Side side) { return device_op_time(comparison, side); };
  add("device_op_time_ns", "ns", time_of(sum_of));
  const auto share_of = [&](std::initializer_list<Status> wanted) {
    return figure_of([&](Side side) -> std::optional<double> {
      if (sum_of(side) == 0) return std::nullopt;
      int64_t part = 0;
      for (const Status status : wanted) part += durations[side][static_cast<size_t>(status)];
      return 100.0 * static_cast<double>(part) / static_cast<double>(sum_of(side));
    });
  };
  add("device_op_time_of_both_pct", "%", share_of({Status::both}));
  add("device_op_time_of_one_side_pct", "%", share_of({Status::only_a, Status::only_b}));
  add("device_op_time_of_orphans_pct", "%", share_of({Status::orphan}));
  Alignment::TopLevel top;
  for (const Comparison::Group& group : comparison.groups()) {
    for (const Side side : kSides) {
      top.ops[side] += group.alignment->top_level().ops[side];
      top.aligned[side] += group.alignment->top_level().aligned[side];
    }
  }
  if (top.ops.a + top.ops.b > 0) {
    add("top_level_ops", "count", figure_of([&](Side side) { return static_cast<double>(top.ops[side]); }));
    add("top_level_ops_of_both", "count", figure_of([&](Side side) { return static_cast<double>(top.aligned[side]); }));
  }
  const auto each = [&](Side side, std::optional<int64_t> value) {
    return value ? std::optional(per_device_iteration(comparison, side, *value)) : std::nullopt;
  };
  add("launches", "count", figure_of([&](Side side) {
        const int64_t launches = comparison.activity(side).launches;
        return each(side, launches == 0 ? std::nullopt : std::optional(launches));
      }));
  add("copied_bytes", "bytes",
      figure_of([&](Side side) { return each(side, comparison.activity(side).copied_bytes); }));
  add_work_of_ops(comparison, add);
  add("peak_memory_bytes", "bytes",
      figure_of([&](Side side) -> std::optional<double> { return peak_of_devices(comparison.memory(side)); }));
}

}  // namespace

ComparisonTable compare_summary_table() {
  return {.name = "compare_summary",
          .about =
              "figures of both runs: times and counts of one iteration on one device, of the whole where the runs "
              "have no iterations",
          .columns = {key_column("name", "which figure, with its unit"),
                      text_column("unit", "ns, count, bytes, FLOP, %, or one of these a second"),
                      real_column("a", "", "in A"), real_column("b", "", "in B"),
                      main_column(real_column("delta", "", "b - a")), main_column(real_column("ratio", "", "b / a")),
                      detail_column(
                          real_column("low", "", "lower bound of delta at 95 %, from the spread of the iterations")),
                      detail_column(real_column("high", "", "upper bound"))},
          .append_rows = append_figures,
          .per_iteration = true};
}

}  // namespace cgpu
