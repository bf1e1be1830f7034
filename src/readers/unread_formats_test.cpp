#include "readers/unread_formats.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/common/sqlite/test_database.h"
#include "readers/reader.h"
#include "readers/unread_formats.h"

namespace cgpu {
namespace {

std::string refusal(const std::string& path) {
  try {
    open_inputs({path}, {1, "", {}});
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

/// The header and the content of a member of a tar archive.
std::string tar_member(const std::string& name, const std::string& content) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  char size[12];
  std::snprintf(size, sizeof(size), "%011zo", content.size());
  block.replace(124, 11, size, 11);
  block.replace(257, 5, "ustar");
  return block + content + std::string((512 - content.size() % 512) % 512, '\0');
}

/// The values come before anchor.xml, which says what they are.
std::string cube_archive() {
  return tar_member("0.data", std::string(700, 'v')) + tar_member("0.index", "CUBEX.INDEX") +
         tar_member("anchor.xml", "<?xml version=\"1.0\"?><cube>") + std::string(1024, '\0');
}

TEST(UnreadFormats, AreCalledByTheirName) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"PAR1\x15\x04\x15"s, "a Parquet file, which cgpu does not read: where Nsight Systems"},
      {"ARROW1\0\0"s, "an Arrow file"},
      {"{\"id\":0,\"table\":\"StringIds\",\"value\":\"[Unknown]\"}\n{\"globalPid\":284057963331584,\"table\":"
       "\"PROCESSES\"}\n",
       "in JSON lines, which cgpu does not read: open the .nsys-rep that it was made of, or `nsys export --type sqlite"},
      {"{\"data\":[\"[Unknown]\",\"main\"]}\n{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"7\"}}\n",
       "in JSON lines, which cgpu does not read: open the .nsys-rep"},
      {"{\"CudaEvent\":{\"startNs\":\"7\",\"endNs\":\"9\"},\"Type\":79}\n", "in JSON lines, which cgpu does not read"},
      {"\x89HDF\r\n\x1a\n"s, "nsys export --type sqlite"},
      {"Time (%),Total Time (ns),Instances,Avg (ns)\n1,2,3,4\n", "nsys stats"},
      {"hello from the app\n[3/7] Executing 'nvtx_sum' stats report\n\n Time (%)  Total Time (ns)  Instances   Avg "
       "(ns)\n",
       "nsys stats"},
      {"==123== NVPROF is profiling process 123, command: ./a\n", "nsys profile"},
      {"op_name, stream_id, start_time(ms), duration(ms)\nDefault/Cast-op6, 0, 1.0, 0.1\n", "ascend_timeline_display"},
      {R"([{"id":1,"model_name":"simple","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5}]}])",
       "Triton Inference Server"},
      {R"({"timemory":{"wall_clock":{"type":"wall_clock","ranks":[{"rank":0,"graph":[]}]}}})",
       "TIMEMORY_FLAMEGRAPH_OUTPUT"},
      {R"({"projectId":"p","traceId":"t","spans":[{"spanId":"1","name":"/","startTime":"2024-01-01T00:00:00Z"}]})",
       "Google Cloud Trace"},
      {"\x03"s + "BOTF2\0\3\2\2\3\0\0\0\x10\0\0\0"s, "the anchor of an OTF2 trace"},
      {"\x03#\1\0\0\0\0\0\0\0\x3c\0\0\0\0\0\0\0\5"s, "a part of an OTF2 trace"},
      {"3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n", "tau_trace2json"},
      {"2 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n", "tau_trace2json tau.trc"},
      {R"({"alloc_samples":0,"elapsed_time_sec":1.5,"entrypoint_dir":"/x","files":{},"growth_rate":0.0})", "Scalene"},
      {"OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID\nMatmul,tt_dnn_device,1024,0\n", "tt-perf-report"},
      {"ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y\n", "Tenstorrent"},
      {"Nature,ResourceId,Type,Start,End,Duration,Depth,Value\nState,CPU0,Worker,0,1,1,0,dgemm\n", "StarVZ"},
      {"%EventDef\tPajeDefineContainerType\t1\n", "Paje"},
      {"#Paraver (01/01/2026 at 10:00):1000_ns:1(2):1:1(2:1)\n", "Paraver"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n", "git lfs pull"},
      {std::string(4096, '\0') + "\x0d\0\0\0\2"s + std::string(5000, 'x'), "nsys export --type sqlite` again"},
      {cube_archive(), "a CUBE profile"},
      {"<?xml version=\"1.0\"?>\n<session version=\"2\" name=\"a.nvvp\">\n<timelineoptions start=\"-1\"/>\n",
       "nvprof -o"},
  };
  for (const auto& [text, part] : cases) {
    const test::TestFile file(text, ".txt");
    EXPECT_NE(refusal(file.path()).find(part), std::string::npos) << refusal(file.path());
  }
}

TEST(UnreadFormats, AFolderOfParquetTablesIsCalledThat) {
  std::string folder = "/tmp/cgpu-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/StringIds.parquet") << "PAR1";
  const std::string said = refusal(folder);
  std::filesystem::remove_all(folder);
  EXPECT_NE(said.find("nsys export --type sqlite"), std::string::npos) << said;
}

TEST(UnreadFormats, AnotherArchiveIsExtractedFirst) {
  const test::TestFile file(tar_member("0.data", "v") + tar_member("trace.json", "{}"), ".tar");
  EXPECT_NE(refusal(file.path()).find("tar -xf"), std::string::npos) << refusal(file.path());
}

TEST(UnreadFormats, ADatabaseOfDLProfIsCalledThat) {
  for (
      const char* schema :
      {"CREATE TABLE dlprof_version (value TEXT)",
       "CREATE TABLE ops (name TEXT, gpu_time INTEGER); CREATE VIEW view_op_nodes AS SELECT name, gpu_time FROM ops"}) {
    test::TestDatabase database;
    database.sql(schema).close();
    EXPECT_NE(refusal(database.path()).find("DLProf"), std::string::npos) << refusal(database.path());
  }
}

TEST(UnreadFormats, ATraceThatTalksOfOthersIsATrace) {
  for (
      const char* text :
      {R"([{"ph":"X","name":"timemory","pid":1,"tid":1,"ts":1,"dur":1,"args":{"model_name":"m","timestamps":1,"ns":2}}])",
       R"({"traceEvents":[],"projectId":"p","spans":[],"schemaVersion":1})",
       R"({"schemaVersion":1,"deviceProperties":[]})"}) {
    EXPECT_EQ(describe_foreign_json(text), "") << text;
  }
}

}  // namespace
}  // namespace cgpu
