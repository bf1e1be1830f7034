#include "readers/rocprof/rocprof.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/common/sqlite/test_database.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu::rocprof {
namespace {

const std::string kCalls =
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
    "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",7,8,1,100,200\n"
    "\"HSA_CORE_API\",\"hsa_init\",7,8,2,210,220\n"
    "\"MARKER_CORE_API\",\"mark\",7,8,3,230,230\n"
    "\"MARKER_CORE_API\",\"range\",7,8,4,90,300\n";
const std::string kKernels =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Name\",\"Correlation_Id\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",2,8,1,\"void f<float>(float*, int) [clone .kd]\",1,300,400\n"
    "\"KERNEL_DISPATCH\",4,3,8,2,\"g.kd\",9,500\n";
const std::string kCopies =
    "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\","
    "\"End_Timestamp\"\n"
    "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,4,1,10,20\n"
    "\"MEMORY_COPY\",\"DEVICE_TO_DEVICE\",4,5,2,30,40\n";
const std::string kCounters =
    "\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Grid_Size\",\"Kernel_Name\",\"Workgroup_Size\","
    "\"LDS_Block_Size\",\"VGPR_Count\",\"Counter_Name\",\"Counter_Value\"\n"
    "1,4,1,7,1024,\"f()\",64,32,8,\"SQ_WAVES\",16\n1,4,1,7,1024,\"f()\",64,32,8,\"GRBM_COUNT\",2.5\n"
    "1,4,1,9,1024,\"f()\",64,32,8,\"SQ_WAVES\",18\n";
const std::string kWide =
    "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,TCC_HIT[0],Wave_Size_1,Start_Timestamp,End_Timestamp\n"
    "0,\"f() [clone .kd]\",2,64,5,64,100,250\n1,g.kd,2,64,x,64,8.1E+14,8.1E+14\n";
const std::string kTail =
    "\"buffer_records\":{\"kernel_dispatch\":[{\"correlation_id\":{\"internal\":1},\"start_timestamp\":300,"
    "\"end_timestamp\":400,\"dispatch_info\":{\"agent_id\":{\"handle\":77},\"queue_id\":{\"handle\":1},\"kernel_id\":5,"
    "\"workgroup_size\":{\"x\":64,\"y\":1,\"z\":1},\"grid_size\":{\"x\":130,\"y\":1,\"z\":1}}"
    ","
    "\"stream_id\":{\"handle\":3}}],\"hip_api\":[{\"kind\":1,\"operation\":1,\"correlation_id\":{\"internal\":1},"
    "\"start_timestamp\":100,\"end_timestamp\":200,\"thread_id\":8}],\"memory_copy\":[{\"operation\":3,"
    "\"correlation_id\":{\"internal\":2},\"start_timestamp\":500,\"end_timestamp\":600,\"src_agent_id\":{\"handle\":77}"
    ","
    "\"dst_agent_id\":{\"handle\":1},\"bytes\":64}],\"scratch_memory\":[{\"kind\":12}]}";
const std::string kCallbacks =
    "\"callback_records\":{\"counter_collection\":[{\"dispatch_data\":{\"start_timestamp\":1,\"end_timestamp\":11,"
    "\"dispatch_info\":{\"agent_id\":{\"handle\":77},\"kernel_id\":5,\"dispatch_id\":4,\"workgroup_size\":{\"x\":64,"
    "\"y\":1,"
    "\"z\":1},\"grid_size\":{\"x\":130,\"y\":1,\"z\":1}}},\"records\":[{\"counter_id\":{\"handle\":9},\"value\":16},"
    "{\"counter_id\":{\"handle\":9},\"value\":0.5}]}]}";
const std::string kNames =
    "\"metadata\":{\"pid\":7,\"node\":{\"hostname\":\"n\"}},\"agents\":[{\"id\":{\"handle\":77},\"type\":2,"
    "\"logical_node_type_id\":1,\"name\":\"gfx942\",\"cu_count\":304}],\"counters\":[{\"id\":{\"handle\":9},\"name\":"
    "\"SQ_WAVES\"}],\"strings\":{\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},{\"kind\":\"HIP\","
    "\"operations\":"
    "[\"none\",\"hipLaunchKernel\"]}]},\"kernel_symbols\":[{\"kernel_id\":5,\"kernel_name\":\"_Z1fv.kd\","
    "\"formatted_kernel_name\":\"f()\"}]";

const std::string kFirstVersionsTrace =
    "{ \"traceEvents\":[{}\n"
    ",{\"args\":{\"name\":\"CPU HIP API\"},\"ph\":\"M\",\"pid\":2,\"name\":\"process_name\",\"sort_index\":0}\n"
    ",{\"args\":{\"name\":\"Markers and Ranges\"},\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"sort_index\":1}\n"
    ",{\"args\":{\"name\":\"COPY\"},\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"sort_index\":2}\n"
    ",{\"args\":{\"name\":\"GPU1\"},\"ph\":\"M\",\"pid\":7,\"name\":\"process_name\",\"sort_index\":3}\n"
    ",{\"ph\":\"X\",\"name\":\"hipLaunchKernel\",\"pid\":\"2\",\"tid\":\"8\",\"ts\":\"1\",\"dur\":\"1\",\n  "
    "\"args\":{\n"
    "    \"BeginNs\":\"1100\",\"EndNs\":\"1900\",\"pid\":\"4\",\"tid\":\"8\"}}\n"
    ",{\"ph\":\"X\",\"name\":\"range\",\"pid\":\"0\",\"tid\":\"8\",\"ts\":\"1\",\"dur\":\"9\",\"args\":{}}\n"
    ",{\"ts\":1,\"ph\":\"s\",\"cat\":\"DataFlow\",\"id\":0,\"pid\":2,\"tid\":8,\"name\":\"dep\"}\n"
    ",{\"ts\":5,\"ph\":\"t\",\"cat\":\"DataFlow\",\"id\":0,\"pid\":7,\"tid\":0,\"name\":\"dep\"}\n"
    ",{\"ph\":\"X\",\"name\":\"f(float*) [clone "
    ".kd]\",\"pid\":\"7\",\"tid\":\"0\",\"ts\":\"5\",\"dur\":\"1\",\"args\":{"
    "\"BeginNs\":\"5123\",\"EndNs\":\"6127\",\"dev-id\":\"1\",\"queue-id\":\"2\",\"pid\":\"4\"}}\n"
    ",{\"ph\":\"X\",\"name\":\"CopyHostToDevice\",\"pid\":\"7\",\"tid\":\"0\",\"ts\":\"8\",\"dur\":\"1\",\"args\":{}}\n"
    ",{\"ph\":\"X\",\"name\":\"hsa_amd_memory_async_copy\",\"pid\":\"1\",\"tid\":\"0\",\"ts\":\"9\",\"dur\":\"1\","
    "\"args\":{}}\n"
    ",{\"ph\":\"X\",\"name\":\"broken\",\"pid\":\"7\",\"tid\":\"0\",\"ts\":\"x\",\"args\":{}}\n"
    ",{\"ph\":\"Q\"}\n],\n\"otherData\": {\n  }\n}";

std::string results(const std::string& members) {
  return "{\"rocprofiler-sdk-tool\":[{" + members + "}]}";
}

cgpu::Run read(const std::string& text) {
  const test::TestFile file(text, ".csv");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}
/// A folder with files that vanishes with the object.
class Folder {
 public:
  Folder() {
    std::string name = "/tmp/cgpu-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void add(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  Session open() const { return open_inputs({path_.string()}, {}); }

 private:
  std::filesystem::path path_;
};

TEST(Rocprof, Calls) {
  const auto run = read(kCalls);
  EXPECT_EQ(run.format, "rocprof");
  ASSERT_EQ(run.timeline.slices.size(), 3u);
  EXPECT_EQ(run.timeline.kind(0), SliceKind::runtime_call);
  EXPECT_EQ(run.timeline.kind(1), SliceKind::driver_call);
  EXPECT_EQ(run.timeline.kind(2), SliceKind::annotation);
  EXPECT_EQ(run.timeline.slices.duration[2], 210);
  EXPECT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.timeline.tracks.at(0).thread, "8");
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(Rocprof, KernelsAndRaggedRows) {
  const auto run = read(kKernels);
  ASSERT_EQ(run.timeline.device_ops.size(), 1u);
  EXPECT_EQ(run.timeline.name(0), "void f<float>(float*, int)");
  EXPECT_EQ(run.timeline.device_ops.device[0], 4);
  EXPECT_EQ(run.timeline.device_ops.stream[0], 2);
  EXPECT_EQ(run.events.skipped, 1);
}

/// The arguments of a slice as text.
std::string arguments_of(const cgpu::Run& run, SliceIndex slice) {
  std::string text;
  if (!run.arguments) return text;
  for (const Argument& one : run.arguments->arguments(run.timeline.slices.source[slice])) {
    text += one.key + one.value + " ";
  }
  return text;
}

TEST(Rocprof, GridsOfKernelsAreBlocks) {
  const auto run = read(
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","
      "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
      "\"KERNEL_DISPATCH\",4,1,\"f()\",1,10,20,64,2,1,640,5,1\n"
      "\"KERNEL_DISPATCH\",4,1,\"g()\",2,30,40,64,2,1,,5,1\n");
  const std::vector<SliceIndex>& ops = run.timeline.device_ops.slice;
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(arguments_of(run, ops[0]), "grid[10, 3, 1] block[64, 2, 1] ");
  EXPECT_EQ(arguments_of(run, ops[1]), "") << "one of its sizes is missing";
}

TEST(Rocprof, Copies) {
  const auto run = read(kCopies);
  const DeviceOps& ops = run.timeline.device_ops;
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops.copy[0], CopyKind::HtoD);
  EXPECT_EQ(ops.device[0], 4);
  EXPECT_EQ(ops.source[0], MemoryKind::host);
  EXPECT_EQ(ops.copy[1], CopyKind::PtoP);
  EXPECT_EQ(ops.bytes[1], -1);
}

TEST(Rocprof, CountersAreOfLaunches) {
  const auto run = read(kCounters);
  ASSERT_TRUE(run.launch_metrics);
  const std::vector<ProfiledLaunch>& launches = run.launch_metrics->launches;
  ASSERT_EQ(launches.size(), 2u);  // two processes
  EXPECT_EQ(launches[0].kernel, "f()");
  EXPECT_EQ(launches[0].registers, 8);
  EXPECT_EQ(launches[0].shared_bytes, 32);
  ASSERT_EQ(launches[0].metrics.size(), 4u);  // sizes of grid and group, two counters
  EXPECT_EQ(launches[0].metrics[3].number, 2.5);
  EXPECT_EQ(launches[1].metrics[2].number, 18);
}

TEST(Rocprof, CountersInColumns) {
  const auto run = read(kWide);
  ASSERT_TRUE(run.launch_metrics);
  const std::vector<ProfiledLaunch>& launches = run.launch_metrics->launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].duration_ns, 150);
  EXPECT_EQ(launches[0].metrics.size(), 2u);
  EXPECT_EQ(launches[1].kernel, "g");
  EXPECT_FALSE(launches[1].duration_ns);  // rounded by a spreadsheet
  EXPECT_EQ(run.notes.count("invalid_number"), 1);
}

