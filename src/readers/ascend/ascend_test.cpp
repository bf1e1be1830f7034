// The reader of Ascend profiles on profiles of our own: both forms, levels, missing parts, and every kind of damage.
#include "readers/ascend/ascend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "base/error.h"
#include "readers/ascend/names.h"
#include "readers/ascend/test_profile.h"
#include "readers/common/test_slices.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu {
namespace {

using test::accounted;
using test::kernel_details_text;
using test::names_of;
using test::ProfileFolder;
using test::read_file;
using test::read_text;
using test::TestDatabase;
using test::TestFile;
using test::trace_text;

Session open_one(const std::string& path, unsigned threads = 1) {
  return open_inputs({path}, {threads, "", {}});
}
cgpu::Run read_database(const std::string& change = "") {
  TestDatabase database;
  test::fill_profile(database);
  database.sql(change).close();
  return read_file(database.path());
}

SliceIndex find(const cgpu::Run& run, std::string_view name) {
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
    if (run.timeline.name(i) == name) return i;
  }
  throw std::runtime_error("no slice " + std::string(name));
}
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "was read";
}
bool mentions(const cgpu::Run& run, std::string_view text) {
  return std::any_of(run.notes.all().begin(), run.notes.all().end(),
                     [&](const Note& note) { return note.text.find(text) != std::string::npos; });
}

using Names = std::vector<std::string>;
constexpr int64_t kBase = 1736408883000000000;

/// What the trace and the database say alike.
void expect_the_profile(const cgpu::Run& run) {
  EXPECT_EQ(run.format, "ascend");
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 0);
  EXPECT_EQ(run.events.read, accounted(run));
  EXPECT_EQ(names_of(run, SliceKind::framework_op), (Names{"aten::mm"}));
  EXPECT_EQ(names_of(run, SliceKind::python_function), (Names{"file.py(1): f"}));
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"aclnnMm_MatMul_MatMulV2", "aclnnMm_MatMul_MemSet"}));
  EXPECT_EQ(names_of(run, SliceKind::memcpy), (Names{"MEMCPY_ASYNC"}));
  EXPECT_EQ(names_of(run, SliceKind::device_collective), (Names{"hcom_allReduce__586_0_1"}));

  const Timeline& t = run.timeline;
  const DeviceOps& ops = t.device_ops;
  ASSERT_EQ(ops.size(), 4u);
  EXPECT_EQ(t.slices.start[ops.slice[0]], kBase + 100001);
  EXPECT_EQ(t.slices.duration[ops.slice[0]], 53741);
  EXPECT_EQ(ops.device, (std::vector<int32_t>{3, 3, 3, 3}));
  EXPECT_EQ(ops.stream, (std::vector<int64_t>{2, 2, 2, 9})) << "a collective runs where its tasks do";
  EXPECT_EQ(ops.bytes, (std::vector<int64_t>{-1, -1, 4096, -1}));
  EXPECT_EQ(ops.copy[2], CopyKind::HtoD);
  EXPECT_EQ(ops.source[2], MemoryKind::host);
  EXPECT_EQ(ops.destination[2], MemoryKind::device);

  ASSERT_EQ(t.collectives.size(), 1u);
  EXPECT_EQ(t.names[t.collectives[0].name], "allreduce");
  EXPECT_EQ(t.names[t.collectives[0].type], "FP32");
  EXPECT_EQ(t.collectives[0].elements_in, 1000);
  EXPECT_EQ(t.collectives[0].elements_out, 1000);

  // Calls lie on the thread that made them, and say what they launched.
  const SliceIndex call = find(run, "AscendCL@aclnnMm");
  EXPECT_EQ(t.kind(call), SliceKind::runtime_call);
  EXPECT_EQ(t.slices.correlation[call], 900);
  EXPECT_EQ(t.slices.track[call], t.slices.track[find(run, "Dequeue@aclnnMm")]);
  EXPECT_EQ(t.slices.correlation[find(run, "aclnnMm_MatMul_MatMulV2")], 901);
  ASSERT_EQ(t.hints.handovers.size(), 1u);
  EXPECT_EQ(t.name(t.hints.handovers[0].from), "Enqueue");
  EXPECT_EQ(t.name(t.hints.handovers[0].to), "Dequeue@aclnnMm");
  ASSERT_EQ(t.hints.sequence.size(), 1u);
  EXPECT_EQ(t.hints.sequence[0].number, 5);
  for (const Track& track : t.tracks) EXPECT_EQ(track.kind == TrackKind::host_thread, track.process == "100");
}

