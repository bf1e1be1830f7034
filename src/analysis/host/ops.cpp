// Table `ops`: framework ops by name, with the device work launched inside them. O(n) in the slices, whatever the
// depth of the nesting: sums over subtrees are taken in one walk through the forest of ops.
#include <algorithm>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/host/captured_work.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/op_forest.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct Op {
  int64_t count = 0;
  int64_t cpu_total_ns = 0;
  int64_t cpu_self_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  int64_t open = 0;  // while a run is walked: ops of this name around the place where the walk is

  void combine(Op&& other) {
    count += other.count;
    cpu_total_ns += other.cpu_total_ns;
    cpu_self_ns += other.cpu_self_ns;
    device_total_ns += other.device_total_ns;
    device_self_ns += other.device_self_ns;
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, cpu_total_ns, cpu_self_ns, device_total_ns, device_self_ns);
  }
};

/// Device ops of graph replays: with the ops that they were captured in. Marks those that were captured in one.
void add_captured(const RunInSession& run, GroupsByName<Op>& ops, std::vector<bool>& in_captured_op) {
  std::vector<StringId> seen;  // names of the ops around one call
  for (const CapturedWork& work : run.run().captured) {
    const Timeline& timeline = run_of_capture(run.session(), run.run(), work).timeline;
    const SliceForest forest = op_forest(timeline);
    ops.enter(timeline.names);
    for (const CapturedOp& captured : work.ops) {
      SliceIndex op = forest.above(captured.call);
      if (op == kNone) continue;
      const int64_t ns = duration_of(run.run(), captured);
      in_captured_op[captured.op] = true;
      ops.of(timeline.slices.name[op]).device_self_ns += ns;
      for (seen.clear(); op != kNone; op = forest.above(op)) {
        const StringId name = timeline.slices.name[op];
        if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
        seen.push_back(name);
        ops.of(name).device_total_ns += ns;
      }
    }
  }
}

void add_ops(const RunInSession& run, GroupsByName<Op>& ops) {
  const Timeline& timeline = run.timeline();
  const Slices& slices = timeline.slices;
  std::vector<bool> in_captured_op(timeline.device_ops.size());
  add_captured(run, ops, in_captured_op);
  const SliceForest forest = op_forest(timeline);
  ops.enter(timeline.names);
  const auto of = [&](SliceIndex op) -> Op& { return ops.of(slices.name[op]); };

  // By op: durations of the device ops launched in it; once the walk leaves it, with those of the ops inside it.
  std::vector<int64_t> device_ns(slices.size(), 0);
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex device_op) {
    const SliceIndex call = launch_of(timeline, device_op);
    const SliceIndex op = call == kNone ? kNone : forest.above(call);
    if (op == kNone) return;
    device_ns[op] += slices.duration[device_op];
    if (!in_captured_op[number]) of(op).device_self_ns += slices.duration[device_op];
  });

  forest.walk([&](SliceIndex op) { ++of(op).open; },
              [&](SliceIndex op) {
                Op& row = of(op);
                ++row.count;
                row.cpu_self_ns += slices.duration[op];
                if (--row.open == 0) {  // the outermost of its name, so that what is inside counts once
                  row.cpu_total_ns += slices.duration[op];
                  row.device_total_ns += device_ns[op];
                }
                const SliceIndex parent = forest.above(op);
                if (parent == kNone) return;
                of(parent).cpu_self_ns -= slices.duration[op];
                device_ns[parent] += device_ns[op];
              });
}

class Ops {
 public:
  Ops(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) { add_ops(run, ops_); }
  void combine(Ops&& other) { ops_.combine(std::move(other.ops_)); }
  void append_rows(Table& table, const RunIndex&) {
    ops_.for_each([&](std::string_view name, const Op& op) {
      if (op.count == 0 && op.device_total_ns == 0) return;
      table.append({cell(name), op.count, op.cpu_total_ns, op.cpu_self_ns, op.device_total_ns, op.device_self_ns});
    });
    sort_most_first(table, "cpu_total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(ops_);
  }

 private:
  GroupsByName<Op> ops_;
};

}  // namespace

Analysis ops_analysis() {
  return {
      .name = "ops",
      .about = "framework ops by name, with the device work that they launched",
      .columns = {key_column("name", "name of the op"), count_column("count", "ops of this name"),
                  time_column("cpu_total_ns", "time on the host, of nested ops of one name the outermost only"),
                  time_column("cpu_self_ns", "time on the host without the ops directly inside"),
                  time_column("device_total_ns", "durations of the device ops launched in it or in ops inside it"),
                  time_column("device_self_ns", "durations of the device ops launched in it and in no op inside it")},
      .applies = [](const ProfileCounts& counts) { return counts.of({SliceKind::framework_op}) > 0; },
      .needs = "framework ops",
      .row_slices = {{"name"},
                     [](const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
                       return visit_slices_by_name(facts.session(), is_framework_op, nullptr, visit);
                     }},
      .fold = fold_of<Ops>};
}

}  // namespace cgpu
