"""Seeds of ascend_fuzz: a small Ascend profile as a trace, as a list of kernels, as a database with pages of 512 bytes,
and as a folder of its parts."""
import json
import pathlib
import sqlite3
import tempfile

BASE = 1736408883000000

DEVICE, COLLECTIVES, CALLS = 102435, 102467, 102403


def event(name, pid, tid, start, duration, args=None, **more):
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": "%d.125" % (BASE + start), "dur": duration,
            **more, "args": args or {}}


def named(pid, name, tid=0, kind="process_name"):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}


EVENTS = [
    named(1, "Python"), named(CALLS, "CANN"), named(DEVICE, "Ascend Hardware"), named(COLLECTIVES, "HCCL"),
    named(COLLECTIVES, "Group 0 Communication", 0, "thread_name"), named(102499, "Overlap Analysis"),
    event("ProfilerStep#3", 1, 1, 0, 900, {"Sequence number": -1}, cat="cpu_op"),
    event("aten::mm", 1, 1, 10, 20.5, {"Sequence number": 4, "Fwd thread id": 0}, cat="cpu_op"),
    event("Enqueue", 1, 1, 12, 5, {"correlation_id": 7}, cat="enqueue"),
    event("Dequeue@aclnnMm", 1, 2, 20, 60, {"correlation_id": 7}, cat="dequeue"),
    event("Node@launch", CALLS, 2, 30, 10, {"connection_id": 901}),
    event("aclnnMm_MatMul_MatMulV2", DEVICE, 2, 100, 53.741, {"Task Type": "AI_CORE", "connection_id": 901}),
    event("MEMCPY_ASYNC", DEVICE, 2, 200, 4, {"Task Type": "SDMA_SQE", "size(B)": 4096,
                                              "operation": "device to host"}),
    event("hcom_allGather__019_0_1", COLLECTIVES, 0, 150, 300,
          {"connection_id": 902, "data_type": "FP32", "count": 1000, "rank_size": 4}),
    event("Computing", 102499, 0, 100, 53.741),
    {"ph": "C", "name": "read_bandwidth", "pid": DEVICE, "tid": 0, "ts": "%d" % BASE,
     "args": {"value": 7, "acc_id": 2}},
    {"ph": "s", "name": "HostToDevice901", "id": "901", "pid": CALLS, "tid": 2, "ts": "%d" % BASE,
     "cat": "HostToDevice"},
]
KERNELS = ("Step Id,Device_id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n"
           "3,1,2,aclnnMm,MatMulV2,AI_CORE,%d.001\t,53.741,0\n"
           "3,1,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,COMMUNICATION,%d.000\t,300\n"
           "3,1,2,\"a,b\",N/A,N/A,%d\t,1e2,0\n" % (BASE, BASE + 10, BASE + 20))
PARTS = [json.dumps(EVENTS), KERNELS, json.dumps({"rank_id": "3", "config": {"_profiler_level": "Level1"}}),
         json.dumps({"step3": {"collective": {"hcom_allGather__019_0_1@5862276093215481612": {}}}}),
         "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
         "PTA,%d.5\t,0.5,2,NPU:1\nPTA,%d\t,1.5,2,NPU:1\nAPP,%d\t,,2,NPU:1\n" % (BASE, BASE, BASE),
         json.dumps({"parallel_group_info": {"group_name_0": {"group_name": "dp", "global_ranks": [0, 1, 3]}}}),
         "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n3,53.741,286.2,13.7,300.0,1e-3\n"]

