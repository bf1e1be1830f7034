#include <algorithm>

#include "base/error.h"
#include "base/to_size.h"
#include "model/chakra_schema.h"
#include "readers/chakra/execution_trace.h"
#include "readers/chakra/graph_builder.h"
#include "readers/chakra/workload.h"
#include "readers/common/input.h"
#include "readers/common/protobuf_stream.h"

namespace cgpu::chakra {

namespace {

constexpr uint64_t kMostMessage = uint64_t{64} << 20;
/// The value of an AttributeProto: the numbers and texts among its many types.
struct Attribute {
  std::string_view name;
  std::optional<int64_t> number;
  std::string_view text;
};
Attribute attribute_of(std::string_view message) {
  Attribute found;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == attribute::kName) found.name = field.bytes;
    if (field.number == attribute::kString) found.text = field.bytes;
    if (field.number >= attribute::kInt32 && field.number <= attribute::kBool && !field.is_bytes()) {
      const bool zigzag = field.number == attribute::kSint32 || field.number == attribute::kSint64;
      found.number = zigzag ? from_zigzag(field.integer) : static_cast<int64_t>(field.integer);
    }
  }
  return found;
}

/// Elements of a repeated number, packed or one by one.
uint32_t elements(const ProtobufField& field) {
  if (!field.is_bytes()) return 1;
  return static_cast<uint32_t>(std::count_if(field.bytes.begin(), field.bytes.end(),
                                             [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

void read_metadata(std::string_view message, Run& run, GraphBuilder& graph) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == global_metadata::kVersion) run.format_version = std::string(field.bytes);
    if (field.number != global_metadata::kAttributes) continue;
    const Attribute attribute = attribute_of(field.bytes);
    if (attribute.name == "pid")
      run.op_graph->process = attribute.number;
    else if (attribute.name == "schema" && run.format_version.empty())
      run.format_version = std::string(attribute.text);
    else
      graph.add_fact(std::string(attribute.name),
                     attribute.number ? std::to_string(*attribute.number) : std::string(attribute.text));
  }
}

/// `headless`: of the schema before GlobalMetadata, whose field 4 holds all dependencies, those on data too.
bool read_node(std::string_view message, bool headless, NewNode& node) {
  ProtobufMessage fields(message);
  node.type = 0;
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case node::kId:
        node.id = static_cast<int64_t>(field.integer);
        break;
      case node::kName:
        node.name = std::string(field.bytes);
        break;
      case node::kType:
        node.type = static_cast<int64_t>(field.integer);
        break;
      case node::kControlDependencies:
        if (headless) node.dependencies += elements(field);
        break;
      case node::kDataDependencies:
        node.dependencies += elements(field);
        break;
      case node::kStartMicroseconds:
        node.start_us = static_cast<int64_t>(field.integer);
        break;
      case node::kDurationMicroseconds:
        node.duration_us = static_cast<int64_t>(field.integer);
        break;
      case node::kInputs:
        node.inputs = std::string(protobuf_bytes(field.bytes, io_info::kValues));
        node.input_shapes = std::string(protobuf_bytes(field.bytes, io_info::kShapes));
        node.input_types = std::string(protobuf_bytes(field.bytes, io_info::kTypes));
        break;
      case node::kOutputs:
        node.outputs = std::string(protobuf_bytes(field.bytes, io_info::kValues));
        break;
      case node::kAttributes: {
        const Attribute attribute = attribute_of(field.bytes);
        if (!attribute.number) break;
        if (attribute.name == "is_cpu_op") node.on_host = *attribute.number != 0;
        if (attribute.name == "rf_id") node.record_function = *attribute.number;
        if (attribute.name == "scope") node.scope = *attribute.number;
        if (attribute.name == "tid" || attribute.name == "stream") node.thread = *attribute.number;
        if (attribute.name == "seq_id") node.sequence = *attribute.number;
        if (attribute.name == "comm_type") node.collective = *attribute.number;
        if (attribute.name == "comm_size") node.communicated_bytes = *attribute.number;
        break;
      }
      default:
        break;
    }
  }
  return !fields.damaged();
}

