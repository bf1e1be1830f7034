#include <functional>

#include "base/error.h"
#include "base/parse_number.h"
#include "readers/chakra/execution_trace.h"
#include "readers/chakra/graph_builder.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"

namespace cgpu::chakra {

namespace {

using Token = JsonReader::Token;

constexpr size_t kMostText = size_t{1} << 20;  // of one argument list; the rest is passed over

std::string quoted(std::string_view text) {
  std::string out(1, '"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// A value of any kind as text, its first token being given: lists as "[1, [2, \"x\"]]".
std::string text_of_value(JsonReader& json, Token token) {
  std::string text;
  int depth = 0;
  const auto append = [&](std::string_view more, bool value) {
    if (text.size() > kMostText) return;
    if (value && !text.empty() && text.back() != '[') text += ", ";
    text += more;
  };
  for (;; token = json.next()) {
    switch (token) {
      case Token::begin_array:
      case Token::begin_object:
        append("[", true);
        ++depth;
        break;
      case Token::end_array:
      case Token::end_object:
        append("]", false);
        --depth;
        break;
      case Token::string:
        if (depth == 0) return std::string(json.text());
        append(quoted(json.text().substr(0, kMostText)), true);
        break;
      case Token::key:
        break;
      case Token::number:
      case Token::literal:
        if (depth == 0) return std::string(json.text());
        append(json.text(), true);
        break;
      case Token::end:
        return text;
    }
    if (depth <= 0) return text;
  }
}

/// How many numbers a value holds, itself or in a list.
uint32_t numbers_in(const std::string& text) {
  if (parse_number(text)) return 1;
  uint32_t count = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool digit = text[at] >= '0' && text[at] <= '9';
    if (digit && (at == 0 || text[at - 1] < '0' || text[at - 1] > '9')) ++count;
  }
  return count;
}

void set_attribute(NewNode& node, std::string_view key, const std::string& value) {
  const auto number = parse_number(value);
  if (!number) return;
  if (key == "rf_id") node.record_function = *number;
  if (key == "scope") node.scope = *number;
  if (key == "tid") node.thread = *number;
  if (key == "seq_id") node.sequence = *number;
}

/// The values, shapes and types of arguments, which newer traces have in an object.
void read_list_object(JsonReader& json, std::string& values, std::string* shapes, std::string* types) {
  json.each_member([&](std::string_view key) {
    const std::string part(key);
    const std::string text = text_of_value(json, json.next());
    if (part == "values") values = text;
    if (part == "shapes" && shapes) *shapes = text;
    if (part == "types" && types) *types = text;
  });
}

/// [{"name": ..., "type": ..., "value": ...}, ...]
void read_attributes(JsonReader& json, NewNode& node) {
  json.each_object([&] {
    std::string name;
    std::string value;
    json.each_member([&](std::string_view key) {
      std::string& part = key == "name" ? name : value;
      const bool wanted = key == "name" || key == "value";
      std::string text = text_of_value(json, json.next());
      if (wanted) part = std::move(text);
    });
    set_attribute(node, name, value);
  });
}

NewNode read_node(JsonReader& json) {
  NewNode node;
  json.each_member([&](std::string_view key) {
    const std::string name(key);
    const Token token = json.next();
    if (name == "attrs" && token == Token::begin_array) return read_attributes(json, node);
    if (name == "inputs" && token == Token::begin_object) {
      return read_list_object(json, node.inputs, &node.input_shapes, &node.input_types);
    }
    if (name == "outputs" && token == Token::begin_object)
      return read_list_object(json, node.outputs, nullptr, nullptr);
    std::string text = text_of_value(json, token);
    if (name == "name")
      node.name = std::move(text);
    else if (name == "id")
      node.id = parse_number(text).value_or(0);
    else if (name == "inputs")
      node.inputs = std::move(text);
    else if (name == "input_shapes")
      node.input_shapes = std::move(text);
    else if (name == "input_types")
      node.input_types = std::move(text);
    else if (name == "outputs")
      node.outputs = std::move(text);
    else
      set_attribute(node, name, text);
  });
  return node;
}

/// A node of a simulator's workload.
NewNode read_workload_node(JsonReader& json) {
  NewNode node;
  node.type = 0;
  json.each_member([&](std::string_view key) {
    const std::string name(key);
    std::string text = text_of_value(json, json.next());
    if (name == "Name")
      node.name = std::move(text);
    else if (name == "Id")
      node.id = parse_number(text).value_or(0);
    else if (name == "NodeType")
      node.type = parse_number(text).value_or(0);
    else if (name == "data_deps")
      node.dependencies = numbers_in(text);
    else if (name == "runtime")
      node.duration_us = parse_number(text);
    else if (name == "is_cpu_op")
      node.on_host = text == "true" || text == "1";
    else if (name == "comm_type")
      node.collective = parse_number(text);
    else if (name == "comm_size")
      node.communicated_bytes = parse_number(text);
  });
  return node;
}

/// The keys of the outermost object, as far as the head shows them.
bool has_outer_key(std::string_view head, std::string_view key) {
  return head.substr(0, head.find_first_of("[")).find("\"" + std::string(key) + "\"") != std::string_view::npos;
}
bool is_object(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

Run read_json(const Input& input, const char* format, std::string_view list, NewNode (*read_one)(JsonReader&)) {
  Run run = new_run(input.path, format);
  GraphBuilder graph(run);
  JsonReader json(*input.source);
  bool any_list = false;
  if (json.next() == Token::begin_object) {
    json.each_member([&](std::string_view key) {
      const std::string name(key);
      const Token token = json.next();
      if (name == list && token == Token::begin_array) {
        any_list = true;
        return json.each_element([&](Token element) {
          if (element != Token::begin_object || graph.full()) return json.skip();
          const NewNode node = read_one(json);
          if (json.damage().empty()) graph.add(node);
        });
      }
      const std::string value = text_of_value(json, token);
      if (name == "schema")
        run.format_version = value;
      else if (name == "pid")
        run.op_graph->process = parse_number(value);
      else
        graph.add_fact(name, value);
    });
  }
  if (!any_list && json.damage().empty()) throw Error(input.path, "has no list of nodes");
  if (!json.damage().empty() && run.op_graph->nodes.empty()) throw Error(input.path, json.damage());
  json.note_end(run.notes, "; the nodes before were read");
  add_source(*input.source, run);
  graph.finish();
  return run;
}

}  // namespace

bool is_pytorch_trace(const Input& input) {
  return is_object(input.head) && has_outer_key(input.head, "schema") && has_outer_key(input.head, "nodes");
}

Run read_pytorch_trace(const Input& input, const ReadOptions&) {
  return read_json(input, "pytorch-et", "nodes", read_node);
}

bool is_workload(std::string_view head) {
  return is_object(head) && has_outer_key(head, "workload_graph");
}

Run read_workload(const Input& input) {
  return read_json(input, "chakra", "workload_graph", read_workload_node);
}

}  // namespace cgpu::chakra
