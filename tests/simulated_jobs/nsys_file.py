"""Writes what a process did as `nsys export --type sqlite` does (schema 3.25), with the trace of CUDA, NVTX, the operating
system's calls and MPI."""
import os
import sqlite3

EPOCH_NS = 1_700_000_000_000_000_000
COPIES = {"HtoD": 1, "DtoH": 2, "DtoD": 8, "PtoP": 10}
MEMORY = {"Pageable": 0, "Pinned": 1, "Device": 2}
POINT_TO_POINT = ("MPI_Isend", "MPI_Irecv", "MPI_Send", "MPI_Recv", "MPI_Sendrecv")
VERSIONS = {"cudaLaunchKernel": "_v7000", "cudaGraphLaunch": "_v10000"}

SCHEMA = """
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_PRODUCT_VERSION', '2026.2.1');
    CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
    CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER, threadsPerWarp INTEGER,
      computeMajor INTEGER, computeMinor INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
      correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
      correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
      gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
      correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
      correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER, eventSyncId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
      globalPid INTEGER, eventId INTEGER, eventSyncId INTEGER);
    CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,
      endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
    CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,
      nameId INTEGER, returnValue INTEGER);
    CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
    CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
    CREATE TABLE MPI_START_WAIT_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
"""


def insert(database, table, **values):
    """A row; columns that are not named are null."""
    database.execute("INSERT INTO %s (%s) VALUES (%s)" % (table, ", ".join(values), ", ".join("?" * len(values))),
                     tuple(values.values()))


class Export:
    def __init__(self, process):
        self.process, self.texts, self.rows = process, {}, {}
        self.global_process = 1 << 48 | process.number << 24

    def text(self, value):
        return self.texts.setdefault(value, len(self.texts) + 1)

    def add(self, table, *values):
        self.rows.setdefault(table, []).append(values)

    def calls(self):
        for thread, name, start, end, correlation in self.process.calls:
            self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start, end, 0, self.global_process | thread, correlation,
                     self.text(name + VERSIONS.get(name, "_v3020")), 0)

    def ranges(self):
        for thread, category, name, start, end, _ in self.process.ranges:
            thread |= self.global_process
            if category == "nvtx":
                self.add("NVTX_EVENTS", start, end, 59, None, thread, None, self.text(name), 0)
            elif category == "os":
                self.add("OSRT_API", start, end, 27, thread, None, self.text(name), 0)
            else:
                kind = "P2P" if name in POINT_TO_POINT else "START_WAIT" if "Wait" in name else "COLLECTIVES"
                self.add("MPI_%s_EVENTS" % kind, start, end, thread, self.text(name))
        for thread in self.process.threads:
            self.add("NVTX_EVENTS", 0, None, 39, None, self.global_process | thread.number, None, self.text(thread.name), 0)

    def device_ops(self):
        for device in self.process.devices:
            for op in device.ops:
                place = (op.start, op.end, device.number, device.number + 1, op.stream.number, op.correlation,
                         self.global_process)
                if op.kind == "kernel":
                    name = self.text(op.name)
                    self.add("CUPTI_ACTIVITY_KIND_KERNEL", *place, name, name, op.blocks, 1, 1, 256, 1, 1, 32)
                elif op.kind == "memset":
                    self.add("CUPTI_ACTIVITY_KIND_MEMSET", *place, op.bytes, 2)
                else:
                    self.add("CUPTI_ACTIVITY_KIND_MEMCPY", *place, op.bytes, COPIES[op.ends], MEMORY[op.args["source"]],
                             MEMORY[op.args["target"]])

    def waits(self):
        events = {}
        for kind, device, stream, start, end, correlation, recorded in self.process.waits:
            number = None
            if recorded and recorded[1]:
                number = events.setdefault(recorded, len(events) + 1)
            self.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start, end, device.number, device.number + 1,
                     0xffffffff if stream is None else stream, correlation, self.global_process,
                     {"event": 1, "stream": 2}.get(kind, 3 if stream is not None else 4), number, number)
        for (stream, correlation), number in events.items():
            device = self.process.devices[0]
            self.add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", device.number, device.number + 1, stream, correlation, self.global_process,
                     number, number)


def write(process, path):
    export = Export(process)
    export.calls()
    export.ranges()
    export.device_ops()
    export.waits()
    for device in process.devices:
        export.add("TARGET_INFO_GPU", device.number, device.name, 132, 84_942_979_072, 32, 9, 0)
    export.add("TARGET_INFO_SESSION_START_TIME", EPOCH_NS)
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.executescript(SCHEMA)
    database.execute("BEGIN")
    for table, rows in export.rows.items():
        database.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(rows[0]))), rows)
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, text) for text, number in export.texts.items()])
    database.execute("COMMIT")
    database.close()
