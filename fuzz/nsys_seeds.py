"""Seeds of nsys_fuzz: small Nsight Systems exports, as of several years, with pages of 512 bytes so that an input has
many of them."""
import pathlib
import sqlite3
import tempfile

PROCESS = 1 << 48 | 100 << 24
OTHER = 1 << 48 | 200 << 24

TABLES = {
    "StringIds": ("id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL", [
        (1, "void gemm<float>(int)"), (2, "gemm"), (3, "cudaLaunchKernel_v7000"), (4, "aten::mm, seq = 7, op_id = 12"),
        (5, "poll"), (6, "cudaStreamSynchronize_v3020"), (7, "Lazy Function Loading")]),
    "META_DATA_EXPORT": ("name TEXT, value TEXT", [("EXPORT_SCHEMA_VERSION", "3.25.0"),
                                                   ("EXPORT_PARAM_TIME_NORMALIZE", "false")]),
    "META_DATA_CAPTURE": ("name TEXT, value TEXT", [("PROCESS_0:ENVIRONMENT_VARIABLE", "A=b"),
                                                    ("CUDA_GRAPH_TRACE_OPTIONS:MODE", "Graph")]),
    "TARGET_INFO_SESSION_START_TIME": ("utcEpochNs INTEGER", [(1700000000000000000,)]),
    "TARGET_INFO_GPU": ("id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER",
                        [(0, "NVIDIA H100", 132, 8 << 30)]),
    "TARGET_INFO_CUDA_DEVICE": ("gpuId INTEGER, cudaId INTEGER, pid INTEGER", [(1, 0, 200)]),
    "ENUM_CUDA_MEM_KIND": ("id INTEGER, name TEXT, label TEXT", [(0, "", "Pageable"), (2, "", "Device")]),
    "CUPTI_ACTIVITY_KIND_RUNTIME": (
        "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
        [(10, 15, 0, PROCESS + 1, 1, 3), (20, 90, 1, OTHER + 1, 1, 3), (95, 99, 0, PROCESS + 1, 2, 6)]),
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "demangledName INTEGER, shortName INTEGER, gridX INTEGER",
        [(30 + i, 33 + i, 0, 7, 1 + i, OTHER if i % 2 else PROCESS, 1, 2, 64) for i in range(40)]),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (
        "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER", [(50, 60, 0, 7, 5, PROCESS, 64, 1, 0, 2)]),
    "CUPTI_ACTIVITY_KIND_MEMSET": (
        "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "bytes INTEGER, memKind INTEGER", [(61, 62, 0, 7, 6, PROCESS, 64, 2)]),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": (
        "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "graphId INTEGER", [(70, 80, 0, 7, 900, PROCESS, 4), (30, 33, 0, 7, 1, PROCESS, 5)]),
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
        "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER",
        [(96, 98, 0, 7, 2, PROCESS)]),
    "CUPTI_ACTIVITY_KIND_OVERHEAD": (
        "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, overheadType INTEGER",
        [(1, 2, PROCESS + 1, 7, 7), (3, 4, PROCESS + 1, 7, 3)]),
    "CUDA_GPU_MEMORY_USAGE_EVENTS": (
        "start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER, memKind INTEGER, "
        "memoryOperationType INTEGER",
        [(5, PROCESS, 0, 100, 2, 0), (6, PROCESS, 0, 100, 2, 1)]),
    "NVTX_EVENTS": (
        "start INTEGER NOT NULL, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
        "textId INTEGER, domainId INTEGER",
        [(1, 99, 59, "step", PROCESS + 1, None, None, 0), (2, 98, 59, None, PROCESS + 1, None, 4, 0),
         (3, None, 60, "open", PROCESS + 1, None, None, 3), (4, 9, 60, "across", PROCESS + 1, OTHER + 1, None, 0),
         (0, None, 75, "NCCL", PROCESS + 1, None, None, 3), (5, None, 34, "mark", PROCESS + 1, None, None, 0)]),
    "OSRT_API": ("start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER", [(7, 9, PROCESS + 1, 5)]),
    "COMPOSITE_EVENTS": ("id INTEGER, start INTEGER, cpuCycles INTEGER", [(1, 10, 100), (2, 20, 100), (9, 30, 1)]),
    "SAMPLING_CALLCHAINS": ("id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER",
                            [(1, 1, 5, 0), (1, 2, 5, 1), (2, 2, 5, 0)]),
    "GPU_METRICS": ("timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER", [(1, 257, 3, 50)]),
    "DIAGNOSTIC_EVENT": ("timestamp INTEGER, severity INTEGER, text TEXT",
                         [(0, 2, "Not all CUDA events were collected")]),
    "PROCESSES": ("globalPid INTEGER, name TEXT", [(PROCESS, "python")]),
    "ThreadNames": ("nameId INTEGER, globalTid INTEGER", [(5, PROCESS + 1)]),
}


def export(tables, more=()):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "export.sqlite"
        database = sqlite3.connect(path)
        database.execute("PRAGMA page_size = 512")
        for name in tables:
            columns, rows = TABLES[name]
            database.execute("CREATE TABLE %s (%s)" % (name, columns))
            database.executemany("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(rows[0]))), rows)
        for statement in more:
            database.execute(statement)
        database.commit()
        database.close()
        return path.read_bytes()


def seeds():
    whole = export(TABLES)
    yield "whole.sqlite", whole
    yield "kernels.sqlite", export(["StringIds", "META_DATA_EXPORT", "CUPTI_ACTIVITY_KIND_RUNTIME",
                                    "CUPTI_ACTIVITY_KIND_KERNEL"])
    yield "old.sqlite", export(["StringIds", "OSRT_API", "NVTX_EVENTS"],
                               ["CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT)"])
    yield "no_process.sqlite", export(["StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"],
                                      ["ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid"])
    yield "empty_tables.sqlite", export(["StringIds", "NVTX_EVENTS"],
                                        ["DELETE FROM NVTX_EVENTS", "DELETE FROM StringIds"])
    yield "no_tables.sqlite", export([], ["CREATE TABLE test (a)"])
    yield "view.sqlite", export(["StringIds", "OSRT_API"],
                                ["CREATE VIEW NVTX_EVENTS AS SELECT start, end FROM OSRT_API"])
    yield "texts_for_numbers.sqlite", export(["StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"],
                                             ["UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'x', deviceId = 1e300"])
    yield "extremes.sqlite", export(["StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"],
                                    ["UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9223372036854775808, "
                                     "end = 9223372036854775807 WHERE rowid % 2"])
    yield "long_text.sqlite", export(["StringIds", "NVTX_EVENTS"],
                                     ["UPDATE NVTX_EVENTS SET text = hex(zeroblob(3000))"])
    yield "truncated.sqlite", whole[:len(whole) * 2 // 3]
    yield "header_only.sqlite", whole[:512]
