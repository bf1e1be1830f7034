// For tests: writes small Ascend profiles, as text and as a database.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "readers/common/sqlite/test_database.h"
#include "readers/common/temporary_folder.h"

namespace cgpu::test {

/// A profile folder that vanishes with the object.
class ProfileFolder {
 public:
  ProfileFolder() { std::filesystem::create_directory(output()); }

  const std::string& path() const { return folder_.path(); }
  std::string output() const { return path() + "/ASCEND_PROFILER_OUTPUT"; }
  /// Writes a file into the output folder.
  ProfileFolder& put(const std::string& name, const std::string& text) { return write(output() + "/" + name, text); }
  /// Writes a file beside it.
  ProfileFolder& put_above(const std::string& name, const std::string& text) {
    return write(path() + "/" + name, text);
  }
  ProfileFolder& copy_in(const std::string& file, const std::string& name) {
    std::filesystem::copy_file(file, output() + "/" + name);
    return *this;
  }

 private:
  ProfileFolder& write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return *this;
  }
  TemporaryFolder folder_;
};

/// Two ops hand work to a queue; its thread launches two kernels, a copy and a collective of one task. Device 3.
inline std::string trace_text() {
  return R"json([
{"ph": "X", "name": "ProfilerStep#7", "pid": 100, "tid": 1, "ts": "1736408883000000.000", "dur": 900,
  "cat": "cpu_op", "args": {"Sequence number": -1}},
{"ph": "X", "name": "aten::mm", "pid": 100, "tid": 1, "ts": "1736408883000010.125", "dur": 20.5,
  "cat": "cpu_op", "args": {"Sequence number": 5, "Fwd thread id": 0}},
{"ph": "X", "name": "Enqueue", "pid": 100, "tid": 1, "ts": "1736408883000012.000", "dur": 5, "cat": "enqueue",
  "args": {"correlation_id": 40}},
{"ph": "X", "name": "file.py(1): f", "pid": 100, "tid": 1, "ts": "1736408883000001.000", "dur": 800,
  "cat": "python_function", "args": {"Python id": 1}},
{"ph": "X", "name": "Dequeue@aclnnMm", "pid": 100, "tid": 2, "ts": "1736408883000020.000", "dur": 60,
  "cat": "dequeue", "args": {"correlation_id": 40}},
{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "args": {"name": "Python"}},
{"ph": "M", "name": "process_name", "pid": 102403, "tid": 0, "args": {"name": "CANN"}},
{"ph": "M", "name": "process_name", "pid": 102435, "tid": 0, "args": {"name": "Ascend Hardware"}},
{"ph": "M", "name": "process_name", "pid": 102467, "tid": 0, "args": {"name": "HCCL"}},
{"ph": "M", "name": "thread_name", "pid": 102467, "tid": 0, "args": {"name": "Group 0 Communication"}},
{"ph": "M", "name": "thread_name", "pid": 102467, "tid": 1, "args": {"name": "Plane 0"}},
{"ph": "M", "name": "process_name", "pid": 102499, "tid": 0, "args": {"name": "Overlap Analysis"}},
{"ph": "X", "name": "AscendCL@aclnnMm", "pid": 102403, "tid": 2, "ts": "1736408883000022.000", "dur": 50,
  "args": {"Thread Id": 2, "connection_id": 900}},
{"ph": "X", "name": "Node@launch", "pid": 102403, "tid": 2, "ts": "1736408883000030.000", "dur": 10,
  "args": {"Thread Id": 2, "connection_id": 901}},
{"ph": "X", "name": "Runtime@KernelLaunch", "pid": 102403, "tid": 2, "ts": "1736408883000031.000", "dur": 8,
  "args": {"connection_id": 903}},
{"ph": "X", "name": "Node@launch", "pid": 102403, "tid": 2, "ts": "1736408883000050.000", "dur": 10,
  "args": {"connection_id": 902}},
{"ph": "X", "name": "aclnnMm_MatMul_MatMulV2", "pid": 102435, "tid": 2, "ts": "1736408883000100.001",
  "dur": 53.7410625, "args": {"Task Type": "AI_CORE", "Physic Stream Id": 2, "connection_id": 901}},
{"ph": "X", "name": "aclnnMm_MatMul_MemSet", "pid": 102435, "tid": 2, "ts": "1736408883000160.000", "dur": 10,
  "args": {"Task Type": "AI_VECTOR_CORE", "connection_id": 904}},
{"ph": "X", "name": "MEMCPY_ASYNC", "pid": 102435, "tid": 2, "ts": "1736408883000200.000", "dur": 40,
  "args": {"Task Type": "PCIE_DMA_SQE", "connection_id": 900, "size(B)" : 4096,
         "operation" : "host to device"
}
},
{"ph": "X", "name": "EVENT_WAIT", "pid": 102435, "tid": 2, "ts": "1736408883000250.000", "dur": 1,
  "args": {"Task Type": "EVENT_WAIT_SQE", "connection_id": 905}},
{"ph": "X", "name": "hcom_allReduce__586_0_1", "pid": 102467, "tid": 0, "ts": "1736408883000150.000",
  "dur": 300, "args": {"connection_id": 902, "data_type": "FP32", "alg_type": "MESH", "count": 1000, "rank_size": 4}},
{"ph": "X", "name": "Notify_Wait", "pid": 102467, "tid": 1, "ts": "1736408883000150.000", "dur": 200,
  "args": {"src rank": 0}},
{"ph": "X", "name": "Notify Wait", "pid": 102435, "tid": 9, "ts": "1736408883000150.000", "dur": 200,
  "args": {"Task Type": "Notify Wait", "connection_id": 902}},
{"ph": "X", "name": "Computing", "pid": 102499, "tid": 0, "ts": "1736408883000100.001", "dur": 53.741},
{"ph": "C", "name": "AI Core Freq", "pid": 102435, "tid": 0, "ts": "1736408883000100", "args": {"MHz": 1800}},
{"ph": "C", "name": "read_bandwidth", "pid": 102435, "tid": 0, "ts": "1736408883000100",
  "args": {"value": 7, "acc_id": 2}}
])json";
}