TEST(AscendTrace, EveryLayerBecomesWhatItMeans) {
  const cgpu::Run run = read_text(trace_text());
  expect_the_profile(run);
  const Timeline& t = run.timeline;
  EXPECT_EQ(names_of(run, SliceKind::annotation), (Names{"ProfilerStep#7"}));
  EXPECT_EQ(names_of(run, SliceKind::driver_call), (Names{"Runtime@KernelLaunch"}));
  EXPECT_EQ(names_of(run, SliceKind::synchronization), (Names{"EVENT_WAIT", "Notify Wait"}));
  ASSERT_EQ(t.synchronizations.size(), 1u);
  EXPECT_EQ(t.name(t.synchronizations[0].slice), "EVENT_WAIT");
  EXPECT_EQ(t.synchronizations[0].kind, Synchronization::Kind::stream_wait);
  EXPECT_EQ(names_of(run, SliceKind::other), (Names{"Notify_Wait", "Computing"}));
  EXPECT_EQ(t.names[t.collectives[0].group], "586");
  EXPECT_EQ(t.collectives[0].group_size, 4);
  EXPECT_EQ(t.categories[t.slices.category[find(run, "aclnnMm_MatMul_MatMulV2")]].name, "AI_CORE");
  ASSERT_EQ(t.counters.tracks.size(), 2u);
  EXPECT_EQ(t.counters.tracks[0].process, "NPU 3");
  EXPECT_EQ(t.counters.tracks[0].name, "AI Core Freq");
  EXPECT_EQ(t.counters.tracks[1].name, "read_bandwidth of accelerator 2");
  EXPECT_EQ(t.counters.value, (std::vector<double>{1800, 7}));
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].vendor, "Huawei");
  EXPECT_FALSE(run.rank_known);
}

TEST(AscendTrace, CompressedAndByManyThreadsIsTheSame) {
  expect_the_profile(read_file(TestFile(test::gzip(trace_text()), ".json.gz").path()));
  expect_the_profile(read_file(TestFile(trace_text()).path(), 4));
}

TEST(AscendTrace, NamesOfNewerVersionsAreTheSameLayers) {
  std::string text = trace_text();
  text.replace(text.find("\"HCCL\""), 6, "\"Communication\"");
  text.replace(text.find("Group 0 Communication"), 21, "Group group_name_19 Communication");
  EXPECT_EQ(names_of(read_text(text), SliceKind::device_collective), (Names{"hcom_allReduce__586_0_1"}));
}

TEST(AscendTrace, TasksWithoutATypeAreKernelsUnlessTheirNameSaysOtherwise) {
  std::string text = trace_text();
  for (const std::string type : {"AI_CORE", "AI_VECTOR_CORE", "PCIE_DMA_SQE", "EVENT_WAIT_SQE"}) {
    text.replace(text.find("\"" + type + "\""), type.size() + 2, "\"Other\"");  // as in 2023
  }
  const cgpu::Run run = read_text(text);
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"aclnnMm_MatMul_MatMulV2", "aclnnMm_MatMul_MemSet"}));
  EXPECT_EQ(names_of(run, SliceKind::memcpy), (Names{"MEMCPY_ASYNC"}));
  EXPECT_EQ(names_of(run, SliceKind::synchronization), (Names{"EVENT_WAIT", "Notify Wait"}));
}

