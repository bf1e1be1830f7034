#include "readers/unread_formats.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"

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

TEST(UnreadFormats, AreCalledByTheirName) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"PAR1\x15\x04\x15"s, "a Parquet file, which cgpu does not read: where Nsight Systems"},
      {"ARROW1\0\0"s, "an Arrow file"},
      {"{\"id\":0,\"table\":\"StringIds\",\"value\":\"[Unknown]\"}\n{\"globalPid\":284057963331584,\"table\":"
       "\"PROCESSES\"}\n",
       "in JSON lines, which cgpu does not read: open the .nsys-rep that it was made of, or `nsys export --type sqlite"},
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