/// One op a line, of level 1: kernel, kernel, collective.
inline std::string kernel_details_text() {
  return "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
         "Wait Time(us),Block Dim,Input Shapes\n"
         "7,4294967295,11,2,aclnnMm_MatMul_MatMulV2,MatMulV2,dynamic,AI_CORE,1736408883000100.001\t,53.741,0,32,"
         "\"\"\"32,3;8\"\"\"\n"
         "7,4294967295,12,2,\"trans,Cast\",Cast,dynamic,AI_VECTOR_CORE,\"1736408883000160.000\t\",10,0,8,N/A\n"
         "7,4294967295,N/A,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,N/"
         "A,COMMUNICATION,1736408883000150.000\t,300,0\n";
}

inline std::string step_trace_text() {
  return "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
         "Communication(Not Overlapped and Exclude Receive),Preparing\n"
         "3,7,63.740999999999996,286.258,13.742,300.0,0.0,350.0,0,286.258,17.5\n";
}

inline std::string profiler_info_text() {
  return R"({"config": {"experimental_config": {"_profiler_level": "Level1"}}, "cann_version": "8.3", "rank_id": "5"})";
}

/// group_name_586 does not end in 586 when hashed; group_id tells the id.
inline std::string profiler_metadata_text() {
  return R"({"distributed_args": {"rank": 5, "world_size": 8, "pipeline_model_parallel_size": 2},
    "ENV_VARIABLES": {"SECRET": "do-not-show"},
    "parallel_group_info": {"group_name_19": {"group_name": "pp", "group_rank": 1, "global_ranks": [5, 1]},
      "group_name_20": {"group_name": "embd", "group_rank": 1, "global_ranks": "broken"}}})";
}