TEST(AscendTrace, WhereTheLaunchItselfIsNotRecordedTheFlowLeadsToTheCallAroundIt) {
  const cgpu::Run run = read_text(R"([
    {"ph": "M", "name": "process_name", "pid": 32, "tid": 0, "args": {"name": "CANN"}},
    {"ph": "M", "name": "process_name", "pid": 64, "tid": 0, "args": {"name": "Ascend Hardware"}},
    {"ph": "X", "name": "AscendCL@aclnnMm", "pid": 32, "tid": 2, "ts": "10.000",
     "dur": 9, "args": {"connection_id": 5}},
    {"ph": "s", "name": "HostToDevice4", "id": "17179869184", "cat": "HostToDevice", "pid": 32, "tid": 2, "ts": "12.5"},
    {"ph": "X", "name": "k", "pid": 64, "tid": 3, "ts": "30.000", "dur": 9, "args": {"connection_id": 4}},
    {"ph": "f", "name": "HostToDevice4", "id": "17179869184", "cat": "HostToDevice", "pid": 64, "tid": 3,
     "ts": "30.000", "bp": "e"}])");
  const Timeline& t = run.timeline;
  EXPECT_EQ(t.slices.correlation[find(run, "k")], kNoCorrelation);
  ASSERT_EQ(t.hints.flows.size(), 2u);
  EXPECT_EQ(t.hints.flows[0].id, t.hints.flows[1].id);
  EXPECT_EQ(t.hints.flows[0].track, t.slices.track[find(run, "AscendCL@aclnnMm")]);
  EXPECT_EQ(t.hints.flows[1].time, t.slices.start[find(run, "k")]);
}

TEST(AscendTrace, AnArrayWithoutItsLayersStaysAChromeTrace) {
  const cgpu::Run run = read_text(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "5.000", "dur": 1}])");
  EXPECT_NE(run.format, "ascend");
  EXPECT_EQ(run.timeline.slices.size(), 1u);
}

TEST(AscendKernels, TheListAloneIsAProfile) {
  const cgpu::Run run = read_text(kernel_details_text(), 1, ".csv");
  EXPECT_EQ(run.format, "ascend");
  EXPECT_EQ(run.events.read, 3);
  EXPECT_EQ(run.events.read, accounted(run));
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"aclnnMm_MatMul_MatMulV2", "trans,Cast"}));
  EXPECT_EQ(names_of(run, SliceKind::device_collective), (Names{"hcom_allReduce__586_0_1"}));
  const DeviceOps& ops = run.timeline.device_ops;
  EXPECT_EQ(run.timeline.slices.start[ops.slice[0]], kBase + 100001);
  EXPECT_EQ(run.timeline.slices.duration[ops.slice[0]], 53741);
  EXPECT_EQ(ops.stream, (std::vector<int64_t>{2, 2, -1}));
  EXPECT_EQ(run.notes.count("incomplete_profile"), 1);
}

TEST(AscendKernels, AListThatEndsInsideARowIsCut) {
  const std::string whole = kernel_details_text();
  EXPECT_EQ(read_text(whole, 1, ".csv").notes.count("truncated_input"), 0);
  const std::string cut = whole.substr(0, whole.rfind(",300"));  // behind the begin of the last op
  EXPECT_EQ(read_text(cut, 1, ".csv").notes.count("truncated_input"), 1);
}

TEST(AscendKernels, LevelZeroHasNoTypes) {
  const cgpu::Run run = read_text(
      "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num\n"
      "1,6,aclnnAdd_Add_Add,N/A,N/A,1736408883000100.001\t,5.001,0,N/A\n"
      "1,6,hcom_allGather__010_2_1,N/A,N/A,1736408883000200.000\t,7,0,N/A\n"
      "1,6,broken,N/A,N/A,N/A,7,0,N/A\n1,6\n",
      1, ".csv");
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"aclnnAdd_Add_Add"}));
  EXPECT_EQ(names_of(run, SliceKind::device_collective), (Names{"hcom_allGather__010_2_1"}));
  EXPECT_EQ(run.timeline.device_ops.device, (std::vector<int32_t>{6, 6}));
  EXPECT_EQ(run.events.skipped, 2) << "ragged rows and rows without a time";
  EXPECT_EQ(run.events.read, accounted(run));
}