TEST(Rocprof, ATableThatEndsInsideARowIsCut) {
  const std::string wide = "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,SQ_INSTS\n0,f,2,5,6\n1,g,2,77";
  const auto run = read(wide);
  ASSERT_EQ(run.launch_metrics->launches.size(), 2u);
  EXPECT_TRUE(run.launch_metrics->launches[1].metrics.empty()) << "77 may be the beginning of a number";
  bool damaged = false;
  for (const Note& note : run.notes.all()) damaged = damaged || (note.code == "truncated_input" && note.damage);
  EXPECT_TRUE(damaged);
}

TEST(Rocprof, AFolderIsOneRun) {
  const Folder folder;
  folder.add("11_kernel_trace.csv", kKernels);
  folder.add("11_hip_api_trace.csv", kCalls);
  folder.add("12_kernel_trace.csv", kKernels);
  folder.add("12_hip_api_trace.csv", kCalls);
  folder.add("12_hip_api_stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\",\"Percentage\"\n");
  const Session session = folder.open();
  ASSERT_EQ(session.runs.size(), 1u);
  const cgpu::Run& run = session.runs.front();
  EXPECT_EQ(run.timeline.device_ops.size(), 2u);
  EXPECT_EQ(run.notes.count("skipped_file"), 1);
  // Each kernel has the key of the call of its own process.
  const Slices& slices = run.timeline.slices;
  const SliceIndex first = run.timeline.device_ops.slice[0];
  const SliceIndex second = run.timeline.device_ops.slice[1];
  EXPECT_EQ(slices.correlation[first], slices.correlation[0]);
  EXPECT_EQ(slices.correlation[second], slices.correlation[first + 1]);
  EXPECT_NE(slices.correlation[first], slices.correlation[second]);
}

