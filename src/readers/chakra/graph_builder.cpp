#include "readers/chakra/graph_builder.h"

#include <algorithm>

#include "base/credentials.h"
#include "base/json_text.h"
#include "model/chakra_schema.h"
#include "readers/chakra/tensors.h"
#include "readers/common/kineto_categories.h"

namespace cgpu::chakra {

namespace {

constexpr size_t kMostNodes = size_t{50'000'000};
constexpr size_t kLongestText = 4096;

NodeClass kind_of_type(int64_t type, bool on_host) {
  switch (type) {
    case NodeType::kMetadata:
      return NodeClass::metadata;
    case NodeType::kMemoryLoad:
      return NodeClass::memory_load;
    case NodeType::kMemoryStore:
      return NodeClass::memory_store;
    case NodeType::kCompute:
      return on_host ? NodeClass::op : NodeClass::kernel;
    case NodeType::kSend:
      return NodeClass::send;
    case NodeType::kReceive:
      return NodeClass::receive;
    case NodeType::kCollective:
      return NodeClass::collective;
    case NodeType::kStorage:
      return NodeClass::storage;
    default:
      return NodeClass::other;
  }
}

NodeClass kind_of_name(std::string_view name, int64_t scope) {
  constexpr int64_t kUserScope = 7;  // RecordScope::USER_SCOPE of PyTorch
  if (name.starts_with("[pytorch|profiler|")) return NodeClass::metadata;
  if (name == "record_param_comms") return NodeClass::collective;
  return scope == kUserScope ? NodeClass::annotation : NodeClass::op;
}

/// Lists of thousands of shapes are no use to anyone.
std::string_view shown(std::string_view text) {
  return text.substr(0, kLongestText);
}

}  // namespace

GraphBuilder::GraphBuilder(Run& run) : run_(run), graph_(run.op_graph.emplace()) {}

bool GraphBuilder::full() const {
  return graph_.nodes.size() >= kMostNodes;
}

void GraphBuilder::add_fact(const std::string& key, const std::string& value) {
  constexpr size_t kMostFacts = 200;
  if (value.empty() || run_.metadata.size() >= kMostFacts) return;
  if (is_secret_key(key) || is_secret_value(value)) {
    run_.notes.add("credentials_present", 1, "facts of the header that look like credentials are not shown");
    return;
  }
  run_.metadata.emplace_back(valid_utf8(key), valid_utf8(value));
}

void GraphBuilder::add(const NewNode& node) {
  OpNode& made = graph_.nodes.emplace_back();
  made.id = node.id;
  made.name = graph_.names.intern(valid_utf8(node.name));
  made.kind = node.type ? kind_of_type(*node.type, node.on_host.value_or(true)) : kind_of_name(node.name, node.scope);
  made.record_function = node.record_function;
  made.thread = node.thread;
  made.sequence = node.sequence;
  made.input_shapes = graph_.names.intern(shown(node.input_shapes));
  made.input_types = graph_.names.intern(shown(node.input_types));
  const ArgumentList inputs = read_arguments(node.inputs);
  const ArgumentList outputs = read_arguments(node.outputs);
  made.inputs = inputs.count;
  made.outputs = outputs.count;
  made.input_bytes = inputs.bytes;
  made.output_bytes = outputs.bytes;
  made.dependencies = node.dependencies;
  made.communicated_bytes = node.communicated_bytes;
  if (node.collective && *node.collective >= 0 && static_cast<size_t>(*node.collective) < kCollectiveTypes.size()) {
    made.collective = graph_.names.intern(kCollectiveTypes[static_cast<size_t>(*node.collective)]);
  } else if (!node.type && made.kind == NodeClass::collective) {
    made.collective = graph_.names.intern(valid_utf8(inputs.first_word));  // an argument of PyTorch's call
  }
  constexpr int64_t kMost = int64_t{4'000'000'000} * 1'000'000;  // us; times of over a century are no times
  const auto usable = [&](const std::optional<int64_t>& us) { return us && *us >= 0 && *us < kMost; };
  if (usable(node.duration_us)) made.duration = *node.duration_us * 1000;
  if (usable(node.duration_us) && usable(node.start_us) && *node.start_us > 0) {
    add_slice(node, made.kind, *node.start_us * 1000, *made.duration);
  }
}

TrackIndex GraphBuilder::track(bool host, int64_t thread) {
  const auto [at, added] = tracks_.try_emplace({host, thread}, static_cast<TrackIndex>(run_.timeline.tracks.size()));
  if (added) {
    Track& made = run_.timeline.tracks.emplace_back();
    made.kind = host ? TrackKind::host_thread : TrackKind::device_stream;
    made.process = host ? std::to_string(graph_.process.value_or(0)) : "GPU 0";
    made.thread = host ? std::to_string(thread) : "stream " + std::to_string(thread);
  }
  return at->second;
}

void GraphBuilder::add_slice(const NewNode& node, NodeClass kind, int64_t start, int64_t duration) {
  Timeline& timeline = run_.timeline;
  const bool host = node.on_host.value_or(true);
  SliceKind slice_kind = SliceKind::framework_op;
  if (kind == NodeClass::metadata || kind == NodeClass::storage || kind == NodeClass::other) {
    slice_kind = SliceKind::other;
  } else if (!host) {
    slice_kind = node.name.starts_with("Memcpy")   ? SliceKind::memcpy
                 : node.name.starts_with("Memset") ? SliceKind::memset
                                                   : SliceKind::kernel;
  }
  std::vector<Category>& categories = timeline.categories;
  const auto category =
      std::find_if(categories.begin(), categories.end(), [&](const Category& one) { return one.kind == slice_kind; });
  const auto number = static_cast<uint16_t>(category - categories.begin());
  if (category == categories.end()) categories.push_back({text_of(kind), slice_kind});
  const SliceIndex slice = run_.add_slice({.start = start,
                                           .duration = duration,
                                           .name = timeline.names.intern(valid_utf8(node.name)),
                                           .track = track(host, node.thread),
                                           .category = number});
  ++run_.events.read;
  if (!is_device_op(slice_kind)) return;
  const kineto::Transfer transfer = kineto::transfer_of(slice_kind, node.name);
  timeline.device_ops.append({.slice = slice,
                              .device = 0,
                              .stream = node.thread,
                              .copy = transfer.kind,
                              .source = transfer.source,
                              .destination = transfer.destination});
}

void GraphBuilder::finish() {
  const auto without_time = static_cast<int64_t>(std::count_if(
      graph_.nodes.begin(), graph_.nodes.end(), [](const OpNode& node) { return !node.duration.has_value(); }));
  if (without_time == static_cast<int64_t>(graph_.nodes.size())) {
    run_.notes.add("no_times", 1,
                   "the trace says what was done, not when nor how long: open it with a profile of the same run");
  } else if (run_.timeline.slices.size() == 0) {
    run_.notes.add("no_times", 1, "the trace has durations, but no starts: there is no timeline");
  }
}

}  // namespace cgpu::chakra
