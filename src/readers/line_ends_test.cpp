// Every reader of text takes lines that end with CRLF, a byte order mark before the first one, and a last line without
// an end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu::line_ends {
namespace {

struct Text {
  const char* format;
  std::string text;
};

const std::vector<Text> kTexts = {
    {"folded", "main;work;inner 3\nmain;work 2\n"},
    {"perf-script", "app  7/9 [002] 10.000001:    1000 cpu-clock: \n\t     6f1 inner (/bin/app)\n\n"},
    {"speedscope",
     "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n\"shared\": {\"frames\": [{\"name\": "
     "\"a\"}]},\n\"profiles\": [{\"type\": \"sampled\", \"name\": \"t\", \"unit\": \"none\", \"startValue\": 0, "
     "\"endValue\": 1, \"samples\": [[0]], \"weights\": [1]}]}\n"},
    {"chrome",
     "{\"traceEvents\": [\n{\"ph\": \"X\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 2}\n]}\n"},
    {"chrome", "[\n{\"ph\": \"X\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 2}\n]\n"},
    {"nccl-inspector",
     "{\"header\": {\"id\": \"0xa\", \"rank\": 0, \"n_ranks\": 2}, \"metadata\": {\"inspector_output_format_version\": "
     "\"v4.0\"}, \"coll_perf\": {\"coll\": \"AllReduce\", \"coll_exec_time_us\": 5, \"event_trace_ts\": "
     "{\"kernel_events\": [{\"kernel_stop_ts\": 1700000000000000}]}}}\n"},
    {"nccl-profiler",
     "{\"recordType\": \"event\", \"type\": \"ncclProfileGroupApi\", \"commId\": 7, \"rank\": 0, \"start\": {\"ts\": 1.5, "
     "\"pid\": 1, \"tid\": 2}, \"stop\": {\"ts\": 2.5, \"pid\": 1, \"tid\": 2}}\n"},
    {"ncu-csv",
     "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid "
     "Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
     "\"0\",\"9\",\"app\",\"node\",\"f\",\"1\",\"7\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"0\",\"8.0\",\"Occupancy\",\"Achieved "
     "Occupancy\",\"%\",\"50\"\n"},
    {"ncu-text",
     "==PROF== Connected to process 7\n  f (32, 2, 1)x(64, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n"
     "    Section: Occupancy\n    ------------------ ----------- ------------\n"
     "    Metric Name        Metric Unit Metric Value\n    ------------------ ----------- ------------\n"
     "    Achieved Occupancy           %        16.27\n    ------------------ ----------- ------------\n"},
    {"caliper",
     "__rec=node,id=12,attr=8,data=64,parent=3\n__rec=node,id=13,attr=10,data=n,parent=12\n"
     "__rec=ctx,ref=13,attr=12,data=7\n"},
    {"rocprof",
     "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
     "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",7,8,1,100,200\n"},
    {"rocprof",
     "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
     "\"KERNEL_DISPATCH\",\"Agent 4\",2,\"f\",1,300,400\n"},
    {"rocprof",
     "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\","
     "\"End_Timestamp\"\n\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,4,1,10,20\n"},
    {"rocprof",
     "\"Dispatch_Id\",\"Agent_Id\",\"Process_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\"\n"
     "1,4,7,\"f()\",\"SQ_WAVES\",16\n"},
    {"rocprof", "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES\n0,f,2,5\n"},
    {"nccl-inspector",
     "{\"header\": {\"id\": \"0xa\", \"rank\": 0, \"n_ranks\": 2}, \"metadata\": {\"inspector_output_format_version\": "
     "\"v4.0\"}, \"coll_perf\": {\"coll\": \"AllReduce\", \"coll_msg_size_bytes\": 64, \"coll_exec_time_us\": 5}}\n"},
    {"caliper",
     "{\n\"data\": [[1, 0], [10, 1]],\n\"columns\": [\"count\", \"path\"],\n\"column_metadata\": [{\"is_value\": true}, "
     "{\"is_value\": false}],\n\"nodes\": [{\"label\": \"main\", \"column\": \"path\"}, {\"label\": \"f\", \"column\": "
     "\"path\", \"parent\": 0}]}\n"},
    {"proton",
     "[{\"children\": [\n{\"children\": [], \"frame\": {\"name\": \"f\", \"type\": \"function\"}, \"metrics\": {\"count\": 2, "
     "\"device_id\": \"0\", \"device_type\": \"CUDA\", \"time (ns)\": 300}}\n], \"frame\": {\"name\": \"ROOT\", \"type\": "
     "\"function\"}, \"metrics\": {\"count\": 0, \"time (ns)\": 0}},\n{\"CUDA\": {\"0\": {\"arch\": \"90\"}}}]\n"},
    {"tensorrt", "[\n  { \"count\" : 4 }\n, { \"name\" : \"Conv_0\", \"timeMs\" : 0.1, \"averageMs\" : 0.025 }\n]\n"},
    {"tensorrt",
     "[\n{\"startEnqMs\": 1, \"endEnqMs\": 1.01, \"startH2dMs\": 1, \"endH2dMs\": 1.1, \"startComputeMs\": 1.1, "
     "\"endComputeMs\": 2, \"startD2hMs\": 2, \"endD2hMs\": 2.1, \"latencyMs\": 1}\n]\n"},
    {"flight-recorder",
     "{\"version\": \"2.10\",\n\"pg_config\": {\"0\": {\"name\": \"0\", \"desc\": \"pg\", \"ranks\": \"[0, 3]\"}},\n\"entries\": "
     "[\n{\"record_id\": 7, \"pg_id\": 0, \"process_group\": [\"0\", \"pg\"], \"collective_seq_id\": 1, \"profiling_name\": "
     "\"nccl:all_reduce\", \"input_sizes\": [[4]], \"input_dtypes\": [\"Float\"], \"output_sizes\": [[4]], \"is_p2p\": false, "
     "\"state\": \"completed\", \"time_created_ns\": 1700000000000000000, \"time_discovered_started_ns\": "
     "1700000000000000100, \"time_discovered_completed_ns\": 1700000000000000900, \"duration_ms\": 0.0005}\n]}\n"},
    {"torch-memory", "[[-1, 1, 1000, 0],\n[1700000000000001000, 2, 500, 4],\n[1700000000000002000, 3, -500, 4]]\n"},
    {"pytorch-et",
     "{\"schema\": \"1.0.1\", \"pid\": 77,\n\"nodes\": [\n{\"name\": \"aten::mm\", \"id\": 3, \"rf_id\": 1, \"parent\": 2, "
     "\"scope\": 0, \"tid\": 1, \"inputs\": []}\n]}\n"},
    {"ascend",
     "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num\n"
     "7,3,Cast_1,Cast,AI_VECTOR_CORE,1736408883000100.001\t,10,0,8\n"},
    {"ascend",
     "[\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 5, \"tid\": 0, \"args\": {\"name\": \"Ascend Hardware\"}},\n"
     "{\"ph\": \"X\", \"name\": \"MatMul\", \"pid\": 5, \"tid\": 2, \"ts\": \"1736408883000100.001\", \"dur\": 5, "
     "\"args\": {\"Task Type\": \"AI_CORE\"}}\n]\n"},
};

std::string with_line_ends(const std::string& text, const std::string& end) {
  std::string out;
  for (const char c : text) out += c == '\n' ? end : std::string(1, c);
  return out;
}

/// What a reader made of a text.
std::string outcome_of(const std::string& text) {
  const cgpu::Run run = test::read_text(text, 1, ".txt");
  std::string out = run.format + " slices " + std::to_string(run.timeline.slices.size()) + " ops " +
                    std::to_string(run.timeline.device_ops.size());
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
    out += " " + std::string(run.timeline.names[run.timeline.slices.name[i]]) + "+" +
           std::to_string(run.timeline.slices.duration[i]);
  }
  if (run.call_tree) {
    for (NodeIndex node = 0; node < run.call_tree->nodes.size(); ++node) out += " " + run.call_tree->name_of(node);
  }
  for (const MemoryEvent& event : run.timeline.memory) out += " " + std::to_string(event.bytes);
  if (run.op_graph) {
    for (const OpNode& node : run.op_graph->nodes) out += " " + std::string(run.op_graph->names[node.name]);
  }
  if (run.launch_metrics) {
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      out += " " + launch.kernel;
      for (const MetricValue& value : launch.metrics) {
        out +=
            " " + std::string(run.launch_metrics->names[value.name]) + "=" + std::to_string(value.number.value_or(-1));
      }
    }
  }
  for (const Note& note : run.notes.all()) {
    if (note.damage) out += " " + note.code;
  }
  return out;
}

TEST(LineEnds, MakeNoDifference) {
  for (const Text& one : kTexts) {
    const std::string expected = outcome_of(one.text);
    EXPECT_EQ(expected.substr(0, expected.find(' ')),
              std::string_view(one.format).starts_with("rocprof") ? "rocprof" : one.format);
    const std::string last_line_open = one.text.substr(0, one.text.size() - 1);
    const std::string mark = "\xef\xbb\xbf";
    EXPECT_EQ(outcome_of(with_line_ends(one.text, "\r\n")), expected);
    EXPECT_EQ(outcome_of(last_line_open), expected);
    EXPECT_EQ(outcome_of(with_line_ends(last_line_open, "\r\n")), expected);
    EXPECT_EQ(outcome_of(mark + with_line_ends(one.text, "\r\n")), expected);
    EXPECT_EQ(outcome_of(test::gzip(mark + with_line_ends(one.text, "\r\n"))), expected);
  }
}

}  // namespace
}  // namespace cgpu::line_ends