TEST(AscendKernels, TheSummaryOfMsprofIsTheSameList) {
  const cgpu::Run run = read_text(
      "Device ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us)\n"
      "2,4,MatMul1,MatMulV2,AI_CORE,1736408883000100.001,5.001,0\n"
      "2,4,aicpu,Cast,AI_CPU,1736408883000200.001,5.001,0\n",
      1, ".csv");
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"MatMul1", "aicpu"}));
  EXPECT_EQ(run.timeline.device_ops.stream, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(run.timeline.device_ops.device, (std::vector<int32_t>{2, 2}));
  const cgpu::Run old = read_text(  // its times are microseconds, too
      "Device_id,Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,Task Start Time,Task "
      "Duration(us)\n"
      "2,m,1,1,4,1,MatMul1,MatMulV2,AI_CORE,1736408883000100.001,5.001\n",
      1, ".csv");
  EXPECT_EQ(old.timeline.slices.start, (std::vector<int64_t>{kBase + 100001}));
}

TEST(AscendDatabase, EveryTableBecomesWhatItMeans) {
  const cgpu::Run run = read_database();
  expect_the_profile(run);
  const Timeline& t = run.timeline;
  EXPECT_EQ(run.format_version, "1.1.0");
  EXPECT_EQ(run.host, "node-a");
  EXPECT_TRUE(run.rank_known);
  EXPECT_EQ(run.rank, 5);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].name, "Ascend910B");
  EXPECT_EQ(names_of(run, SliceKind::annotation), (Names{"ProfilerStep#7", "a range"}));
  EXPECT_EQ(names_of(run, SliceKind::synchronization), (Names{"EVENT_WAIT", "Notify Wait"}));
  EXPECT_EQ(names_of(run, SliceKind::other), (Names{"AI_CORE"})) << "the wrapper of the collective's tasks";
  ASSERT_EQ(t.instants.size(), 1u);
  EXPECT_EQ(t.names[t.instants[0].name], "a mark");
  EXPECT_EQ(t.names[t.collectives[0].group], ascend::group_id("group_name_19"));
  ASSERT_EQ(t.counters.tracks.size(), 2u);
  EXPECT_EQ(t.counters.tracks[0].name, "HBM 1/read (B/s)");
  EXPECT_EQ(t.counters.tracks[1].name, "APP reserved (B)");
  ASSERT_EQ(t.memory.size(), 3u);
  EXPECT_EQ(t.memory[0].bytes, 0) << "what was there before is not known";
  EXPECT_EQ(t.memory[1].bytes, 300);
  EXPECT_EQ(t.memory[2].bytes, -150);
  EXPECT_EQ(t.memory[2].total_allocated, 250);
  EXPECT_EQ(t.memory[2].total_reserved, 1000);
  EXPECT_TRUE(mentions(run, "NPU_MODULE_MEM"));
  EXPECT_FALSE(mentions(run, "STEP_TIME")) << "the steps are marked already";
}

TEST(AscendDatabase, ArgumentsAreReadAgain) {
  const cgpu::Run run = read_database();
  const auto value_of = [&](SliceIndex slice, std::string_view key) {
    for (const Argument& argument : run.arguments->arguments(run.timeline.slices.source[slice])) {
      if (argument.key == key) return argument.value;
    }
    return std::string("absent");
  };
  const SliceIndex kernel = find(run, "aclnnMm_MatMul_MatMulV2");
  EXPECT_EQ(value_of(kernel, "opType"), "MatMulV2");
  EXPECT_EQ(value_of(kernel, "inputShapes"), "32,3;8");
  EXPECT_EQ(value_of(kernel, "streamId"), "2");
  EXPECT_EQ(value_of(find(run, "aten::mm"), "inputShapes"), "32,3;8");
}

