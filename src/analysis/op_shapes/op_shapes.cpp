// Table `op_shapes`: framework ops by name, shapes and types of their inputs, with what they compute and move.
//
// Reads the arguments of every framework op from the profile again (a pass over the file, on all threads) and looks at
// equal texts once; else O(n) in the slices.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_models.h"
#include "analysis/host/captured_work.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/op_groups.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct OpSums {
  int64_t count = 0;
  int64_t on_device = 0;  // ops that device work is known of, without those inside another one of this row
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  std::optional<int64_t> flops;  // of one
  std::optional<int64_t> bytes;
  std::string peak;

  void combine(const OpSums& other) {
    count += other.count;
    on_device += other.on_device;
    device_total_ns += other.device_total_ns;
    device_self_ns += other.device_self_ns;
    flops = other.flops;  // the same, as they follow from the key
    bytes = other.bytes;
    peak = peak.empty() || peak == other.peak ? other.peak : std::string(kFp32);  // ranks that multiply in two ways
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, on_device, device_total_ns, device_self_ns, flops, bytes, peak);
  }
};

std::vector<OpSums> sums_of(const OpGroups& ops) {
  std::vector<OpSums> sums(ops.groups.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i].flops = ops.groups[i].cost.flops;
    sums[i].bytes = ops.groups[i].cost.bytes;
    sums[i].peak = ops.groups[i].cost.peak;
  }
  return sums;
}

/// Device ops of graph replays, with the ops that they were captured in; an op counts on the device once a replay.
/// Marks those that were captured in one.
std::vector<OpSums> sum_captured(const Run& run, const CapturedWork& work, const Timeline& timeline,
                                 const OpGroups& ops, std::vector<bool>& in_captured_op) {
  const SliceForest forest = op_forest(timeline);
  std::vector<OpSums> sums = sums_of(ops);
  std::vector<uint32_t> last_replay(timeline.slices.size(), UINT32_MAX);
  std::vector<std::pair<uint32_t, SliceIndex>> around;  // the groups around a call, with their outermost op
  for (const CapturedOp& captured : work.ops) {
    SliceIndex op = forest.above(captured.call);
    if (op == kNone) continue;
    const int64_t ns = duration_of(run, captured);
    in_captured_op[captured.op] = true;
    sums[ops.of_slice[op]].device_self_ns += ns;
    for (around.clear(); op != kNone; op = forest.above(op)) {
      const uint32_t group = ops.of_slice[op];
      const auto known =
          std::find_if(around.begin(), around.end(), [&](const auto& one) { return one.first == group; });
      if (known == around.end()) {
        around.emplace_back(group, op);
      } else {
        known->second = op;
      }
    }
    for (const auto& [group, outermost] : around) {
      sums[group].device_total_ns += ns;
      if (std::exchange(last_replay[outermost], captured.replay) != captured.replay) ++sums[group].on_device;
    }
  }
  return sums;
}

std::vector<OpSums> sum_ops(const Timeline& timeline, const OpGroups& ops, const std::vector<bool>& in_captured_op) {
  const SliceForest forest = op_forest(timeline);
  std::vector<OpSums> sums = sums_of(ops);
  std::vector<int64_t> open(ops.groups.size(), 0);  // ops of a group around the place where the walk is
  std::vector<int64_t> device_ns(timeline.slices.size(), 0);
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    const SliceIndex op = call == kNone ? kNone : forest.above(call);
    if (op == kNone) return;
    device_ns[op] += timeline.slices.duration[device_op];
    if (!in_captured_op[number]) sums[ops.of_slice[op]].device_self_ns += timeline.slices.duration[device_op];
  });
  forest.walk([&](SliceIndex op) { ++open[ops.of_slice[op]]; },
              [&](SliceIndex op) {
                OpSums& row = sums[ops.of_slice[op]];
                ++row.count;
                if (--open[ops.of_slice[op]] == 0) {
                  row.device_total_ns += device_ns[op];
                  row.on_device += device_ns[op] > 0 ? 1 : 0;
                }
                if (forest.above(op) != kNone) device_ns[forest.above(op)] += device_ns[op];
              });
  return sums;
}