NS = BASE * 1000
THREAD = 1 << 32 | 1
TABLES = {
    "STRING_IDS": ("id INTEGER PRIMARY KEY, value TEXT", [
        (1, "aten::mm"), (2, "Enqueue"), (3, "Dequeue@aclnnMm"), (4, "launch"), (5, "KERNEL_AICORE"),
        (6, "MEMCPY_ASYNC"), (7, "aclnnMm_MatMul_MatMulV2"), (8, "AI_CORE"), (9, "hcom_allReduce__586_0_1"),
        (10, "group_name_0"), (11, "read"), (12, "PTA"), (13, "mark")]),
    "ENUM_API_TYPE": ("id INTEGER, name TEXT", [(10000, "node"), (20000, "acl")]),
    "ENUM_MSTX_EVENT_TYPE": ("id INTEGER, name TEXT", [(0, "marker")]),
    "NPU_INFO": ("id INTEGER, name TEXT", [(1, "Ascend910B")]),
    "RANK_DEVICE_MAP": ("rankId INTEGER, deviceId INTEGER", [(3, 1)]),
    "PYTORCH_API": ("startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, "
                    "sequenceNumber INTEGER, fwdThreadId INTEGER, type INTEGER", [
                        (str(NS), str(NS + 900), THREAD, None, 1, 4, 0, 50001),
                        (str(NS + 5), str(NS + 9), THREAD, 0, 2, None, None, 50002),
                        (str(NS + 20), str(NS + 90), THREAD + 1, 1, 3, None, None, 50002)]),
    "CONNECTION_IDS": ("id INTEGER, connectionId INTEGER", [(0, 50), (1, 50)]),
    "CANN_API": ("startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER",
                 [(NS + 30, NS + 40, 10000, THREAD + 1, 901, 4)]),
    "MSTX_EVENTS": ("startNs INTEGER, endNs INTEGER, eventType INTEGER, message INTEGER, globalTid INTEGER",
                    [(NS, NS, 0, 13, THREAD), (NS, NS + 9, 1, 13, THREAD)]),
    "TASK": ("startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, "
             "taskType INTEGER, streamId INTEGER",
             [(NS + 100, NS + 150, 1, 901, 1, 5, 2), (NS + 200, NS + 210, 1, 902, 2, 6, 2),
              (NS + 160, NS + 190, 1, 903, 3, 5, 4)] + [(NS + i, NS + i + 3, 1, i, i, 5, 2) for i in range(300, 340)]),
    "COMPUTE_TASK_INFO": ("name INTEGER, globalTaskId INTEGER PRIMARY KEY, taskType INTEGER",
                          [(7, 1, 8)] + [(7, i, 8) for i in range(300, 340, 2)]),
    "COMMUNICATION_TASK_INFO": ("globalTaskId INTEGER, opId INTEGER", [(3, 77)]),
    "COMMUNICATION_OP": ("opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName INTEGER, "
                         "opId INTEGER, dataType INTEGER, count INTEGER",
                         [(9, NS + 160, NS + 190, 903, 10, 77, 4, 10)]),
    "HBM": ("deviceId INTEGER, timestampNs INTEGER, bandwidth NUMERIC, hbmId INTEGER, type INTEGER",
            [(1, NS, 5, 0, 11)]),
    "MEMORY_RECORD": ("component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER, "
                      "deviceId INTEGER", [(12, NS, 5, 9, 1), (12, NS + 1, 2, 9, 1)]),
}


def database(tables, more=()):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "profile.db"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        for name in tables:
            columns, rows = TABLES[name]
            connection.execute("CREATE TABLE %s (%s)" % (name, columns))
            for row in rows:
                connection.execute("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(row))), row)
        for statement in more:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return path.read_bytes()


def seeds():
    trace = json.dumps(EVENTS).encode()
    yield "trace.json", trace
    yield "trace_cut.json", trace[:len(trace) * 2 // 3]
    yield "trace_numbers.json", trace.replace(b'"connection_id": 901', b'"connection_id": 1e999')
    yield "kernels.csv", KERNELS.encode()
    yield "kernels_ragged.csv", KERNELS.replace(",0\n", "\n").encode()
    yield "folder", b"F" + b"\x1e".join(part.encode() for part in PARTS)
    yield "folder_without_trace", b"F" + b"\x1e".join(part.encode() for part in [""] + PARTS[1:])
    whole = database(TABLES)
    yield "whole.db", whole
    yield "tasks.db", database(["STRING_IDS", "TASK", "COMMUNICATION_OP"])
    yield "host.db", database(["STRING_IDS", "PYTORCH_API", "CANN_API", "CONNECTION_IDS"])
    yield "extremes.db", database(["STRING_IDS", "TASK"],
                                  ["UPDATE TASK SET startNs = -9223372036854775808, endNs = 9223372036854775807 "
                                   "WHERE rowid % 2"])
    yield "texts_for_numbers.db", database(["STRING_IDS", "TASK"], ["UPDATE TASK SET startNs = 'x', deviceId = 1e300"])
    yield "truncated.db", whole[:len(whole) * 2 // 3]
