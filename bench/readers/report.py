"""Writes a Nsight Systems report with the rows of an export of generate.py: EXPORT REPORT. As in public reports, a block of liblz4
holds at most 7,000 events, and events of the same kind are together for some hundred."""
import ctypes
import ctypes.util
import sqlite3
import sys

BLOCK = 7000  # events
TOGETHER = 500  # events of the table that has the most
# Payload of the event, then the numbers of its fields; those of a kind of device work lie in a message of their own.
DEVICE = {"start": 1, "end": 2, "correlationId": 3, "deviceId": 4, "contextId": 5, "streamId": 6, "globalPid": 8}
CALL = {"start": 1, "end": 2, "correlationId": 3, "eventClass": 6, "nameId": 7, "returnValue": 8, "globalTid": 13}
TABLES = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": (48, 108, CALL, 0, {}),
    "CUPTI_ACTIVITY_KIND_KERNEL": (79, 107, DEVICE, 101, {
        "demangledName": 1, "shortName": 2, "mangledName": 3, "gridX": 10, "gridY": 11, "gridZ": 12, "blockX": 13, "blockY": 14, "blockZ": 15,
        "staticSharedMemory": 16, "dynamicSharedMemory": 17, "localMemoryPerThread": 18, "localMemoryTotal": 19, "gridId": 20,
        "registersPerThread": 21, "sharedMemoryExecuted": 22, "cacheConfig": 23, "launchType": 24}),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (80, 107, DEVICE, 102, {"bytes": 1, "copyKind": 2, "srcKind": 4, "dstKind": 5}),
    "NVTX_EVENTS": (59, 102, {"eventType": 1, "start": 2, "globalTid": 9, "end": 10, "textId": 12, "domainId": 13}, 0, {}),
    "OSRT_API": (48, 108, {"start": 1, "end": 2, "eventClass": 6, "nameId": 7, "returnValue": 8, "globalTid": 13,
                           "nestingLevel": 20}, 0, {}),
}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def with_length(content):
    return varint(len(content)) + content


class Blocks:
    """Messages of block size, each behind its size and its compressed size."""

    def __init__(self, out):
        self.out = out
        self.lz4 = ctypes.CDLL(ctypes.util.find_library("lz4"))
        self.content = bytearray()
        self.events = 0

    def add(self, content):
        self.content += content
        self.events += 1
        if self.events == BLOCK:
            self.flush()

    def flush(self):
        text = with_length(bytes(self.content))
        packed = ctypes.create_string_buffer(self.lz4.LZ4_compressBound(len(text)))
        size = self.lz4.LZ4_compress_default(text, packed, len(text), len(packed))
        self.out.write(varint(size) + varint(len(text)) + packed.raw[:size])
        self.content.clear()
        self.events = 0


def event(row, event_type, payload, fields, kind, more):
    content = b"".join(number(fields[name], row[name]) for name in fields if row[name] is not None)
    if kind:
        content += message(kind, b"".join(number(more[name], row[name]) for name in more if row[name] is not None))
    return message(1, number(1, event_type) + message(payload, content))


def main():
    database = sqlite3.connect(sys.argv[1])
    database.row_factory = sqlite3.Row
    texts = dict(database.execute("SELECT id, value FROM StringIds").fetchall())
    counts = {table: database.execute("SELECT count(*) FROM %s" % table).fetchone()[0] for table in TABLES}
    rows = {table: database.execute("SELECT * FROM %s" % table) for table in TABLES}
    turns = max(counts.values()) // TOGETHER + 1
    with open(sys.argv[2], "wb") as out:
        out.write(b"NVIDIA Tegra Profiler Report 2025@1@1@110-0v0.")
        start = out.tell()
        out.write(b"QDTEXT00" + with_length(b"") +
                  with_length(number(1, sum(counts.values())) + number(3, max(texts) + 1) + message(9, b"lz4")))
        blocks = Blocks(out)
        for _ in range(turns):
            for table, layout in TABLES.items():
                for row in rows[table].fetchmany(counts[table] // turns + 1):
                    blocks.add(event(row, *layout))
        blocks.flush()
        at_texts = out.tell() - start - 8
        for text in range(max(texts) + 1):
            blocks.content += message(1, texts.get(text, "").encode())
        blocks.flush()
        out.write(with_length(b"") + with_length(b""))
        directory = message(1, message(1, b"Raw Sampling Data") + number(2, start) + number(3, out.tell() - start))
        offsets = message(1, b"lz4") + number(2, at_texts)
        directory += message(1, message(1, b"Sampling Data Offsets") + number(2, out.tell()) + number(3, len(offsets)))
        out.write(offsets)
        at = out.tell()
        out.write(directory + at.to_bytes(8, "little") + b"U3w[END]")


if __name__ == "__main__":
    main()
