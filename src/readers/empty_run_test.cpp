#include "readers/empty_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "readers/common/temporary_folder.h"
#include "readers/test_read.h"

namespace cgpu::empty_run {
namespace {

std::string refusal_of(const std::string& text, const std::string& ending = ".json") {
  try {
    test::read_text(text, 1, ending);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EmptyRun, EveryFormatRefusesAProfileWithoutAnEvent) {
  const std::vector<std::string> texts = {
      R"j({"schemaVersion": 1})j",
      R"j({"schemaVersion": 1, "traceEvents": []})j",
      R"j({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "a"}, "ts": 0}]})j",
      "\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n",
      "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES\n",
  };
  for (const std::string& text : texts) {
    EXPECT_NE(refusal_of(text).find("has no recorded work"), std::string::npos) << text << ": " << refusal_of(text);
  }
}

TEST(EmptyRun, TheRefusalSaysWhatWasReadAndWhatToDo) {
  const std::string said = refusal_of(
      R"j({"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "a"}}, )j"
      R"j({"ph": "X", "name": "without a time"}]})j");
  EXPECT_NE(said.find("read as kineto, it has 2 events (1 metadata, 1 left out)"), std::string::npos) << said;
  EXPECT_NE(said.find("record again with the profiler on"), std::string::npos) << said;
  const std::string cut = refusal_of(R"j({"schemaVersion": 1, "traceEvents": [)j");
  EXPECT_NE(cut.find("The file is damaged"), std::string::npos) << cut;
}

TEST(EmptyRun, AWholeRecordingOfNsightSystemsNamesItsDevices) {
  cgpu::Run run;
  run.format = "nsys-rep";
  EXPECT_TRUE(is_empty_run(run));
  run.devices.emplace_back();
  EXPECT_FALSE(is_empty_run(run));
  run.notes.add("truncated_input", 1, "cut", true);
  EXPECT_TRUE(is_empty_run(run));
}

TEST(EmptyRun, CountersAloneAreARunThatNamesItsProcess) {
  const cgpu::Run run =
      test::read_text(R"j({"traceEvents": [{"ph": "C", "name": "load", "pid": 7, "ts": 1, "args": {"value": 3}}]})j");
  EXPECT_EQ(run.timeline.counters.time.size(), 1U);
  ASSERT_EQ(run.notes.count("no_device_work"), 1);
  for (const Note& note : run.notes.all()) {
    const bool names_process = note.text.find("process 7") != std::string::npos;
    EXPECT_TRUE(note.code != "no_device_work" || names_process) << note.text;
  }
}

TEST(EmptyRun, OneAmongTheRanksOfAFolderIsALostFile) {
  const std::string slice = R"j({"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 2})j";
  const auto rank = [](int number, const std::string& events) {
    return R"j({"schemaVersion": 1, "distributedInfo": {"rank": )j" + std::to_string(number) +
           R"j(, "world_size": 2}, "traceEvents": [)j" + events + "]}";
  };
  TemporaryFolder folder;
  std::ofstream(folder.file("rank0.json")) << rank(0, slice);
  std::ofstream(folder.file("rank1.json")) << rank(1, "");
  const Session session = open_inputs({folder.path()}, {});
  ASSERT_EQ(session.runs.size(), 1U);
  EXPECT_EQ(session.runs.front().notes.count("lost_file"), 1);
}

}  // namespace
}  // namespace cgpu::empty_run