TEST(Rocprof, NothingInAFolderIsDroppedWithoutANote) {
  const Folder folder;
  folder.add("11_kernel_trace.csv", kKernels);
  folder.add("12_something_new.csv", "\"a\",\"b\"\n1,2\n");
  folder.add("README", "about this run");
  const Session session = folder.open();
  ASSERT_EQ(session.runs.size(), 1u);
  EXPECT_EQ(session.runs.front().notes.count("skipped_file"), 2);
}

TEST(Rocprof, JsonResultsInAnyOrder) {
  for (const auto& text :
       {results(kNames + "," + kCallbacks + "," + kTail), results(kTail + "," + kNames + "," + kCallbacks)}) {
    const auto run = read(text);
    EXPECT_EQ(run.host, "n");
    ASSERT_EQ(run.timeline.device_ops.size(), 2u);
    const SliceIndex kernel = run.timeline.device_ops.slice[0];
    EXPECT_EQ(run.timeline.name(kernel), "f()");
    EXPECT_EQ(run.timeline.slices.correlation[kernel], run.timeline.slices.correlation[1]);
    EXPECT_EQ(run.timeline.name(1), "hipLaunchKernel");
    EXPECT_EQ(run.timeline.device_ops.stream[0], 3);
    EXPECT_EQ(run.timeline.device_ops.copy[1], CopyKind::DtoH);
    EXPECT_EQ(run.timeline.device_ops.bytes[1], 64);
    EXPECT_EQ(arguments_of(run, kernel), "grid[3, 1, 1] block[64, 1, 1] ");
    ASSERT_TRUE(run.launch_metrics);
    const ProfiledLaunch& launch = run.launch_metrics->launches.front();
    EXPECT_EQ(launch.kernel, "f()");
    EXPECT_EQ(launch.duration_ns, 10);
    EXPECT_EQ((*launch.grid)[0], 3);
    EXPECT_EQ(launch.metrics.front().number, 16.5);
    EXPECT_EQ(run.events.skipped, 1);
    EXPECT_EQ(run.events.read, test::accounted(run));
  }
}

