#include "readers/chakra/join.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/parse_number.h"

namespace cgpu::chakra {

namespace {

bool is_profile(const Run& run) {
  return !run.op_graph && run.timeline.slices.size() > 0 && run.arguments != nullptr;
}

bool has_process(const Run& run, int64_t process) {
  const std::string wanted = std::to_string(process);
  return std::any_of(run.timeline.tracks.begin(), run.timeline.tracks.end(),
                     [&](const Track& track) { return track.process == wanted; });
}

Run* profile_of(const OpGraph& graph, std::vector<Run>& runs) {
  Run* only = nullptr;
  size_t profiles = 0;
  for (Run& run : runs) {
    if (!is_profile(run)) continue;
    if (graph.process && has_process(run, *graph.process)) return &run;
    only = &run;
    ++profiles;
  }
  return profiles == 1 ? only : nullptr;
}

/// An op of the profile, with the numbers that the profiler gave it.
struct ProfiledOp {
  SliceIndex slice = kNone;
  int64_t record_function = 0;
  int64_t order = 0;      // grows on each thread
  int64_t sequence = -1;  // autograd's number
};

std::vector<ProfiledOp> profiled_ops(const Run& run) {
  std::vector<ProfiledOp> ops;
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
    const SliceKind kind = run.timeline.kind(i);
    if (kind != SliceKind::framework_op && kind != SliceKind::annotation) continue;
    ProfiledOp op;
    op.slice = i;
    bool numbered = false;
    for (const Argument& argument : run.arguments->arguments(run.timeline.slices.source[i])) {
      const auto number = parse_number(argument.value);
      if (!number) continue;
      if (argument.key == "Record function id") op.record_function = *number;
      if (argument.key == "Sequence number") op.sequence = *number;
      if (argument.key == "External id" || argument.key == "external id") {
        op.order = *number;
        numbered = true;
      }
    }
    if (numbered || op.record_function != 0) ops.push_back(op);
  }
  return ops;
}

/// Traces that were linked to a profile before repeat an op for each of its device ops: "aten::mm(0)".
std::string_view plain_name(std::string_view name) {
  if (!name.ends_with(')')) return name;
  const size_t open = name.rfind('(');
  const std::string_view inside = open == std::string_view::npos ? "" : name.substr(open + 1, name.size() - open - 2);
  return is_digits(inside) ? name.substr(0, open) : name;
}

class Join {
 public:
  Join(Run& profile, OpGraph& graph) : timeline_(profile.timeline), graph_(graph), ops_(profiled_ops(profile)) {}

  void run() {
    const bool numbered =
        std::any_of(ops_.begin(), ops_.end(), [](const ProfiledOp& op) { return op.record_function != 0; });
    numbered ? by_number() : by_order();
  }
  int64_t joined() const { return joined_; }
  int64_t of_another_name() const { return of_another_name_; }
  int64_t of_another_iteration() const { return of_another_iteration_; }

 private:
  void join(OpNode& node, SliceIndex slice) {
    if (plain_name(graph_.names[node.name]) != timeline_.name(slice)) {
      ++of_another_name_;
      return;
    }
    node.joined = true;
    if (!node.duration) node.duration = timeline_.slices.duration[slice];
    ++joined_;
  }

  void by_number() {
    std::unordered_map<int64_t, SliceIndex> slices;
    for (const ProfiledOp& op : ops_) {
      if (op.record_function != 0) slices.emplace(op.record_function, op.slice);
    }
    for (OpNode& node : graph_.nodes) {
      const auto found = node.record_function != 0 ? slices.find(node.record_function) : slices.end();
      if (found != slices.end()) join(node, found->second);
    }
  }

  /// The marks of iterations, which the profiler makes, are not in execution traces.
  void by_order() {
    std::map<TrackIndex, std::vector<ProfiledOp>> threads;
    for (const ProfiledOp& op : ops_) {
      const bool mark = timeline_.name(op.slice).starts_with("ProfilerStep#");
      if (!mark) threads[timeline_.slices.track[op.slice]].push_back(op);
    }
    std::map<int64_t, std::vector<OpNode*>> nodes;
    for (OpNode& node : graph_.nodes) {
      if (node.record_function != 0) nodes[node.thread].push_back(&node);
    }
    for (auto& [thread, of_thread] : nodes) {
      std::stable_sort(of_thread.begin(), of_thread.end(),
                       [](const OpNode* a, const OpNode* b) { return a->record_function < b->record_function; });
    }
    for (auto& [track, ops] : threads) {
      std::stable_sort(ops.begin(), ops.end(),
                       [](const ProfiledOp& a, const ProfiledOp& b) { return a.order < b.order; });
      for (auto thread = nodes.begin(); thread != nodes.end(); ++thread) {
        const std::vector<OpNode*>& of_thread = thread->second;
        auto begin = place_of(of_thread, ops);
        if (!begin && is_another_iteration(of_thread, ops)) {
          begin = 0;
          of_another_iteration_ += static_cast<int64_t>(of_thread.size());
        }
        if (!begin) continue;
        for (size_t i = 0; i < of_thread.size(); ++i) join(*of_thread[i], ops[*begin + i].slice);
        nodes.erase(thread);
        break;
      }
    }
  }