TEST(AscendDatabase, TablesAndColumnsMayBeMissing) {
  EXPECT_EQ(names_of(read_database("DROP TABLE COMPUTE_TASK_INFO"), SliceKind::kernel),
            (Names{"KERNEL_AICORE", "KERNEL_AICORE", "AI_CORE"}))
      << "without details the type says what a task is";
  const cgpu::Run run = read_database(
      "DROP TABLE PYTORCH_API; DROP TABLE MEMCPY_INFO; DROP TABLE CONNECTION_IDS;"
      "ALTER TABLE TASK DROP COLUMN connectionId");
  EXPECT_EQ(run.timeline.device_ops.size(), 4u);
  EXPECT_EQ(names_of(run, SliceKind::annotation), (Names{"ProfilerStep#7", "a range"})) << "from STEP_TIME";
  EXPECT_EQ(run.timeline.device_ops.copy[2], CopyKind::unknown);
  EXPECT_EQ(run.events.read, accounted(run));
  for (const char* table : {"TASK", "STRING_IDS", "CANN_API", "COMMUNICATION_OP", "ENUM_API_TYPE", "MSTX_EVENTS"}) {
    TestDatabase database;
    test::fill_profile(database);
    database.sql(std::string("DROP TABLE ") + table).close();
    if (std::string(table) == "STRING_IDS") {
      EXPECT_NE(refusal([&] { read_file(database.path()); }), "was read");
    } else {
      const cgpu::Run partial = read_file(database.path());
      EXPECT_EQ(partial.events.read, accounted(partial)) << table;
    }
  }
}

TEST(AscendDatabase, RowsThatCannotBeTrueAreLeftOut) {
  const cgpu::Run run = read_database(
      "INSERT INTO TASK VALUES (NULL, 5, 3, 1, 9, 1, 8, 2), (9223372036854775807, 0, 3, 1, 9, 1, 8, 2);"
      "INSERT INTO TASK VALUES (1736408883000900000, 1736408883000800000, 3, 1, 1, 1, 8, 2);"
      "INSERT INTO HBM VALUES (3, NULL, 1, 1, 19), (3, 1736408883000100000, 'text', 1, 19)");
  EXPECT_EQ(run.events.skipped, 4);
  EXPECT_EQ(run.events.read, accounted(run));
  EXPECT_EQ(run.notes.count("negative_duration"), 1);
}

TEST(AscendDatabase, NothingIsWrittenBesideIt) {
  ProfileFolder folder;
  TestDatabase database;
  test::fill_profile(database);
  database.sql("PRAGMA journal_mode=WAL; INSERT INTO STRING_IDS VALUES (99, 'x')").close();
  folder.copy_in(database.path(), "ascend_pytorch_profiler_5.db");
  folder.put("ascend_pytorch_profiler_5.db-wal", "").put("ascend_pytorch_profiler_5.db-shm", std::string(32768, '\0'));
  const auto listing = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.output())) {
      names.push_back(entry.path().filename().string() + std::to_string(std::filesystem::file_size(entry)));
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto before = listing();
  expect_the_profile(read_file(folder.path()));
  EXPECT_EQ(listing(), before);
}

ProfileFolder& fill_text(ProfileFolder& folder) {
  folder.put("trace_view.json", trace_text()).put("kernel_details.csv", kernel_details_text());
  folder.put("step_trace_time.csv", test::step_trace_text());
  folder.put("communication.json",
             R"({"step7": {"p2p": {}, "collective": {"hcom_allReduce__586_0_1@3985310405473756128": {}}}})");
  folder.put("memory_record.csv",
             "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\n"
             "PTA,1736408883000100.000\t,0.5,1452.0,1,1,NPU:3\nPTA,1736408883000110.000\t,2.5,1452.0,1,1,NPU:3\n"
             "APP,1736408883000120.000\t,,2109.6015625,,,NPU:3\nPTA,N/A,1,1,1,1,NPU:3\n");
  folder.put("op_statistic.csv", "OP Type\n");
  return folder.put_above("profiler_info_5.json", test::profiler_info_text())
      .put_above("profiler_metadata.json", test::profiler_metadata_text());
}

