// The readers of execution traces on traces of our own, whole, damaged, and beside a profile.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/test_file.h"
#include "model/test_arguments.h"
#include "readers/chakra/execution_trace.h"
#include "readers/chakra/join.h"
#include "readers/chakra/tensors.h"
#include "readers/common/test_message.h"

namespace cgpu::chakra {
namespace {

using cgpu::test::Message;
using cgpu::test::TestFile;

Input input_of(const std::string& path) {
  Input input{path, false, open_text(path), std::string(65536, '\0')};
  input.head.resize(input.source->read_at(0, input.head.data(), input.head.size()));
  return input;
}

void check_laws(const cgpu::Run& run) {
  const EventCounts& e = run.events;
  EXPECT_EQ(e.read,
            e.slices + e.ends + e.instants + e.samples + e.memory + e.counters + e.flows + e.metadata + e.skipped);
  EXPECT_EQ(e.slices, static_cast<int64_t>(run.timeline.slices.size()));
  ASSERT_TRUE(run.op_graph);
}

cgpu::Run read(std::string_view bytes) {
  const TestFile file(bytes, ".json");
  const Input input = input_of(file.path());
  if (is_pytorch_trace(input)) {
    cgpu::Run run = read_pytorch_trace(input, {});
    check_laws(run);
    return run;
  }
  if (!is_chakra_trace(input)) throw Error("not recognised");
  cgpu::Run run = read_chakra_trace(input, {});
  check_laws(run);
  return run;
}

std::string name_of(const cgpu::Run& run, size_t node) {
  return std::string(run.op_graph->names[run.op_graph->nodes[node].name]);
}

constexpr const char* kTrace = R"~({"schema": "1.0.1", "pid": 77, "time": "today", "start_ts": 5,
 "nodes": [
  {"name": "[pytorch|profiler|execution_graph|thread]", "id": 2, "rf_id": 0, "scope": 7, "tid": 1, "inputs": []},
  {"name": "aten::mm", "id": 3, "rf_id": 1, "parent": 2, "scope": 0, "tid": 1,
   "inputs": [[4, 5, 0, 64, 4, "cuda:0"], [[6, 7, 0, 2, 8, "cpu"]], true, "x"], "input_shapes": [[8, 8], [[2]], [], []],
   "input_types": ["Tensor(float)", "GenericList[Tensor(double)]", "Bool", "String"],
   "outputs": [[8, 9, 0, 16, 4, "cuda:0"]]},
  {"name": "## step ##", "id": 4, "rf_id": 2, "scope": 7, "tid": 1, "inputs": []},
  {"name": "record_param_comms", "id": 5, "rf_id": 3, "scope": 0, "tid": 1,
   "inputs": [[1, 2, 0, 3, 4, "cuda:0"], 1, "all_reduce"]}
 ], "finish_ts": 9})~";

TEST(ExecutionTrace, ReadsPyTorchsNodes) {
  const cgpu::Run run = read(kTrace);
  EXPECT_EQ(run.format, "pytorch-et");
  EXPECT_EQ(run.format_version, "1.0.1");
  EXPECT_EQ(run.op_graph->process, 77);
  const std::vector<OpNode>& nodes = run.op_graph->nodes;
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].kind, NodeClass::metadata);
  EXPECT_EQ(nodes[1].kind, NodeClass::op);
  EXPECT_EQ(nodes[2].kind, NodeClass::annotation);
  EXPECT_EQ(nodes[3].kind, NodeClass::collective);
  EXPECT_EQ(name_of(run, 1), "aten::mm");
  EXPECT_EQ(nodes[1].inputs, 4u);
  EXPECT_EQ(nodes[1].input_bytes, 64 * 4 + 2 * 8);
  EXPECT_EQ(nodes[1].output_bytes, 64);
  EXPECT_EQ(run.op_graph->names[nodes[1].input_shapes], "[[8, 8], [[2]], [], []]");
  EXPECT_EQ(run.op_graph->names[nodes[3].collective], "all_reduce");
  EXPECT_EQ(nodes[3].record_function, 3);
  EXPECT_FALSE(nodes[1].duration);
  EXPECT_EQ(run.notes.count("no_times"), 1);
  EXPECT_EQ(run.timeline.slices.size(), 0u);
}

