// Table `mfu`: what the framework ops of each device computed and moved, per second and as a share of what the device
// could (docs/definitions/operators.md, "mfu").
//
// Reads the arguments of every framework op from the profile again, as `op_shapes` does; else O(n) in the slices.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_models.h"
#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/costed_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

TableOption by_option() {
  return {.name = "by",
          .kind = TableOption::Kind::choice,
          .fallback = "device",
          .about = "a row for each device over its whole span, or for each of its iterations",
          .choices = {"device", "step"}};
}

/// What ops of one device did in some time.
struct Amounts {
  int32_t device = 0;
  std::optional<int64_t> step;
  Interval time;
  int64_t op_ns = 0;  // durations of device ops
  int64_t flops_ns = 0;
  int64_t bytes_ns = 0;
  std::optional<double> flops = {};
  std::optional<double> bytes = {};
  MatrixWork matrix = {};
};

/// The rows of one run, and which of them a device op belongs to.
class Places {
 public:
  Places(const RunInSession& run, bool by_step) : timeline_(run.timeline()), by_step_(by_step) {
    const std::vector<Step>& steps = run.facts.steps(run.index);
    for (const auto& [device, ops] : ops_by_device(timeline_)) {
      first_[device] = static_cast<uint32_t>(rows.size());
      if (!by_step) rows.push_back({.device = device, .step = std::nullopt, .time = span_of(timeline_, ops)});
      for (size_t i = 0; by_step && i < steps.size(); ++i) {
        rows.push_back({.device = device, .step = steps[i].number, .time = steps[i].time});
      }
    }
    marks_ = marks_of(timeline_, steps);
  }

  /// An op belongs to the iteration whose mark it was launched in, or to none.
  std::optional<uint32_t> of(OpIndex op, SliceIndex slice) const {
    const uint32_t first = first_.at(timeline_.device_ops.device[op]);
    if (!by_step_) return first;
    const SliceIndex call = launch_of(timeline_, slice);
    if (call == kNone) return std::nullopt;
    const std::optional<size_t> mark = mark_at(marks_, timeline_.slices.start[call]);
    return mark ? std::optional(first + static_cast<uint32_t>(*mark)) : std::nullopt;
  }

  std::vector<Amounts> rows;

 private:
  const Timeline& timeline_;
  bool by_step_;
  std::map<int32_t, uint32_t> first_;  // row, by device
  std::vector<Interval> marks_;
};

void add_costs(const OpGroups& groups, const Timeline& timeline, const std::vector<LaunchedWork>& launched,
               const std::optional<DevicePeaks>& peaks, std::vector<Amounts>& rows) {
  const SliceForest forest = op_forest(timeline);
  for_each_costed_op(
      groups, forest, &OpCost::flops, launched,
      [&](const LaunchedWork& work) { rows[work.place].flops_ns += work.duration; },
      [&](const LaunchedWork& work, const OpGroups::Group& group) {
        Amounts& row = rows[work.place];
        const auto flops = static_cast<double>(*group.cost.flops);
        row.flops = row.flops.value_or(0) + flops;
        row.matrix.add(group.cost, peaks);
      });
  for_each_costed_op(
      groups, forest, &OpCost::bytes, launched,
      [&](const LaunchedWork& work) { rows[work.place].bytes_ns += work.duration; },
      [&](const LaunchedWork& work, const OpGroups::Group& group) {
        Amounts& row = rows[work.place];
        row.bytes = row.bytes.value_or(0) + static_cast<double>(*group.cost.bytes);
      });
}

void append_mfu(const RunInSession& run, const TableOptions& options, Table& table) {
  const Timeline& timeline = run.timeline();
  Places places(run, options.text(by_option()) == "step");
  DeviceModels models;
  models.add(run.run());
  const auto peaks = models.peaks();

  bool any_inputs = false;
  for_each_launching_profile(
      run.session(), run.run(), [&](OpIndex op, SliceIndex slice) { return places.of(op, slice); },
      [&](const Run& profile, const std::vector<LaunchedWork>& launched) {
        const OpGroups& groups = run.facts.op_groups(profile);
        if (!groups.any_inputs) return;
        any_inputs = true;
        add_costs(groups, profile.timeline, launched, peaks, places.rows);
      });
  if (!any_inputs) return;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const std::optional<uint32_t> place = places.of(op, slice);
    if (place) places.rows[*place].op_ns += timeline.slices.duration[slice];
  });

  for (const Amounts& row : places.rows) {
    const auto length = static_cast<double>(row.time.end - row.time.begin);
    const auto per_second = [&](std::optional<double> amount) -> std::optional<double> {
      return amount && length > 0 ? std::optional(*amount / length * 1e9) : std::nullopt;
    };
    const auto bytes_per_s = per_second(row.bytes);
    const auto mfu_pct = length > 0 ? row.matrix.mfu_pct(length) : std::nullopt;
    std::optional<double> bandwidth_pct;
    if (bytes_per_s && peaks && peaks->memory_bandwidth) bandwidth_pct = 100 * *bytes_per_s / *peaks->memory_bandwidth;
    Row cells = {run.run().rank,
                 int64_t{row.device},
                 cell(row.step),
                 row.time.begin,
                 row.time.end - row.time.begin,
                 cell(mfu_pct),
                 cell(row.flops),
                 cell(per_second(row.flops)),
                 cell(row.bytes),
                 cell(bytes_per_s),
                 cell(bandwidth_pct)};
    cells.push_back(cell(row.matrix.known_pct()));
    cells.push_back(row.flops ? percent_of(row.flops_ns, row.op_ns) : Cell());
    cells.push_back(row.bytes ? percent_of(row.bytes_ns, row.op_ns) : Cell());
    cells.push_back(length > 0 ? cell(row.matrix.achievable_pct(length)) : Cell());
    table.append(cells);
  }
}

}  // namespace

Analysis mfu_analysis() {
  return {
      .name = "mfu",
      .about =
          "what the framework ops of each device computed and moved, per second and as a share of the peak rates "
          "of the device; without rows where the profile was recorded without shapes",
      .columns = {rank_column(), device_column(), number_column("step", "number of the iteration, with --by step"),
                  moment_column("start_ns", "where the time begins"),
                  time_column("duration_ns", "the span of the device ops; with --by step, the iteration"),
                  real_column("mfu_pct", "%",
                              "share of duration_ns that the matrix units would take at their peak rate for the "
                              "products, convolutions and attention whose type has a known rate"),
                  real_column("flops", "FLOP", "of all ops that have a formula"),
                  real_column("flops_per_s", "FLOP/s", "over duration_ns"),
                  real_column("bytes", "bytes", "that these ops must move at least: inputs once, results once"),
                  real_column("bytes_per_s", "B/s", "over duration_ns"),
                  real_column("bandwidth_pct", "%", "share of bytes_per_s in the peak rate of the device memory"),
                  real_column("peak_known_pct", "%",
                              "share of the FLOPs of products, convolutions and attention that mfu_pct is of"),
                  real_column("flops_known_pct", "%", "share of the device op time whose FLOPs are known"),
                  real_column("bytes_known_pct", "%", "share of the device op time whose bytes are known"),
                  real_column("achievable_pct", "%",
                              "as mfu_pct, at the best rates that were measured on this model for products of large "
                              "matrices (devices); absent where none is known for their types")},
      .options = {by_option()},
      .applies =
          [](const ProfileCounts& counts) { return counts.device_ops > 0 && counts.of({SliceKind::framework_op}) > 0; },
      .fold = fold_of<RowsByRun<append_mfu>>};
}

}  // namespace cgpu