TEST(AscendFolder, FactsComeFromTheFilesBesideTheTrace) {
  ProfileFolder folder;
  const cgpu::Run run = read_file(fill_text(folder).path());
  expect_the_profile(run);
  EXPECT_EQ(run.file, folder.path());
  EXPECT_EQ(run.rank, 5);
  EXPECT_TRUE(run.rank_known);
  EXPECT_EQ(run.world_size, 8);
  ASSERT_EQ(run.groups.size(), 1u);
  EXPECT_EQ(run.groups[0].description, "pp");
  EXPECT_EQ(run.groups[0].ranks, (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(run.timeline.names[run.timeline.collectives[0].group], "pp [1,5]");
  EXPECT_EQ(run.timeline.collectives[0].group_size, 2);
  ASSERT_EQ(run.step_traces.size(), 1u);
  EXPECT_EQ(run.step_traces[0].device, 3);
  EXPECT_EQ(run.step_traces[0].step, "7");
  EXPECT_EQ(run.step_traces[0].computing, 63741) << "written with the error of a double";
  EXPECT_EQ(run.step_traces[0].free, 0);
  ASSERT_EQ(run.timeline.memory.size(), 2u);
  EXPECT_EQ(run.timeline.memory[1].bytes, 2 * 1024 * 1024);
  EXPECT_EQ(run.timeline.memory[1].total_allocated, 2621440);
  EXPECT_EQ(run.timeline.memory[1].device, 3);
  EXPECT_TRUE(mentions(run, "op_statistic.csv"));
  const auto level = std::pair<std::string, std::string>("profiler_level", "Level1");
  EXPECT_EQ(std::count(run.metadata.begin(), run.metadata.end(), level), 1);
  for (const auto& [key, value] : run.metadata) EXPECT_EQ(value.find("do-not-show"), std::string::npos) << key;
}

TEST(AscendFolder, TheOutputFolderItselfIsTheProfileToo) {
  ProfileFolder folder;
  fill_text(folder);
  for (const std::string& path : {folder.output(), folder.output() + "/"}) {
    const cgpu::Run run = read_file(path);
    expect_the_profile(run);
    EXPECT_EQ(run.rank, 5);
  }
}

TEST(AscendFolder, OneFileMissingCostsOnlyWhatItSays) {
  for (const char* missing : {"trace_view.json", "kernel_details.csv", "step_trace_time.csv", "communication.json",
                              "memory_record.csv", "../profiler_info_5.json", "../profiler_metadata.json"}) {
    ProfileFolder folder;
    fill_text(folder);
    ASSERT_TRUE(std::filesystem::remove(folder.output() + "/" + missing)) << missing;
    const cgpu::Run run = read_file(folder.path());
    EXPECT_EQ(run.format, "ascend");
    EXPECT_EQ(run.events.read, accounted(run)) << missing;
    EXPECT_EQ(run.rank, 5) << missing;
    const bool without_trace = std::string(missing) == "trace_view.json";
    EXPECT_EQ(run.timeline.device_ops.size(), without_trace ? 3u : 4u) << missing;
    EXPECT_EQ(run.timeline.device_ops.device[0], 3) << missing << ": the memory's records tell the device";
  }
}

TEST(AscendFolder, ADamagedPartGivesWayToTheNext) {
  ProfileFolder folder;
  fill_text(folder);
  folder.put("ascend_pytorch_profiler_5.db", "SQLite format 3");
  expect_the_profile(read_file(folder.path()));
  folder.put("trace_view.json", "no trace");
  const cgpu::Run run = read_file(folder.path());
  EXPECT_EQ(run.timeline.device_ops.size(), 3u);
  EXPECT_EQ(run.notes.count("damaged_input"), 2);
  folder.put("profiler_metadata.json", "{");
  folder.put("communication.json", "");
  folder.put("analysis.db", "nothing");
  EXPECT_EQ(read_file(folder.path()).timeline.device_ops.size(), 3u);
}

TEST(AscendFolder, TheDatabaseIsPreferredAndItsStepsAreRead) {
  ProfileFolder folder;
  TestDatabase database;
  test::fill_profile(database);
  database.close();
  TestDatabase analysis;
  analysis
      .sql(R"(CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing NUMERIC, communication NUMERIC,
      communication_not_overlapped NUMERIC, overlapped NUMERIC, free NUMERIC);
    INSERT INTO StepTraceTime VALUES (3, '7', 63.741, 300, 286.258, 13.742, 0))")
      .close();
  folder.put("trace_view.json", "no trace").copy_in(database.path(), "ascend_pytorch_profiler_5.db");
  folder.copy_in(analysis.path(), "analysis.db");
  folder.put_above("profiler_metadata.json", test::profiler_metadata_text());
  const cgpu::Run run = read_file(folder.path());
  expect_the_profile(run);
  EXPECT_EQ(run.timeline.names[run.timeline.collectives[0].group], "pp [1,5]");
  ASSERT_EQ(run.step_traces.size(), 1u);
  EXPECT_EQ(run.step_traces[0].not_overlapped, 286258);
}

TEST(AscendFolder, AJobIsItsRanks) {
  const TemporaryFolder job;
  for (const std::string rank : {"7", "2"}) {
    const std::string folder = job.path() + "/node_" + rank + "_ascend_pt";
    std::filesystem::create_directories(folder + "/ASCEND_PROFILER_OUTPUT");
    std::ofstream(folder + "/ASCEND_PROFILER_OUTPUT/trace_view.json") << trace_text();
    std::ofstream(folder + "/profiler_info_" + rank + ".json") << R"({"rank_id": )" << rank << "}";
  }
  const Session session = open_one(job.path());
  ASSERT_EQ(session.runs.size(), 2u);
  EXPECT_EQ(session.runs[0].rank, 2);
  EXPECT_EQ(session.runs[1].rank, 7);
}

TEST(AscendFolder, WhatWasNotAnalysedIsToldHow) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/PROF_000001_x/device_0");
  EXPECT_NE(refusal([&] { read_file(folder.path()); }).find("analyse the raw records"), std::string::npos);
  std::filesystem::create_directories(folder.path() + "/PROF_000001_x/mindstudio_profiler_output");
  std::ofstream(folder.path() + "/PROF_000001_x/mindstudio_profiler_output/msprof_2025.json") << trace_text();
  expect_the_profile(read_file(folder.path()));
}

