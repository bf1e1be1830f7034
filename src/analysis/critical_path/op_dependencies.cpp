// Table `op_dependencies`: for every device op, which dependency allowed it last to begin, and its slack.
// O(moments log steps) besides the graph.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/critical_path/periods.h"
#include "analysis/events/shown_slices.h"
#include "analysis/events/slice_ops.h"
#include "analysis/tables.h"
#include "dependencies/graph.h"
#include "dependencies/replay.h"

namespace cgpu {

namespace {

constexpr int64_t kUnknown = INT64_MAX;

/// By run and op: how much longer its work could take with no step ending later; kUnknown of ops that are not in the
/// graph.
std::vector<std::vector<int64_t>> slacks_of_ops(const SessionFacts& whole, const std::vector<SliceOps>& ops) {
  const DependencyGraph& graph = whole.dependencies();
  const std::vector<int64_t> of_moments = slacks(graph, period_ends(whole));
  std::vector<std::vector<int64_t>> of_ops;
  for (const Run& run : whole.session().runs) of_ops.emplace_back(run.timeline.device_ops.size(), kUnknown);
  std::vector<SliceOps::Search> searches(ops.size());
  for (MomentIndex to = 0; to < of_moments.size(); ++to) {
    for (uint32_t edge = graph.first_edge(to); edge < graph.end_edge(to); ++edge) {
      const Dependency work = graph.edges()[edge];
      if (work.kind != EdgeKind::work) continue;
      const Moment& begin = graph.moments()[work.from];
      const uint32_t op = ops[begin.run].op_of(begin.slice, searches[begin.run]);
      if (op == kNone) continue;
      int64_t& slack = of_ops[begin.run][op];
      slack = std::min(slack, of_moments[to] + graph.moments()[to].time - work.weight - begin.time);
    }
  }
  return of_ops;
}

Table op_dependencies_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  const SessionFacts& whole = facts.whole();
  const DependencyGraph& graph = whole.dependencies();
  const ShownSlices numbers(facts);
  std::vector<const Run*> shown(whole.session().runs.size(), nullptr);  // by run of the whole: that of the part
  std::vector<SliceOps> ops;
  std::vector<SliceOps::Search> searches(shown.size());
  for (const Run& run : whole.session().runs) ops.emplace_back(run.timeline.device_ops);
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    shown[facts.place_in_whole(run)] = &facts.run(run);
  }
  const std::vector<std::vector<int64_t>> slacks = slacks_of_ops(whole, ops);
  for (MomentIndex number = 0; number < graph.moments().size(); ++number) {
    const Moment& moment = graph.moments()[number];
    if (moment.kind != Moment::Kind::begin || shown[moment.run] == nullptr) continue;
    const uint32_t op = ops[moment.run].op_of(moment.slice, searches[moment.run]);
    if (op == kNone) continue;
    const auto& part = shown[moment.run]->part_of;
    if (part && !std::binary_search(part->ops.begin(), part->ops.end(), op)) continue;
    const Run& run = whole.run(moment.run);
    const Dependency bound_by = graph.edges()[moment.bound_by];
    const int64_t slack = slacks[moment.run][op];
    table.append({run.rank, int64_t{run.timeline.device_ops.device[op]}, run.timeline.device_ops.stream[op],
                  shown_time(whole, moment.run, moment.time), cell(run.timeline.name(moment.slice)),
                  cell(text_of(bound_by.kind)), bound_by.weight, graph.delay(number),
                  slack == kUnknown ? Cell() : Cell(slack), cell(numbers.number(moment.run, moment.slice))});
  }
  return table;
}

}  // namespace

Analysis op_dependencies_analysis() {
  return {
      .name = "op_dependencies",
      .about = "why each device op began when it did: the dependency that allowed it last; and its slack",
      .columns = {rank_column(), device_column(), stream_column(),
                  moment_column("start_ns", "from the start of the profile"), key_column("name", "of the op"),
                  text_column("dependency",
                              "launch: its launch call; stream: the op before it in the stream; event, succession: an "
                              "op of another stream; start: nothing that the profile shows"),
                  time_column("waited_ns", "from there until the op began"),
                  time_column("delay_ns", "of this, more than such a dependency takes: not explained"),
                  time_column("slack_ns",
                              "how much longer its work could take with no step ending later; 0 on the critical path"),
                  shown_slice_column("its")},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
      .made_of = MadeOf::all_timelines,
      .whole = op_dependencies_table};
}

}  // namespace cgpu