Cell text_or_nothing(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

/// Per second, of `each` in each of `count` ops that took `total_ns`.
std::optional<double> rate_of(std::optional<int64_t> each, const OpSums& sums) {
  if (!each || sums.device_total_ns == 0) return std::nullopt;
  return static_cast<double>(*each) * static_cast<double>(sums.on_device) * 1e9 /
         static_cast<double>(sums.device_total_ns);
}

Cell share_of_rate(std::optional<double> reached, std::optional<double> peak) {
  if (!reached || !peak) return {};
  return 100 * *reached / *peak;
}

class OpShapes {
 public:
  OpShapes(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    std::vector<bool> in_captured_op(run.timeline().device_ops.size());
    for (const CapturedWork& work : run.run().captured) {
      const Run& capture = run_of_capture(run.session(), run.run(), work);
      const OpGroups& captured = run.facts.op_groups(capture);
      if (captured.any_inputs) add(captured, sum_captured(run.run(), work, capture.timeline, captured, in_captured_op));
    }
    const OpGroups& ops = run.facts.op_groups(run.run());
    if (ops.any_inputs) add(ops, sum_ops(run.timeline(), ops, in_captured_op));
    if (!rows_.empty()) models_.add(run.run());
  }
  void combine(OpShapes&& other) {
    for (const auto& [key, sums] : other.rows_) rows_[key].combine(sums);
    models_.combine(std::move(other.models_));
  }
  void append_rows(Table& table, const RunIndex&) {
    const auto peaks = models_.peaks();
    for (const auto& [key, sums] : rows_) {
      const auto& [name, shapes, types, settings] = key;
      const auto flops_per_s = rate_of(sums.flops, sums);
      const auto bytes_per_s = rate_of(sums.bytes, sums);
      Cell intensity;
      if (sums.flops && sums.bytes && *sums.bytes > 0) {
        intensity = static_cast<double>(*sums.flops) / static_cast<double>(*sums.bytes);
      }
      Cell flops_pct;
      Cell bytes_pct;
      if (peaks) {
        if (!sums.peak.empty()) flops_pct = share_of_rate(flops_per_s, matrix_rate(*peaks, sums.peak));
        bytes_pct = share_of_rate(bytes_per_s, peaks->memory_bandwidth);
      }
      table.append({name, text_or_nothing(shapes), sums.count, sums.device_total_ns, cell(flops_per_s), flops_pct,
                    cell(bytes_per_s), bytes_pct, intensity, cell(sums.flops), cell(sums.bytes),
                    text_or_nothing(settings), text_or_nothing(types), sums.on_device, sums.device_self_ns});
    }
    sort_most_first(table, "device_total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(rows_, models_);
  }

 private:
  void add(const OpGroups& ops, const std::vector<OpSums>& sums) {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].count > 0 || sums[i].on_device > 0) rows_[ops.groups[i].key].combine(sums[i]);
    }
  }

  std::map<OpKey, OpSums> rows_;
  DeviceModels models_;
};

std::vector<Row> visit_op_shapes(const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
  std::map<OpKey, uint32_t> rows;
  std::vector<Row> keys;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const OpGroups& ops = facts.op_groups(facts.run(run));
    if (!ops.any_inputs) continue;
    std::vector<uint32_t> row_of_group;
    for (const OpGroups::Group& group : ops.groups) {
      const auto [at, is_new] = rows.try_emplace(group.key, static_cast<uint32_t>(keys.size()));
      row_of_group.push_back(at->second);
      if (!is_new) continue;
      const auto& [name, shapes, types, settings] = group.key;
      keys.push_back({name, text_or_nothing(shapes), text_or_nothing(types), text_or_nothing(settings)});
    }
    for (SliceIndex slice = 0; slice < ops.of_slice.size(); ++slice) {
      if (ops.of_slice[slice] != OpGroups::kNoGroup) visit(run, slice, row_of_group[ops.of_slice[slice]]);
    }
  }
  return keys;
}

}  // namespace

Analysis op_shapes_analysis() {
  return {
      .name = "op_shapes",
      .about =
          "framework ops by name, shapes and types of their inputs, with what they compute and move; without rows "
          "where the profile was recorded without shapes",
      .columns =
          {key_column("name", "name of the op"),
           key_column("shapes", "of its inputs, [] for what is no tensor; absent where not recorded"),
           count_column("count", "ops of this name, shapes, types and settings"),
           time_column("device_total_ns", "durations of the device ops launched in it or in ops inside it"),
           real_column("flops_per_s", "FLOP/s", "over device_total_ns, by the ops that it is known of (on_device)"),
           real_column("flops_pct", "%",
                       "share of flops_per_s in the peak rate of the device's matrix units for the type; of ops that "
                       "these do, on devices of one known model"),
           real_column("bytes_per_s", "B/s", "bytes over device_total_ns, by the ops that it is known of"),
           real_column("bytes_pct", "%",
                       "share of bytes_per_s in the peak rate of the device memory; above 100 where data came from a "
                       "cache"),
           real_column("intensity", "FLOP/byte", "flops over bytes"),
           count_column("flops",
                        "floating-point operations of one op, a multiply-add being two; absent where no formula is "
                        "known"),
           bytes_column("bytes", "that one op must move at least: inputs once, results once; absent likewise"),
           key_column("settings", "what the cost depends on besides: a causal mask, strides, elements of a collective"),
           key_column("types", "of its inputs; absent where not recorded"),
           count_column("on_device", "ops whose device ops are known, without those inside another one of the row"),
           time_column("device_self_ns", "durations of the device ops launched in it and in no op inside it")},
      .applies = [](const ProfileCounts& counts) { return counts.of({SliceKind::framework_op}) > 0; },
      .row_slices = {{"name", "shapes", "types", "settings"}, visit_op_shapes},
      .fold = fold_of<OpShapes>};
}

}  // namespace cgpu