TEST(AscendFolder, AllocationsOfOpsStandInForTheRecord) {
  ProfileFolder folder;
  folder.put("trace_view.json", trace_text());
  folder.put("operator_memory.csv",
             "Name,Size(KB),Allocation Time(us),Release Time(us),Allocation Total Allocated(MB),"
             "Release Total Allocated(MB),Device Type\n"
             "aten::empty,0.5,1736408883000100.000\t,1736408883000200.000\t,3,2,NPU:1\n"
             "aten::empty,2,,1736408883000200.000\t,,1,NPU:1\n");
  const cgpu::Run run = read_file(folder.path());
  ASSERT_EQ(run.timeline.memory.size(), 3u);
  EXPECT_EQ(run.timeline.memory[0].bytes, 512);
  EXPECT_EQ(run.timeline.memory[1].bytes, -512);
  EXPECT_EQ(run.timeline.memory[1].total_allocated, 2 * 1024 * 1024);
  EXPECT_EQ(run.timeline.memory[2].bytes, -2048);
  EXPECT_EQ(run.events.read, accounted(run));
}

TEST(AscendNames, GroupsAreKnownByTheirHash) {
  EXPECT_EQ(ascend::group_id("group_name_19"), "3985310405473756128");
  EXPECT_EQ(ascend::group_id("group_name_17"), "3985310396883821534");
  EXPECT_EQ(ascend::group_id(""), "0");
  EXPECT_EQ(ascend::group_digits("hcom_allReduce__534_7_1"), "534");
  EXPECT_EQ(ascend::group_digits("hcom_allReduce_"), "");
}

TEST(AscendNames, CollectivesAreSpelledLikeThoseOfOthers) {
  EXPECT_EQ(ascend::collective_name("hcom_allReduce__534_7_1"), "allreduce");
  EXPECT_EQ(ascend::collective_name("hcom_reduceScatter_"), "reduce_scatter");
  EXPECT_EQ(ascend::collective_name("hcom_batchSendRecv__128_3_1"), "send_recv");
  EXPECT_EQ(ascend::collective_name("HcclAlltoAllV"), "alltoallv");
}