  /// Where in the ops of a thread the nodes of one lie: a trace of one iteration beside a profile of several. The first
  /// node that has a number of autograd's tells; without any, the two begin together.
  std::optional<size_t> place_of(const std::vector<OpNode*>& nodes, const std::vector<ProfiledOp>& ops) const {
    const auto numbered =
        std::find_if(nodes.begin(), nodes.end(), [](const OpNode* node) { return node->sequence >= 0; });
    if (numbered == nodes.end()) return fits(nodes, ops, 0, 0) ? std::optional<size_t>(0) : std::nullopt;
    const auto before = static_cast<size_t>(numbered - nodes.begin());
    for (size_t i = before; i < ops.size(); ++i) {
      if (ops[i].sequence == (*numbered)->sequence && fits(nodes, ops, i - before, 0)) return i - before;
    }
    return std::nullopt;
  }

  /// The same ops on the whole thread, with autograd's numbers that are all off by as much.
  bool is_another_iteration(const std::vector<OpNode*>& nodes, const std::vector<ProfiledOp>& ops) const {
    if (nodes.size() != ops.size()) return false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i]->sequence < 0 || ops[i].sequence < 0) continue;
      return fits(nodes, ops, 0, ops[i].sequence - nodes[i]->sequence);
    }
    return false;
  }

  /// `shift`: of autograd's numbers.
  bool fits(const std::vector<OpNode*>& nodes, const std::vector<ProfiledOp>& ops, size_t begin, int64_t shift) const {
    if (nodes.size() > ops.size() - begin) return false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const ProfiledOp& op = ops[begin + i];
      const bool same_number = nodes[i]->sequence < 0 || op.sequence < 0 || op.sequence - nodes[i]->sequence == shift;
      if (!same_number || plain_name(graph_.names[nodes[i]->name]) != timeline_.name(op.slice)) return false;
    }
    return true;
  }

  const Timeline& timeline_;
  OpGraph& graph_;
  std::vector<ProfiledOp> ops_;
  int64_t joined_ = 0;
  int64_t of_another_name_ = 0;
  int64_t of_another_iteration_ = 0;
};

/// Nodes that a profile of the host would have.
int64_t calls_of(const OpGraph& graph) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                       [](const OpNode& node) { return node.record_function != 0; });
}

void join(Run& profile, Run& trace) {
  OpGraph& graph = *trace.op_graph;
  Join join(profile, graph);
  join.run();
  graph.profile = profile.file;
  profile.notes.add("unjoined_op", calls_of(graph) - join.joined() - join.of_another_name(),
                    "ops of the execution trace that are not in the profile");
  profile.notes.add("unjoined_op", join.of_another_name(),
                    "ops of the execution trace that have another name in the profile: are they of one run?");
  profile.notes.add(
      "other_iteration", join.of_another_iteration(),
      "ops of the execution trace were recorded in another iteration than the profile's, in which the same "
      "ops ran: durations are those of their counterparts");
  for (const Note& note : trace.notes.all()) {
    if (note.code != "no_times") profile.notes.add(note.code, note.count, note.text, note.damage);
  }
  profile.metadata.emplace_back("execution_trace", trace.file);
  profile.input_bytes += trace.input_bytes;
  profile.text_bytes += trace.text_bytes;
  profile.events += trace.events;
  profile.op_graph = std::move(trace.op_graph);
}

}  // namespace

void join_execution_traces(std::vector<Run>& runs) {
  if (std::none_of(runs.begin(), runs.end(), is_profile)) return;
  std::vector<const Run*> joined;
  for (Run& run : runs) {
    if (!run.op_graph || run.timeline.slices.size() > 0) continue;
    if (Run* profile = profile_of(*run.op_graph, runs)) {
      join(*profile, run);
      joined.push_back(&run);
    } else {
      run.notes.add("unmatched_companion", 1, "execution traces of a process that no profile beside them is of");
    }
  }
  std::vector<Run> kept;
  for (Run& run : runs) {
    if (std::find(joined.begin(), joined.end(), &run) == joined.end()) kept.push_back(std::move(run));
  }
  runs = std::move(kept);
}

}  // namespace cgpu::chakra