/// A process of rocprofv3's database: a launch, its kernel, a copy to the device, a mark, an allocation, a counter.
std::string rocpd(const std::string& guid, int pid) {
  const auto table = [&](const std::string& name, const std::string& columns, const std::string& rows) {
    const std::string whole = "rocpd_" + name + guid;
    return "CREATE TABLE " + whole + " (" + columns + "); INSERT INTO " + whole + " VALUES " + rows + ";";
  };
  return table("string", "id INTEGER PRIMARY KEY, guid, string",
               "(1,'g','HIP_RUNTIME_API_EXT'),(2,'g','hipLaunchKernel'),(3,'g','MARKER_CORE_API'),(4,'g','roctxMark'),"
               "(5,'g','KERNEL_DISPATCH')") +
         table("event", "id INTEGER PRIMARY KEY, guid, category_id, stack_id, parent_stack_id, extdata",
               "(1,'g',1,11,0,'{}'),(2,'g',5,11,0,'{}'),(3,'g',3,12,0,'{\"message\" : \"step \\\"1\\\"\"}'),"
               "(4,'g',5,13,0,'{}')") +
         table("info_node", "id, hostname", "(1,'node')") +
         table("info_process", "id, pid, command", "(1," + std::to_string(pid) + ",'secret')") +
         table("info_thread", "id, tid", "(1,88)") +
         table("info_agent", "id, type, type_index, product_name, name, vendor_name",
               "(1,'CPU',0,'EPYC','EPYC','AMD'),(2,'GPU',1,'AMD Instinct MI300X','gfx942','AMD')") +
         table("info_kernel_symbol", "id, kernel_name, display_name", "(1,'_Z1fv.kd','f()')") +
         table("info_pmc", "id, name, symbol", "(1,'SQ_WAVES','SQ_WAVES')") +
         table("pmc_event", "id, event_id, pmc_id, value", "(1,2,1,16),(2,2,1,0.5)") +
         table("region", "id, pid, tid, start, end, name_id, event_id", "(1,1,1,100,200,2,1),(2,1,1,230,230,4,3)") +
         table("kernel_dispatch",
               "id, pid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end, workgroup_size_x, "
               "workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id",
               "(1,1,2,1,1,1,3,300,400,64,1,1,130,1,1,2)") +
         table("memory_copy", "id, pid, start, end, src_agent_id, dst_agent_id, size, stream_id, event_id",
               "(1,1,500,600,1,2,64,3,4)") +
         table("memory_allocate", "id, size", "(1,64)");
}