/// The trace above as tables.
inline void fill_profile(TestDatabase& database) {
  database.sql(R"(
    PRAGMA synchronous=OFF;
    BEGIN;
    CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO STRING_IDS VALUES (1, 'aten::mm'), (2, 'Enqueue'), (3, 'Dequeue@aclnnMm'), (4, 'file.py(1): f'),
      (5, 'ProfilerStep#7'), (6, 'aclnnMm'), (7, 'launch'), (8, 'KERNEL_AICORE'), (9, 'MEMCPY_ASYNC'),
      (10, 'EVENT_WAIT'), (11, 'Notify Wait'), (12, 'aclnnMm_MatMul_MatMulV2'), (13, 'AI_CORE'), (14, 'MatMulV2'),
      (15, 'hcom_allReduce__586_0_1'), (16, 'group_name_19'), (17, 'aclnnMm_MatMul_MemSet'), (18, 'AI_VECTOR_CORE'),
      (19, 'read'), (20, 'PTA'), (21, 'APP'), (22, 'a mark'), (23, 'a range'), (24, '32,3;8');
    CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO ENUM_API_TYPE VALUES (5000, 'runtime'), (10000, 'node'), (20000, 'acl');
    CREATE TABLE ENUM_HCCL_DATA_TYPE (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO ENUM_HCCL_DATA_TYPE VALUES (4, 'FP32');
    CREATE TABLE ENUM_MSTX_EVENT_TYPE (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO ENUM_MSTX_EVENT_TYPE VALUES (0, 'marker'), (1, 'push/pop');
    CREATE TABLE ENUM_MEMCPY_OPERATION (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO ENUM_MEMCPY_OPERATION VALUES (1, 'host to device');
    CREATE TABLE NPU_INFO (id INTEGER, name TEXT);
    INSERT INTO NPU_INFO VALUES (3, 'Ascend910B');
    CREATE TABLE HOST_INFO (hostUid TEXT, hostName TEXT);
    INSERT INTO HOST_INFO VALUES ('1', 'node-a');
    CREATE TABLE META_DATA (name TEXT, value TEXT);
    INSERT INTO META_DATA VALUES ('SCHEMA_VERSION', '1.1.0'), ('ENV_VARIABLES', '{"SECRET": "do-not-show"}');
    CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
    INSERT INTO RANK_DEVICE_MAP VALUES (5, 3);
    CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER,
      sequenceNumber INTEGER, fwdThreadId INTEGER, inputShapes INTEGER, type INTEGER);
    INSERT INTO PYTORCH_API VALUES
      ('1736408883000000000', '1736408883000900000', 429496729601, NULL, 5, -1, 0, NULL, 50001),
      ('1736408883000010125', '1736408883000030625', 429496729601, 3, 1, 5, 0, 24, 50001),
      ('1736408883000012000', '1736408883000017000', 429496729601, 0, 2, NULL, NULL, NULL, 50002),
      ('1736408883000001000', '1736408883000801000', 429496729601, NULL, 4, NULL, NULL, NULL, 50003),
      ('1736408883000020000', '1736408883000080000', 429496729602, 1, 3, NULL, NULL, NULL, 50002);
    CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
    INSERT INTO CONNECTION_IDS VALUES (0, 7000), (1, 7000), (3, 901);
    CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,
      connectionId INTEGER PRIMARY KEY, name INTEGER);
    INSERT INTO CANN_API VALUES
      (1736408883000022000, 1736408883000072000, 20000, 429496729602, 900, 6),
      (1736408883000030000, 1736408883000040000, 10000, 429496729602, 901, 7),
      (1736408883000050000, 1736408883000060000, 10000, 429496729602, 902, 7);
    CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, message INTEGER, globalTid INTEGER);
    INSERT INTO MSTX_EVENTS VALUES (1736408883000005000, 1736408883000005000, 0, 22, 429496729601),
      (1736408883000005000, 1736408883000015000, 1, 23, 429496729601);
    CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
      globalPid INTEGER, taskType INTEGER, streamId INTEGER);
    INSERT INTO TASK VALUES
      (1736408883000100001, 1736408883000153742, 3, 901, 1, 100, 8, 2),
      (1736408883000160000, 1736408883000170000, 3, 904, 2, 100, 8, 2),
      (1736408883000200000, 1736408883000240000, 3, 900, 3, 100, 9, 2),
      (1736408883000250000, 1736408883000251000, 3, 905, 4, 100, 10, 2),
      (1736408883000150000, 1736408883000350000, 3, 902, 5, 100, 11, 9),
      (1736408883000149000, 1736408883000451000, 3, 902, 6, 100, 13, 2);
    CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, taskType INTEGER, opType INTEGER,
      inputShapes INTEGER);
    INSERT INTO COMPUTE_TASK_INFO VALUES (12, 1, 13, 14, 24), (17, 2, 18, 14, 24);
    CREATE TABLE MEMCPY_INFO (globalTaskId INTEGER, size INTEGER, memcpyOperation INTEGER);
    INSERT INTO MEMCPY_INFO VALUES (3, 4096, 1);
    CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, globalTaskId INTEGER, opId INTEGER);
    INSERT INTO COMMUNICATION_TASK_INFO VALUES (15, 5, 77);
    CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER,
      groupName INTEGER, opId INTEGER, dataType INTEGER, count INTEGER);
    INSERT INTO COMMUNICATION_OP VALUES (15, 1736408883000150000, 1736408883000450000, 902, 16, 77, 4, 1000);
    CREATE TABLE HBM (deviceId INTEGER, timestampNs INTEGER, bandwidth NUMERIC, hbmId INTEGER, type INTEGER);
    INSERT INTO HBM VALUES (3, 1736408883000100000, 5000000, 1, 19);
    CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER,
      deviceId INTEGER);
    INSERT INTO MEMORY_RECORD VALUES (20, 1736408883000100000, 100, 1000, 3), (20, 1736408883000110000, 400, 1000, 3),
      (20, 1736408883000120000, 250, 1000, 3), (21, 1736408883000120000, NULL, 5000, 3);
    CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
    INSERT INTO STEP_TIME VALUES (7, 1736408883000000000, 1736408883000900000);
    CREATE TABLE NPU_MODULE_MEM (moduleId INTEGER, timestampNs INTEGER);
    INSERT INTO NPU_MODULE_MEM VALUES (1, 1);
    COMMIT;
  )");
}

}  // namespace cgpu::test
