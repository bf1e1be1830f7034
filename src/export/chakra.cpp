#include "export/chakra.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/device/device_ops.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "export/proto_writer.h"
#include "model/chakra_schema.h"
#include "table/json_text_writer.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Version of the schema, as Chakra's own traces of PyTorch have it.
constexpr const char* kSchema = "1.0.2-chakra.0.0.4";

/// Where a node is in the file, as simulators know it: numbers from 1 on, for 0 is no number to protocol buffers.
class NodeNumbers {
 public:
  NodeNumbers(const ChakraGraph& graph, const RunCommunication& communication, uint64_t before) {
    first_.reserve(graph.nodes.size() + 1);
    uint64_t next = before + 1;
    for (const ChakraNode& node : graph.nodes) {
      first_.push_back(next);
      next += node.op == kNone ? 1 : std::max<size_t>(communication.of(node.slice).size(), 1);
    }
    first_.push_back(next);
  }
  uint64_t first(uint32_t node) const { return first_[node]; }
  uint64_t end(uint32_t node) const { return first_[node + 1]; }

 private:
  std::vector<uint64_t> first_;
};

class ChakraWriter {
 public:
  ChakraWriter(const Session& session, const Run& run, const ChakraGraph& graph, const RunCommunication& communication,
               const GroupNumbers& groups, const ExportOptions& options, Sink& sink)
      : run_(run),
        t_(run.timeline),
        graph_(graph),
        communication_(communication),
        groups_(groups),
        blocks_(sink),
        numbers_(graph, communication, run.groups.empty() ? 0 : 1) {
    if (options.arguments) amounts_ = op_amounts(session, run);
    int64_t first = INT64_MAX;
    for (const ChakraNode& node : graph.nodes) first = std::min(first, node.start);
    to_epoch_ = run.clock_is_unix ? run.clock_base : 1000 - first;  // a time of 0 is none
  }

