// Tables `et_ops` and `et_shapes`: what an execution trace holds, by op and by op and shapes. O(nodes).
#include <map>
#include <tuple>

#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// Sums over the nodes of a row. Sums of bytes and times stop at the largest number.
struct Sum {
  int64_t count = 0;
  int64_t inputs = 0;
  int64_t outputs = 0;
  int64_t dependencies = 0;
  int64_t input_bytes = 0;
  int64_t output_bytes = 0;
  std::optional<int64_t> communicated_bytes;
  std::optional<int64_t> total_ns;
  std::optional<int64_t> joined;

  void add(const OpNode& node, bool with_profile) {
    ++count;
    inputs += node.inputs;
    outputs += node.outputs;
    dependencies += node.dependencies;
    add_capped(input_bytes, node.input_bytes);
    add_capped(output_bytes, node.output_bytes);
    if (node.communicated_bytes) add_capped(communicated_bytes, *node.communicated_bytes);
    if (node.duration) add_capped(total_ns, *node.duration);
    if (with_profile) add_capped(joined, node.joined ? 1 : 0);
  }

 private:
  static void add_capped(int64_t& sum, int64_t more) {
    if (__builtin_add_overflow(sum, more, &sum)) sum = INT64_MAX;
  }
  static void add_capped(std::optional<int64_t>& sum, int64_t more) {
    sum = sum.value_or(0);
    add_capped(*sum, more);
  }
};

constexpr const char* kTotal =
    "of the nodes whose duration is known: the trace's own, or that of the op in the profile opened with it";
constexpr const char* kJoined = "nodes that are in the profile opened with the trace; absent without one";

Table et_ops_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  std::map<std::tuple<std::string, NodeClass, std::string>, Sum> sums;
  for (const Run& run : facts.session().runs) {
    if (!run.op_graph) continue;
    const OpGraph& graph = *run.op_graph;
    for (const OpNode& node : graph.nodes) {
      sums[{std::string(graph.names[node.name]), node.kind, std::string(graph.names[node.collective])}].add(
          node, !graph.profile.empty());
    }
  }
  for (const auto& [key, sum] : sums) {
    const auto& [name, kind, collective] = key;
    table.append({name, cell(text_of(kind)), collective.empty() ? Cell() : Cell(collective), sum.count,
                  cell(sum.total_ns), cell(sum.joined), sum.inputs, sum.outputs, sum.dependencies, sum.input_bytes,
                  sum.output_bytes, cell(sum.communicated_bytes)});
  }
  sort_most_first(table, "count");
  return table;
}

Table et_shapes_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  std::map<std::tuple<std::string, std::string, std::string>, Sum> sums;
  for (const Run& run : facts.session().runs) {
    if (!run.op_graph) continue;
    const OpGraph& graph = *run.op_graph;
    for (const OpNode& node : graph.nodes) {
      if (node.kind == NodeClass::metadata) continue;
      sums[{std::string(graph.names[node.name]), std::string(graph.names[node.input_shapes]),
            std::string(graph.names[node.input_types])}]
          .add(node, !graph.profile.empty());
    }
  }
  for (const auto& [key, sum] : sums) {
    const auto& [name, shapes, types] = key;
    table.append({name, sum.count, cell(sum.total_ns), cell(sum.joined), sum.input_bytes,
                  shapes.empty() ? Cell() : Cell(shapes), types.empty() ? Cell() : Cell(types)});
  }
  sort_most_first(table, "count");
  return table;
}

bool has_op_graphs(const ProfileCounts& counts) {
  return counts.op_graphs > 0;
}

}  // namespace

Analysis et_ops_analysis() {
  return {.name = "et_ops",
          .about = "ops of an execution trace (PyTorch, Chakra), by name",
          .subject = Subject::op_graph,
          .columns = {key_column("name", "name of the op"),
                      key_column("kind", "op, annotation, kernel, collective, send, receive, memory_load, ..."),
                      key_column("collective", "what it communicates, where the trace says"),
                      count_column("count", "nodes"), time_column("total_ns", kTotal), count_column("joined", kJoined),
                      count_column("inputs", "arguments of all nodes"), count_column("outputs", "results of all nodes"),
                      count_column("dependencies", "on data of other nodes"),
                      bytes_column("input_bytes", "of the tensors that went in"),
                      bytes_column("output_bytes", "of the tensors that came out"),
                      bytes_column("communicated_bytes", "as the trace says")},
          .applies = has_op_graphs,
          .whole = et_ops_table};
}

Analysis et_shapes_analysis() {
  return {
      .name = "et_shapes",
      .about = "ops of an execution trace by name, shapes and types of their arguments",
      .subject = Subject::op_graph,
      .columns = {key_column("name", "name of the op"), count_column("count", "nodes"), time_column("total_ns", kTotal),
                  count_column("joined", kJoined), bytes_column("input_bytes", "of the tensors that went in"),
                  key_column("shapes", "of the arguments, as the trace has them"),
                  key_column("types", "of the arguments, as the trace has them")},
      .applies = has_op_graphs,
      .whole = et_shapes_table};
}

}  // namespace cgpu
