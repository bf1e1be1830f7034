"""Seeds of nvprof_fuzz: small databases of nvprof with pages of 512 bytes, so that an input has many of them. Also the
tables of such databases, for tests: docs/formats/nvprof.md says where they are documented."""
import pathlib
import sqlite3
import struct
import tempfile

PREFIX = "CUPTI_ACTIVITY_KIND_"
KERNEL = ("cacheConfig:BLOB sharedMemoryConfig registersPerThread partitionedGlobalCacheRequested "
          "partitionedGlobalCacheExecuted start end completed deviceId contextId streamId gridX gridY gridZ blockX "
          "blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal correlationId "
          "gridId name queued submitted launchType isSharedMemoryCarveoutRequested sharedMemoryCarveoutRequested "
          "sharedMemoryExecuted")
CALL = "cbid start end processId threadId correlationId returnValue"
OPENACC = ("eventKind parentConstruct version implicit deviceType deviceNumber threadId async asyncMap lineNo endLineNo "
           "funcLineNo funcEndLineNo start end cuDeviceId cuContextId cuStreamId cuProcessId cuThreadId externalId "
           "srcFile funcName")
# Columns are whole numbers where nothing else is said; each table has a row number _id_ before them.
SCHEMA = {
    "KERNEL": KERNEL,
    "CONCURRENT_KERNEL": KERNEL,
    "RUNTIME": CALL,
    "DRIVER": CALL,
    "MEMCPY": "copyKind srcKind dstKind flags bytes start end deviceId contextId streamId correlationId "
              "runtimeCorrelationId",
    "MEMCPY2": "copyKind srcKind dstKind flags bytes start end deviceId contextId streamId srcDeviceId srcContextId "
               "dstDeviceId dstContextId correlationId",
    "MEMSET": "value bytes start end deviceId contextId streamId correlationId flags memoryKind",
    "MARKER": "flags timestamp id objectKind objectId:BLOB name domain",
    "MARKER_DATA": "flags id payloadKind payload:BLOB color category",
    "NAME": "objectKind objectId:BLOB name",
    "OVERHEAD": "overheadKind objectKind objectId:BLOB start end",
    "DEVICE": "flags globalMemoryBandwidth globalMemorySize constantMemorySize l2CacheSize numThreadsPerWarp "
              "coreClockRate numMultiprocessors computeCapabilityMajor computeCapabilityMinor id eccEnabled uuid:BLOB "
              "name",
    "CONTEXT": "contextId deviceId computeApiKind nullStreamId",
    "ENVIRONMENT": "deviceId timestamp environmentKind data:BLOB",
    "SYNCHRONIZATION": "type start end correlationId contextId streamId cudaEventId",
    "CUDA_EVENT": "correlationId contextId streamId eventId",
    "UNIFIED_MEMORY_COUNTER": "counterKind value start end address srcId dstId streamId processId flags",
    "MEMORY": "memoryKind address bytes start end allocPC freePC processId deviceId contextId name",
    "OPENACC_DATA": OPENACC + " bytes hostPtr devicePtr varName",
    "OPENACC_LAUNCH": OPENACC + " numGangs numWorkers vectorLength kernelName",
    "OPENACC_OTHER": OPENACC,
    "OPENMP": "eventKind version threadId start end cuProcessId cuThreadId",
    "METRIC": "id value:BLOB correlationId flags",
}


def thread(process, number):
    """A thread as the records of NVTX hold it."""
    return struct.pack("<III", process, number & 0xFFFFFFFF, 0)


class Writer:
    """A database with all tables, filled row by row."""

    def __init__(self, path, page_size=4096):
        self.database = sqlite3.connect(path)
        self.database.execute("PRAGMA page_size = %d" % page_size)
        self.database.execute("CREATE TABLE Version (version INTEGER)")
        self.database.execute("INSERT INTO Version VALUES (11)")
        self.database.execute(
            "CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL UNIQUE)")
        for name, columns in SCHEMA.items():
            typed = [column.replace(":", " ") if ":" in column else column + " INT" for column in columns.split()]
            self.database.execute("CREATE TABLE %s%s (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, %s)" % (
                PREFIX, name, ", ".join(column + " NOT NULL" for column in typed)))
        self.texts = {}

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = self.database.execute("INSERT INTO StringTable (value) VALUES (?)", (value,)).lastrowid
        return self.texts[value]

    def add(self, table, **values):
        """A row: what is not given is 0, or no bytes."""
        row = []
        for column in SCHEMA[table].split():
            name, _, kind = column.partition(":")
            row.append(values.pop(name, b"" if kind else 0))
        assert not values, (table, values)
        self.database.execute("INSERT INTO %s%s VALUES (NULL, %s)" % (PREFIX, table, ", ".join("?" * len(row))), row)

    def close(self):
        self.database.commit()
        self.database.close()


