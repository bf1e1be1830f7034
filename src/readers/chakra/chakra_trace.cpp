#include <algorithm>

#include "base/error.h"
#include "readers/chakra/execution_trace.h"
#include "readers/chakra/graph_builder.h"
#include "readers/chakra/workload.h"
#include "readers/common/protobuf.h"

namespace cgpu::chakra {

namespace {

constexpr uint64_t kMostMessage = uint64_t{64} << 20;
constexpr size_t kReadSize = size_t{1} << 20;

std::optional<uint64_t> varint_in(std::string_view text, size_t& at) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < text.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text[at++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// Messages, each behind its length.
class Messages {
 public:
  explicit Messages(TextSource& source) : source_(source) {}

  /// Valid until the next call; false at the end, and where the rest is no message.
  bool next(std::string_view& message) {
    if (!fill(1)) return false;
    fill(10);
    size_t at = begin_;
    const auto size = varint_in(window_, at);
    if (!size || *size > kMostMessage || !fill(at - begin_ + *size)) {
      cut_ = true;
      return false;
    }
    // fill() may have moved the window.
    at = begin_;
    varint_in(window_, at);
    message = std::string_view(window_).substr(at, *size);
    begin_ = at + *size;
    return true;
  }
  bool cut() const { return cut_; }

 private:
  bool fill(size_t size) {
    while (window_.size() - begin_ < size) {
      window_.erase(0, begin_);
      begin_ = 0;
      const size_t had = window_.size();
      window_.resize(had + kReadSize);
      const size_t got = source_.read(window_.data() + had, kReadSize);
      window_.resize(had + got);
      if (got == 0) return false;
    }
    return true;
  }

  TextSource& source_;
  std::string window_;
  size_t begin_ = 0;
  bool cut_ = false;
};

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
    if (field.number == 1) found.name = field.bytes;
    if (field.number == 29) found.text = field.bytes;
    const bool zigzag = field.number == 15 || field.number == 17;
    if (field.number >= 7 && field.number <= 27 && !field.is_bytes()) {
      found.number = static_cast<int64_t>(zigzag ? field.integer >> 1 ^ (~(field.integer & 1) + 1) : field.integer);
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
    if (field.number == 1) run.format_version = std::string(field.bytes);
    if (field.number != 2) continue;
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

bool read_node(std::string_view message, NewNode& node) {
  ProtobufMessage fields(message);
  node.type = 0;
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case 1:
        node.id = static_cast<int64_t>(field.integer);
        break;
      case 2:
        node.name = std::string(field.bytes);
        break;
      case 3:
        node.type = static_cast<int64_t>(field.integer);
        break;
      case 5:
        node.dependencies += elements(field);
        break;
      case 6:
        node.start_us = static_cast<int64_t>(field.integer);
        break;
      case 7:
        node.duration_us = static_cast<int64_t>(field.integer);
        break;
      case 8:
        node.inputs = std::string(protobuf_bytes(field.bytes, 1));
        node.input_shapes = std::string(protobuf_bytes(field.bytes, 2));
        node.input_types = std::string(protobuf_bytes(field.bytes, 3));
        break;
      case 9:
        node.outputs = std::string(protobuf_bytes(field.bytes, 1));
        break;
      case 10: {
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
    if (!field.is_bytes() || (field.number != 1 && field.number != 2)) return false;
    if (field.number == 2 && protobuf_bytes(field.bytes, 1).empty()) return false;
  }
  return any && !fields.damaged();
}
/// Node: a number, a name, a type.
bool looks_like_node(std::string_view message) {
  ProtobufMessage fields(message);
  bool name = false;
  for (ProtobufField field; fields.next(field);) {
    const bool number = field.number == 1 || field.number == 3 || field.number == 6 || field.number == 7;
    const bool bytes = field.number == 2 || (field.number >= 8 && field.number <= 10);
    if ((number && !field.is_varint()) || (bytes && !field.is_bytes()) || field.number > 20) return false;
    name = name || field.number == 2;
  }
  return name;  // the end may be cut off
}

}  // namespace

bool is_chakra_trace(const Input& input) {
  if (is_workload(input.head)) return true;
  size_t at = 0;
  const auto size = varint_in(input.head, at);
  if (!size || *size == 0 || *size > input.head.size() - at) return false;
  if (!looks_like_metadata(std::string_view(input.head).substr(at, *size))) return false;
  at += *size;
  const auto node = varint_in(input.head, at);
  return node && *node > 0 && at < input.head.size() &&
         looks_like_node(
             std::string_view(input.head).substr(at, static_cast<size_t>(std::min<uint64_t>(*node, kMostMessage))));
}

Run read_chakra_trace(const Input& input, const ReadOptions& options) {
  if (is_workload(input.head)) return read_workload(input);
  Run run;
  run.file = input.path;
  run.format = "chakra";
  run.input_bytes = input.source->stored_bytes();
  GraphBuilder graph(run);
  Messages messages(*input.source);
  std::string_view message;
  int64_t damaged = 0;
  if (messages.next(message)) read_metadata(message, run, graph);
  for (uint64_t count = 0; !graph.full() && messages.next(message); ++count) {
    NewNode node;
    if (!read_node(message, node)) ++damaged;
    graph.add(node);
    if (count % 4096 == 0 && options.progress && run.input_bytes > 0) {
      options.progress(static_cast<double>(input.source->stored_position()) / static_cast<double>(run.input_bytes));
    }
  }
  if (run.op_graph->nodes.empty()) throw Error(input.path, "is cut off before its first node, or no Chakra trace");
  if (messages.cut()) run.notes.add("truncated_input", 1, "the file ends inside a node; those before were read", true);
  run.notes.add("damaged_input", damaged, "nodes that could not be read to their end", damaged > 0);
  if (!input.source->damage().empty()) run.notes.add("truncated_input", 1, input.source->damage(), true);
  run.text_bytes = input.source->text_position();
  graph.finish();
  return run;
}

}  // namespace cgpu::chakra