TEST(AscendNames, TheOtherSideOfAGatherIsThatOfAllRanks) {
  const std::string text = [] {
    std::string changed = trace_text();
    const std::string name = "hcom_allReduce";
    return changed.replace(changed.find(name), name.size(), "hcom_allGather");
  }();
  const cgpu::Run run = read_text(text);
  EXPECT_EQ(run.timeline.collectives[0].elements_in, 1000);
  EXPECT_EQ(run.timeline.collectives[0].elements_out, 4000);
}

void expect_an_answer(const std::string& bytes, const std::string& ending) {
  const TestFile file(bytes, ending);
  try {
    for (const cgpu::Run& run : open_one(file.path()).runs) EXPECT_EQ(run.events.read, accounted(run));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

std::string database_bytes() {
  TestDatabase database;
  database.sql("PRAGMA page_size=512");
  test::fill_profile(database);
  database.close();
  return database.bytes();
}

TEST(AscendDamage, EveryTruncationGivesAnAnswer) {
  const std::pair<std::string, std::string> inputs[] = {
      {trace_text(), ".json"}, {kernel_details_text(), ".csv"}, {database_bytes(), ".db"}};
  for (const auto& [bytes, ending] : inputs) {
    for (size_t part = 0; part < 64; ++part) {
      expect_an_answer(bytes.substr(0, std::max<size_t>(1, bytes.size() * part / 64)), ending);
    }
  }
  const cgpu::Run run = read_text(trace_text().substr(0, trace_text().size() * 3 / 4));
  EXPECT_GT(run.timeline.device_ops.size(), 0u);
  EXPECT_EQ(run.notes.count("truncated_input"), 1);
}

TEST(AscendDamage, EveryTruncationOfAPartGivesAnAnswer) {
  const std::pair<std::string, std::string> parts[] = {{"../profiler_info_5.json", test::profiler_info_text()},
                                                       {"../profiler_metadata.json", test::profiler_metadata_text()},
                                                       {"step_trace_time.csv", test::step_trace_text()},
                                                       {"ascend_pytorch_profiler_5.db", database_bytes()},
                                                       {"analysis.db", database_bytes()}};
  for (const auto& [name, bytes] : parts) {
    ProfileFolder folder;
    fill_text(folder);
    for (size_t part = 0; part < 64; ++part) {
      folder.put(name, bytes.substr(0, bytes.size() * part / 64));
      const cgpu::Run run = read_file(folder.path());
      EXPECT_EQ(run.events.read, accounted(run)) << name << " " << part;
    }
  }
}

TEST(AscendDamage, HeadersAndRandomBytesGiveAnAnswer) {
  const std::string database = database_bytes();
  for (size_t i = 16; i < 100; ++i) {
    for (const char value : {'\0', '\xff'}) {
      std::string damaged = database;
      damaged[i] = value;
      expect_an_answer(damaged, ".db");
    }
  }
  const std::pair<std::string, std::string> inputs[] = {
      {trace_text(), ".json"}, {kernel_details_text(), ".csv"}, {database, ".db"}};
  std::mt19937 random(1);
  for (const auto& [bytes, ending] : inputs) {
    for (int round = 0; round < 100; ++round) {
      std::string damaged = bytes;
      for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      expect_an_answer(damaged, ending);
    }
  }
}

TEST(AscendDamage, NumbersAtTheirLimits) {
  for (const std::string number : {"9223372036854775807", "-9223372036854775808", "1e300", "NaN", "0"}) {
    std::string text = kernel_details_text();
    text.replace(text.find("53.741"), 6, number);
    expect_an_answer(text, ".csv");
    std::string trace = trace_text();
    for (const std::string key : {"\"count\": ", "\"connection_id\": ", "\"size(B)\": ", "\"rank_size\": "}) {
      trace.insert(trace.find(key) + key.size(), number == "NaN" ? "null, \"x\": " : number + ", \"x\": ");
    }
    expect_an_answer(trace, ".json");
  }
}

}  // namespace
}  // namespace cgpu