TEST(ExecutionTrace, ReadsNewerNodes) {
  const cgpu::Run run = read(R"~({"schema": "1.1.1-chakra.0.0.4", "pid": 7, "nodes": [
    {"id": 4, "name": "aten::empty", "ctrl_deps": 2,
     "inputs": {"values": [[1], 6, [5, 6, 0, 3, 4, "cpu"]], "shapes": [[[]], [], [3]], "types": ["a", "b", "c"]},
     "outputs": {"values": [[5, 6, 0, 1, 4, "cpu"]], "shapes": [[1]], "types": ["Tensor(float)"]},
     "attrs": [{"name": "rf_id", "type": "uint64", "value": 2}, {"name": "scope", "type": "uint64", "value": 0},
               {"name": "tid", "type": "uint64", "value": 3}, {"name": "op_schema", "type": "string", "value": "x"}]}
    ]})~");
  const OpNode& node = run.op_graph->nodes.at(0);
  EXPECT_EQ(node.record_function, 2);
  EXPECT_EQ(node.thread, 3);
  EXPECT_EQ(node.inputs, 3u);
  EXPECT_EQ(node.input_bytes, 12);
  EXPECT_EQ(node.output_bytes, 4);
  EXPECT_EQ(run.op_graph->names[node.input_types], "[\"a\", \"b\", \"c\"]");
}

Message attribute(const char* name, uint32_t field, int64_t value) {
  return Message().text(1, name).varint(field, static_cast<uint64_t>(value));
}
std::string with_length(const Message& message) {
  std::string bytes = Message().add(1, message).bytes();
  return bytes.substr(1);  // without the tag
}
Message node(uint64_t id, const char* name, uint64_t type, int64_t duration, bool host) {
  Message made;
  made.varint(1, id).text(2, name).varint(3, type).varint(7, static_cast<uint64_t>(duration));
  return made.add(10, attribute("is_cpu_op", 27, host ? 1 : 0)).add(10, attribute("tid", 9, host ? 1 : 7));
}
std::string chakra_trace(bool starts) {
  std::string bytes = with_length(
      Message().text(1, "0.0.4").add(2, attribute("pid", 13, 77)).add(2, Message().text(1, "time").text(29, "today")));
  Message first = node(1, "aten::mm(0)", 4, 5, true);
  first.add(8, Message().text(1, "[[4, 5, 0, 64, 4, 'cuda:0']]").text(2, "[[8, 8]]").text(3, "['Tensor(float)']"));
  first.text(5, "\x02\x81\x01").add(10, attribute("rf_id", 9, 1));
  Message second = node(2, "gemm", 4, 3, false);
  Message third = node(3, "ncclKernel", 7, 9, false);
  third.add(10, attribute("comm_type", 9, 5)).add(10, attribute("comm_size", 9, 1000));
  if (starts) {
    first.varint(6, 100);
    second.varint(6, 103);
    third.varint(6, 110);
  }
  return bytes + with_length(first) + with_length(second) + with_length(third);
}

TEST(ExecutionTrace, ReadsChakrasNodesWithoutAHeader) {
  // The first schema has no GlobalMetadata, leaves out the number 0, and has all dependencies in field 4.
  const std::string bytes =
      with_length(Message().text(2, "COMP_NODE_conv1").varint(3, 4).varint(7, 13003)) +
      with_length(Message().varint(1, 1).text(2, "COMP_NODE_conv2").varint(3, 4).text(4, std::string(1, '\0'))) +
      with_length(Message()
                      .varint(1, 2)
                      .text(2, "COMM_COLL_NODE_ALLREDUCE")
                      .varint(3, 7)
                      .text(4, "\x01")
                      .add(10, attribute("comm_size", 9, 8192000)));
  const cgpu::Run run = read(bytes);
  EXPECT_EQ(run.format, "chakra");
  const std::vector<OpNode>& nodes = run.op_graph->nodes;
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].id, 0);
  EXPECT_EQ(name_of(run, 0), "COMP_NODE_conv1");
  EXPECT_EQ(nodes[1].dependencies, 1u);
  EXPECT_EQ(nodes[2].kind, NodeClass::collective);
  EXPECT_THROW(read(bytes.substr(0, 20)), Error) << "one whole node is no sign";
  EXPECT_THROW(read(with_length(Message().text(2, "a").varint(3, 9)) + bytes), Error) << "no such type";
}