  void write() {
    write_metadata();
    if (!run_.groups.empty()) write_groups();
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) write_node(node);
    blocks_.flush();
  }

 private:
  /// Behind its length, as all messages of the file are.
  template <typename WriteFields>
  void message(WriteFields write_fields) {
    out_.clear();
    write_fields();
    std::string& block = blocks_.block();
    uint64_t size = out_.bytes().size();
    for (; size >= 0x80; size >>= 7) block += static_cast<char>(size | 0x80);
    block += static_cast<char>(size);
    block += out_.bytes();
    blocks_.flush_if_full();
  }
  void number(uint32_t field, std::string_view name, uint32_t type, int64_t value) {
    out_.message(field, [&] {
      out_.text(chakra::attribute::kName, name);
      out_.integer(type, value);
    });
  }
  void number(std::string_view name, uint32_t type, int64_t value) {
    number(chakra::node::kAttributes, name, type, value);
  }
  void text(uint32_t field, std::string_view name, std::string_view value) {
    out_.message(field, [&] {
      out_.text(chakra::attribute::kName, name);
      out_.text(chakra::attribute::kString, value);
    });
  }

  void write_metadata() {
    message([&] {
      using namespace chakra::global_metadata;
      out_.text(kVersion, "0.0.4");
      text(kAttributes, "schema", kSchema);
      text(kAttributes, "generator", "cgpu");
      if (run_.rank_known) number(kAttributes, "rank", chakra::attribute::kInt64, run_.rank);
      if (run_.world_size) number(kAttributes, "world_size", chakra::attribute::kInt64, *run_.world_size);
    });
  }

  /// As PyTorch's execution traces have them, in the node that all others wait for.
  void write_groups() {
    JsonTextWriter json;
    json.begin_array();
    for (const ParallelGroup& group : run_.groups) {
      json.begin_object().member("pg_name", groups_.of(group.name));
      json.member("pg_desc", group.description.empty() ? group.name : group.description);
      json.member("ranks", group.ranks);
      if (group.size >= 0) json.member("group_size", group.size);
      json.end_object();
    }
    json.end_array();
    const std::string list = "['" + std::move(json).text() + "']";
    message([&] {
      out_.varint(chakra::node::kId, 1);
      out_.text(chakra::node::kName, "## process_group:init ##");
      out_.integer(chakra::node::kType, chakra::NodeType::kMetadata);
      out_.message(chakra::node::kInputs, [&] {
        out_.text(chakra::io_info::kValues, list);
        out_.text(chakra::io_info::kShapes, "[[]]");
        out_.text(chakra::io_info::kTypes, "['String']");
      });
      number("is_cpu_op", chakra::attribute::kBool, 1);
    });
  }

  void write_node(uint32_t index) {
    const ChakraNode& node = graph_.nodes[index];
    if (node.op == kNone) return write_host(index);
    const std::span<const ChakraCommunication> parts = communication_.of(node.slice);
    if (parts.empty()) return write_device(index, numbers_.first(index), ChakraCommunication(), true);
    for (size_t i = 0; i < parts.size(); ++i) write_device(index, numbers_.first(index) + i, parts[i], i == 0);
  }

  void write_head(uint32_t index, uint64_t number, std::string_view name, chakra::NodeType type, int64_t duration) {
    const ChakraNode& node = graph_.nodes[index];
    out_.varint(chakra::node::kId, number);
    out_.text(chakra::node::kName, name);
    out_.integer(chakra::node::kType, type);
    if (node.caller != ChakraNode::kNoNode) {
      out_.varint(chakra::node::kControlDependencies, numbers_.first(node.caller));
    }
    const std::span<const uint32_t> dependencies = graph_.dependencies_of(index);
    for (const uint32_t each : dependencies) {
      for (uint64_t on = numbers_.first(each); on < numbers_.end(each); ++on) {
        out_.varint(chakra::node::kDataDependencies, on);
      }
    }
    if (dependencies.empty() && !run_.groups.empty()) out_.varint(chakra::node::kDataDependencies, 1);
    out_.integer(chakra::node::kStartMicroseconds, (node.start + to_epoch_) / 1000);
    out_.integer(chakra::node::kDurationMicroseconds, duration);
  }

  void write_host(uint32_t index) {
    const ChakraNode& node = graph_.nodes[index];
    std::string name = node.slice == kNone ? "host code" : printable(t_.name(node.slice));
    if (node.continues) name += " (continued)";
    message([&] {
      write_head(index, numbers_.first(index), name, chakra::NodeType::kCompute, node.duration);
      number("is_cpu_op", chakra::attribute::kBool, 1);
      const auto thread = parse_number(t_.tracks[node.track].thread);
      number("tid", chakra::attribute::kInt64, thread.value_or(node.track));
    });
  }

  /// `is_first`: of the nodes of the op; this one takes its time.
  void write_device(uint32_t index, uint64_t id, const ChakraCommunication& communication, bool is_first) {
    const ChakraNode& node = graph_.nodes[index];
    message([&] {
      using namespace chakra::attribute;
      write_head(index, id, printable(t_.name(node.slice)), communication.type, is_first ? node.duration : 0);
      number("is_cpu_op", kBool, 0);
      number("stream", kInt64, t_.device_ops.stream[node.op]);
      number("device", kInt64, t_.device_ops.device[node.op]);
      if (communication.type == chakra::NodeType::kCompute) return write_amounts(node.op);
      if (communication.collective) number("comm_type", kInt64, *communication.collective);
      if (communication.bytes) number("comm_size", kInt64, *communication.bytes);
      if (communication.from) number("comm_src", kInt32, *communication.from);
      if (communication.to) number("comm_dst", kInt32, *communication.to);
      if (communication.tag) number("comm_tag", kInt32, *communication.tag);
      if (!communication.group.empty()) text(chakra::node::kAttributes, "pg_name", communication.group);
    });
  }

  void write_amounts(OpIndex op) {
    int64_t bytes = t_.device_ops.bytes[op];
    if (!amounts_.flops.empty()) {
      if (amounts_.flops[op] >= 0) number("num_ops", chakra::attribute::kInt64, amounts_.flops[op]);
      if (bytes < 0) bytes = amounts_.bytes[op];
    }
    if (bytes >= 0) number("tensor_size", chakra::attribute::kUint64, bytes);
  }

  const Run& run_;
  const Timeline& t_;
  const ChakraGraph& graph_;
  const RunCommunication& communication_;
  const GroupNumbers& groups_;
  BlockWriter blocks_;
  const NodeNumbers numbers_;
  OpAmounts amounts_;
  int64_t to_epoch_ = 0;  // ns from the run's clock to that of the file
  ProtoWriter out_;
};

/// us until the last node ends, where each begins as soon as all that it depends on has ended.
int64_t replayed_time(const ChakraGraph& graph) {
  std::vector<int64_t> ends(graph.nodes.size());
  int64_t last = 0;
  for (size_t node = 0; node < ends.size(); ++node) {
    int64_t begin = 0;
    for (const uint32_t on : graph.dependencies_of(node)) begin = std::max(begin, ends[on]);
    ends[node] = begin + graph.nodes[node].duration;
    last = std::max(last, ends[node]);
  }
  return last;
}

/// us from the first begin to the last end.
int64_t measured_time(const ChakraGraph& graph) {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (const ChakraNode& node : graph.nodes) {
    first = std::min(first, node.start);
    last = std::max(last, node.start + node.duration * 1000);
  }
  return graph.nodes.empty() ? 0 : (last - first) / 1000;
}

bool has_device_ops(const Run& run) {
  return run.timeline.device_ops.size() > 0;
}

}  // namespace