/// GlobalMetadata: a version and attributes, each with a name, and nothing else.
bool looks_like_metadata(std::string_view message) {
  ProtobufMessage fields(message);
  bool any = false;
  for (ProtobufField field; fields.next(field); any = true) {
    const bool is_attribute = field.number == global_metadata::kAttributes;
    if (!field.is_bytes() || (field.number != global_metadata::kVersion && !is_attribute)) return false;
    if (is_attribute && protobuf_bytes(field.bytes, attribute::kName).empty()) return false;
  }
  return any && !fields.damaged();
}
/// Node: a number, a name, a type.
bool looks_like_node(std::string_view message) {
  ProtobufMessage fields(message);
  bool name = false;
  for (ProtobufField field; fields.next(field);) {
    const bool number = field.number == node::kId || field.number == node::kType ||
                        field.number == node::kStartMicroseconds || field.number == node::kDurationMicroseconds;
    const bool bytes = field.number == node::kName || field.number == node::kInputs || field.number == node::kOutputs ||
                       field.number == node::kAttributes;
    if ((number && !field.is_varint()) || (bytes && !field.is_bytes()) || field.number > node::kMostNumber)
      return false;
    name = name || field.number == node::kName;
  }
  return name;  // the end may be cut off
}

/// The next message behind its length, as far as the head goes; empty where there is none.
std::string_view take_message(std::string_view& head) {
  const auto size = take_varint(head);
  if (!size) return {};
  const std::string_view message = head.substr(0, to_size(*size));
  head.remove_prefix(message.size());
  return message;
}

/// A node that is whole and whose name and type say so: nothing else tells the schema without a header.
bool is_surely_node(std::string_view message) {
  ProtobufMessage fields(message);
  bool name = false;
  bool type = false;
  for (ProtobufField field; fields.next(field);) {
    if (field.number == node::kName) {
      name = !field.bytes.empty() && std::all_of(field.bytes.begin(), field.bytes.end(),
                                                 [](char c) { return static_cast<unsigned char>(c) >= ' '; });
    }
    if (field.number == node::kType) type = field.integer >= kMetadata && field.integer <= kStorage;
  }
  return name && type && !fields.damaged() && looks_like_node(message);
}

bool is_headless(std::string_view head) {
  const std::string_view first = take_message(head);
  return is_surely_node(first) && is_surely_node(take_message(head));
}

}  // namespace

bool is_chakra_trace(const Input& input) {
  if (is_workload(input.head) || is_headless(input.head)) return true;
  std::string_view head = input.head;
  const auto size = take_varint(head);
  if (!size || *size == 0 || *size > head.size() || !looks_like_metadata(head.substr(0, to_size(*size)))) return false;
  head.remove_prefix(to_size(*size));
  return looks_like_node(take_message(head));
}

Run read_chakra_trace(const Input& input, const ReadOptions& options) {
  if (is_workload(input.head)) return read_workload(input);
  Run run = new_run(input.path, "chakra");
  GraphBuilder graph(run);
  ProtobufStream messages(*input.source, kMostMessage);
  std::string_view message;
  int64_t damaged = 0;
  const bool headless = is_headless(input.head);
  if (!headless && messages.next_message(message)) read_metadata(message, run, graph);
  for (uint64_t count = 0; !graph.full() && messages.next_message(message); ++count) {
    NewNode node;
    if (!read_node(message, headless, node)) ++damaged;
    graph.add(node);
    if (count % 4096 == 0 && options.progress) {
      options.progress(static_cast<double>(input.source->stored_position()) /
                       static_cast<double>(input.source->stored_bytes()));
    }
  }
  if (run.op_graph->nodes.empty()) throw Error(input.path, "is cut off before its first node, or no Chakra trace");
  if (messages.stop() > ProtobufStream::Stop::end)
    run.notes.add("truncated_input", 1, "the file ends inside a node; those before were read", true);
  run.notes.add("damaged_input", damaged, "nodes that could not be read to their end", damaged > 0);
  add_source(*input.source, run);
  graph.finish();
  return run;
}

}  // namespace cgpu::chakra
