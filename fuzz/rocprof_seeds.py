"""Seeds of the fuzz target for rocprof: each of its CSV files, and JSON results, whole and damaged."""
import gzip
import json
import pathlib
import sqlite3
import tempfile

CALLS = (b'"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"\n'
         b'"HIP_RUNTIME_API","hipLaunchKernel",7,8,1,100,200\n"HSA_CORE_API","hsa_init",7,8,2,210,220\n'
         b'"MARKER_CORE_API","mark",7,8,3,230,230\n"MARKER_CORE_API","range",7,8,4,90,300\n')
KERNELS = (b'"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
           b'"Correlation_Id","Start_Timestamp","End_Timestamp"\n'
           b'"KERNEL_DISPATCH","Agent 4",1,2,8,1,16,"void f<float>(float*, int)",1,300,400\n'
           b'"KERNEL_DISPATCH",4,1,0,8,2,16,"_Z1gv.kd",9,500,450\n')
COPIES = (b'"Kind","Direction","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp",'
          b'"End_Timestamp"\n"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",0,1,1,10,20\n'
          b'"MEMORY_COPY","DEVICE_TO_DEVICE",1,2,2,30,40\n"MEMORY_COPY","SIDEWAYS",1,1,,x,\n')
COUNTERS = (b'"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Name",'
            b'"Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name",'
            b'"Counter_Value"\n1,1,1,1,7,8,1024,"f()",64,0,0,8,16,"SQ_WAVES",16\n'
            b'1,1,1,1,7,8,1024,"f()",64,0,0,8,16,"GRBM_COUNT",1e300\n')
WIDE = (b'Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Arch_VGPR,TCC_HIT[0],Wave_Size_1,'
        b'Start_Timestamp,End_Timestamp\n0,"f() [clone .kd]",2,64,64,0,8,5,64,100,200\n'
        b'1,g.kd,2,64,64,0,8,nan,64,8.1E+14,8.1E+14\n')
AGENTS = (b'"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Wave_Front_Size","Name","Vendor_Name","Product_Name"\n'
          b'4,4,"GPU",304,64,"gfx942","AMD","AMD Instinct MI300X"\n0,0,"CPU",96,0,"EPYC","AMD","EPYC"\n')


def results():
    info = {"agent_id": {"handle": 77}, "queue_id": {"handle": 1}, "kernel_id": 5, "dispatch_id": 1,
            "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 130, "y": 1, "z": 1}}
    when = {"correlation_id": {"internal": 1, "external": 0}, "start_timestamp": 300, "end_timestamp": 400}
    call = dict(when, kind=1, operation=1, thread_id=8)
    return {"rocprofiler-sdk-tool": [{
        "metadata": {"pid": 7, "node": {"hostname": "node"}},
        "agents": [{"id": {"handle": 77}, "type": 2, "logical_node_type_id": 0, "name": "gfx942", "cu_count": 304}],
        "counters": [{"id": {"handle": 9}, "name": "SQ_WAVES"}],
        "strings": {"buffer_records": [{"kind": "NONE", "operations": []},
                                       {"kind": "HIP", "operations": ["none", "hipLaunchKernel"]}],
                    "marker_api": [{"key": 1, "value": "step"}]},
        "kernel_symbols": [{"kernel_id": 5, "kernel_name": "_Z1fv.kd", "formatted_kernel_name": "f()"}],
        "callback_records": {"counter_collection": [{"dispatch_data": dict(when, dispatch_info=info), "records": [
            {"counter_id": {"handle": 9}, "value": 16}, {"counter_id": {"handle": 9}, "value": 0.5}]}]},
        "buffer_records": {"kernel_dispatch": [dict(when, dispatch_info=info, stream_id={"handle": 3})],
                           "hip_api": [call], "marker_api": [call], "scratch_memory": [{"kind": 12}],
                           "memory_copy": [dict(when, operation=2, src_agent_id={"handle": 1}, bytes=64,
                                                dst_agent_id={"handle": 77})]}}]}


ROCPD = {
    "string": ("id INTEGER PRIMARY KEY, guid, string", [(1, "g", "HIP_RUNTIME_API_EXT"), (2, "g", "hipLaunchKernel"),
                                                        (3, "g", "MARKER_CORE_API"), (5, "g", "KERNEL_DISPATCH")]),
    "event": ("id INTEGER PRIMARY KEY, category_id, stack_id, extdata",
              [(1, 1, 11, "{}"), (2, 5, 11, "{}"), (3, 3, 12, '{"message": "step 1"}')]),
    "info_process": ("id, pid", [(1, 7)]),
    "info_agent": ("id, type, type_index, product_name", [(1, "CPU", 0, "EPYC"), (2, "GPU", 0, "MI300X")]),
    "info_kernel_symbol": ("id, kernel_name, display_name", [(1, "_Z1fv.kd", "f()")]),
    "info_pmc": ("id, name", [(1, "SQ_WAVES")]),
    "pmc_event": ("id, event_id, pmc_id, value", [(1, 2, 1, 16.5)]),
    "region": ("id, pid, tid, start, end, name_id, event_id", [(1, 1, 1, 100, 200, 2, 1), (2, 1, 1, 230, 230, 2, 3)]),
    "kernel_dispatch": ("id, pid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end, workgroup_size_x, "
                        "workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id",
                        [(1, 1, 2, 1, 1, 1, 3, 300, 400, 64, 1, 1, 130, 1, 1, 2)]),
    "memory_copy": ("id, pid, start, end, src_agent_id, dst_agent_id, size, stream_id, event_id",
                    [(1, 1, 500, 600, 1, 2, 64, 3, 9)]),
}
FIRST = {"KERN": ('KernelName, "gpu-id", "queue-id", pid, BeginNs, EndNs', [('"f() [clone .kd]"', 8, 0, 7, 100, 150)])}


def database(tables):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.db"
        connection = sqlite3.connect(path)
        for name, (columns, rows) in tables.items():
            connection.execute("CREATE TABLE %s (%s)" % (name, columns))
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany("INSERT INTO %s VALUES (%s)" % (name, marks), rows)
        connection.commit()
        connection.close()
        return path.read_bytes()


def seeds():
    for name, data in (("calls", CALLS), ("kernels", KERNELS), ("copies", COPIES), ("counters", COUNTERS),
                       ("wide", WIDE), ("agents", AGENTS)):
        yield name + ".csv", data
        yield name + "_cut.csv", data[:len(data) * 3 // 4]
    whole = json.dumps(results(), separators=(",", ":")).encode()
    yield "results.json", whole
    yield "results.json.gz", gzip.compress(whole, mtime=0)
    yield "results_sorted.json", json.dumps(results(), sort_keys=True).encode()
    yield "results_cut.json", whole[:len(whole) * 2 // 3]
    yield "results_large.json", whole.replace(b":300", b":9223372036854775807").replace(b"77", b"18446744073709551615")
    rocpd = database({"rocpd_%s_0a1b" % name: table for name, table in ROCPD.items()})
    yield "rocpd.db", rocpd
    yield "rocpd_cut.db", rocpd[:len(rocpd) * 2 // 3]
    yield "first.db", database(FIRST)