TEST(ExecutionTrace, ReadsChakrasNodes) {
  const cgpu::Run run = read(chakra_trace(false));
  EXPECT_EQ(run.format, "chakra");
  EXPECT_EQ(run.format_version, "0.0.4");
  EXPECT_EQ(run.op_graph->process, 77);
  const std::vector<OpNode>& nodes = run.op_graph->nodes;
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].kind, NodeClass::op);
  EXPECT_EQ(nodes[1].kind, NodeClass::kernel);
  EXPECT_EQ(nodes[2].kind, NodeClass::collective);
  EXPECT_EQ(nodes[0].dependencies, 2u);
  EXPECT_EQ(nodes[0].input_bytes, 256);
  EXPECT_EQ(nodes[0].duration, 5000);
  EXPECT_EQ(nodes[0].record_function, 1);
  EXPECT_EQ(nodes[2].communicated_bytes, 1000);
  EXPECT_EQ(run.op_graph->names[nodes[2].collective], "broadcast");
  EXPECT_EQ(run.timeline.slices.size(), 0u) << "durations without starts make no timeline";
  EXPECT_EQ(run.notes.count("no_times"), 1);
}

TEST(ExecutionTrace, MakesATimelineOfStarts) {
  const cgpu::Run run = read(chakra_trace(true));
  const Timeline& t = run.timeline;
  ASSERT_EQ(t.slices.size(), 3u);
  EXPECT_EQ(t.slices.start, (std::vector<int64_t>{100'000, 103'000, 110'000}));
  EXPECT_EQ(t.slices.duration, (std::vector<int64_t>{5000, 3000, 9000}));
  EXPECT_EQ(t.kind(0), SliceKind::framework_op);
  EXPECT_EQ(t.kind(1), SliceKind::kernel);
  EXPECT_EQ(t.device_ops.stream, (std::vector<int64_t>{7, 7}));
  EXPECT_EQ(t.tracks[t.slices.track[0]].process, "77");
  EXPECT_EQ(run.notes.count("no_times"), 0);
}

TEST(ExecutionTrace, ReadsASimulatorsWorkload) {
  const cgpu::Run run = read(R"~({"workload_graph": [
    {"Id": 1, "Name": "aten::mm", "NodeType": 4, "data_deps": [], "runtime": 318, "is_cpu_op": true},
    {"Id": 2, "Name": "gemm", "NodeType": 4, "ctrlDeps": [1], "data_deps": [1, 10], "runtime": 4, "is_cpu_op": false}],
    "workload_name": "w", "ngpus": 8})~");
  EXPECT_EQ(run.format, "chakra");
  ASSERT_EQ(run.op_graph->nodes.size(), 2u);
  EXPECT_EQ(run.op_graph->nodes[1].kind, NodeClass::kernel);
  EXPECT_EQ(run.op_graph->nodes[1].dependencies, 2u);
  EXPECT_EQ(run.op_graph->nodes[0].duration, 318'000);
  EXPECT_EQ(run.metadata[1].first, "ngpus");
}

TEST(ExecutionTrace, AreToldFromOtherFiles) {
  const auto recognised = [](std::string_view bytes) {
    const TestFile file(bytes, "");
    const Input input = input_of(file.path());
    return is_pytorch_trace(input) || is_chakra_trace(input);
  };
  EXPECT_FALSE(recognised(R"~({"schemaVersion": 1, "traceEvents": [{"schema": 1, "nodes": 2}]})~"));
  EXPECT_FALSE(recognised(R"~([{"schema": "1", "nodes": []}])~"));
  EXPECT_FALSE(recognised("\n"));
  EXPECT_FALSE(recognised(std::string(100, '\0')));
  EXPECT_FALSE(recognised(Message().add(1, Message().varint(8, 5).varint(10, 1)).bytes())) << "a Perfetto trace";
  EXPECT_FALSE(recognised(with_length(Message().text(1, "0.0.4")))) << "no node";
}

TEST(ArgumentList, FindsTensorsOnly) {
  EXPECT_EQ(read_arguments("").count, 0u);
  EXPECT_EQ(read_arguments("[]").count, 0u);
  EXPECT_EQ(read_arguments("[1, 2.5, 'a', \"b\"]").count, 4u);
  EXPECT_EQ(read_arguments("[1, 2.5, 'a', \"b\"]").first_word, "a");
  EXPECT_EQ(read_arguments("[[1, 2, 0, 3, 4, 'cpu']]").bytes, 12);
  EXPECT_EQ(read_arguments("[[[1, 2, 0, 3, 4, 'cpu'], [1, 2, 0, 3, 2, 'cpu']], 1]").bytes, 18);
  EXPECT_EQ(read_arguments("[[1, 2, 0, 3, 4, 5]]").bytes, 0) << "a list of six numbers";
  EXPECT_EQ(read_arguments("[[1, 2, 0, 3, 'cpu']]").bytes, 0);
  EXPECT_EQ(read_arguments("[[1, 2, 0, 9223372036854775807, 4, 'cpu']]").bytes, 0);
  EXPECT_EQ(read_arguments("[[1, 2, 0, 3, -4, 'cpu']]").bytes, 0);
  read_arguments("[[[[");
  read_arguments("]]]['\\");
  read_arguments(std::string(100000, '['));
}

/// A profile with the numbers of calls as arguments.
class Numbers final : public test::MadeArguments {
 public:
  Numbers(const char* key, std::vector<int64_t> numbers) : key_(key), numbers_(std::move(numbers)) {}
  std::vector<Argument> of(uint64_t source) override { return {{key_, std::to_string(numbers_.at(source)), true}}; }

 private:
  std::string key_;
  std::vector<int64_t> numbers_;
};

/// The same, and the numbers of autograd where they are not negative; calls are numbered as they come.
class Sequences final : public test::MadeArguments {
 public:
  explicit Sequences(std::vector<int64_t> numbers) : numbers_(std::move(numbers)) {}
  std::vector<Argument> of(uint64_t source) override {
    std::vector<Argument> all{{"External id", std::to_string(source), true}};
    if (numbers_.at(source) >= 0) all.push_back({"Sequence number", std::to_string(numbers_[source]), true});
    return all;
  }

 private:
  std::vector<int64_t> numbers_;
};

cgpu::Run profile_of(const char* process, const char* key, const std::vector<std::string>& names,
                     const std::vector<int64_t>& numbers) {
  cgpu::Run run;
  run.file = "trace.json";
  run.format = "kineto";
  Timeline& t = run.timeline;
  t.categories.push_back({"cpu_op", SliceKind::framework_op});
  t.tracks.push_back({TrackKind::host_thread, process, "1", "", ""});
  for (size_t i = 0; i < names.size(); ++i) {
    t.slices.append({.start = static_cast<int64_t>(i) * 10,
                     .duration = static_cast<int64_t>(i) + 1,
                     .source = i,
                     .name = t.names.intern(names[i]),
                     .track = 0});
  }
  run.arguments = std::make_shared<Numbers>(key, numbers);
  return run;
}

std::vector<cgpu::Run> joined(cgpu::Run profile, std::string_view trace) {
  std::vector<cgpu::Run> runs;
  runs.push_back(read(trace));
  runs.push_back(std::move(profile));
  join_execution_traces(runs);
  return runs;
}

TEST(ExecutionTrace, IsJoinedToAProfileByNumber) {
  const auto runs =
      joined(profile_of("77", "Record function id", {"record_param_comms", "aten::mm", "another"}, {3, 1, 2}), kTrace);
  ASSERT_EQ(runs.size(), 1u);
  const cgpu::Run& run = runs[0];
  EXPECT_EQ(run.format, "kineto");
  const std::vector<OpNode>& nodes = run.op_graph->nodes;
  EXPECT_TRUE(nodes[1].joined);
  EXPECT_EQ(nodes[1].duration, 2);
  EXPECT_FALSE(nodes[2].joined) << "another name";
  EXPECT_TRUE(nodes[3].joined);
  EXPECT_EQ(nodes[3].duration, 1);
  EXPECT_EQ(run.notes.count("unjoined_op"), 1);
  EXPECT_EQ(run.notes.count("no_times"), 0);
  EXPECT_EQ(run.op_graph->profile, "trace.json");
}

TEST(ExecutionTrace, IsJoinedByOrderWhereThereAreNoNumbers) {
  const std::vector<std::string> names{"record_param_comms", "ProfilerStep#1", "aten::mm", "## step ##"};
  const auto runs = joined(profile_of("77", "External id", names, {1003, 1000, 1001, 1002}), kTrace);
  ASSERT_EQ(runs.size(), 1u);
  const std::vector<OpNode>& nodes = runs[0].op_graph->nodes;
  EXPECT_EQ(nodes[1].duration, 3);
  EXPECT_EQ(nodes[2].duration, 4);
  EXPECT_EQ(nodes[3].duration, 1);
  const auto longer = joined(profile_of("77", "External id", {"a", "b", "aten::mm"}, {1, 2, 3}), kTrace);
  EXPECT_FALSE(longer[0].op_graph->nodes[1].joined) << "nothing tells where the trace begins";
  const auto other = joined(profile_of("77", "External id", {"aten::mm", "aten::mm"}, {1, 2}), kTrace);
  EXPECT_FALSE(other[0].op_graph->nodes[1].joined) << "the names of the thread differ";
  EXPECT_EQ(other[0].notes.count("unjoined_op"), 3);
}

TEST(ExecutionTrace, OfOneIterationIsFoundByAutogradsNumbers) {
  const char* const trace = R"~({"schema": "1.0.1", "pid": 77, "nodes": [
    {"name": "a", "id": 2, "rf_id": 1, "seq_id": -1, "tid": 1}, {"name": "b", "id": 3, "rf_id": 2, "seq_id": 8, "tid": 1},
    {"name": "c", "id": 4, "rf_id": 3, "seq_id": -1, "tid": 1}]})~";
  cgpu::Run profile = profile_of("77", "External id", {"a", "b", "c", "a", "b", "c", "a"}, {1, 2, 3, 4, 5, 6, 7});
  profile.arguments = std::make_shared<Sequences>(std::vector<int64_t>{-1, 7, -1, -1, 8, -1, -1});
  const auto runs = joined(std::move(profile), trace);
  const std::vector<OpNode>& nodes = runs[0].op_graph->nodes;
  EXPECT_EQ(nodes[0].duration, 4);
  EXPECT_EQ(nodes[1].duration, 5);
  EXPECT_EQ(nodes[2].duration, 6);
  EXPECT_EQ(runs[0].notes.count("unjoined_op"), 0);
  EXPECT_EQ(runs[0].notes.count("other_iteration"), 0);

  cgpu::Run next = profile_of("77", "External id", {"a", "b", "c"}, {1, 2, 3});
  next.arguments = std::make_shared<Sequences>(std::vector<int64_t>{-1, 48, -1});
  const auto other = joined(std::move(next), trace);
  EXPECT_EQ(other[0].op_graph->nodes[1].duration, 2);
  EXPECT_EQ(other[0].notes.count("other_iteration"), 3);
}