TEST(Rocprof, ReadsTheDatabaseOfRocprofv3) {
  cgpu::test::TestDatabase database;
  database.sql(rocpd("_a", 7));
  database.close();
  for (const std::string& bytes : {database.bytes(), cgpu::test::gzip(database.bytes())}) {
    const auto run = read(bytes);
    EXPECT_EQ(run.format, "rocprof");
    EXPECT_EQ(run.format_version, "rocpd");
    EXPECT_EQ(run.host, "node");
    ASSERT_EQ(run.devices.size(), 1u);
    EXPECT_EQ(run.devices[0].id, 1);
    EXPECT_EQ(run.devices[0].name, "AMD Instinct MI300X");
    ASSERT_EQ(run.timeline.slices.size(), 3u);
    EXPECT_EQ(run.timeline.name(0), "hipLaunchKernel");
    EXPECT_EQ(run.timeline.kind(0), SliceKind::runtime_call);
    const DeviceOps& ops = run.timeline.device_ops;
    ASSERT_EQ(ops.size(), 2u);
    EXPECT_EQ(run.timeline.name(ops.slice[0]), "f()");
    EXPECT_EQ(run.timeline.slices.correlation[ops.slice[0]], run.timeline.slices.correlation[0]);
    EXPECT_EQ(ops.device[0], 1);
    EXPECT_EQ(ops.stream[0], 3);
    EXPECT_EQ(ops.copy[1], CopyKind::HtoD);
    EXPECT_EQ(ops.bytes[1], 64);
    EXPECT_NE(arguments_of(run, ops.slice[0]).find("grid[3, "), std::string::npos);
    ASSERT_EQ(run.timeline.instants.size(), 1u);
    EXPECT_EQ(run.timeline.names[run.timeline.instants[0].name], "step \"1\"");
    ASSERT_TRUE(run.launch_metrics);
    EXPECT_EQ(run.launch_metrics->launches[0].metrics[0].number, 16.5);
    EXPECT_EQ((*run.launch_metrics->launches[0].grid)[0], 3);
    EXPECT_EQ(run.events.skipped, 1) << "an allocation";
    EXPECT_EQ(run.events.read, test::accounted(run));
  }
}

TEST(Rocprof, ProcessesOfOneDatabaseAreKeptApart) {
  cgpu::test::TestDatabase database;
  database.sql(rocpd("_a", 7) + rocpd("_b", 9));
  database.close();
  const auto run = read(database.bytes());
  const DeviceOps& ops = run.timeline.device_ops;
  ASSERT_EQ(ops.size(), 4u);
  EXPECT_NE(run.timeline.slices.correlation[ops.slice[0]], run.timeline.slices.correlation[ops.slice[2]]);
  EXPECT_EQ(run.timeline.slices.correlation[ops.slice[2]], run.timeline.slices.correlation[3]);
}