def fill(database):
    """A few rows of every table."""
    text = database.text
    database.add("DEVICE", globalMemorySize=16 << 30, numThreadsPerWarp=32, numMultiprocessors=80,
                 computeCapabilityMajor=7, name=text("Tesla V100-SXM2-16GB"), uuid=bytes(16))
    database.add("CONTEXT", contextId=1)
    zero = 1_500_000_000_000_000_000
    marker = dict(objectKind=2, objectId=thread(100, -96))
    database.add("MARKER", flags=2, timestamp=zero, id=1, name=text("step"), **marker)
    for i in range(8):
        begin = zero + 1000 * (i + 1)
        database.add("MARKER", flags=2, timestamp=begin - 10, id=10 + i, name=text("mm, seq = %d" % i), **marker)
        database.add("MARKER_DATA", flags=2, id=10 + i, payloadKind=1, payload=bytes(8), color=0xFF00FF00)
        database.add("RUNTIME", cbid=211, start=begin, end=begin + 50, processId=100, threadId=-96, correlationId=1 + i)
        database.add("DRIVER", cbid=307, start=begin + 5, end=begin + 45, processId=100, threadId=-96,
                     correlationId=1 + i)
        database.add("CONCURRENT_KERNEL", start=begin + 60, end=begin + 500 + i, contextId=1, streamId=7, gridX=64,
                     gridY=1, gridZ=1, blockX=128, blockY=1, blockZ=1, registersPerThread=32, correlationId=1 + i,
                     name=text("_Z4gemmPfi" if i % 2 else "_Z3addPf"))
        database.add("MARKER", flags=4, timestamp=begin + 55, id=10 + i, **marker)
    database.add("MARKER", flags=4, timestamp=zero + 20_000, id=1, **marker)
    database.add("MARKER", flags=1, timestamp=zero + 3, id=2, name=text("mark"), **marker)
    database.add("MARKER", flags=2, timestamp=zero + 4, id=3, name=text("open"), domain=text("solver"), **marker)
    database.add("MARKER", flags=4, timestamp=zero + 5, id=99, **marker)
    database.add("RUNTIME", cbid=41, start=zero + 10_000, end=zero + 10_020, processId=100, threadId=-96,
                 correlationId=30)
    database.add("MEMCPY", copyKind=1, srcKind=1, dstKind=3, bytes=4096, start=zero + 10_100, end=zero + 10_900,
                 contextId=1, streamId=7, correlationId=30)
    database.add("MEMCPY2", copyKind=10, srcKind=3, dstKind=3, bytes=512, start=zero + 11_000, end=zero + 11_100,
                 contextId=1, streamId=8, dstDeviceId=1, correlationId=31)
    database.add("MEMSET", bytes=64, start=zero + 11_200, end=zero + 11_210, contextId=1, streamId=7, correlationId=32,
                 memoryKind=3)
    database.add("CUDA_EVENT", correlationId=30, contextId=1, streamId=7, eventId=4)
    database.add("RUNTIME", cbid=131, start=zero + 12_000, end=zero + 13_000, processId=100, threadId=-96,
                 correlationId=33)
    for kind in range(5):
        database.add("SYNCHRONIZATION", type=kind, start=zero + 12_010 + kind, end=zero + 12_990, correlationId=33,
                     contextId=1, streamId=7 if kind == 3 else 0xFFFFFFFF, cudaEventId=4)
    for kind, data in ((1, struct.pack("<IIIII", 1530, 877, 3, 16, 1)), (2, struct.pack("<I", 45)),
                       (3, struct.pack("<II", 61500, 300000)), (4, struct.pack("<I", 30)), (9, b"")):
        database.add("ENVIRONMENT", timestamp=zero + 100 * kind, environmentKind=kind, data=data)
    for kind in range(1, 10):
        database.add("UNIFIED_MEMORY_COUNTER", counterKind=kind, value=65536, start=zero + 14_000 + 10 * kind,
                     end=zero + 14_005 + 10 * kind, processId=100)
    database.add("MEMORY", memoryKind=3, bytes=100, start=zero + 1, end=zero + 15_000)
    database.add("OVERHEAD", overheadKind=1 << 16, objectKind=2, objectId=thread(100, -96), start=zero + 16_000,
                 end=zero + 16_100)
    for table in ("OPENACC_DATA", "OPENACC_LAUNCH", "OPENACC_OTHER"):
        database.add(table, eventKind=4, start=zero + 17_000, end=zero + 17_100, cuProcessId=100, cuThreadId=-96,
                     srcFile=text("solver.f90"), lineNo=12)
    database.add("OPENMP", eventKind=5, start=zero + 18_000, end=zero + 18_100, cuProcessId=100, cuThreadId=-96)
    database.add("NAME", objectKind=1, objectId=thread(100, 0), name=text("solver"))
    database.add("NAME", objectKind=2, objectId=thread(100, -96), name=text("main thread"))
    database.add("NAME", objectKind=5, objectId=struct.pack("<III", 0, 1, 8), name=text("copies"))
    database.add("METRIC", id=5, value=bytes(8), correlationId=1)


def seed(*statements):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "profile.nvvp"
        database = Writer(path, page_size=512)
        fill(database)
        for statement in statements:
            database.database.execute(statement)
        database.close()
        return path.read_bytes()


def seeds():
    whole = seed()
    yield "whole.nvvp", whole
    yield "kernels.nvvp", seed(*("DROP TABLE %s%s" % (PREFIX, name) for name in SCHEMA if name != "CONCURRENT_KERNEL"))
    yield "no_times.nvvp", seed("UPDATE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL SET start = 0, end = 0",
                                "UPDATE CUPTI_ACTIVITY_KIND_MARKER SET timestamp = 0 WHERE _id_ % 3 = 0")
    yield "extremes.nvvp", seed("UPDATE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL SET start = -9223372036854775808, "
                                "end = 9223372036854775807, deviceId = 4294967295 WHERE _id_ % 2",
                                "UPDATE CUPTI_ACTIVITY_KIND_MARKER SET id = 1, objectId = x'01'")
    yield "texts_for_numbers.nvvp", seed("UPDATE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL SET name = 'k', deviceId = 1e300",
                                         "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET cbid = 'x', threadId = 'y'")
    yield "no_texts.nvvp", seed("DELETE FROM StringTable")
    yield "truncated.nvvp", whole[:len(whole) * 2 // 3]
    yield "header_only.nvvp", whole[:512]