ChakraExport::ChakraExport(const Session& session, const ExportOptions& options)
    : session_(session), options_(options), facts_(session), groups_(session) {
  if (std::ranges::any_of(session.runs, has_device_ops)) return;
  const bool has_graph = std::ranges::any_of(session.runs, [](const Run& run) { return run.op_graph.has_value(); });
  throw Error(session.inputs.empty() ? "export" : session.inputs.front(),
              std::string("has no device ops, which are what an execution trace for simulators is made of") +
                  (has_graph ? ": export a profile of the run that it is the graph of" : ""));
}

std::vector<ChakraExport::File> ChakraExport::files(const std::string& path) const {
  if (session_.runs.size() == 1) return {{0, path}};
  size_t end = path.size();
  for (const std::string_view ending : {".gz", ".et"}) {
    if (std::string_view(path).substr(0, end).ends_with(ending)) end -= ending.size();
  }
  std::vector<File> files;
  for (size_t run = 0; run < session_.runs.size(); ++run) {
    if (!has_device_ops(session_.runs[run])) continue;
    files.push_back({run, fmt::format("{}.{}{}", path.substr(0, end), session_.runs[run].rank,
                                      end == path.size() ? ".et" : path.substr(end))});
  }
  return files;
}

void ChakraExport::write(size_t number, Sink& sink) {
  const Run& run = session_.runs[number];
  if (options_.progress) options_.progress(static_cast<double>(number) / static_cast<double>(session_.runs.size()));
  std::vector<SliceIndex> marks;
  for (const Step& step : facts_.steps(number)) marks.push_back(step.mark);
  const ChakraGraph graph = chakra_graph(run, facts_.waits(number), std::move(marks));
  const RunCommunication communication(facts_, number, groups_);
  ChakraWriter(session_, run, graph, communication, groups_, options_, sink).write();
  sink.finish();
  count(graph, communication);
  if (used_devices(run).size() > 1) ++counts_.with_several_devices;
}

void ChakraExport::count(const ChakraGraph& graph, const RunCommunication& communication) {
  ++counts_.files;
  counts_.dependencies += static_cast<int64_t>(graph.dependencies.size());
  counts_.measured += measured_time(graph);
  counts_.replayed += replayed_time(graph);
  counts_.left_out += graph.left_out;
  counts_.contradictions += graph.contradictions;
  for (const ChakraNode& node : graph.nodes) {
    const bool is_part = node.slice == kNone || node.continues;
    ++(node.op != kNone ? counts_.device_ops : is_part ? counts_.host_parts : counts_.host_ops);
    if (node.op == kNone) continue;
    for (const ChakraCommunication& each : communication.of(node.slice)) {
      const bool is_transfer = each.type == chakra::NodeType::kSend || each.type == chakra::NodeType::kReceive;
      ++counts_.communications;
      if (each.type == chakra::NodeType::kCompute)
        ++counts_.of_unknown_kind;
      else if (!each.bytes)
        ++counts_.without_bytes;
      if (is_transfer && (!each.from || !each.to)) ++counts_.without_partner;
    }
  }
}

std::vector<std::string> ChakraExport::summary() const {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} {}: {} device ops, {} host ops, {} further parts of host threads; {} dependencies",
                              counts_.files, counts_.files == 1 ? "file" : "files", format_count(counts_.device_ops),
                              format_count(counts_.host_ops), format_count(counts_.host_parts),
                              format_count(counts_.dependencies)));
  lines.push_back(fmt::format("Where each begins as soon as it can, they take {}; measured: {}",
                              format_ns(counts_.replayed * 1000), format_ns(counts_.measured * 1000)));
  const std::string of_all = " of " + format_count(counts_.communications);
  const auto add = [&](std::string_view what, int64_t count, std::string_view of = "") {
    if (count > 0) lines.push_back(fmt::format("{}: {}{}", what, format_count(count), of));
  };
  add("Communication without comm_size, whose elements the profile does not record", counts_.without_bytes, of_all);
  add("Communication without comm_src or comm_dst, whose partner the profile does not record", counts_.without_partner,
      of_all);
  add("Communication of a kind that the profile does not record, written as computation", counts_.of_unknown_kind,
      of_all);
  add("Left out, host ops of threads that neither launch nor wait for device work", counts_.left_out);
  add("Left out, dependencies that lead backward by the times of the profile", counts_.contradictions);
  add("Files with several devices, where simulators have one", counts_.with_several_devices);
  add("Ranks without device ops and without a file",
      std::ranges::count_if(session_.runs, [](const Run& run) { return !has_device_ops(run); }));
  return lines;
}

void write_chakra(const Session& session, Sink& sink, const ExportOptions& options) {
  ChakraExport chakra(session, options);
  const std::vector<ChakraExport::File> files = chakra.files("");
  if (files.size() > 1) {
    throw Error(session.inputs.empty() ? "export" : session.inputs.front(),
                fmt::format("has {} ranks, and an execution trace is one file a rank: name a file, or choose one with "
                            "--rank",
                            files.size()));
  }
  chakra.write(files.front().run, sink);
}

}  // namespace cgpu