TEST(Rocprof, ReadsKernelsOfTheFirstVersionsDatabase) {
  cgpu::test::TestDatabase database;
  database.sql(
      "CREATE TABLE KERN (\"Index\" INTEGER, KernelName TEXT, \"gpu-id\" INTEGER, \"queue-id\" INTEGER, pid INTEGER, "
      "BeginNs INTEGER, EndNs INTEGER); INSERT INTO KERN VALUES "
      "(0,'\"void f<double>(double*) [clone .kd]\"',8,2,7,100,150),(1,'g.kd',8,2,7,NULL,1);"
      "CREATE TABLE HSA (Name TEXT); INSERT INTO HSA VALUES ('hsa_init')");
  database.close();
  const auto run = read(database.bytes());
  ASSERT_EQ(run.timeline.device_ops.size(), 1u);
  EXPECT_EQ(run.timeline.name(0), "void f<double>(double*)");
  EXPECT_EQ(run.timeline.device_ops.device[0], 8);
  EXPECT_EQ(run.timeline.device_ops.stream[0], 2);
  EXPECT_EQ(run.notes.count("unread_table"), 1);
  EXPECT_EQ(run.events.read, test::accounted(run));
  EXPECT_EQ(run.events.skipped, 1);
}

TEST(Rocprof, ReadsTheFirstVersionsTrace) {
  const auto run = read(kFirstVersionsTrace);
  EXPECT_EQ(run.format, "rocprof");
  EXPECT_EQ(run.format_version, "rocprof v1 trace");
  const Timeline& t = run.timeline;
  ASSERT_EQ(t.slices.size(), 5u);
  EXPECT_EQ(t.name(0), "hipLaunchKernel");
  EXPECT_EQ(t.kind(0), SliceKind::runtime_call);
  EXPECT_EQ(t.kind(1), SliceKind::annotation);
  EXPECT_EQ(t.slices.start[1], 1'000);  // whole microseconds, as there are no others
  EXPECT_EQ(t.slices.duration[1], 9'000);
  ASSERT_EQ(t.device_ops.size(), 3u);
  EXPECT_EQ(t.name(t.device_ops.slice[0]), "f(float*)");
  EXPECT_EQ(t.slices.start[t.device_ops.slice[0]], 5'123);
  EXPECT_EQ(t.slices.duration[t.device_ops.slice[0]], 1'004);
  EXPECT_EQ(t.device_ops.device[0], 1);
  EXPECT_EQ(t.device_ops.stream[0], 2);
  EXPECT_EQ(t.device_ops.copy[1], CopyKind::HtoD);
  EXPECT_EQ(t.device_ops.copy[2], CopyKind::unknown);
  EXPECT_EQ(run.events.read, test::accounted(run));
  EXPECT_EQ(run.events.flows, 2);
  EXPECT_EQ(run.events.skipped, 2);
}

TEST(Rocprof, CutAnywhereAndDamaged) {
  for (const std::string& whole : {kFirstVersionsTrace, kCalls, kKernels, kCopies, kCounters, kWide,
                                   results(kNames + "," + kCallbacks + "," + kTail)}) {
    for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 64) {
      for (const std::string& end : {std::string(), std::string("\xff\"{"), std::string(9, '9')}) {
        try {
          const auto run = read(whole.substr(0, size) + end + (end.empty() ? "" : whole.substr(size)));
          EXPECT_EQ(run.events.read, test::accounted(run));
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST(Rocprof, WhatIsNoProfileOfARunIsNamed) {
  EXPECT_NE(describe_unread("\"Name\",\"Calls\",\"TotalDurationNs\",\"Percentage\"\n"), "");
  EXPECT_NE(describe_unread("ROCProfilerV2: Collecting"), "");
  EXPECT_EQ(describe_unread("a,b,c\n"), "");
}

}  // namespace
}  // namespace cgpu::rocprof