TEST(ExecutionTrace, FindsTheProfileOfItsProcess) {
  std::vector<cgpu::Run> runs;
  runs.push_back(profile_of("5", "External id", {"a"}, {1}));
  runs.push_back(read(kTrace));
  runs.push_back(profile_of("77", "External id", {"b"}, {1}));
  join_execution_traces(runs);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_FALSE(runs[0].op_graph);
  EXPECT_TRUE(runs[1].op_graph);

  std::vector<cgpu::Run> none;
  none.push_back(profile_of("5", "External id", {"a"}, {1}));
  none.push_back(read(kTrace));
  none.push_back(profile_of("6", "External id", {"b"}, {1}));
  join_execution_traces(none);
  ASSERT_EQ(none.size(), 3u);
  EXPECT_EQ(none[1].notes.count("unmatched_companion"), 1);
}

void survive(const std::string& bytes) {
  try {
    read(bytes.empty() ? "\n" : bytes);
  } catch (const Error&) {
    // refused with a line
  }
}

TEST(ExecutionTrace, SurvivesDamage) {
  for (const std::string& whole : {std::string(kTrace), chakra_trace(true)}) {
    for (size_t size = 0; size <= whole.size(); ++size) survive(whole.substr(0, size));
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const char value : {'\0', '\x7f', '\xff', '['}) {
        std::string changed = whole;
        changed[at] = value;
        survive(changed);
      }
    }
  }
  const std::string text = kTrace;
  const cgpu::Run cut = read(text.substr(0, text.find("## step")));
  EXPECT_EQ(cut.notes.count("truncated_input"), 1);
  EXPECT_EQ(cut.op_graph->nodes.size(), 2u);
  const std::string trace = chakra_trace(false);
  const cgpu::Run half = read(trace.substr(0, trace.size() - 20));
  EXPECT_EQ(half.notes.count("truncated_input"), 1);
  EXPECT_EQ(half.op_graph->nodes.size(), 2u);
}

}  // namespace
}  // namespace cgpu::chakra
